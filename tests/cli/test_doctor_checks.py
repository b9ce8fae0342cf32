"""Each check finds what is wrong, and says what to do."""

import os
from pathlib import Path

import pytest

from panegate.cli import doctor_checks as checks
from panegate.cli.doctor_checks import Health
from panegate.panes.facts import ProbeLevel
from panegate.runtime.address import ServerAddress
from panegate.wire.version import Version


def folder_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int | None):
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    if mode is not None:
        folder = tmp_path / f"tmux-{os.getuid()}"
        folder.mkdir()
        folder.chmod(mode)
    return checks.check_socket_folder(ServerAddress(socket_name="x"))


@pytest.mark.parametrize(
    ("mode", "health"), [(None, Health.GOOD), (0o700, Health.GOOD), (0o770, Health.BROKEN)]
)
def test_the_socket_folder_must_be_ours_alone(tmp_path, monkeypatch, mode, health):
    found = folder_check(tmp_path, monkeypatch, mode)
    assert found.health is health
    assert bool(found.fix) == (health is Health.BROKEN)


@pytest.mark.parametrize(
    ("mode", "health"), [(0o700, Health.GOOD), (0o1777, Health.GOOD), (0o777, Health.NOTE)]
)
def test_a_folder_of_the_callers_must_keep_others_from_replacing_files(tmp_path, mode, health):
    folder = tmp_path / "x"
    folder.mkdir()
    folder.chmod(mode)
    address = ServerAddress(socket_name=None, socket_path=str(folder / "s"))
    assert checks.check_socket_folder(address).health is health


@pytest.mark.parametrize(
    ("environ", "health"),
    [
        ({"LANG": "C.UTF-8"}, Health.GOOD),
        ({"LC_ALL": "de_DE.utf8", "LANG": "C"}, Health.GOOD),
        ({"LC_ALL": "C", "LANG": "C.UTF-8"}, Health.NOTE),
        ({}, Health.NOTE),
    ],
)
def test_a_locale_without_utf_8_is_noted(environ: dict[str, str], health: Health):
    assert checks.check_locale(environ).health is health


def test_a_forced_probe_level_is_noted_with_what_it_means():
    found = checks.check_probe({"PANEGATE_PROBE": "none"})
    assert found.health is Health.NOTE
    assert "marks and screens alone" in found.words


def test_a_wrong_probe_level_is_broken():
    found = checks.check_probe({"PANEGATE_PROBE": "some"})
    assert found.health is Health.BROKEN
    assert found.fix


@pytest.mark.parametrize("level", list(ProbeLevel))
def test_every_probe_level_has_words(level: ProbeLevel, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(checks, "probe_level", lambda _environ: level)
    assert f"level {level.value}: " in checks.check_probe({}).words


@pytest.mark.parametrize(("text", "count"), [("3.2a", 7), ("3.3a", 5), ("3.7", 1), ("master", 0)])
def test_what_is_known_about_a_version_is_noted(text: str, count: int):
    found = checks.version_notes(Version.parse(text))
    assert len(found) == count
    assert all(check.health is Health.NOTE for check in found)


def test_variables_are_listed():
    found = checks.check_variables({"PANEGATE_PROBE": "none", "HOME": "/x"})
    assert found.words == "PANEGATE_PROBE=none"


def test_wrong_settings_are_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "settings.toml"
    path.write_text("colour = 1\n")
    monkeypatch.setenv("PANEGATE_CONFIG", str(path))
    found = checks.check_settings()
    assert found.health is Health.BROKEN
    assert f"{path}:1" in found.words


def test_a_wrong_profile_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "panegate" / "profiles"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text("colour = 1\n")
    monkeypatch.setattr("panegate.profiles.library.user_folder", lambda: folder)
    (found,) = checks.check_profiles()
    assert found.health is Health.BROKEN
    assert "mine.toml:1" in found.words


def test_shipped_profiles_are_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("panegate.profiles.library.user_folder", lambda: tmp_path)
    (found,) = checks.check_profiles()
    assert found.health is Health.GOOD

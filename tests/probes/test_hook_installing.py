"""Changing a configuration file: shown first, whole or not at all, nothing clobbered."""

import json
import stat
from pathlib import Path

import pytest

from panegate.errors import PanegateError
from panegate.probes.hooks.installing import configuration_path, hook_argv, plan_change


def test_planning_writes_nothing(tmp_path: Path):
    path = tmp_path / "settings.json"
    change = plan_change("claude", path, install=True)
    assert change.needed
    assert "panegate" in change.diff
    assert list(tmp_path.iterdir()) == []


def test_the_file_keeps_its_mode_and_a_copy_is_left(tmp_path: Path):
    path = tmp_path / "settings.json"
    path.write_text('{"model": "x"}\n')
    path.chmod(0o640)
    backup = plan_change("claude", path, install=True).apply()
    assert backup is not None
    assert backup.read_text() == '{"model": "x"}\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert json.loads(path.read_text())["model"] == "x"
    second = plan_change("claude", path, install=False).apply()
    assert second != backup
    assert backup.read_text() == '{"model": "x"}\n'
    assert json.loads(path.read_text()) == {"model": "x"}


def test_a_new_file_is_the_users_alone(tmp_path: Path):
    path = tmp_path / "deep" / "config.toml"
    assert plan_change("codex", path, install=True).apply() is None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not plan_change("codex", path, install=True).needed


def test_a_link_stays_a_link(tmp_path: Path):
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    link = tmp_path / "settings.json"
    link.symlink_to(real)
    plan_change("claude", link, install=True).apply()
    assert link.is_symlink()
    assert "hooks" in json.loads(real.read_text())


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path):
    path = tmp_path / "settings.json"
    path.write_text("{}")
    change = plan_change("claude", path, install=True)
    path.write_text('{"theirs": 1}')
    with pytest.raises(PanegateError, match="changed meanwhile"):
        change.apply()
    assert path.read_text() == '{"theirs": 1}'
    assert [entry.name for entry in tmp_path.iterdir()] == ["settings.json"]


def test_what_is_wrong_names_the_file(tmp_path: Path):
    path = tmp_path / "settings.json"
    path.write_text("nonsense")
    with pytest.raises(PanegateError, match=str(path)):
        plan_change("claude", path, install=True)
    path.write_bytes(b"\xff")
    with pytest.raises(PanegateError, match=str(path)):
        plan_change("claude", path, install=True)


def test_the_users_own_files_are_found(tmp_path: Path):
    home = {"HOME": "/home/me"}
    assert configuration_path("claude", home) == Path("/home/me/.claude/settings.json")
    assert configuration_path("codex", home) == Path("/home/me/.codex/config.toml")
    moved = {**home, "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/d"}
    assert configuration_path("claude", moved) == Path("/c/settings.json")
    assert configuration_path("codex", moved) == Path("/d/config.toml")
    with pytest.raises(ValueError, match="nano"):
        configuration_path("nano", home)


def test_the_hook_is_named_by_its_full_path():
    assert Path(hook_argv()[0]).is_absolute()

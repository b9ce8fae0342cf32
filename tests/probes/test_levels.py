"""The level is what is wanted, lowered to what is there."""

from pathlib import Path

import pytest

from panegate.errors import SettingsError
from panegate.panes.facts import ProbeLevel
from panegate.probes import levels
from panegate.probes.levels import available_level, lower, probe_level, wanted_level

L = ProbeLevel


@pytest.mark.parametrize(
    ("environ", "level"),
    [
        ({}, L.FULL),
        ({"PANEGATE_PROBE": ""}, L.FULL),
        ({"PANEGATE_PROBE": "full"}, L.FULL),
        ({"PANEGATE_PROBE": "wchan"}, L.WCHAN),
        ({"PANEGATE_PROBE": "termios"}, L.TERMIOS),
        ({"PANEGATE_PROBE": "none"}, L.NONE),
    ],
)
def test_the_variable_names_a_level(environ: dict[str, str], level: ProbeLevel) -> None:
    assert wanted_level(environ) is level


@pytest.mark.parametrize("value", ["FULL", "off", "1", " none"])
def test_a_wrong_value_is_an_error_that_names_it_and_the_right_ones(value: str) -> None:
    with pytest.raises(SettingsError, match="PANEGATE_PROBE") as caught:
        wanted_level({"PANEGATE_PROBE": value})
    assert repr(value) in str(caught.value)
    assert "full, wchan, termios, none" in caught.value.fix


def procfs(root: Path, *names: str) -> str:
    (root / "self").mkdir()
    for name in names:
        (root / "self" / name).write_text("0")
    return str(root)


@pytest.mark.parametrize(
    ("machine", "names", "level"),
    [
        ("x86_64", ("syscall", "wchan"), L.FULL),
        ("aarch64", ("syscall", "wchan"), L.FULL),
        ("riscv64", ("syscall", "wchan"), L.WCHAN),
        ("x86_64", ("wchan",), L.WCHAN),
        ("x86_64", (), L.TERMIOS),
    ],
)
def test_linux_gives_what_its_procfs_has(
    tmp_path: Path, machine: str, names: tuple[str, ...], level: ProbeLevel
) -> None:
    proc = procfs(tmp_path, *names)
    assert available_level(system="linux", machine=machine, proc=proc) is level


def test_other_systems_give_less() -> None:
    assert available_level(system="darwin") is L.TERMIOS
    assert available_level(system="freebsd14") is L.NONE


def test_a_forced_level_only_lowers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lower(L.WCHAN, L.FULL) is lower(L.FULL, L.WCHAN) is L.WCHAN
    monkeypatch.setattr(levels, "available_level", lambda: L.WCHAN)
    assert probe_level({"PANEGATE_PROBE": "full"}) is L.WCHAN
    assert probe_level({"PANEGATE_PROBE": "termios"}) is L.TERMIOS
    monkeypatch.setenv("PANEGATE_PROBE", "none")
    assert probe_level() is L.NONE

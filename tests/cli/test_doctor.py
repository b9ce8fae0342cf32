"""The doctor as it is called."""

from pathlib import Path

import pytest
from tests.cli.conftest import Cli

from panegate.testing.servers import PrivateServer

pytestmark = pytest.mark.tmux


def test_a_machine_that_is_fit_is_said_to_be(cli: Cli, server: PrivateServer):
    done = cli.json("doctor")
    assert (done.status, done.document["ok"]) == (0, True)
    checks = done.document["checks"]
    found = {check["name"] for check in checks}
    assert {"tmux", "control", "socket", "server", "probe", "settings", "profiles"} <= found
    words = " ".join(check["words"] for check in checks if check["name"] == "server")
    assert f"is version {server.version}, pid {server.pid}" in words


def test_sessions_of_several_windows_are_named(cli: Cli, server: PrivateServer):
    server.run("new-window", "-t", "base:", "cat")
    assert "sessions of several windows: base" in cli("doctor").out


def test_a_server_that_does_not_run_is_no_fault(bare: Cli, tmp_path: Path):
    done = bare("doctor", "-S", str(tmp_path / "none"))
    assert done.status == 0
    assert "none runs at" in done.out
    assert not (tmp_path / "none").exists()


def test_a_missing_tmux_is_broken(bare: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PANEGATE_TMUX", "/no/such/tmux")
    done = bare("doctor")
    assert done.status == 1
    assert "BAD   tmux       /no/such/tmux is not installed" in done.out
    assert "what to do: install tmux 3.2a or newer" in done.out


def test_wrong_settings_are_broken(cli: Cli, tmp_path: Path):
    (tmp_path / "settings.toml").write_text("colour = 1\n")
    done = cli("doctor")
    assert done.status == 1
    assert "settings.toml:1: unknown setting 'colour'" in done.out

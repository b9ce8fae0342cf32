"""Names of panes at the press of a key."""

from pathlib import Path

import pytest
from tests.cli.conftest import Start, end

from panegate.cli.command_line import CommandLine
from panegate.cli.completing import pane_names
from panegate.testing.servers import PrivateServer


@pytest.mark.tmux
def test_the_names_of_the_servers_sessions_are_offered(server: PrivateServer):
    server.start_program(["cat"], name="panegate")
    assert pane_names(CommandLine(socket_path=str(server.socket_path))) == ["base"]


@pytest.mark.tmux
def test_no_server_offers_nothing_and_is_not_started(tmp_path: Path, server: PrivateServer):
    assert pane_names(CommandLine(socket_path=str(tmp_path / "none"))) == []
    assert not (tmp_path / "none").exists()


def test_no_tmux_offers_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PANEGATE_TMUX", "/no/such/tmux")
    assert pane_names(CommandLine()) == []


def test_another_host_is_not_asked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PANEGATE_TMUX", "/no/such/tmux")
    assert pane_names(CommandLine(ssh="there")) == []


@pytest.mark.tmux
def test_a_shell_is_offered_names_and_commands(server: PrivateServer, start: Start):
    from tests.cli.conftest import Cli

    argv = Cli().argv("x")[:-1]
    words = f"panegate send -S {server.socket_path} ba"
    variables = {"COMP_WORDS": words, "COMP_CWORD": "4", "_PANEGATE_COMPLETE": "bash_complete"}
    assert end(start(argv, **variables), None).out == "plain,base\n"
    variables |= {"COMP_WORDS": "panegate expl", "COMP_CWORD": "1"}
    assert end(start(argv, **variables), None).out == "plain,explain\n"

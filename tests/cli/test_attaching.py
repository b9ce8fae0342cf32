"""How a person gets to a pane."""

import shlex

import pytest
from tests.cli.conftest import Cli, Start, Watched, end

from panegate.cli.attaching import attach_argv
from panegate.runtime.address import ServerAddress
from panegate.testing.servers import PrivateServer


def test_tmux_itself_shows_the_pane():
    address = ServerAddress(socket_name="x", tmux="/opt/tmux")
    assert shlex.join(attach_argv(address, "%3")) == "/opt/tmux -u -L x attach-session -t %3"


def test_a_server_elsewhere_is_reached_with_a_terminal():
    address = ServerAddress(socket_name=None, socket_path="/a b", ssh="me@there")
    *ssh, remote = attach_argv(address, "%3")
    assert ssh == ["ssh", "-t", "--", "me@there"]
    assert shlex.split(remote) == ["tmux", "-u", "-S", "/a b", "attach-session", "-t", "%3"]


@pytest.mark.tmux
def test_attaching_needs_a_terminal(cli: Cli):
    done = cli("attach", "base")
    assert done.status == 1
    assert "needs a terminal" in done.err


@pytest.mark.tmux
def test_a_person_at_a_terminal_is_brought_to_the_pane(
    cli: Cli, server: PrivateServer, start: Start
):
    server.run("set-option", "-g", "status", "off")
    server.run("send-keys", "-t", "base", "hello there", "Enter")
    server.run("set-hook", "-g", "client-attached", "wait-for -S attached")
    with Watched() as terminal:
        argv = cli.argv("attach", "base")
        process = start(
            argv,
            stdin=terminal.theirs,
            stdout=terminal.theirs,
            stderr=terminal.theirs,
            TMUX="/elsewhere,1,0",
            TERM="xterm",
        )
        terminal.wait_for("hello there")
        server.run("detach-client", "-s", "base")
        assert end(process, None).status == 0

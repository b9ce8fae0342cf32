"""Programs, panes and servers that end while a command waits for them."""

import pytest
from tests.cli.conftest import Cli, Done, Start, Watched, end

from panegate.testing.servers import PrivateServer

pytestmark = pytest.mark.tmux

BASH = ("bash", "--norc", "--noprofile")


@pytest.fixture
def shell(cli: Cli) -> Cli:
    assert cli("launch", "--name", "w1", "--", *BASH).status == 0
    return cli


def ended(done: Done) -> tuple[object, ...]:
    """Return how a turn ended: state, status, over, complete."""
    run = done.document["run"]
    return run["state"], run["status"], run["over"], run["complete"]


def test_a_shell_that_a_command_ends_says_its_status(shell: Cli):
    done = shell("run", "w1", "echo bye; exit 3")
    assert (done.status, done.err) == (0, "w1 exited with status 3.\n")
    assert done.out.splitlines()[0] == "bye"
    assert shell("ls").out == "no panes\n"


def test_the_status_of_the_program_itself_is_in_the_document(shell: Cli):
    done = shell.json("run", "w1", "exit 3")
    assert done.status == 0
    assert ended(done) == ("exited", 3, True, True)
    assert done.document["run"]["words"] == "w1 exited with status 3."


def test_a_pane_that_is_retained_stays(cli: Cli):
    assert cli("launch", "--retain", "--name", "w1", "--", *BASH).status == 0
    assert cli("run", "w1", "exit 3").err == "w1 exited with status 3.\n"
    assert "exited" in cli("ls").out


def test_a_pane_is_left_to_tmux_again_after_the_command(shell: Cli, server: PrivateServer):
    assert shell("run", "w1", "true").status == 0
    server.run("send-keys", "-t", "%1", "tmux wait-for -S ended; exit", "Enter")
    server.run("wait-for", "ended")
    assert shell("wait", "w1", "exited", "--within", "5").status in (0, 4)
    assert shell("ls").out == "no panes\n"


def test_a_persons_own_pane_is_left_as_it_is(cli: Cli, server: PrivateServer):
    server.start_program(["env", *BASH], name="mine")
    assert cli("adopt", "mine").status == 0
    before = server.run("show-options", "-w", "-t", "mine")
    assert cli("run", "mine", "true").status == 0
    assert server.run("show-options", "-w", "-t", "mine") == before
    done = cli.json("run", "mine", "exit 3")
    assert done.status == 5
    assert ended(done) == ("exited", None, False, False)
    assert "its pane was closed, or went with its program" in done.document["run"]["words"]


KILLS = {
    "program": (5, "w1 was ended by signal 9 before its turn was over."),
    "session": (5, "(its pane was closed, or went with its program) before its turn was over."),
    "server": (7, "The tmux server died before the turn of w1 was over."),
}


@pytest.mark.parametrize("what", KILLS)
def test_a_turn_that_is_cut_off_is_not_complete(
    shell: Cli, server: PrivateServer, start: Start, what: str
):
    pid = server.run("display-message", "-p", "-t", "%1", "#{pane_pid}")
    with Watched() as terminal:
        process = start(shell.argv("run", "w1", "sleep 1000"), stderr=terminal.theirs)
        terminal.wait_for("we submitted a write")
        match what:
            case "program":
                server.run("run-shell", "-b", f"kill -9 {pid}")
            case "session":
                server.run("kill-session", "-t", "=w1")
            case "server":
                server.run("kill-server")
        done = end(process, None)
        status, words = KILLS[what]
        assert done.status == status
        terminal.wait_for("The message landed. ")
        terminal.wait_for(words)


def test_a_turn_that_is_cut_off_says_so_in_its_document(
    shell: Cli, server: PrivateServer, start: Start
):
    process = start(shell.argv("run", "--json", "w1", f"{wait_for(server, 'up')}; sleep 1000"))
    server.run("wait-for", "up")
    server.run("kill-session", "-t", "=w1")
    done = end(process, None)
    assert (done.status, ended(done)) == (5, ("exited", None, False, False))


def wait_for(server: PrivateServer, name: str) -> str:
    """Return the shell command that tells the test it runs."""
    return f"tmux -S {server.socket_path} wait-for -S {name}"


@pytest.mark.parametrize(
    "words",
    [
        ("send", "w1", "hi"),
        ("run", "w1", "hi"),
        ("wait", "w1", "ready"),
        ("wait", "w1", "exited"),
        ("keys", "--within", "50", "w1", "C-d"),
        ("clear", "--within", "50", "w1"),
        ("events", "w1"),
    ],
)
def test_a_server_that_dies_while_a_command_waits_is_unreachable(
    shell: Cli, server: PrivateServer, start: Start, words: tuple[str, ...]
):
    server.run("send-keys", "-t", "%1", f"{wait_for(server, 'up')}; sleep 1000", "Enter")
    server.run("wait-for", "up")
    with Watched() as terminal:
        process = start(shell.argv(*words), stderr=terminal.theirs)
        if words[0] == "events":
            assert process.stdout is not None
            assert "is watched" in process.stdout.readline()
        else:
            terminal.wait_for("waiting for ")
        server.run("kill-server")
        done = end(process, None)
        assert done.status == 7
        if words[0] != "events":
            terminal.wait_for("panegate: ")
            terminal.wait_for("server")


def test_a_server_that_dies_while_a_program_starts_is_unreachable(
    cli: Cli, server: PrivateServer, start: Start
):
    argv = ("sh", "-c", f"{wait_for(server, 'up')}; sleep 1000")
    process = start(cli.argv("launch", "--json", "--name", "q", "--", *argv))
    server.run("wait-for", "up")
    server.run("kill-server")
    done = end(process, None)
    assert (done.status, done.document["error"]["code"]) == (7, "server_unreachable")

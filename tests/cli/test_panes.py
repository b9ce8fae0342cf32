"""Programs started, taken over, listed and ended from the command line."""

import shlex
from pathlib import Path

import pytest
from tests.cli.conftest import BOTH_WAYS, Cli, Start, end

from panegate.testing.programs import program_argv
from panegate.testing.servers import PrivateServer

pytestmark = [pytest.mark.tmux, BOTH_WAYS]

BASH = ("bash", "--norc", "--noprofile")


def test_a_launched_program_is_ready_and_listed(cli: Cli):
    done = cli("launch", "--name", "w1", "--", *BASH)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("w1 (%1, bash) is ready")
    (pane,) = cli.json("ls").document["panes"]
    assert (pane["name"], pane["profile"], pane["state"]) == ("w1", "bash", "ready")


def test_later_commands_know_what_a_program_was_launched_with(cli: Cli, tmp_path: Path):
    profile = tmp_path / "mine.toml"
    profile.write_text('extends = "lines"\n')
    words = ("--profile", str(profile), "--name", "w1", "--where", "tel:1", "--env", "A=b c")
    assert cli("launch", *words, "--", *program_argv("lines", prompt="say> ")).status == 0
    (pane,) = cli.json("ls").document["panes"]
    assert (pane["profile"], pane["state"]) == ("mine", "ready")
    assert cli.json("explain", "w1").document["explanation"]["profile"] == "mine"


def test_a_shell_that_runs_something_is_still_known_as_a_shell(cli: Cli):
    cli("launch", "--name", "w1", "--", *BASH)
    cli("send", "w1", "sleep 0.5")
    (pane,) = cli.json("ls").document["panes"]
    assert pane["profile"] == "bash"
    assert cli("wait", "w1", "ready", "--within", "10").status == 0


def test_a_shell_that_was_adopted_is_still_known_while_it_runs_something(
    cli: Cli, server: PrivateServer
):
    server.start_program(list(BASH), name="theirs")
    assert cli("wait", "theirs", "ready", "--within", "10").status == 0
    cli("adopt", "theirs")
    cli("send", "theirs", "sleep 0.5")
    assert cli.json("ls").document["panes"][0]["profile"] == "bash"
    assert cli("wait", "theirs", "ready", "--within", "10").status == 0


def test_a_program_that_asks_at_once_is_launched_with_its_question(cli: Cli):
    argv = program_argv("composer", trust_first="menu")
    done = cli.json("launch", "--profile", "standin", "--name", "w1", "--", *argv)
    assert done.status == 0
    assert done.document["pane"]["state"] == "prompting"
    assert "trust" in done.document["pane"]["prompt"]["question"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--", "sh", "-c", "echo oops; exit 3"), "ended with status 3"),
        (("--", "no-such-program-anywhere"), "there is no program"),
        (("--cwd", "/no/such/folder", "--", "cat"), "there is no folder"),
    ],
)
def test_a_failed_launch_says_why_and_leaves_nothing(
    cli: Cli, server: PrivateServer, words: tuple[str, ...], message: str
):
    done = cli.json("launch", *words)
    assert done.status == 1
    error = done.document["error"]
    assert error["code"] == "launch_failed"
    assert message in error["message"]
    assert server.run("list-panes", "-a", "-F", "#{session_name}").split() == ["base"]


def test_the_words_of_a_failed_launch_show_its_screen(cli: Cli):
    # tmux up to 3.3a can drop the last output of a program that ends in the same instant
    done = cli("launch", "--", "sh", "-c", "echo oops; sleep 0.2; exit 3")
    assert "status 3" in done.err
    assert "  | oops" in done.err


def test_a_program_that_is_not_waited_for_is_there_at_once(cli: Cli):
    done = cli.json("launch", "--no-wait", "--name", "w1", "--", "sh", "-c", "sleep 1000")
    assert done.status == 0
    assert done.document["pane"]["state"] == "booting"


def test_tmux_removes_the_pane_of_a_program_that_ends_later(cli: Cli, server: PrivateServer):
    cli("launch", "--name", "w1", "--", *BASH)
    server.run("set-hook", "-g", "session-closed", "wait-for -S closed")
    cli("send", "w1", "exit")
    server.run("wait-for", "closed")
    done = cli("send", "w1", "hello")
    assert done.status == 4
    assert "has no pane 'w1'" in done.err


def test_a_retained_pane_keeps_its_exit(cli: Cli):
    cli("launch", "--retain", "--name", "w1", "--", *BASH)
    cli("send", "w1", "echo last words; exit 7")
    assert cli("wait", "w1", "exited", "--within", "10").status == 0
    done = cli.json("read", "w1")
    assert done.document["screen"]["label"] == "idle-stale"
    assert "last words" in "\n".join(done.document["screen"]["rows"])
    assert cli("close", "w1").status == 0
    assert cli("read", "w1").status == 4


def test_panes_of_others_are_listed_only_when_asked_for(cli: Cli):
    assert cli("ls").out == "no panes\n"
    assert [p["name"] for p in cli.json("ls", "--all").document["panes"]] == ["base"]


def test_an_adopted_pane_is_known_by_what_was_said_about_it(cli: Cli, server: PrivateServer):
    server.start_program(program_argv("lines", prompt="say> "), name="theirs")
    done = cli.json("adopt", "theirs", "--profile", "lines", "--name", "notes")
    assert (done.status, done.document["pane"]["name"]) == (0, "notes")
    assert cli("wait", "notes", "ready", "--within", "10").status == 0
    (pane,) = cli.json("ls").document["panes"]
    assert (pane["name"], pane["profile"]) == ("notes", "lines")


@pytest.mark.parametrize("which", ["%0", "base", "=base", "base:0", "base:0.0", "@0", "$0"])
def test_a_pane_is_meant_by_id_name_or_target(cli: Cli, which: str):
    assert cli.json("explain", which).document["explanation"]["pane"] == "%0"


@pytest.mark.parametrize("which", ["%9", "bas", "base:7", "bas:0", "base:0.4", "@9", "x", ""])
def test_a_pane_that_is_not_there_is_not_guessed(cli: Cli, which: str):
    done = cli.json("close", which)
    assert done.status == 4
    assert done.document["error"]["code"] == "no_such_pane"
    assert "--all lists its panes" in done.document["error"]["fix"]


def test_a_name_of_several_panes_is_not_guessed(cli: Cli, server: PrivateServer):
    server.run("split-window", "-t", "base", "cat")
    done = cli("explain", "base")
    assert done.status == 4
    assert "%0, %1" in done.err
    assert cli.json("explain", "base:0.1").document["explanation"]["pane"] == "%1"


def test_a_closed_pane_is_gone(cli: Cli, server: PrivateServer):
    cli("launch", "--name", "w1", "--", *BASH)
    assert cli("close", "w1").out == "w1 (%1) is closed\n"
    assert server.run("list-panes", "-a", "-F", "#{session_name}").split() == ["base"]


def test_an_interrupted_launch_leaves_nothing(cli: Cli, server: PrivateServer, start: Start):
    says_up = shlex.join(server.command("wait-for", "-S", "up"))
    process = start(cli.argv("launch", "--", "sh", "-c", f"{says_up}; sleep 1000"))
    server.run("wait-for", "up")
    done = end(process)
    assert (done.status, done.out) == (130, "")
    assert server.run("list-panes", "-a", "-F", "#{session_name}").split() == ["base"]


@pytest.mark.parametrize(
    "words", [("--env", "A", "--", "cat"), ("--size", "wide", "--", "cat"), ("--size", "9x9", "x")]
)
def test_what_cannot_be_meant_is_a_usage_error(cli: Cli, words: tuple[str, ...]):
    assert cli("launch", *words).status == 2


@pytest.mark.parametrize("name", ["a b", "panegate", "-x", "", "a:b", "a.b", "x" * 65, "ä"])
def test_a_name_that_no_session_can_have_is_a_usage_error(cli: Cli, name: str):
    done = cli("launch", f"--name={name}", "--", "cat")
    assert done.status == 2
    assert f"{name!r} is not a usable name" in done.err


@pytest.mark.parametrize("name", ["_", "9", "a-b_c+d", "x" * 64])
def test_a_name_that_is_taken_for_usable_is_usable(cli: Cli, name: str):
    assert cli("launch", "--name", name, "--no-wait", "--", "cat").status == 0


def test_a_server_that_is_not_there_is_unreachable(bare: Cli, tmp_path: Path):
    done = bare.json("ls", "-S", str(tmp_path / "none"))
    assert done.status == 7
    assert done.document["error"]["code"] == "server_unreachable"
    assert done.document["error"]["fix"].endswith(f"panegate -S {tmp_path / 'none'} launch -- bash")
    assert not (tmp_path / "none").exists()

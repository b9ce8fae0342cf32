"""Looking and waiting from the command line; nothing is written."""

import pytest
from tests.cli.conftest import BOTH_WAYS, Cli, Start, Watched, end

from panegate.testing.programs import program_argv
from panegate.testing.servers import PrivateServer

pytestmark = [pytest.mark.tmux, BOTH_WAYS]

BASH = ("bash", "--norc", "--noprofile")


@pytest.fixture
def shell(cli: Cli) -> Cli:
    assert cli("launch", "--name", "w1", "--", *BASH).status == 0
    return cli


def test_a_state_that_holds_already_is_not_waited_for(shell: Cli):
    done = shell("wait", "w1", "ready,prompting")
    assert (done.status, done.out) == (0, "w1 (%1, bash) is ready\n")


def test_a_state_that_does_not_come_is_time_that_ran_out(shell: Cli):
    done = shell.json("wait", "w1", "prompting", "--within", "0.8")
    assert (done.status, done.document["error"]["code"]) == (6, "not_ready")
    assert done.document["error"]["state"] == "ready"


def test_a_state_that_does_not_exist_is_a_usage_error(cli: Cli):
    done = cli("wait", "base", "ready,happy")
    assert done.status == 2
    assert "'happy' is no state" in done.err


def test_a_program_that_exits_while_it_is_waited_for_ends_the_wait(shell: Cli):
    shell("send", "w1", "sleep 0.2; exit")
    assert shell("wait", "w1", "prompting", "--within", "20").status in (1, 4)


def test_a_wait_ends_when_the_state_comes(shell: Cli, start: Start):
    with Watched() as terminal:
        process = start(shell.argv("wait", "w1", "prompting"), stderr=terminal.theirs)
        terminal.wait_for("waiting for prompting")
        shell("send", "w1", "read -rsp 'secret: ' x")
        done = end(process, None)
    assert done.status == 0
    assert "w1 (%1, bash) is prompting" in done.out
    assert "answer " in done.out


def test_an_interrupted_wait_leaves_nothing_behind(shell: Cli, server: PrivateServer, start: Start):
    before = server.run("list-clients")
    with Watched() as terminal:
        process = start(shell.argv("wait", "w1", "exited"), stderr=terminal.theirs)
        terminal.wait_for("waiting for exited")
        assert server.run("list-clients") != ""
        done = end(process)
    assert (done.status, done.out) == (130, "")
    assert server.run("list-clients") == before


def test_the_screen_is_printed_as_it_is(shell: Cli):
    shell("send", "w1", "printf '%s\\n' 'a  b' '' c")
    done = shell("read", "w1")
    assert done.out.split("\n")[1:4] == ["a  b", "", "c"]
    assert done.err == ""


def test_a_screen_is_a_document_with_its_label(shell: Cli):
    screen = shell.json("read", "w1").document["screen"]
    assert (screen["label"], screen["columns"], screen["lines"]) == ("live", 120, 40)
    assert len(screen["rows"]) == 40


def test_history_is_read_where_it_is_asked_for(shell: Cli):
    shell("run", "w1", "seq 100")
    assert "\n3\n" not in shell("read", "w1").out
    assert "\n3\n" in shell("read", "w1", "--history", "200").out


def test_an_explanation_has_evidence_and_what_the_gate_says(shell: Cli):
    out = shell("explain", "w1").out
    assert out.startswith("w1 (%1, bash) is ready\n  because   ")
    assert "\n  evidence  process: foreground command bash\n" in out
    assert "\n  gate      Nothing stands in the way" in out
    found = shell.json("explain", "w1").document["explanation"]
    assert (found["state"], found["history"][0]["new"]) == ("ready", "ready")


def test_questions_are_listed_with_the_command_that_answers(shell: Cli):
    assert shell("prompts").out == "nobody waits for an answer\n"
    argv = program_argv("composer", trust_first="menu")
    shell("launch", "--profile", "standin", "--name", "agent", "--", *argv)
    out = shell("prompts").out
    assert out.startswith("agent (permission):\n")
    assert "trust the files in this folder?" in out
    (prompt,) = shell.json("prompts").document["prompts"]
    assert f"panegate answer {' '.join(shell.where)} %2 {prompt['id']} OPTION" in out
    assert prompt["name"] == "agent"

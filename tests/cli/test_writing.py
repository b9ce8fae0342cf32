"""What is written from the command line, and what is not."""

import hashlib

import pytest
from tests.cli.conftest import BOTH_WAYS, Cli, Start, Watched, end

from panegate.testing.programs import program_argv
from panegate.testing.servers import PrivateServer
from panegate.testing.truth import TruthLog

pytestmark = [pytest.mark.tmux, BOTH_WAYS]

BASH = ("bash", "--norc", "--noprofile")


@pytest.fixture
def shell(cli: Cli) -> Cli:
    assert cli("launch", "--name", "w1", "--", *BASH).status == 0
    return cli


@pytest.fixture
def agent(cli: Cli, truth_log: TruthLog) -> Cli:
    argv = program_argv("composer", log=truth_log.path, ask_after_submit=200)
    assert cli("launch", "--profile", "standin", "--name", "w1", "--", *argv).status == 0
    return cli


def asked(cli: Cli) -> dict[str, object]:
    """Send a message that makes the agent ask, and return its question."""
    assert cli("send", "w1", "tidy up").status == 0
    assert cli("wait", "w1", "prompting", "--within", "10").status == 0
    (prompt,) = cli.json("prompts").document["prompts"]
    return dict(prompt)


def test_a_message_lands_and_its_receipt_is_printed(shell: Cli):
    done = shell("send", "w1", "echo", "a", "b")
    assert done.status == 0
    assert done.out.startswith("w1: Landed: ")
    assert "\n  ms: held " in done.out
    assert shell("read", "w1").out.count("\na b\n") == 1


def test_a_receipt_is_a_document(shell: Cli):
    receipt = shell.json("send", "w1", "--", "-x; echo hi").document["receipt"]
    assert (receipt["fate"], receipt["landed"], receipt["n_bytes"]) == ("landed", True, 12)


def test_a_dash_reads_standard_input(shell: Cli):
    assert shell("send", "w1", "-", stdin="echo from stdin\n").status == 0
    assert "\nfrom stdin\n" in shell("read", "w1").out


@pytest.mark.parametrize("text", ["-", "", "\n"])
def test_no_text_is_a_usage_error(cli: Cli, text: str):
    assert cli("send", "base", text).status == 2


def test_text_that_is_not_submitted_stays_and_can_be_cleared(shell: Cli):
    assert shell("send", "w1", "--no-submit", "echo never").status == 0
    assert shell("ls").out.rstrip().endswith("somebody's draft: 'echo never'")
    assert shell("clear", "w1").status == 0
    assert "never" not in shell("read", "w1").out


def test_time_that_runs_out_leaves_nothing_written(shell: Cli):
    shell("send", "w1", "sleep 1000")
    done = shell.json("send", "w1", "--within", "0.3", "echo no")
    assert done.status == 6
    error = done.document["error"]
    assert error["code"] == "not_ready"
    assert error["reason"] in ("booting", "busy")  # adopted while it was busy: nothing is proven
    assert "Nothing was written" in error["message"]
    assert "no" not in shell("read", "w1").out.splitlines()


def test_a_running_command_is_interrupted(shell: Cli):
    shell("send", "w1", "sleep 1000")
    assert shell("interrupt", "w1").status == 0
    assert shell("wait", "w1", "ready", "--within", "5").status == 0


def test_keys_are_pressed_by_name(shell: Cli):
    shell("send", "w1", "echo again")
    assert shell("keys", "w1", "Up").status == 0
    assert shell("ls").out.rstrip().endswith("'echo again'")


def test_a_key_that_is_not_known_is_a_usage_error(shell: Cli):
    done = shell("keys", "w1", "Hyper-q")
    assert done.status == 2
    assert "Hyper-q" in done.err


def test_a_run_prints_what_was_said(shell: Cli):
    done = shell("run", "w1", "seq 3")
    assert (done.status, done.out, done.err) == (0, "1\n2\n3\n", "")
    result = shell.json("run", "w1", "echo hi").document["run"]
    assert (result["text"], result["state"], result["complete"]) == ("hi", "ready", True)


def test_a_turn_that_does_not_end_in_time_is_not_called_unwritten(shell: Cli):
    done = shell.json("run", "w1", "--turn-within", "0.3", "sleep 1000")
    assert done.status == 5
    result = done.document["run"]
    assert (result["receipt"]["fate"], result["complete"]) == ("landed", False)
    assert done.err == "The message landed. The turn was not over in time; it goes on.\n"


def test_an_interrupted_turn_says_that_its_message_landed(shell: Cli, start: Start):
    with Watched() as terminal:
        process = start(shell.argv("run", "w1", "sleep 1000"), stderr=terminal.theirs)
        terminal.wait_for("we submitted a write")
        done = end(process)
    assert done.status == 130
    assert done.out.startswith("w1: Landed: ")


def test_a_turn_that_ends_in_a_question_shows_it(agent: Cli):
    done = agent("run", "w1", "tidy up")
    assert done.status == 0
    assert "w1 asks:\nDo you want to run this command?" in done.err


def test_a_held_pane_takes_nothing_until_it_is_released(shell: Cli):
    assert shell("hold", "w1", "--reason", "it is mine").status == 0
    done = shell.json("send", "w1", "--within", "0.2", "echo no")
    assert (done.status, done.document["error"]["reason"]) == (6, "held")
    assert "it is mine" in shell("ls").out
    assert shell("keys", "w1", "Up").status == 3
    assert shell.json("release", "w1").document["pane"]["held"] is None
    assert shell("send", "w1", "echo yes").status == 0


def test_a_nudge_lands_in_a_ready_program_and_nowhere_else(shell: Cli):
    assert shell("send", "w1", "--intent", "nudge", "echo nudged").status == 0
    shell("send", "w1", "sleep 1000")
    assert shell("send", "w1", "--intent", "nudge", "echo no").status == 3


@pytest.mark.parametrize(
    "words",
    [
        ("--intent", "nudge", "--within", "3"),
        ("--intent", "nudge", "--no-submit"),
        ("--intent", "answer"),
    ],
)
def test_options_that_do_not_go_together_are_a_usage_error(cli: Cli, words: tuple[str, ...]):
    assert cli("send", "base", *words, "text").status == 2


def test_nothing_but_an_answer_writes_to_a_question(agent: Cli, truth_log: TruthLog):
    asked(agent)
    before = truth_log.events("bytes")
    for words in (
        ("send", "w1", "hello"),
        ("send", "w1", "--intent", "nudge", "hello"),
        ("send", "w1", "--intent", "steer", "hello"),
        ("interrupt", "w1"),
        ("keys", "w1", "Enter"),
        ("clear", "w1"),
    ):
        done = agent(*words)
        assert done.status == 3, words
        assert "Do you want to run this command?" in done.err
        assert f"panegate answer {' '.join(agent.where)} %1 " in done.err
    assert truth_log.events("bytes") == before


def test_an_answer_reaches_the_question_that_was_read(agent: Cli, truth_log: TruthLog):
    prompt = asked(agent)
    assert agent("answer", "w1", str(prompt["id"]), "2").status == 0
    (chosen,) = truth_log.events("approved", "declined")
    assert (chosen["event"], chosen["option"]) == ("approved", 2)
    assert agent("wait", "w1", "ready", "--within", "10").status == 0


def test_a_question_is_declined_by_its_own_way(agent: Cli, truth_log: TruthLog):
    prompt = asked(agent)
    assert agent("answer", "w1", str(prompt["id"]), "--cancel").status == 0
    (closed,) = truth_log.events("dialog_closed")
    assert closed["by"] == "escape"


def test_an_answer_to_another_question_writes_nothing_and_shows_the_new_one(
    agent: Cli, truth_log: TruthLog
):
    prompt = asked(agent)
    done = agent.json("answer", "w1", "%1.1.00000000", "1")
    assert (done.status, done.document["error"]["code"]) == (4, "stale_answer")
    assert done.document["error"]["prompt"]["id"] == prompt["id"]
    assert truth_log.events("dialog_closed") == []


def test_an_answer_when_nothing_is_asked_is_an_error(agent: Cli):
    done = agent.json("answer", "w1", "%1.1.00000000", "1")
    assert (done.status, done.document["error"]["reason"]) == (4, "not_prompting")


def test_an_option_that_is_not_there_is_refused(agent: Cli, truth_log: TruthLog):
    prompt = asked(agent)
    done = agent.json("answer", "w1", str(prompt["id"]), "9")
    assert (done.status, done.document["error"]["reason"]) == (3, "no_such_option")
    assert truth_log.events("dialog_closed") == []


@pytest.mark.parametrize("words", [(), ("1", "--cancel"), ("--text", "x", "--secret")])
def test_an_answer_is_exactly_one_thing(cli: Cli, words: tuple[str, ...]):
    assert cli("answer", "base", "%0.1.00000000", *words).status == 2


def test_a_secret_comes_from_standard_input_and_goes_nowhere_else(
    cli: Cli, server: PrivateServer, truth_log: TruthLog
):
    argv = program_argv("hidden-input", log=truth_log.path)
    done = cli.json("launch", "--name", "w1", "--", *argv)
    prompt = done.document["pane"]["prompt"]
    assert (prompt["kind"], prompt["secret"]) == ("secret", True)
    done = cli.json("answer", "w1", prompt["id"], "--secret", stdin="hunter2\n")
    assert done.status == 0
    assert "hunter2" not in done.out + done.err
    assert "hunter2" not in server.run("show-messages", check=False)
    assert server.run("list-buffers") == ""
    truth_log.wait_for_sync("dialog_closed", 5)
    (taken,) = truth_log.events("secret")
    assert taken["sha256"] == hashlib.sha256(b"hunter2").hexdigest()


def test_an_interrupted_wait_for_the_gate_writes_nothing(shell: Cli, start: Start):
    shell("send", "w1", "sleep 1000")
    with Watched() as terminal:
        process = start(shell.argv("send", "w1", "echo never"), stderr=terminal.theirs)
        terminal.wait_for("waiting for the gate")
        done = end(process)
        terminal.wait_for("Interrupted; nothing was written.")
    assert (done.status, done.out) == (130, "")
    shell("interrupt", "w1")
    assert "never" not in shell("run", "w1", "echo done").out


def test_an_interrupted_write_in_hand_says_what_became_of_it(
    cli: Cli, truth_log: TruthLog, start: Start
):
    argv = program_argv("composer", log=truth_log.path, submit_enter_ready_after=1500, work=1)
    assert cli("launch", "--profile", "standin", "--name", "w1", "--", *argv).status == 0
    with Watched() as terminal:
        process = start(cli.argv("send", "w1", "hello"), stderr=terminal.theirs)
        truth_log.wait_for_sync(lambda events: "68656c6c6f" in str(events), 10)
        done = end(process)
        terminal.wait_for("is in hand")
    assert done.status == 130
    assert done.out.startswith("w1: ")

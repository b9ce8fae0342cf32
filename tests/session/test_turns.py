"""Where a turn began and how it ended, kept for who reads what was said."""

from tests.session.rig import EDITOR, HIDDEN, PROMPT_OFF, PROMPT_ON, Rig, ready_bash

from panegate.gate.guard import GuardResult
from panegate.panes.facts import ProbeLevel
from panegate.session.queue import TurnEnd
from panegate.terms import Fate, Intent, State


def run(rig: Rig, above: tuple[str, ...], line: str, said: bytes) -> None:
    """Send *line* below the rows *above*; its turn ends with the output *said*."""
    rig.send(line)
    rig.show(*above, "$ ", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    rig.output(line.encode())
    rig.show(*above, f"$ {line}", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    rig.output(rb"\015\012" + PROMPT_OFF + said + PROMPT_ON)
    rig.show(*above, f"$ {line}", "$ ", kernel=EDITOR)


def test_a_turn_ends_with_the_status_of_its_own_command():
    rig = ready_bash()
    run(rig, (), "echo", b"")
    run(rig, ("$ echo",), "(exit 7)", rb"\033]133;D;7\007")
    assert rig.tracker.turn_ends == {
        1: TurnEnd(state=State.READY, status=None),
        2: TurnEnd(state=State.READY, status=7),
    }
    assert [finished.turn for finished in rig.finished] == [1, 2]


def test_a_shell_that_owes_the_status_of_a_command_has_not_ended_the_turn():
    """It told one before: a line editor without one is the command's own, as of ``read -e``."""
    rig = ready_bash()
    run(rig, (), "(exit 7)", rb"\033]133;D;7\007")
    run(rig, ("$ (exit 7)",), "read -e x", b"")
    assert list(rig.tracker.turn_ends) == [1]
    assert rig.tracker.state is not State.READY


def test_the_rows_of_texts_and_of_their_enters_are_kept():
    rig = ready_bash()
    run(rig, (), "one", b"")
    run(rig, ("$ one",), "two", b"")
    assert list(rig.tracker.typed_rows) == [0, 1]
    assert [f.submitted_row for f in rig.finished] == [0, 1]
    assert [f.submitted_text for f in rig.finished] == ["$ one", "$ two"]
    assert {f.prompt_text for f in rig.finished} == {"$ "}


def test_a_turn_that_ends_the_program_ended_so():
    rig = ready_bash()
    rig.send("exit")
    rig.show("$ ", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    rig.output(b"exit")
    rig.show("$ exit", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    rig.tracker.exited("its process ended", at_s=rig.now_s)
    rig.settle()
    assert rig.tracker.turn_ends[1].state is State.EXITED


def test_a_withheld_message_began_no_turn():
    rig = ready_bash()
    rig.send("one", submit=False)
    rig.show("$ ", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    rig.output(b"one")
    rig.show("$ one", kernel=EDITOR)
    (finished,) = rig.finished
    assert (finished.receipt.fate, finished.turn) == (Fate.LANDED, 0)
    assert rig.tracker.turn_ends == {}


def test_a_secrets_row_is_kept_nowhere():
    rig = Rig("generic")
    rig.output(b"Password: ")
    rig.show("Password: ", kernel=HIDDEN)
    prompt = rig.tracker.prompt
    assert prompt is not None
    assert HIDDEN.level is ProbeLevel.FULL
    rig.send("hunter2", Intent.ANSWER, prompt_id=prompt.id, secret=True)
    rig.show("Password: ", kernel=HIDDEN)
    rig.reply(GuardResult.WRITTEN)
    rig.show("Password: hunter2", kernel=HIDDEN)
    rig.reply(GuardResult.WRITTEN)
    rig.output(rb"\015\012")
    rig.show("Password: ", "ok", kernel=HIDDEN)
    assert all("hunter2" not in finished.submitted_text for finished in rig.finished)
    assert rig.finished

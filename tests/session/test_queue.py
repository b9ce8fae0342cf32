"""First in, first out; one write in hand; answers and interrupts do not wait for messages."""

from tests.session.rig import EDITOR, PROMPT_OFF, PROMPT_ON, Rig, ready_bash

from panegate.gate.guard import GuardResult
from panegate.session.events import PaneExited, WriteHeld
from panegate.terms import Fate, Intent, Reason


def land(rig: Rig, text: str) -> None:
    rig.show("$ ", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    rig.output(text.encode())
    rig.show(f"$ {text}", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    rig.output(rb"\015\012" + PROMPT_OFF + PROMPT_ON)
    rig.show("$ ", kernel=EDITOR)


def test_two_messages_land_in_the_order_they_were_asked_for():
    rig = ready_bash()
    first, second = rig.send("one"), rig.send("two")
    land(rig, "one")
    land(rig, "two")
    assert [f.receipt.write_id for f in rig.finished] == [first, second]
    assert all(f.receipt.fate is Fate.LANDED for f in rig.finished)


def test_only_one_write_is_in_hand():
    rig = ready_bash()
    rig.send("one")
    rig.send("two")
    rig.show("$ ", kernel=EDITOR)
    assert len(rig.actions) == 1
    assert [w.began for w in rig.tracker.writes] == [True, False]


def test_a_nudge_does_not_wait_for_a_write_in_hand():
    rig = ready_bash()
    rig.send("one")
    rig.show("$ ", kernel=EDITOR)
    rig.send("go on", Intent.NUDGE)
    assert [f.receipt.reason for f in rig.finished] == [Reason.QUEUED]
    assert len(rig.actions) == 1


def test_what_holds_a_write_is_said_once_for_each_reason():
    rig = ready_bash()
    rig.tracker.hold("lunch", at_s=rig.now_s)
    rig.send("one")
    for _ in range(3):
        rig.show("$ ", kernel=EDITOR, wait=False)
    held = [e.reason for e in rig.events if isinstance(e, WriteHeld)]
    assert held == [Reason.HELD]


def test_callers_are_counted_while_they_wait():
    rig = ready_bash()
    rig.tracker.hold("lunch", at_s=rig.now_s)
    write_id = rig.send("one")
    rig.show("$ ", kernel=EDITOR)
    assert rig.tracker.machine.watchers == 1
    rig.tracker.withdraw(write_id, Reason.WITHDRAWN, "", at_s=rig.now_s)
    assert rig.tracker.machine.watchers == 0


def submitted() -> Rig:
    """Return a shell whose message has been typed and submitted, and nothing seen since."""
    rig = ready_bash()
    rig.send("exit 3")
    rig.show("$ ", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    rig.output(b"exit 3")
    rig.show("$ exit 3", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    return rig


def test_a_pane_that_goes_with_its_client_after_the_enter_is_no_lost_connection():
    """Its last words were the answer: the shell was told to exit, and did."""
    rig = submitted()
    rig.tracker.connection_lost("the control client ended", at_s=rig.now_s)
    rig.settle()
    assert rig.finished == []
    rig.tracker.gone("its pane was closed", at_s=rig.now_s)
    rig.settle()
    (finished,) = rig.finished
    assert (finished.receipt.fate, finished.receipt.left_behind) == (Fate.LANDED, "")


def test_a_connection_that_ends_before_the_enter_leaves_the_fate_unknown():
    rig = ready_bash()
    rig.send("exit 3")
    rig.show("$ ", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    rig.tracker.connection_lost("the control client ended", at_s=rig.now_s)
    rig.settle()
    (finished,) = rig.finished
    assert (finished.receipt.fate, finished.receipt.reason) == (
        Fate.UNKNOWN,
        Reason.CONNECTION_LOST,
    )


def test_a_write_whose_server_dies_says_so_and_leaves_nothing_to_clear():
    rig = ready_bash()
    rig.send("exit 3")
    rig.send("never")
    rig.show("$ ", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    rig.tracker.reachable(False, "the tmux server died", at_s=rig.now_s)
    rig.tracker.exited("the tmux server died", at_s=rig.now_s)
    rig.settle()
    first, second = (f.receipt for f in rig.finished)
    assert (first.fate, first.reason) == (Fate.UNKNOWN, Reason.SERVER_UNREACHABLE)
    assert (second.fate, second.reason) == (Fate.REFUSED, Reason.SERVER_DIED)
    (exited,) = (e for e in rig.events if isinstance(e, PaneExited))
    assert exited.server_lost


def test_a_pane_that_is_gone_has_nothing_to_clear():
    rig = ready_bash()
    rig.send("exit 3")
    rig.show("$ ", kernel=EDITOR)
    rig.reply(GuardResult.WRITTEN)
    rig.tracker.gone("its pane was closed", at_s=rig.now_s)
    rig.settle()
    (finished,) = rig.finished
    assert (finished.receipt.fate, finished.receipt.left_behind) == (Fate.UNKNOWN, "")

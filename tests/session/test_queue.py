"""First in, first out; one write in hand; answers and interrupts do not wait for messages."""

from tests.session.rig import EDITOR, PROMPT_OFF, PROMPT_ON, Rig, ready_bash

from panegate.gate.guard import GuardResult
from panegate.session.events import WriteHeld
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

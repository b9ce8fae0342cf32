"""Writes to programs whose screen never rests."""

from tests.session.rig import EDITOR, LOOP, Rig

from panegate.gate.guard import GuardResult
from panegate.gate.stages import PressKeys
from panegate.terms import Fate, Reason

RULE = "─" * 40


def box(text: str, clock: str = "1.0") -> tuple[str, ...]:
    return RULE, f"> {text}", RULE, f"  up {clock}s"


def typed(ticks_every_s: float) -> Rig:
    """A composer that holds our text, and a clock below it that went on for half a second."""
    rig = Rig("standin")
    rig.output(b"> ")
    rig.show(*box(""), kernel=EDITOR, cursor=(1, 2))
    rig.send("hello")
    rig.show(*box(""), kernel=EDITOR, cursor=(1, 2))
    rig.reply(GuardResult.WRITTEN)
    rig.output(b"hello")
    rig.show(*box("hello"), kernel=EDITOR, cursor=(1, 7))
    for n in range(int(0.5 / ticks_every_s)):
        rig.output(b"tick", ticks_every_s)
        rig.tracker.advance(now_s=rig.now_s)
        if rig.tracker.take_look() is not None:
            rig.show(*box("hello", f"1.{n}"), kernel=EDITOR, cursor=(1, 7), wait=False)
        if rig.actions:
            break
    return rig


def test_a_fast_clock_does_not_keep_the_enter_back():
    """The gap of quiet is for our text; once all of it was seen, twice the gap is enough."""
    rig = typed(ticks_every_s=0.04)
    assert [type(action) for action in rig.actions] == [PressKeys]
    assert not rig.finished


def test_an_enter_that_a_question_took_has_not_landed_by_a_later_mark():
    """The mark of a turn that the question's answer began is not about our text."""
    rig = typed(ticks_every_s=0.04)
    rig.reply(GuardResult.WRITTEN)
    rig.output(rb"\033]133;C\007")
    rig.show("* Working…", *box("hello"), kernel=LOOP, cursor=(2, 7))
    assert not rig.finished
    for _ in range(3):
        rig.pass_time(1)
        rig.output(b"tick")
        rig.show("* Working…", *box("hello"), kernel=LOOP, cursor=(2, 7))
    rig.pass_time(9)
    (finished,) = rig.finished
    receipt = finished.receipt
    assert (receipt.fate, receipt.reason) == (Fate.UNKNOWN, Reason.NO_REACTION)
    assert (receipt.left_behind, receipt.attempts) == ("hello", 1)

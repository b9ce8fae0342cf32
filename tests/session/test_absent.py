"""The kernel's word that a program is not at its terminal hides no question from a write."""

import pytest
from tests.session.rig import ABSENT, EDITOR, Rig

from panegate.gate.guard import GuardResult
from panegate.gate.stages import PressKeys
from panegate.panes.facts import KernelFact
from panegate.terms import Fate, Intent, Reason

AWAY = KernelFact(level=ABSENT.level, wait=ABSENT.wait, echo=False, icanon=False, unread_bytes=0)
DIALOG = (
    " Do you want to run this command?",
    " ❯ 1. Yes",
    "   2. No",
    "",
    " Esc to cancel",
)
RULE = "─" * 40


def box(text: str) -> tuple[str, ...]:
    return RULE, f"> {text}", RULE


def typed(profile: str) -> Rig:
    """A composer whose box has just taken our text."""
    rig = Rig(profile)
    rig.output(b"> ")
    rig.show("", *box(""), kernel=EDITOR, cursor=(2, 2), alternate_on=True)
    rig.send("hello")
    rig.show("", *box(""), kernel=EDITOR, cursor=(2, 2), alternate_on=True)
    rig.reply(GuardResult.WRITTEN)
    rig.output(b"hello")
    return rig


@pytest.mark.parametrize("profile", ["generic", "standin"])
def test_a_question_that_is_being_drawn_withholds_the_enter(profile: str):
    """A program that paints is not in a read; what it has painted already counts."""
    rig = typed(profile)
    rows = (*DIALOG, *box("hello"))
    rig.show(*rows, kernel=AWAY, cursor=(6, 7), alternate_on=True)
    rig.pass_time(1)
    assert rig.actions == []
    (finished,) = rig.finished
    receipt = finished.receipt
    assert (receipt.fate, receipt.reason) == (Fate.NOT_LANDED, Reason.PROMPT_OPENED)


def test_the_enter_waits_until_the_program_is_back_at_its_terminal():
    """It may be about to ask something."""
    rig = typed("generic")
    for _ in range(3):
        rig.show("", *box("hello"), kernel=AWAY, cursor=(2, 7), alternate_on=True)
        assert rig.actions == []
    rig.show("", *box("hello"), kernel=EDITOR, cursor=(2, 7), alternate_on=True)
    assert [type(action) for action in rig.actions] == [PressKeys]


def test_an_answer_has_not_landed_while_its_question_is_drawn():
    """However busy the program is with it."""
    rig = Rig("standin")
    rig.output(b"x")
    rig.show(*DIALOG, kernel=EDITOR, cursor=(1, 1))
    prompt = rig.tracker.prompt
    assert prompt is not None
    rig.send(intent=Intent.ANSWER, option="1", prompt_id=prompt.id, by="tester")
    rig.show(*DIALOG, kernel=EDITOR, cursor=(1, 1))
    rig.reply(GuardResult.WRITTEN)
    rig.output(b"x")
    rig.show(*DIALOG, kernel=AWAY, cursor=(1, 1))
    assert not rig.finished
    rig.output(b"x")
    rig.show("* Working…", *box(""), kernel=EDITOR, cursor=(2, 2))
    assert [event.receipt.fate for event in rig.finished] == [Fate.LANDED]

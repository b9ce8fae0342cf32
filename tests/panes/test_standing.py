"""Which marks stand: the prompt cycle, bracketed paste, and what a gap voids."""

import pytest

from panegate.panes.facts import Mark, MarkKind
from panegate.panes.standing import StandingMarks


def feed(*kinds: MarkKind, text: str = "") -> StandingMarks:
    marks = StandingMarks()
    for n, kind in enumerate(kinds):
        marks.feed(Mark(kind, text, float(n)))
    return marks


def test_paste_on_and_off_is_a_prompt_cycle():
    assert feed(MarkKind.PASTE_ON).at_prompt is True
    marks = feed(MarkKind.PASTE_ON, MarkKind.PASTE_OFF)
    assert (marks.at_prompt, marks.paste_on, marks.cycle_at_s) == (False, False, 1.0)


def test_cycles_count_arrivals_at_a_prompt_not_repaints():
    marks = feed(MarkKind.PASTE_ON, MarkKind.PASTE_ON, MarkKind.PASTE_OFF, MarkKind.PASTE_ON)
    assert marks.cycles == 2


def test_shell_marks_beat_paste_marks_for_the_cycle():
    marks = feed(MarkKind.PROMPT_START, MarkKind.COMMAND_START, MarkKind.PASTE_ON)
    assert marks.at_prompt is False
    assert marks.paste_on is True


@pytest.mark.parametrize(("text", "status"), [("0", 0), ("127", 127), ("", None), ("x", None)])
def test_command_end_carries_the_status(text: str, status: int | None):
    assert feed(MarkKind.COMMAND_END, text=text).status == status


def test_a_caret_mark_calls_for_no_look():
    marks = StandingMarks()
    assert marks.feed(Mark(MarkKind.CURSOR_HIDDEN, "", 0.0)) is False
    assert marks.feed(Mark(MarkKind.PASTE_ON, "", 0.0)) is True


def test_a_gap_voids_everything_that_stood():
    marks = feed(MarkKind.PASTE_ON, MarkKind.TITLE, text="x")
    marks.void()
    assert (marks.at_prompt, marks.paste_on, marks.latest) == (None, None, {})


def test_a_prompt_drawn_again_was_not_left():
    """Programs repeat their prompt marks after a question; only a line taken leaves a prompt."""
    marks = feed(MarkKind.PROMPT_START, MarkKind.PROMPT_END, MarkKind.PROMPT_START)
    assert (marks.cycle_at_s, marks.left_at_s) == (2.0, float("-inf"))
    marks.feed(Mark(MarkKind.COMMAND_START, "", 3.0))
    marks.feed(Mark(MarkKind.PROMPT_START, "", 4.0))
    assert (marks.cycle_at_s, marks.left_at_s) == (4.0, 3.0)

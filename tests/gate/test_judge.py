"""What counts as a reaction to an Enter, and what does not."""

import attrs
import pytest
from tests.session.rig import ABSENT, EDITOR, LINE_READ, look

from panegate.gate.judge import (
    Reaction,
    ReactionKind,
    View,
    judge_reaction,
    mark_reaction,
    popup_opened,
)
from panegate.panes.facts import KernelFact, Mark, MarkKind
from panegate.panes.standing import StandingMarks
from panegate.profiles import load
from panegate.screen.grid import Grid
from panegate.screen.read import read_screen
from panegate.terms import Grade, State


def view(
    *rows: str,
    profile: str = "lines",
    state: State = State.BUSY,
    kernel: KernelFact | None = None,
    at_prompt: bool | None = None,
    left_at_s: float = float("-inf"),
    **known: object,
) -> View:
    seen = look(*rows, kernel=kernel, command="program", **known)  # type: ignore[arg-type]
    return View(
        look=seen,
        grid=Grid.from_look(seen),
        reading=read_screen(seen, load(profile)),
        state=state,
        confirmed=True,
        at_prompt=at_prompt,
        left_at_s=left_at_s,
    )


def judge(before: View, now: View, profile: str = "lines", line_break: bool = False) -> Reaction:
    return judge_reaction(
        before, now, profile=load(profile), submitted_s=10.0, line_break=line_break
    )


def test_an_unchanged_line_is_no_reaction():
    before = view("hello")
    assert judge(before, view("hello")).kind is ReactionKind.NONE


def test_a_line_read_by_the_program_landed_by_the_kernels_word():
    reaction = judge(view("hello"), view("hello", "", kernel=LINE_READ, cursor=(1, 0)))
    assert reaction.kind is ReactionKind.LANDED
    assert reaction.proof is not None
    assert reaction.proof.grade is Grade.KERNEL


def test_bytes_that_nobody_read_have_not_landed():
    unread = attrs.evolve(LINE_READ, unread_bytes=6)
    now = view("hello", "", kernel=unread, cursor=(1, 0))
    assert judge(view("hello"), now).kind is ReactionKind.NONE


def test_a_mark_before_the_enter_proves_nothing():
    before = view("$ echo", profile="bash")
    old = view("$ echo", profile="bash", at_prompt=True, left_at_s=9.0)
    assert judge(before, old, "bash").kind is ReactionKind.NONE
    new = view("$ echo", "", profile="bash", at_prompt=False, left_at_s=10.1)
    assert judge(before, new, "bash").kind is ReactionKind.LANDED


def test_mark_reaction_needs_a_cycle_after_the_enter():
    marks = StandingMarks()
    assert mark_reaction(marks, submitted_s=1.0).kind is ReactionKind.NONE
    marks.feed(Mark(MarkKind.PASTE_OFF, "", 0.5))
    assert mark_reaction(marks, submitted_s=1.0).kind is ReactionKind.NONE
    marks.feed(Mark(MarkKind.PASTE_OFF, "", 1.5))
    assert mark_reaction(marks, submitted_s=1.0).kind is ReactionKind.LANDED


def test_a_prompt_mark_drawn_again_is_no_reaction():
    """A dialog that closed may draw it; a line that was taken leaves the prompt first."""
    marks = StandingMarks()
    marks.feed(Mark(MarkKind.PROMPT_START, "", 0.5))
    marks.feed(Mark(MarkKind.PROMPT_END, "", 1.5))
    assert mark_reaction(marks, submitted_s=1.0).kind is ReactionKind.NONE


def test_a_mark_is_not_about_text_that_still_stands_where_it_was_typed():
    """A question took the Enter, and its answer began a turn."""
    before = view("> hello", profile="standin")
    busy = view("* Working…", "> hello", profile="standin", left_at_s=10.1)
    assert judge(before, busy, "standin").kind is ReactionKind.NONE
    taken = view("* Working…", "> ", profile="standin", left_at_s=10.1)
    assert judge(before, taken, "standin").kind is ReactionKind.LANDED


def test_an_emptied_box_landed_and_a_full_one_did_not():
    before = view("> hello", profile="standin")
    assert judge(before, view("> hello", profile="standin"), "standin").kind is ReactionKind.NONE
    empty = view("hello", "> ", profile="standin")
    assert judge(before, empty, "standin").kind is ReactionKind.LANDED


def test_a_dialog_where_the_box_was_is_no_proof():
    before = view("> hello", profile="standin")
    asked = view(
        " Do you want to run this command?",
        " ❯ 1. Yes",
        "   2. No",
        "",
        " Esc to cancel",
        profile="standin",
        cursor=(1, 1),
    )
    assert judge(before, asked, "standin").kind is ReactionKind.ASKED


def test_a_line_break_is_seen_as_one():
    before = view("> hello", profile="standin")
    now = view("> hello", "", profile="standin", cursor=(1, 2))
    assert judge(before, now, "standin", line_break=True).kind is ReactionKind.LINE_BREAK


def test_an_empty_row_at_the_end_of_the_screen_may_be_a_line_that_was_taken():
    """Of an unknown program: an input box has a border or a footer below it."""
    before = view(">>> hello", profile="generic")
    now = view(">>> hello", "", profile="generic", cursor=(1, 0))
    assert judge(before, now, "generic", line_break=True).kind is ReactionKind.NONE
    footer = view("> hello", "", "  ? for shortcuts", profile="generic", cursor=(1, 2))
    assert judge(before, footer, "generic", line_break=True).kind is ReactionKind.LINE_BREAK


@pytest.mark.parametrize(
    ("row", "kernel", "at_prompt", "kind"),
    [
        ("", None, None, ReactionKind.LANDED),
        ("", ABSENT, None, ReactionKind.LANDED),
        ("", None, True, ReactionKind.LANDED),
        ("... ", EDITOR, None, ReactionKind.LINE_BREAK),
        ("... ", None, True, ReactionKind.LINE_BREAK),
    ],
)
def test_a_row_under_a_line_is_a_line_break_only_while_it_is_still_edited(
    row: str, kernel: KernelFact | None, at_prompt: bool | None, kind: ReactionKind
):
    """Otherwise the line is carried out, and one more Enter would be one too many."""
    before = view(">>> f()", profile="python")
    known = {"cursor": (1, len(row)), "kernel": kernel, "at_prompt": at_prompt}
    now = view(">>> f()", row, profile="python", **known)
    assert judge(before, now, "python", line_break=True).kind is kind


def test_an_exit_after_the_enter_landed():
    now = view("", state=State.EXITED)
    assert judge(view("exit"), now).kind is ReactionKind.LANDED


def test_a_popup_beside_the_composer_is_noticed():
    before = view("", "", "> ", profile="standin")
    with_menu = view("  /help", "  /home", "> /h", profile="standin")
    assert popup_opened(before, with_menu)
    assert not popup_opened(before, view("", "", "> /h", profile="standin"))

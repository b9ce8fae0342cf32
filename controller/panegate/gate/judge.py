"""What the screen says after our text, and after our Enter."""

import enum

import attrs

from panegate.gate.receipt import Proof
from panegate.panes.facts import Look, ScreenKind, ScreenReading, TtyWait
from panegate.panes.standing import StandingMarks
from panegate.screen.grid import Grid
from panegate.screen.profile import Family, Profile
from panegate.terms import Grade, State

__all__ = [
    "Reaction",
    "ReactionKind",
    "View",
    "absolute_row",
    "has_unread",
    "is_away",
    "is_behind",
    "is_unchanged",
    "judge_reaction",
    "mark_reaction",
    "popup_opened",
]


@attrs.frozen(kw_only=True)
class View:
    """One counted look as a write sees it."""

    look: Look
    grid: Grid
    reading: ScreenReading
    state: State
    confirmed: bool
    at_prompt: bool | None
    """The prompt cycle at that moment (`StandingMarks.at_prompt`)."""
    left_at_s: float
    """`StandingMarks.left_at_s` at that moment."""
    floods: bool = False
    """The program writes all the time and does not wait at its terminal: the screen is never
    what it was, and a screen that looks like a question is text that rolls by."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The visible rows as text."""
        return tuple(self.grid.text(row) for row in range(self.look.fields.height))

    @property
    def picture(self) -> tuple[tuple[str, ...], int, int, int]:
        """The rows, where the cursor is, and how much has scrolled away."""
        fields = self.look.fields
        return self.rows, fields.cursor_x, fields.cursor_y, fields.scrolled

    @property
    def room(self) -> tuple[int, int, int]:
        """Columns and rows of the pane, and the column where its input begins."""
        fields, composer = self.look.fields, self.reading.composer
        column = fields.cursor_x if composer is None else composer.column
        return fields.width, fields.height, column


class ReactionKind(enum.Enum):
    """What became of an Enter."""

    NONE = "none"
    LANDED = "landed"
    LINE_BREAK = "line_break"
    ASKED = "asked"
    """A question is on screen where the composer was."""


@attrs.frozen
class Reaction:
    """A judgement with what it rests on."""

    kind: ReactionKind
    proof: Proof | None = None


_NONE = Reaction(ReactionKind.NONE)


def _landed(grade: Grade, words: str) -> Reaction:
    return Reaction(ReactionKind.LANDED, Proof(grade, words))


def absolute_row(look: Look, row: int) -> int:
    """Return a row's place in the pane's whole history, which scrolling does not move."""
    return row + look.fields.scrolled


def mark_reaction(marks: StandingMarks, *, submitted_s: float) -> Reaction:
    """Judge by the prompt cycle alone: the program left its line editor after our Enter."""
    if marks.left_at_s >= submitted_s:
        return _landed(Grade.MARK, "its prompt cycle moved on after the Enter")
    return _NONE


def has_unread(view: View) -> bool:
    """Tell whether the kernel says that the program has not read all of our bytes yet."""
    kernel = view.look.kernel
    return kernel is not None and bool(kernel.unread_bytes) and kernel.wait is not TtyWait.UNKNOWN


def is_behind(view: View) -> bool:
    """Tell whether text of ours is unread; in line mode it always is before the Enter."""
    kernel = view.look.kernel
    return has_unread(view) and kernel is not None and kernel.icanon is False


def is_away(view: View) -> bool:
    """Tell whether the kernel says that the program is not at its terminal."""
    kernel = view.look.kernel
    return kernel is not None and kernel.wait is TtyWait.ABSENT


def is_unchanged(before: View, now: View) -> bool:
    """Tell whether our text still stands where it was typed: then a mark was not about it."""
    was, composer = before.reading.composer, now.reading.composer
    if was is None or composer is None or not composer.text:
        return False
    same_column = now.look.fields.cursor_x == before.look.fields.cursor_x
    return composer.text == was.text and same_column


def judge_reaction(
    before: View, now: View, *, profile: Profile, submitted_s: float, line_break: bool
) -> Reaction:
    """Judge what the screen and the kernel say since the Enter.

    Args:
        before: The look the Enter was decided on; our text stands in its composer.
        now: A later look.
        profile: The program's.
        submitted_s: When the Enter was written.
        line_break: Our text stands there with an empty row under it.

    """
    if now.state is State.EXITED:
        return _landed(Grade.PROCESS, "the program ended")
    if is_unchanged(before, now):
        return _NONE
    if now.left_at_s >= submitted_s:
        return _landed(Grade.MARK, "its prompt cycle moved on after the Enter")
    if has_unread(now):
        return _NONE
    if line_break and profile.submit.line_break and _still_edits(now, profile):
        proof = Proof(Grade.SCREEN, "the Enter made a new row under our text")
        return Reaction(ReactionKind.LINE_BREAK, proof)
    typed = before.reading.composer
    if profile.family in (Family.SHELL, Family.REPL, Family.LINES) or typed is None:
        return _line_taken(before, now)
    if profile.family is Family.UNKNOWN and now.grid.last_row < now.look.fields.cursor_y:
        line_break = False  # nothing stands below the cursor: a line editor that works looks so
    return _composer_taken(now, line_break=line_break)


def _still_edits(now: View, profile: Profile) -> bool:
    """Whether it still takes input: a line that is carried out silently looks like a line break."""
    if profile.family is Family.COMPOSER:
        return True
    composer = now.reading.composer
    if profile.continuations and (composer is None or composer.row == now.look.fields.cursor_y):
        return False  # the row under our text has no continuation prompt
    if now.at_prompt is True:
        return True
    kernel = now.look.kernel
    return kernel is not None and kernel.wait not in (TtyWait.UNKNOWN, TtyWait.ABSENT)


def _line_taken(before: View, now: View) -> Reaction:
    fields = now.look.fields
    if fields.alternate_on and not before.look.fields.alternate_on:
        return _landed(Grade.SCREEN, "the screen changed to the alternate screen")
    row = absolute_row(before.look, before.look.fields.cursor_y)
    if absolute_row(now.look, fields.cursor_y) <= row:
        scrolled_away = fields.cursor_y < before.look.fields.cursor_y
        composer = now.reading.composer
        if not (scrolled_away and composer is not None and not composer.text):
            return _NONE
    kernel = now.look.kernel
    if kernel is not None and kernel.unread_bytes == 0:
        return _landed(Grade.KERNEL, "the line was read from the terminal")
    return _landed(Grade.SCREEN, "the cursor went on to the next row")


def _composer_taken(now: View, *, line_break: bool) -> Reaction:
    composer = now.reading.composer
    if now.reading.kind is ScreenKind.PROMPTING:
        return Reaction(ReactionKind.ASKED)
    if line_break:
        proof = Proof(Grade.SCREEN, "the Enter made a new row under our text")
        return Reaction(ReactionKind.LINE_BREAK, proof)
    if composer is None:
        if now.reading.kind is ScreenKind.BUSY:
            return _landed(Grade.SCREEN, "its input box gave way to its working screen")
        return _NONE
    if not composer.text and not composer.collapsed:
        return _landed(Grade.SCREEN, "its input box is empty again")
    return _NONE


def popup_opened(before: View, now: View) -> bool:
    """Tell whether rows beside the composer changed while only text was typed into it.

    Completion popups of agents open so; what stands there then takes the Enter.
    """
    composer = now.reading.composer
    if composer is None:
        return True
    height = now.look.fields.height
    own = range(composer.row, composer.last_row + 1)
    shift = now.look.fields.scrolled - before.look.fields.scrolled
    new = 0
    for row in range(max(0, composer.row - 12), min(height, composer.last_row + 13)):
        if row in own:
            continue
        text = now.grid.text(row)
        old = row + shift
        was = before.grid.text(old) if 0 <= old < before.look.fields.height else ""
        if text.strip() and text != was:
            new += 1
    return new >= 2

"""What one write knows of itself, and how it ends."""

import enum
from collections.abc import Callable
from typing import TypeAlias

import attrs

from panegate.gate.guard import Guard
from panegate.gate.judge import View, is_away, is_unchanged, popup_opened
from panegate.gate.plan import Plan, WriteRequest
from panegate.gate.receipt import Proof, Receipt
from panegate.gate.text import TypingMethod
from panegate.panes.facts import PromptReading
from panegate.screen.echo import EchoKind, EchoReading, compare_echo
from panegate.screen.profile import Family, Profile
from panegate.terms import Fate, Grade, Intent, Reason, State

__all__ = ["Action", "PressKeys", "Stage", "TypeText", "WriteBase"]

_WORKS_S = 0.25
"""Not at the terminal for so long after a key: it is done with it."""
_STILL_S = 0.03
"""Two equal looks this far apart: it has stopped writing."""


class Stage(enum.Enum):
    """Where a write stands."""

    WAITING = "waiting"
    CHECKING = "checking"
    TYPING = "typing"
    ECHOING = "echoing"
    GAP = "gap"
    CONFIRMING = "confirming"
    SUBMITTING = "submitting"
    REACTING = "reacting"
    DONE = "done"


@attrs.frozen(kw_only=True)
class TypeText:
    """Put text into the pane, if the guard holds inside the server."""

    write_id: str
    guard: Guard
    text: str
    method: TypingMethod
    secret: bool = False


@attrs.frozen(kw_only=True)
class PressKeys:
    """Press keys, if the guard holds inside the server."""

    write_id: str
    guard: Guard
    keys: tuple[str, ...]


Action: TypeAlias = TypeText | PressKeys


@attrs.define(kw_only=True)
class WriteBase:
    """What a write knows of itself; its stages are in `panegate.gate.write`."""

    request: WriteRequest
    profile: Profile
    make_guard: Callable[[View, bool], Guard]
    """From a look, and whether the profile's vetoes of questions apply."""
    stage: Stage = attrs.field(default=Stage.WAITING, init=False)
    receipt: Receipt | None = attrs.field(default=None, init=False)
    deadline_ran_out: bool = attrs.field(default=False, init=False)
    held_by: Reason = attrs.field(default=Reason.UNPROVEN, init=False)
    held_words: str = attrs.field(default="", init=False)
    submitted: bool = attrs.field(default=False, init=False)
    """Set when our Enter or key went in; the tracker takes it and clears it."""
    _plan: Plan = attrs.field(factory=Plan, init=False)
    _action: Action | None = attrs.field(default=None, init=False)
    _wants_look: bool = attrs.field(default=False, init=False)
    _deciding: View | None = attrs.field(default=None, init=False)
    _entering: View | None = attrs.field(default=None, init=False)
    _latest: View | None = attrs.field(default=None, init=False)
    _state: State = attrs.field(default=State.BOOTING, init=False)
    _prompt: PromptReading | None = attrs.field(default=None, init=False)
    _typed_s: float = attrs.field(default=0.0, init=False)
    _submitted_s: float = attrs.field(default=0.0, init=False)
    _last_output_s: float = attrs.field(default=0.0, init=False)
    _stage_deadline_s: float | None = attrs.field(default=None, init=False)
    _wake_s: float | None = attrs.field(default=None, init=False)
    _gap_s: float = attrs.field(default=0.0, init=False)
    _gap_ends_s: float = attrs.field(default=0.0, init=False)
    _attempts: int = attrs.field(default=0, init=False)
    _wrote: bool = attrs.field(default=False, init=False)
    _keys_again: bool = attrs.field(default=False, init=False)
    _echo_words: str = attrs.field(default="", init=False)
    _still: View | None = attrs.field(default=None, init=False)
    """The look before, while a program that wrote all the time may have stopped."""
    _proof: Proof | None = attrs.field(default=None, init=False)
    _ms: dict[str, float] = attrs.field(factory=dict, init=False)
    _pasting: bool | None = attrs.field(default=None, init=False)

    # --- what comes out -------------------------------------------------------------

    @property
    def began(self) -> bool:
        """It holds the pane: past waiting and not done."""
        return self.stage not in (Stage.WAITING, Stage.DONE)

    @property
    def submitted_row(self) -> int | None:
        """Row of the cursor at the Enter, counted from the start of the pane's history."""
        if self._entering is None:
            return None
        fields = self._entering.look.fields
        return fields.cursor_y + fields.scrolled

    @property
    def typed_row(self) -> int | None:
        """Row where its text begins, counted from the start of the pane's history."""
        view = self._deciding
        composer = view.reading.composer if view is not None else None
        if view is None or composer is None:
            return None
        return composer.row + view.look.fields.scrolled

    @property
    def ready_view(self) -> View | None:
        """What its text was typed into; None before that, and for what is no text to show."""
        plan = self._plan
        return self._deciding if plan.text and plan.echo and not plan.secret else None

    @property
    def deciding_rows(self) -> tuple[str, ...]:
        """Screen rows of the look that decided."""
        return self._deciding.rows if self._deciding is not None else ()

    @property
    def typed_text(self) -> str:
        """Its text, as typed."""
        return self._plan.text

    @property
    def submitted_text(self) -> str:
        """What stood on that row up to the cursor, trailing blanks removed."""
        if self._entering is None:
            return ""
        fields = self._entering.look.fields
        return self._entering.grid.slice(fields.cursor_y, 0, fields.cursor_x).rstrip()

    @property
    def prompt_text(self) -> str:
        """What stood before the input at the Enter."""
        composer = self._entering.reading.composer if self._entering is not None else None
        return composer.prompt_text if composer is not None else ""

    @property
    def in_hand(self) -> bool:
        """Bytes may be in the pane already; cancelling ends only the wait."""
        return self.stage not in (Stage.WAITING, Stage.CHECKING, Stage.DONE)

    @property
    def is_out(self) -> bool:
        """All of it may have been taken: what is there afterwards tells."""
        return self.stage is Stage.REACTING or (self._plan.alone and self._wrote)

    @property
    def deadline_s(self) -> float | None:
        """When to call `advance`, monotonic seconds; None means never."""
        if self.stage is Stage.DONE:
            return None
        times = [self._wake_s, self._stage_deadline_s]
        if self.stage in (Stage.WAITING, Stage.CHECKING):
            times.append(self.request.deadline_s)
        return min((t for t in times if t is not None), default=None)

    def takes(self, *, counted: bool, floods: bool) -> bool:
        """Tell whether it can use a look.

        Args:
            counted: The screen stood still for it.
            floods: The program writes all the time: an interrupt does not wait for a pause.

        """
        checks = self.stage is Stage.CHECKING and self.request.intent is Intent.INTERRUPT
        return counted or (checks and floods) or self.stage in (Stage.ECHOING, Stage.REACTING)

    def take_action(self) -> Action | None:
        """Return and forget the action that is due."""
        action, self._action = self._action, None
        return action

    def take_look(self) -> bool:
        """Tell whether a look is wanted, once."""
        wanted, self._wants_look = self._wants_look, False
        return wanted

    # --- endings --------------------------------------------------------------------

    def _withheld(self, reason: Reason, now_s: float, why: str) -> None:
        sent = "Enter was withheld" if not self._attempts else "no further Enter is sent"
        words = f"The text was typed, {why}; {sent}. Clear the pane or finish it by hand."
        self._finish(Fate.NOT_LANDED, reason, now_s, words)

    def _finish(
        self, fate: Fate, reason: Reason, now_s: float, words: str, *, proof: Proof | None = None
    ) -> None:
        self.stage = Stage.DONE
        self._wake_s = self._stage_deadline_s = None
        self._action = None
        self._wants_look = False
        self._clock("total", now_s)
        request = self.request
        before, after = self._deciding, self._latest
        left = ""
        gone = reason in (Reason.GONE_PANE, Reason.SERVER_DIED)
        stands = fate in (Fate.NOT_LANDED, Fate.UNKNOWN) and not gone
        if self._wrote and stands and not self._plan.secret:
            left = self._plan.text
        if fate is Fate.LANDED and proof is not None:
            words = f"Landed: {proof.words}."
        rows_before = before.rows if before is not None else ()
        rows_after = after.rows if after is not None else rows_before
        self.receipt = Receipt(
            write_id=request.write_id,
            pane=request.pane_id,
            intent=request.intent,
            fate=fate,
            reason=reason,
            n_bytes=self._plan.n_bytes + self._attempts if self._wrote else 0,
            text_digest="" if self._plan.secret else request.text_digest,
            state_before=before.state if before is not None else self._state,
            state_after=self._state,
            before=rows_before,
            after=rows_after,
            changed=rows_before != rows_after,
            landed={Fate.LANDED: True, Fate.UNKNOWN: None}.get(fate, False),
            proof=proof,
            left_behind=left,
            attempts=self._attempts,
            ms=dict(self._ms),
            words=words,
        )

    # --- readings -------------------------------------------------------------------

    def is_asked_still(self, shown: PromptReading) -> bool:
        """Tell whether a question is the one being answered, with our text behind it."""
        asked, text = self._prompt, self._plan.text
        if not self._wrote or asked is None or not text or self._plan.secret or not asked.question:
            return False
        begins = shown.question.startswith(asked.question.rstrip())
        return begins and text.strip() in shown.question[len(asked.question.rstrip()) :]

    def pasting(self, on: bool | None) -> None:
        """Say whether the program has asked for bracketed paste."""
        self._pasting = on

    def _guard(self, view: View) -> Guard:
        return self.make_guard(view, self.request.intent is not Intent.ANSWER)

    def _echo(self, view: View) -> tuple[EchoKind, str]:
        echo = self._read_echo(view)
        return (EchoKind.NONE, "") if echo is None else (echo.kind, echo.words)

    def _read_echo(self, view: View) -> EchoReading | None:
        start_view = self._deciding
        if start_view is None:
            return None
        composer = start_view.reading.composer
        fields = start_view.look.fields
        start = (fields.cursor_y, fields.cursor_x)
        if composer is not None:
            start = (composer.row, composer.column)
        return compare_echo(
            view.grid,
            view.look.fields,
            start,
            self._plan.text,
            composer=view.reading.composer,
            collapsed_ok=True,
            scrolled=max(0, view.look.fields.scrolled - fields.scrolled),
        )

    def _question_opened(self, view: View) -> bool:
        """A question other than the one being answered, and not made of our own text."""
        asked = view.reading.shown
        if asked is None:
            return False
        if self.request.intent is Intent.ANSWER:
            return self._another_prompt(view, asked)
        if self._deciding is not None and self._plan.text:
            kind, _ = self._echo(view)
            if kind is EchoKind.FULL and self._is_own_text(view, self._deciding, asked):
                return False
        return True

    def _is_own_text(self, view: View, before: View, asked: PromptReading) -> bool:
        """What reads like a question ends in our text, below rows that stood there before."""
        now, was = view.look.fields, before.look.fields
        composer = before.reading.composer
        scrolled = max(0, now.scrolled - was.scrolled)
        first = (was.cursor_y if composer is None else composer.row) - scrolled
        rows = [row.strip() for row in asked.rows if row.strip()]
        at = now.cursor_y
        while rows and at >= 0:
            text = view.grid.text(at)
            if at < first and text != before.grid.text(at + scrolled):
                return False
            if text.strip() and rows.pop() not in text:
                return False
            at -= 1
        return not rows

    def _may_continue(self, proof: Proof | None) -> bool:
        """By the screen alone a line was taken: a continuation prompt may be on its way."""
        lines = self.profile.submit.line_break and self.profile.family is not Family.COMPOSER
        return lines and proof is not None and proof.grade is Grade.SCREEN

    def _menu_opened(self, view: View) -> bool:
        """Our text opened a menu: what stands there now would take the Enter."""
        before = self._deciding
        if before is None or self._plan.text[:1] not in "/!@#":
            return False
        boxed = self.profile.family in (Family.COMPOSER, Family.UNKNOWN)
        return boxed and popup_opened(before, view)

    def _withhold_from_question(self, view: View, now_s: float) -> None:
        if view.reading.composer is not None and self._menu_opened(view):
            self._withheld(Reason.MENU_OPENED, now_s, "a menu opened beside the input")
        else:
            self._withheld(Reason.PROMPT_OPENED, now_s, "a question opened after the text")

    def _stopped(self, view: View, before: View, now_s: float) -> bool:
        """A program that wrote all the time is another one now, or has stopped writing."""
        if view.look.fields.command != before.look.fields.command:
            return True
        still, self._still = self._still, view
        if still is not None and still.picture == view.picture:
            return True
        self._wake_s = now_s + _STILL_S
        return False

    def _another_prompt(self, view: View, asked: PromptReading) -> bool:
        mine = self._prompt
        if mine is None or asked.fingerprint == mine.fingerprint:
            return False
        if self._plan.text and mine.question:
            return not asked.question.startswith(mine.question.rstrip())
        return True

    def _stands(self, view: View) -> bool:
        return self._entering is not None and is_unchanged(self._entering, view)

    def _not_chosen(self, view: View) -> str:
        """Say what the keys have not done yet; "" where Enter takes what was asked for."""
        plan, asked = self._plan, view.reading.shown
        if plan.ticks is not None:
            ticked = tuple(o.label for o in asked.options if o.ticked) if asked is not None else ()
            return "" if ticked == plan.ticks else "the boxes are not ticked as asked"
        if plan.chosen and plan.keys and not self._highlighted(view, plan.chosen):
            return f"{plan.chosen!r} is not highlighted after the arrow keys"
        return ""

    def _taken_alone(self, view: View, now_s: float) -> bool:
        """One key may have been all that the program read: say so where its question is gone."""
        before, shown = self._deciding, view.reading.shown
        kernel = before.look.kernel if before is not None else None
        lines = None if kernel is None else kernel.icanon
        if not self._plan.alone or lines is True or self._last_output_s < self._typed_s:
            return False
        if view.look.kernel is not None and view.look.kernel.unread_bytes:
            return False
        if shown is not None and self._another_prompt(view, shown):
            if lines is None:
                words = "One key was typed, and another question is on screen: which of them had"
                words += " it is not known. Enter was withheld."
                self._finish(Fate.UNKNOWN, Reason.PROMPT_OPENED, now_s, words)
                return True
            words = "another question is on screen, after the key alone"
        elif shown is None and self._echo(view)[0] is not EchoKind.FULL:
            words = "the question is gone, after the key alone"
        elif lines is False and is_away(view) and self._quiet_s(now_s) >= _WORKS_S:
            words = "the program took the key alone, and works"
        else:
            return False
        self.submitted, self._submitted_s = True, self._typed_s
        self._clock("reacted", now_s)
        self._finish(Fate.LANDED, Reason.NONE, now_s, "", proof=Proof(Grade.SCREEN, words))
        return True

    def _quiet_s(self, now_s: float) -> float:
        return now_s - max(self._last_output_s, self._typed_s)

    @staticmethod
    def _highlighted(view: View, label: str) -> bool:
        asked = view.reading.shown
        if asked is None:
            return False
        return any(o.highlighted and o.label == label for o in asked.options)

    def _clock(self, name: str, now_s: float) -> None:
        self._ms[name] = round((now_s - self.request.asked_s) * 1000, 3)

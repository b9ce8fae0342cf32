"""One pane's state machine; inputs carry their own time.

The machine knows three clocks of its own: when to look next, when a quiet pane becomes
silent, and how long a screen must have stood still. Output only stores a time; a look
deadline that fires early re-arms itself. A screen also stands still while it is painted
over with itself (a blinking caret, a clock), if looks saw every picture in between.
"""

import enum

import attrs

from panegate.ids import PaneId
from panegate.panes.beliefs import Belief, BeliefKind
from panegate.panes.gaps import GapStatistics
from panegate.panes.states import TRANSITIONS, PaneInput
from panegate.terms import Grade, State

__all__ = [
    "AWAY_S",
    "NOISY_AFTER_S",
    "PAUSE_S",
    "RELOOK_ALONE_S",
    "RELOOK_FIRST_S",
    "RELOOK_WATCHED_S",
    "RETRY_BOUND",
    "Change",
    "LookCause",
    "MachineTiming",
    "PaneMachine",
]

AWAY_S = 1.0
"""So long the kernel alone has to say that a settled pane works."""
NOISY_AFTER_S = 1.0
"""Output without a pause this long puts a pane on the noisy schedule."""
PAUSE_S = 0.25
"""A look follows output after a pause this long, however many were fruitless before."""
RELOOK_FIRST_S = 0.25
RELOOK_WATCHED_S = 1.0
RELOOK_ALONE_S = 30.0
RETRY_BOUND = 4
"""Looks in a row that output overtook, before their spacing grows to the noisy schedule."""


class LookCause(enum.Enum):
    """Why a look is asked for; every look has one."""

    OUTPUT_STOPPED = "output_stopped"
    MARK = "mark"
    RELOOK = "relook"
    SETTLE = "settle"
    NOISY = "noisy"
    CALLER = "caller"


_FORCED = frozenset({LookCause.MARK, LookCause.CALLER})


@attrs.frozen(kw_only=True)
class MachineTiming:
    """Seconds, from the profile and the caller."""

    look_s: float = 0.02
    settle_s: float = 1.5
    silence_s: float = 30.0


@attrs.frozen(kw_only=True)
class Change:
    """A pane moved, or its verdict was confirmed or put in doubt."""

    pane_id: PaneId
    old: State
    new: State
    confirmed: bool
    at_s: float
    grade: Grade
    words: str


@attrs.define(kw_only=True)
class PaneMachine:
    """Decides what one pane does, from outputs, looks and time."""

    pane_id: PaneId
    timing: MachineTiming = attrs.field(factory=MachineTiming)
    started_s: float
    state: State = attrs.field(default=State.BOOTING, init=False)
    confirmed: bool = attrs.field(default=False, init=False)
    since_s: float = attrs.field(init=False)
    last_output_s: float = attrs.field(init=False)
    """Time of the last output, or of the last event that voided the quiet before it."""
    outputs: int = attrs.field(default=0, init=False)
    gaps: GapStatistics = attrs.field(factory=GapStatistics, init=False)
    belief: Belief | None = attrs.field(default=None, init=False)
    """The last belief that was acted on or is waiting to settle."""
    watchers: int = attrs.field(default=0, init=False)
    """Callers that wait on this pane right now."""
    looks: int = attrs.field(default=0, init=False)
    _look_at_s: float | None = attrs.field(default=None, init=False)
    _cause: LookCause = attrs.field(default=LookCause.OUTPUT_STOPPED, init=False)
    _in_flight: bool = attrs.field(default=False, init=False)
    _again: LookCause | None = attrs.field(default=None, init=False)
    _wanted: LookCause | None = attrs.field(default=None, init=False)
    _last_look_s: float = attrs.field(default=float("-inf"), init=False)
    _overtaken: int = attrs.field(default=0, init=False)
    _fruitless: int = attrs.field(default=0, init=False)
    _relook_s: float = attrs.field(default=RELOOK_FIRST_S, init=False)
    _silent_at_s: float | None = attrs.field(default=None, init=False)
    _settled_body: str = attrs.field(default="", init=False)
    _picture: tuple[BeliefKind, str, str] | None = attrs.field(default=None, init=False)
    _picture_s: float = attrs.field(default=0.0, init=False)
    """Since when every picture that stood was seen, and was the same."""
    _moved: bool = attrs.field(default=False, init=False)
    _first_sight: bool = attrs.field(default=False, init=False)
    """The last look's picture has nothing to be compared with; the next one has."""
    _seen_at_s: float = attrs.field(default=float("-inf"), init=False)
    _after_pause: bool = attrs.field(default=False, init=False)
    _redrawn_by_s: float = attrs.field(default=float("-inf"), init=False)
    _away_since_s: float | None = attrs.field(default=None, init=False)
    """Since when it is not at its terminal although its settled screen stands."""
    _changes: list[Change] = attrs.field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        self.since_s = self.last_output_s = self.started_s
        self._look_at_s = self.started_s + self.timing.look_s
        self._silent_at_s = self.started_s + self.timing.silence_s

    @property
    def deadline_s(self) -> float | None:
        """When to call `advance`, monotonic seconds; None means never."""
        if self._in_flight:
            return self._silent_at_s
        if self._look_at_s is None or self._silent_at_s is None:
            return self._silent_at_s if self._look_at_s is None else self._look_at_s
        return min(self._look_at_s, self._silent_at_s)

    @property
    def settle_window_s(self) -> float:
        """Quiet needed now where no proof speaks."""
        return self.gaps.window_s(self.timing.settle_s)

    def output(self, *, now_s: float) -> None:
        """The program wrote something. O(1)."""
        if self.state is State.EXITED:
            return
        before_s = self.last_output_s
        gap_s = now_s - before_s
        if self.state is State.BUSY and gap_s < 3.0:
            self.gaps.add(gap_s)
        self.last_output_s = now_s
        self.outputs += 1
        self._relook_s = RELOOK_FIRST_S
        if gap_s > self.timing.look_s:
            self._overtaken = 0
            self._after_pause = gap_s >= PAUSE_S
            if self._seen_at_s < before_s:
                self._picture = None  # what stood until now was never seen
        if self.state in (State.READY, State.PROMPTING):
            if self.confirmed:
                self._doubt(now_s)
        elif self.state is State.SILENT:
            self._apply(PaneInput.OUTPUT, now_s, Grade.TIMING, "it writes again")
        if self._look_at_s is None or self._cause in (LookCause.RELOOK, LookCause.SETTLE):
            self._look_at_s, self._cause = now_s + self.timing.look_s, LookCause.OUTPUT_STOPPED

    def mark(self, *, now_s: float) -> None:
        """A mark in the stream calls for a look as soon as the output pauses."""
        if self.state is not State.EXITED:
            self._look_at_s, self._cause = now_s + self.timing.look_s, LookCause.MARK

    def void(self, *, now_s: float) -> None:
        """Quiet up to now proves nothing: output was lost, or a wake-up was late."""
        self.last_output_s = max(self.last_output_s, now_s)
        self._picture = None
        if self.state in (State.READY, State.PROMPTING) and self.confirmed:
            self._doubt(now_s)
        if self.state is not State.EXITED and self._look_at_s is None:
            self._look_at_s, self._cause = now_s + self.timing.look_s, LookCause.OUTPUT_STOPPED

    def resized(self, *, now_s: float) -> None:
        """The pane has another size: for one settle window a new picture is no sign of work."""
        self.void(now_s=now_s)
        self._redrawn_by_s = now_s + self.settle_window_s

    def submitted(self, *, now_s: float) -> None:
        """A write of ours was submitted."""
        self._relook_s = RELOOK_FIRST_S
        self._apply(PaneInput.SUBMITTED, now_s, Grade.PROCESS, "we submitted a write")
        if self.state is State.PROMPTING:
            self._doubt(now_s)
        if self.state is not State.EXITED:
            self._look_at_s, self._cause = now_s + self.timing.look_s, LookCause.CALLER

    def want_look(self, *, now_s: float, cause: LookCause = LookCause.CALLER) -> None:
        """Ask for a look now; one that is in flight is followed by another."""
        if self.state is State.EXITED:
            return
        if self._in_flight:
            self._again = cause
        else:
            self._request(cause, now_s)

    def watch(self, delta: int, *, now_s: float) -> None:
        """A caller begins (+1) or ends (-1) to wait on this pane."""
        self.watchers += delta
        if delta > 0 and self.state in (State.BOOTING, State.BUSY, State.SILENT):
            limit_s = now_s + RELOOK_WATCHED_S
            if self._look_at_s is None or self._look_at_s > limit_s:
                self._look_at_s, self._cause = limit_s, LookCause.RELOOK

    def gone(self, *, now_s: float, words: str) -> None:
        """The pane is dead or gone: terminal."""
        self._apply(PaneInput.GONE, now_s, Grade.PROCESS, words)

    def look_lost(self, *, now_s: float) -> None:
        """A look that was asked for will not be answered."""
        self._in_flight = False
        if self.state is not State.EXITED:
            self._look_at_s, self._cause = now_s + RELOOK_FIRST_S, LookCause.RELOOK

    def not_now(self, belief: Belief, *, now_s: float) -> None:
        """The kernel alone said that a look would be in vain; *belief* is its word."""
        self._in_flight = False
        self._picture = None
        fruitless = self._fruitless
        self._take(belief, now_s)
        self._fruitless = fruitless

    def looked(self, belief: Belief, *, asked_at_s: float, now_s: float) -> bool:
        """Take the fold of a look; return whether the look counted.

        A look that output overtook does not count: another one follows, bounded.
        """
        self._in_flight = False
        self.looks += 1
        again, self._again = self._again, None
        if belief.kind is BeliefKind.GONE:
            self.belief = belief
            self.gone(now_s=now_s, words=belief.words)
            return True
        if self.last_output_s > asked_at_s:
            self._overtaken += 1
            wait_s = self.timing.look_s
            if self._overtaken > RETRY_BOUND:
                wait_s = min(NOISY_AFTER_S, wait_s * 2 ** (self._overtaken - RETRY_BOUND))
            self._look_at_s = self.last_output_s + wait_s
            self._cause = again or LookCause.CALLER
            return False
        self._overtaken = 0
        self._see(belief, asked_at_s)
        self._take(belief, now_s)
        if again is not None and self.state is not State.EXITED:
            self._request(again, now_s)
        return True

    def advance(self, *, now_s: float) -> None:
        """Fire what is due, stamped with its own instant. Idempotent."""
        if self.state is State.EXITED:
            self._look_at_s = self._silent_at_s = None
            return
        silent_at_s = self._silent_at_s
        if silent_at_s is not None and silent_at_s <= now_s:
            due_s = self.last_output_s + self.timing.silence_s
            if due_s > silent_at_s:
                self._silent_at_s = due_s
            else:
                words = f"quiet for {self.timing.silence_s:g} s with no evidence"
                self._apply(PaneInput.QUIET_TOO_LONG, silent_at_s, Grade.TIMING, words)
                self._silent_at_s = None
        if self._in_flight or self._look_at_s is None or self._look_at_s > now_s:
            return
        quiet_at_s = self.last_output_s + self.timing.look_s
        if quiet_at_s > self._look_at_s and self._cause is not LookCause.NOISY:
            noisy_at_s = max(self._last_look_s, self.since_s, self.started_s) + NOISY_AFTER_S
            if quiet_at_s <= now_s or quiet_at_s <= noisy_at_s:
                self._look_at_s = quiet_at_s
            else:
                self._look_at_s, self._cause = max(noisy_at_s, now_s), LookCause.NOISY
            if self._look_at_s > now_s:
                return
        spaced_at_s = self._last_look_s + self._spacing_s()
        if self._cause not in _FORCED and spaced_at_s > now_s:
            self._look_at_s = spaced_at_s
            return
        self._request(self._cause, self._look_at_s)

    def take_look(self) -> LookCause | None:
        """Return and forget the look that is wanted now, if any."""
        wanted, self._wanted = self._wanted, None
        return wanted

    @property
    def changed(self) -> bool:
        """Changes wait to be taken."""
        return bool(self._changes)

    def take_changes(self) -> list[Change]:
        """Return and forget the changes so far, oldest first."""
        changes, self._changes = self._changes, []
        return changes

    def _spacing_s(self) -> float:
        """Fruitless looks in one stretch of work are spaced wider, up to the settle window."""
        free = self._after_pause or self._first_sight or self._fruitless < 2
        if self._cause is not LookCause.OUTPUT_STOPPED or free:
            return 0.0
        return min(self.settle_window_s, self.timing.look_s * 2.0 ** min(self._fruitless, 12))

    def _request(self, cause: LookCause, now_s: float) -> None:
        self._in_flight = True
        self._wanted = cause
        self._look_at_s = None
        self._last_look_s = now_s

    def _see(self, belief: Belief, asked_at_s: float) -> None:
        asked = belief.prompt.fingerprint if belief.prompt is not None else ""
        picture, known = (belief.kind, belief.still, asked), self._picture
        self._moved = self._first_sight = False
        if not belief.still or picture != known:
            self._picture, self._picture_s = picture, self.last_output_s
            self._moved = known is not None and known[0] is belief.kind
            self._first_sight = not self._moved
        self._seen_at_s = asked_at_s

    def _take(self, belief: Belief, now_s: float) -> None:
        previous, self.belief = self.belief, belief
        quiet_s = now_s - self._picture_s
        input_ = _INPUTS[belief.kind]
        if belief.kind in (BeliefKind.READY, BeliefKind.PROMPTING) and not belief.proof:
            standing = self._stands(belief, previous)
            if not standing and quiet_s < self.settle_window_s:
                self._unsettled(belief, now_s)
                return
        if belief.kind is BeliefKind.NONE and self._redraws(now_s):
            self._unsettled(belief, now_s)
            return
        if self._is_away(belief, now_s):
            self._doubt(now_s, "it is not at its terminal at the moment")
            self._look_at_s, self._cause = now_s + RELOOK_FIRST_S, LookCause.RELOOK
            return
        if self._apply(input_, now_s, belief.grade, belief.words):
            self._fruitless = 0
        elif self.state in (State.BOOTING, State.BUSY):
            self._fruitless += 1
        if self.state in (State.READY, State.PROMPTING):
            self._confirm(belief, now_s)
        else:
            self._schedule_relook(now_s, standing_mark=belief.grade is Grade.MARK)

    def _redraws(self, now_s: float) -> bool:
        """It stood at its input or its question, and draws them for another size."""
        settled = self.state in (State.READY, State.PROMPTING)
        return settled and now_s < self._redrawn_by_s

    def _is_away(self, belief: Belief, now_s: float) -> bool:
        """Only the kernel speaks against a screen that stands: for a moment that is a key.

        A program at a key, at its clock or its caret is as little at its terminal as one
        that works; what lasts is work.
        """
        if self.state not in (State.READY, State.PROMPTING) or belief.body != self._settled_body:
            return False
        if belief.kind is not BeliefKind.NONE or belief.grade is not Grade.KERNEL:
            return False
        if self._away_since_s is None:
            self._away_since_s = now_s
        return now_s - self._away_since_s < AWAY_S

    def _stands(self, belief: Belief, previous: Belief | None) -> bool:
        """The settled screen still stands: only its volatile parts or its composer moved."""
        same_kind = (belief.kind is BeliefKind.READY and self.state is State.READY) or (
            belief.kind is BeliefKind.PROMPTING and self.state is State.PROMPTING
        )
        if not same_kind:
            return False
        if belief.kind is BeliefKind.PROMPTING:
            old = previous.prompt if previous is not None else None
            new = belief.prompt
            return old is not None and new is not None and old.fingerprint == new.fingerprint
        return belief.body == self._settled_body

    def _unsettled(self, belief: Belief, now_s: float) -> None:
        """A screen-only verdict before its window has passed: look again at its end."""
        changed = (self.state is State.READY and belief.body != self._settled_body) or (
            self.state is State.PROMPTING and belief.kind is BeliefKind.READY
        )
        if changed and not self._redraws(now_s):
            self._apply(PaneInput.BELIEF_NONE, now_s, Grade.SCREEN, "its screen changed")
        if self._moved:
            self._fruitless += 1
        elif not self._first_sight:
            self._fruitless = 0
        self._look_at_s = self._picture_s + self.settle_window_s
        self._cause = LookCause.SETTLE

    def _schedule_relook(self, now_s: float, *, standing_mark: bool) -> None:
        if self._silent_at_s is None and self.state is not State.SILENT:
            self._silent_at_s = self.last_output_s + self.timing.silence_s
        if standing_mark and self.belief is not None and self.belief.kind is BeliefKind.BUSY:
            self._look_at_s = None
            return
        cap_s = RELOOK_WATCHED_S if self.watchers else RELOOK_ALONE_S
        step_s = min(self._relook_s, cap_s)
        self._relook_s = min(self._relook_s * 2, RELOOK_ALONE_S)
        self._look_at_s, self._cause = now_s + step_s, LookCause.RELOOK

    def _confirm(self, belief: Belief, now_s: float) -> None:
        self._look_at_s = self._silent_at_s = None
        self._settled_body = belief.body
        self._away_since_s = None
        self._relook_s = RELOOK_FIRST_S
        self._fruitless = 0
        if not self.confirmed:
            self.confirmed = True
            self._note(self.state, now_s, belief.grade, belief.words)

    def _doubt(self, now_s: float, words: str = "it wrote since the last look") -> None:
        if self.confirmed:
            self.confirmed = False
            self._note(self.state, now_s, Grade.TIMING, words)
        if self._look_at_s is None:
            self._look_at_s, self._cause = now_s + self.timing.look_s, LookCause.OUTPUT_STOPPED

    def _apply(self, input_: PaneInput, at_s: float, grade: Grade, words: str) -> bool:
        old, new = self.state, TRANSITIONS[self.state, input_]
        if new is old:
            return False
        self.state, self.since_s = new, at_s
        self._away_since_s = None
        self.confirmed = new in (State.READY, State.PROMPTING, State.EXITED)
        if new is State.EXITED:
            self._look_at_s = self._silent_at_s = self._wanted = None
        elif new is State.BUSY:
            self._silent_at_s = at_s + self.timing.silence_s
            self._fruitless = 0
        self._note(old, at_s, grade, words)
        return True

    def _note(self, old: State, at_s: float, grade: Grade, words: str) -> None:
        self._changes.append(
            Change(
                pane_id=self.pane_id,
                old=old,
                new=self.state,
                confirmed=self.confirmed,
                at_s=at_s,
                grade=grade,
                words=words,
            )
        )


_INPUTS = {
    BeliefKind.NONE: PaneInput.BELIEF_NONE,
    BeliefKind.READY: PaneInput.BELIEF_READY,
    BeliefKind.BUSY: PaneInput.BELIEF_BUSY,
    BeliefKind.PROMPTING: PaneInput.BELIEF_PROMPTING,
    BeliefKind.GONE: PaneInput.GONE,
}

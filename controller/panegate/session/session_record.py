"""The record of one session, kept while it goes on: what its verdict will rest on.

Pure: looks, turns, questions and ends come in with their times, `SessionFacts` come out.
"""

from datetime import datetime
from signal import Signals
from typing import Final

import attrs

from panegate.panes.facts import Look, MarkKind
from panegate.panes.standing import StandingMarks
from panegate.screen.grid import Grid
from panegate.session.events import Prompt
from panegate.session.faults import FaultReader
from panegate.session.outcome_facts import (
    Clocks,
    EndedBy,
    Ending,
    FaultMatch,
    ServerFact,
    SessionFacts,
    SessionLimits,
)
from panegate.session.queue import TurnEnd
from panegate.session.resets import Reset, read_reset
from panegate.session.transcript import Record, Tokens
from panegate.terms import State

__all__ = ["Instant", "SessionRecord", "ending_of"]

_KEPT: Final = 32
_QUIET_STATES: Final = frozenset({State.READY, State.PROMPTING})
_CRASHES: Final = frozenset(
    {"SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSYS", "SIGTRAP", "SIGIOT"}
)
_FROM_OUTSIDE: Final = frozenset({"SIGHUP", "SIGINT", "SIGQUIT", "SIGKILL", "SIGTERM"})
"""Where a program, or a shell for its command, exits with 128 and the signal's number."""
_OWN: Final = frozenset({"SIGPIPE", "SIGALRM"})
_CLOCK_SLACK_S: Final = 1.0


@attrs.frozen(kw_only=True)
class Instant:
    """One moment by all clocks."""

    wall_s: float
    """Seconds since the epoch."""
    mono_s: float
    boot_s: float | None = None
    """As the monotonic clock, and counting while the host sleeps; None where there is none."""

    def since(self, start: "Instant") -> Clocks:
        """Return how long it is since *start*.

        A wall clock that was set back takes nothing away: time that another clock has seen
        pass has passed.
        """
        mono_s = max(0.0, self.mono_s - start.mono_s)
        boot_s = None
        if self.boot_s is not None and start.boot_s is not None:
            boot_s = max(mono_s, self.boot_s - start.boot_s)
        passed_s = mono_s if boot_s is None else boot_s
        return Clocks(
            wall_s=max(passed_s, self.wall_s - start.wall_s), mono_s=mono_s, boot_s=boot_s
        )


def ending_of(
    *,
    status: int | None,
    signal: int | None,
    ours: bool,
    kept: bool,
    words: str,
    at_s: float,
) -> Ending:
    """Return who ended a program.

    Args:
        status: Its exit status, where tmux told one.
        signal: The signal that ended it, where tmux told one.
        ours: We were closing it.
        kept: Its pane would have stayed had it ended by itself, so a pane that is gone was
            taken away.
        words: What was seen.
        at_s: When.

    """
    name = _signal_name(signal)
    crash = name in _CRASHES
    caught = _signal_name(status - 128) if status is not None and status > 128 else ""
    if ours:
        by = EndedBy.US
    elif caught in _FROM_OUTSIDE:
        by = EndedBy.ANOTHER
    elif status is not None or crash or name in _OWN:
        by = EndedBy.ITSELF
    elif signal is not None or kept:
        by = EndedBy.ANOTHER
    else:
        by = EndedBy.UNKNOWN
    return Ending(by=by, status=status, signal=signal, crash=crash, words=words, at_s=at_s)


def _signal_name(number: int | None) -> str:
    try:
        return "" if number is None else Signals(number).name
    except ValueError:
        return ""


@attrs.define
class _Turn:
    number: int
    began_s: float
    ended_s: float | None = None
    proven: bool = False
    """A mark says that it was done."""
    failed: bool = False
    """A fault was seen since it began."""

    @property
    def completed(self) -> bool:
        return self.ended_s is not None and (self.proven or not self.failed)


@attrs.define(kw_only=True)
class SessionRecord:
    """What happened in one session so far."""

    started: Instant
    faults: FaultReader
    limits: SessionLimits = attrs.field(factory=SessionLimits)
    from_start: bool = True
    again: bool = False
    """The pane had another session before: what stands in its history is not ours."""
    state: State = attrs.field(default=State.BOOTING, init=False)
    """The last one before the end."""
    prompt: Prompt | None = attrs.field(default=None, init=False)
    ending: Ending | None = attrs.field(default=None, init=False)
    server: ServerFact = attrs.field(factory=ServerFact, init=False)
    """As of the end."""
    tokens: Tokens = attrs.field(factory=Tokens, init=False)
    """Used in this session, as far as the program's own record tells."""
    last_look: Look | None = attrs.field(default=None, init=False)
    n_faults: int = attrs.field(default=0, init=False)
    output_bytes: int = attrs.field(default=0, init=False)
    last_output_s: float = attrs.field(default=0.0, init=False)
    _found: list[FaultMatch] = attrs.field(factory=list, init=False)
    _turns: dict[int, _Turn] = attrs.field(factory=dict, init=False)
    _n_turns: int = attrs.field(default=0, init=False)
    _n_completed: int = attrs.field(default=0, init=False)
    """Of turns that are not kept one by one any more."""
    _completed_s: float | None = attrs.field(default=None, init=False)
    _history_read: int | None = attrs.field(default=None, init=False)
    _ended: Instant | None = attrs.field(default=None, init=False)
    _prompt_reset: Reset | None = attrs.field(default=None, init=False)
    _told: Record | None = attrs.field(default=None, init=False)
    _used_before: int = attrs.field(default=0, init=False)
    _not_ours: int = attrs.field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        self.last_output_s = self.started.mono_s

    # --- what happens ---------------------------------------------------------------

    def looked(
        self, look: Look, grid: Grid, *, without: tuple[int, int] | None, seen: datetime
    ) -> int:
        """Take a look at the pane; return how many rows of the history have to be read.

        Args:
            look: The look.
            grid: Its rows.
            without: First and last row of the program's input area.
            seen: The time of day.

        """
        self.last_look = look
        scrolled = look.fields.scrolled
        new = self.faults.looked(
            grid,
            scrolled=scrolled,
            without=without,
            turn=self._n_turns,
            offset=self.output_bytes,
            seen=seen,
            at_s=look.at_s,
        )
        self._add(new)
        if not self.faults.rules or look.fields.alternate_on:
            return 0
        if self._history_read is None:
            self._history_read = scrolled if self.again else 0
        return max(0, min(scrolled - self._history_read, look.fields.history_size))

    def read_history(self, grid: Grid, *, above: int, seen: datetime, at_s: float) -> None:
        """Take rows that went through the history.

        Args:
            grid: The rows, the last of them right above the screen.
            above: Rows that had left the screen when they were read.
            seen: The time of day.
            at_s: When the look was taken that asked for them.

        """
        self._history_read = above
        new = self.faults.history(
            grid,
            first_row=above - grid.height,
            turn=self._n_turns,
            offset=self.output_bytes,
            seen=seen,
            at_s=at_s,
        )
        self._add(new)

    def turned(
        self,
        turn: int,
        ends: dict[int, TurnEnd],
        marks: StandingMarks,
        *,
        state: State,
        at_s: float,
    ) -> None:
        """Take how far the turns are: the last one's number, how earlier ones ended."""
        while self._n_turns < turn:
            self._n_turns += 1
            self._turns[self._n_turns] = _Turn(self._n_turns, at_s)
        for number in [n for n, known in self._turns.items() if known.ended_s is None]:
            known, end = self._turns[number], ends.get(number)
            if end is None:
                continue
            if end.state is State.READY or (end.state is State.PROMPTING and state is State.READY):
                known.ended_s = at_s
                known.proven = known.proven or end.status == 0 or _says_done(marks, known.began_s)
        while len(self._turns) > _KEPT:
            self._forget(next(iter(self._turns)))

    def written(self, told: Record) -> None:
        """Take what the program has written down about itself: what it used counts.

        Only of this session: what a record had from before it is taken off, and a new record
        (the program began another conversation) goes on from the old one.
        """
        if told == self._told:
            return
        before, self._told = self._told, told
        if before is None or before.session_id != told.session_id:
            self._used_before = self.tokens.count or 0
            old = told.at_s is not None and told.at_s < self.started.wall_s - _CLOCK_SLACK_S
            self._not_ours = (told.tokens.count or 0) if old and before is None else 0
        count = told.tokens.count
        if count is not None:
            used = self._used_before + max(0, count - self._not_ours)
            self.tokens = attrs.evolve(told.tokens, count=used)

    def stands(self, state: State, prompt: Prompt | None, *, seen: datetime) -> None:
        """Take the pane's state and its open question."""
        if state is State.EXITED:
            return
        self.state = state
        if prompt != self.prompt:
            self.prompt = prompt
            said = "" if prompt is None else "\n".join((prompt.question, *prompt.rows))
            self._prompt_reset = read_reset(said, seen) if said else None

    def answered(self) -> None:
        """The question on record was answered."""
        self.prompt = self._prompt_reset = None

    def moved_on(self, ending: Ending) -> None:
        """It wrote something after its question was seen last, and then ended by itself."""
        if ending.by is EndedBy.ITSELF:
            self.answered()

    def end(self, ending: Ending, server: ServerFact, *, at: Instant) -> None:
        """The program is gone; what is known up to here is what is judged."""
        if self._ended is None:
            self._ended = at
        self.ending, self.server = ending, server
        if ending.by is EndedBy.ITSELF and ending.status == 0:
            self.answered()  # it went on from there

    # --- what is known --------------------------------------------------------------

    @property
    def over(self) -> bool:
        """The program is known to have ended."""
        return self.ending is not None

    def silent_s(self, now_s: float) -> float:
        """Seconds without output, where it neither is ready nor asks."""
        return 0.0 if self.state in _QUIET_STATES else max(0.0, now_s - self.last_output_s)

    def facts(self, now: Instant, server: ServerFact) -> SessionFacts:
        """Return everything that is known, as of its end or of *now*.

        Args:
            now: The present moment.
            server: The server now; the one of the end counts where it has ended.

        """
        at = self._ended or now
        done = [t for t in self._turns.values() if t.completed]
        ends = [t.ended_s for t in done if t.ended_s is not None]
        if self._completed_s is not None:
            ends.append(self._completed_s)
        return SessionFacts(
            state=self.state,
            ending=self.ending,
            server=self.server if self.over else server,
            prompt=self.prompt,
            prompt_reset=self._prompt_reset,
            clocks=at.since(self.started),
            silent_s=self.silent_s(at.mono_s),
            limits=self.limits,
            faults=tuple(self._found),
            n_faults=self.n_faults,
            turns_begun=self._n_turns,
            turns_completed=self._n_completed + len(done),
            completed_at_s=max(ends, default=None),
            output_bytes=self.output_bytes,
            tokens=self.tokens,
            from_start=self.from_start,
            at_s=at.mono_s,
        )

    def _add(self, new: list[FaultMatch]) -> None:
        for found in new:
            self.n_faults += 1
            self._found.append(found)
            known = self._turns.get(found.turn)
            if known is not None:
                known.failed = True
        # a history is read after the screen below it
        self._found = sorted(self._found, key=lambda f: (f.at_s, f.row))[-_KEPT:]

    def _forget(self, number: int) -> None:
        known = self._turns.pop(number)
        if known.completed:
            self._n_completed += 1
            self._completed_s = known.ended_s


def _says_done(marks: StandingMarks, since_s: float) -> bool:
    said = marks.latest.get(MarkKind.AGENT)
    return said is not None and said.at_s >= since_s and "state=done" in said.text

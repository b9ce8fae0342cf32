"""What is known about a whole session, as facts: what `panegate.session.outcomes` judges.

A fact says what was measured and when. What was not measured is None, never zero. Times
are monotonic seconds, durations are seconds.
"""

import enum

import attrs

from panegate.session.events import Prompt
from panegate.session.resets import Reset
from panegate.session.transcript import Tokens
from panegate.terms import FaultKind, State

__all__ = [
    "JUMP_S",
    "Clocks",
    "EndedBy",
    "Ending",
    "FaultMatch",
    "LimitName",
    "ServerFact",
    "ServerState",
    "SessionFacts",
    "SessionLimits",
]

JUMP_S = 2.0
"""Clocks that differ by less than this agree."""


class ServerState(enum.Enum):
    """What is known about the tmux server."""

    REACHABLE = "reachable"
    UNREACHABLE = "unreachable"
    """It does not answer: its panes are unknown, not dead."""
    DIED = "died"
    """Its process is gone, and its panes with it."""


@attrs.frozen(kw_only=True)
class ServerFact:
    """The tmux server at the end of the session, or now."""

    state: ServerState = ServerState.REACHABLE
    words: str = ""
    """What tmux or the system said."""
    pid: int | None = None
    pid_alive: bool | None = None
    """None where that cannot be known (another host)."""
    socket_present: bool | None = None
    since_answer_s: float | None = None
    """Seconds between its last answer about this pane and the loss."""


class EndedBy(enum.Enum):
    """Who ended a program."""

    ITSELF = "itself"
    US = "us"
    """`close` or `respawn` of this controller."""
    ANOTHER = "another"
    """A signal from outside, or its pane was ended by somebody else."""
    UNKNOWN = "unknown"
    """It is gone, and neither status nor signal is known."""


@attrs.frozen(kw_only=True)
class Ending:
    """How a program ended."""

    by: EndedBy
    status: int | None = None
    signal: int | None = None
    crash: bool = False
    """The signal is one that a program brings upon itself (SIGSEGV, SIGABRT and the like)."""
    words: str = ""
    at_s: float = 0.0


@attrs.frozen(kw_only=True)
class FaultMatch:
    """A fault sentence on a row that was the program's own."""

    kind: FaultKind
    text: str
    """The whole sentence, rows joined."""
    at_s: float
    """When it was first seen."""
    offset: int
    """Bytes of output up to the look that saw it first."""
    row: int
    """Its row, counted from the start of the pane's history."""
    turn: int = 0
    """Turn that was open then, or the last one; 0 before the first."""
    reset: Reset | None = None
    """When it says that the limit ends."""


@attrs.frozen(kw_only=True)
class Clocks:
    """How long a session lasted, by each clock."""

    wall_s: float = 0.0
    """By the wall clock, which counts while the host sleeps and can be set."""
    mono_s: float = 0.0
    """By the monotonic clock, which stands still while the host sleeps."""
    boot_s: float | None = None
    """The monotonic clock and the time slept; None where there is no such clock."""

    @property
    def slept_s(self) -> float | None:
        """How long the host slept; None where no clock tells."""
        return None if self.boot_s is None else max(0.0, self.boot_s - self.mono_s)

    @property
    def jump_s(self) -> float:
        """How far the wall clock ran ahead of the monotonic one: asleep, or set forward."""
        return max(0.0, self.wall_s - self.mono_s)

    @property
    def words(self) -> str:
        """The clocks, for people."""
        told = f"{self.wall_s:.0f} s by the wall clock, {self.mono_s:.0f} s by the monotonic one"
        if self.jump_s <= JUMP_S:
            return told
        slept_s = self.slept_s
        if slept_s is None:
            return f"{told}: a clock jump of {self.jump_s:.0f} s"
        if slept_s > JUMP_S:
            return f"{told}: a clock jump of {self.jump_s:.0f} s, {slept_s:.0f} s of it asleep"
        return f"{told}: a clock jump of {self.jump_s:.0f} s, the clock was set"


class LimitName(enum.Enum):
    """A session limit by the key that callers give it."""

    WALL = "wall_s"
    MONO = "mono_s"
    SILENCE = "silence_s"


_over_zero = attrs.validators.optional(attrs.validators.gt(0))


@attrs.frozen(kw_only=True)
class SessionLimits:
    """A caller's limits for a session. Reaching one is an event and ends nothing."""

    wall_s: float | None = attrs.field(default=None, validator=_over_zero)
    """By the wall clock, sleep of the host included."""
    mono_s: float | None = attrs.field(default=None, validator=_over_zero)
    """By the monotonic clock."""
    silence_s: float | None = attrs.field(default=None, validator=_over_zero)
    """Without output, while the program neither is ready nor asks."""

    def __bool__(self) -> bool:
        """Any limit is set."""
        return any(v is not None for v in (self.wall_s, self.mono_s, self.silence_s))


@attrs.frozen(kw_only=True)
class SessionFacts:
    """A whole session, from its start to its end or to now."""

    state: State = State.BOOTING
    """The last state before the end."""
    ending: Ending | None = None
    """None while the program runs, as far as is known."""
    server: ServerFact = attrs.field(factory=ServerFact)
    prompt: Prompt | None = None
    """The question that was open at the end and that nobody had answered."""
    prompt_reset: Reset | None = None
    """When the limit that it shows ends."""
    clocks: Clocks = attrs.field(factory=Clocks)
    silent_s: float = 0.0
    """Without output at the end; 0 where it was ready or asked."""
    limits: SessionLimits = attrs.field(factory=SessionLimits)
    faults: tuple[FaultMatch, ...] = ()
    """The last ones, oldest first."""
    n_faults: int = 0
    """All of them."""
    turns_begun: int = 0
    turns_completed: int = 0
    """Turns that ended at the program's input with no fault since they began, or that a mark
    calls done."""
    completed_at_s: float | None = None
    """When the last of these ended."""
    output_bytes: int = 0
    tokens: Tokens = attrs.field(factory=Tokens)
    """Measured zero, measured n, or not measurable: three different things."""
    from_start: bool = True
    """It was watched from its start; False for adopted panes."""
    at_s: float = 0.0
    """The end, or now."""

    @property
    def fault(self) -> FaultMatch | None:
        """The last fault that no later completed turn has cleared."""
        if not self.faults:
            return None
        last = self.faults[-1]
        done_s = self.completed_at_s
        return None if done_s is not None and done_s > last.at_s else last

    @property
    def wall_reached(self) -> bool:
        """The limit by the wall clock is reached."""
        limit_s = self.limits.wall_s
        return limit_s is not None and self.clocks.wall_s >= limit_s

    @property
    def mono_reached(self) -> bool:
        """A limit in time is reached by the monotonic clock too."""
        mono_s, wall_limit_s = self.clocks.mono_s, self.limits.wall_s
        if self.limits.mono_s is not None and mono_s >= self.limits.mono_s:
            return True
        return self.wall_reached and wall_limit_s is not None and mono_s + JUMP_S >= wall_limit_s

    @property
    def silence_reached(self) -> bool:
        """The limit of silence is reached."""
        limit_s = self.limits.silence_s
        return limit_s is not None and self.silent_s >= limit_s

    @property
    def timed_out(self) -> bool:
        """A limit is reached, and not by the wall clock alone."""
        return self.mono_reached or self.silence_reached

    @property
    def idle(self) -> bool:
        """It waited for input."""
        return self.state is State.READY

    @property
    def worked(self) -> bool:
        """Something shows that it did work."""
        return bool(self.tokens.count) or self.turns_completed > 0

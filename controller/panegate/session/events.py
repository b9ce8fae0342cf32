"""What embedders are told, as typed events."""

from typing import TypeAlias

import attrs

from panegate.gate.receipt import Receipt
from panegate.ids import PaneId
from panegate.panes.facts import OptionReading
from panegate.terms import (
    Advice,
    EscalationCause,
    Fate,
    Grade,
    OutcomeKind,
    PromptKind,
    Reason,
    State,
)

__all__ = [
    "Dropped",
    "Escalated",
    "Event",
    "LimitReached",
    "Nudged",
    "OutcomeReached",
    "PaneEvent",
    "PaneExited",
    "PaneOpened",
    "Prompt",
    "PromptChanged",
    "PromptClosed",
    "PromptOpened",
    "ServerBack",
    "ServerLost",
    "StateChanged",
    "WriteFinished",
    "WriteHeld",
]


@attrs.frozen(kw_only=True)
class Prompt:
    """A question that waits for a person.

    The id holds pane, episode and a digest of the words that matter: an answer reaches
    this very question or nothing.
    """

    id: str
    pane: PaneId
    episode: int
    kind: PromptKind
    question: str
    context: str = ""
    options: tuple[OptionReading, ...] = ()
    default: str | None = None
    cancel_key: str | None = None
    """What an answer that declines it (``cancel``) presses; None where no way is known."""
    secret: bool = False
    many: bool = False
    """Any number of the options may be taken; their names are given with commas between."""
    unseen: str = ""
    """What of it could not be seen, in words; "" where all of it is there."""
    rows: tuple[str, ...] = ()
    proof: Grade = Grade.SCREEN
    since: float = 0.0
    """When it was first seen, monotonic seconds."""
    where: str = ""
    """The command (or the caller's own link) that brings a person to it."""


@attrs.frozen(kw_only=True)
class _Numbered:
    seq: int = 0
    """Place in the controller's event stream, from 1; 0 before it is given on."""


@attrs.frozen(kw_only=True)
class PaneOpened(_Numbered):
    """A pane is watched from now on."""

    pane: PaneId
    name: str
    profile: str
    at_s: float


@attrs.frozen(kw_only=True)
class StateChanged(_Numbered):
    """A pane moved from one state to another."""

    pane: PaneId
    old: State
    new: State
    grade: Grade
    """What the new state rests on."""
    words: str
    at_s: float


@attrs.frozen(kw_only=True)
class PromptOpened(_Numbered):
    """A program waits for a person."""

    pane: PaneId
    prompt: Prompt
    at_s: float


@attrs.frozen(kw_only=True)
class PromptChanged(_Numbered):
    """It asks something else now, in the same wait."""

    pane: PaneId
    old_id: str
    prompt: Prompt
    at_s: float


@attrs.frozen(kw_only=True)
class PromptClosed(_Numbered):
    """The question is gone; ``answered`` when an answer of ours went in before."""

    pane: PaneId
    prompt_id: str
    answered: bool
    at_s: float


@attrs.frozen(kw_only=True)
class WriteHeld(_Numbered):
    """A write waits, and for what; once for each new reason."""

    pane: PaneId
    write_id: str
    reason: Reason
    words: str
    at_s: float


@attrs.frozen(kw_only=True)
class WriteFinished(_Numbered):
    """A write has its fate."""

    pane: PaneId
    receipt: Receipt
    ran_out: bool = False
    """The caller's time ran out before the gate opened."""
    submitted_row: int | None = None
    """Row of the cursor at the Enter, counted from the start of the pane's history."""
    submitted_text: str = ""
    """What that row held up to the cursor; "" for secrets."""
    prompt_text: str = ""
    """What stood before the input."""
    turn: int = 0
    """Number of the turn that it began; 0 where it began none."""
    at_s: float


@attrs.frozen(kw_only=True)
class PaneExited(_Numbered):
    """The program is gone; status and signal where they are known."""

    pane: PaneId
    status: int | None
    signal: int | None
    words: str
    rows: tuple[str, ...]
    """The last screen."""
    server_lost: bool = False
    """Its tmux server is gone or cannot be reached: nobody can say how it ended."""
    at_s: float

    @property
    def how(self) -> str:
        """How it ended, behind "it exited": by its status, a signal, or in words."""
        if self.signal is not None:
            return f"by signal {self.signal}"
        return f"with status {self.status}" if self.status is not None else f"({self.words})"


@attrs.frozen(kw_only=True)
class Escalated(_Numbered):
    """A person is needed: once for each wait on a question, and for each silence."""

    pane: PaneId
    escalation: str
    """Its id; the same where it is `repeated`."""
    cause: EscalationCause
    question: str
    """Word for word; "" where nothing is asked."""
    where: str
    """The command (or the caller's own link) that brings a person there."""
    prompt: Prompt | None = None
    rows: tuple[str, ...] = ()
    """The rows of the question, else of the last screen."""
    waited_s: float
    words: str
    repeated: bool = False
    """An earlier controller ended before it knew that somebody was told."""
    at_s: float


@attrs.frozen(kw_only=True)
class Nudged(_Numbered):
    """A nudge of a policy was due; what became of it."""

    pane: PaneId
    write_id: str = ""
    """"" where no write began."""
    fate: Fate
    reason: Reason
    in_silence: int
    """Nudges since something grew, this one included where it was written."""
    in_session: int
    words: str
    at_s: float


@attrs.frozen(kw_only=True)
class LimitReached(_Numbered):
    """A limit that the caller set for this session is reached; nothing was ended."""

    pane: PaneId
    limit: str
    """``wall_s``, ``mono_s`` or ``silence_s``."""
    limit_s: float
    """Its value."""
    elapsed_s: float
    jump_s: float
    """How far the wall clock ran ahead of the monotonic one: asleep, or set forward."""
    words: str
    at_s: float


@attrs.frozen(kw_only=True)
class OutcomeReached(_Numbered):
    """A session ended, or came to a verdict while it goes on; `Pane.outcome` has the evidence."""

    pane: PaneId
    kind: OutcomeKind
    advice: Advice
    over: bool
    """The session is known to have ended."""
    words: str
    rule: str
    """The row of the table of verdicts that decided."""
    at_s: float


@attrs.frozen(kw_only=True)
class ServerLost(_Numbered):
    """The tmux server cannot be reached; its panes are unknown, not dead."""

    words: str
    at_s: float


@attrs.frozen(kw_only=True)
class ServerBack(_Numbered):
    """The same server answers again."""

    at_s: float


@attrs.frozen(kw_only=True)
class Dropped(_Numbered):
    """A slow reader of the event stream missed this many events."""

    count: int
    at_s: float


PaneEvent: TypeAlias = (
    StateChanged
    | PromptOpened
    | PromptChanged
    | PromptClosed
    | WriteHeld
    | WriteFinished
    | PaneExited
)
Event: TypeAlias = (
    PaneOpened
    | PaneEvent
    | Escalated
    | Nudged
    | LimitReached
    | OutcomeReached
    | ServerLost
    | ServerBack
    | Dropped
)

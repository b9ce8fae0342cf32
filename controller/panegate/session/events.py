"""What embedders are told, as typed events."""

from typing import TypeAlias

import attrs

from panegate.gate.receipt import Receipt
from panegate.ids import PaneId
from panegate.panes.facts import OptionReading
from panegate.terms import Grade, PromptKind, Reason, State

__all__ = [
    "Dropped",
    "Event",
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
    secret: bool = False
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
Event: TypeAlias = PaneOpened | PaneEvent | ServerLost | ServerBack | Dropped

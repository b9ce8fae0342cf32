"""What callers read: a labelled screen, an explanation, statistics."""

import enum

import attrs

from panegate.gate.receipt import Receipt
from panegate.ids import PaneId
from panegate.panes.beliefs import Evidence
from panegate.session.events import StateChanged
from panegate.session.launch_answers import AnswersUsed
from panegate.terms import Grade, State

__all__ = ["Explanation", "RunResult", "Screen", "ScreenLabel"]


class ScreenLabel(enum.Enum):
    """What the rows of a screen are worth."""

    LIVE = "live"
    """Read now, the program runs."""
    IDLE_STALE = "idle-stale"
    """Read now, but the program exited or a shell was left behind: do not infer from it."""
    UNAVAILABLE = "unavailable"
    """The pane exists and could not be read: the last good read, with its age."""
    OFFLINE = "offline"
    """The server cannot be reached."""


@attrs.frozen(kw_only=True)
class Screen:
    """The visible rows of a pane, and history above them where it was asked for."""

    rows: tuple[str, ...]
    """Visible rows, trailing blanks removed."""
    cursor: tuple[int, int]
    """Row and column from 0."""
    columns: int
    lines: int
    history: tuple[str, ...] = ()
    """Rows above the visible ones, oldest first."""
    alternate: bool = False
    mode: str = ""
    """tmux's own mode, such as ``copy-mode``; "" outside modes."""
    at: float
    """When it was read, monotonic seconds."""
    age_s: float = 0.0
    """Age of the rows where they are not read now."""
    label: ScreenLabel = ScreenLabel.LIVE

    @property
    def text(self) -> str:
        """All rows as one text, blank rows at the end removed."""
        return "\n".join((*self.history, *self.rows)).rstrip("\n")


@attrs.frozen(kw_only=True)
class Explanation:
    """Why a pane is in its state."""

    pane: PaneId
    name: str
    profile: str
    state: State
    confirmed: bool
    since_s: float
    """Seconds in this state."""
    quiet_s: float
    """Seconds since the last output."""
    grade: Grade | None
    rule: str
    words: str
    evidence: tuple[Evidence, ...]
    history: tuple[StateChanged, ...]
    holds: tuple[str, ...]
    """What the gate would say to a message now."""
    settle_window_s: float
    looks: int
    output_bytes: int
    left_behind: str = ""
    way_out: str = ""
    """The command that gets a person out of what has the pane; "" where there is nothing to
    get out of."""
    launch_answers: AnswersUsed | None = None
    """What its profile answered in advance when it was started; None: nothing."""


@attrs.frozen(kw_only=True)
class RunResult:
    """What a program said to one message."""

    text: str
    """Rows between the message and the end of the turn, blank ones at both ends removed; a line
    longer than the pane takes several. With the question, where the turn ended with one."""
    state: State
    """How the turn ended: ready, prompting, or exited; else it was not over in time."""
    status: int | None
    """Exit status of a shell's command, where the shell says it (OSC 133;D); of the program
    itself where it exited."""
    over: bool = False
    """The turn came to an end of its own. False where its time ran out, and where the program
    or its tmux server was ended, or it crashed, in the middle of it."""
    complete: bool
    """False where the turn is not `over`, or its first rows had scrolled out of the history."""
    words: str = ""
    """One sentence: how the turn ended, or why it did not."""
    receipt: Receipt

"""What can be known about a pane at one instant, as typed facts.

A fact says what was seen and when, never what it means: `panes.fold` decides
that, by a table. Times are monotonic seconds.
"""

import enum

import attrs

from panegate.ids import PaneId
from panegate.terms import PromptKind

__all__ = [
    "ComposerReading",
    "KernelFact",
    "Look",
    "Mark",
    "MarkKind",
    "OptionReading",
    "PaneFields",
    "ProbeLevel",
    "PromptReading",
    "ScreenKind",
    "ScreenReading",
    "TtyWait",
]


class MarkKind(enum.Enum):
    """What a program says about itself in its output stream."""

    PROMPT_START = "prompt_start"  # OSC 133;A
    PROMPT_END = "prompt_end"  # OSC 133;B
    COMMAND_START = "command_start"  # OSC 133;C
    COMMAND_END = "command_end"  # OSC 133;D[;status]
    PASTE_ON = "paste_on"  # CSI ?2004h
    PASTE_OFF = "paste_off"  # CSI ?2004l
    ALTERNATE_ON = "alternate_on"  # CSI ?1049h, ?1047h, ?47h
    ALTERNATE_OFF = "alternate_off"
    CURSOR_SHOWN = "cursor_shown"  # CSI ?25h
    CURSOR_HIDDEN = "cursor_hidden"  # CSI ?25l
    TITLE = "title"  # OSC 0/2
    PROGRESS = "progress"  # OSC 9;4;state[;percent]
    NOTIFY = "notify"  # OSC 777;notify;title;body and OSC 9;text
    AGENT = "agent"  # OSC 7501;state=...
    CONTEXT = "context"  # OSC 3008
    KEYBOARD = "keyboard"  # CSI >Nu, CSI <u, CSI >4;Nm


@attrs.frozen
class Mark:
    """One mark found in the raw stream."""

    kind: MarkKind
    text: str
    """The rest of the sequence, decoded, at most 256 characters; "" where it has none."""
    at_s: float


class TtyWait(enum.Enum):
    """How the foreground program waits on its terminal, as the kernel sees it."""

    UNKNOWN = "unknown"
    """The probe level or the rights do not tell."""
    READ = "read"
    """Blocked in a read of its terminal."""
    SELECT = "select"
    """Waiting in poll, ppoll, select or pselect with the terminal in the set, no timeout."""
    TIMED = "timed"
    """The same with a timeout: it also does something else."""
    EVENT_LOOP = "event_loop"
    """In epoll or kqueue with the terminal in the set; proves nothing."""
    ABSENT = "absent"
    """No thread of the foreground program waits on the terminal."""


class ProbeLevel(enum.Enum):
    """How much the terminal probe may use (``PANEGATE_PROBE``)."""

    FULL = "full"
    WCHAN = "wchan"
    TERMIOS = "termios"
    NONE = "none"


@attrs.frozen(kw_only=True)
class KernelFact:
    """What the operating system knows about a pane's terminal and program."""

    level: ProbeLevel
    wait: TtyWait = TtyWait.UNKNOWN
    echo: bool | None = None
    icanon: bool | None = None
    isig: bool | None = None
    foreground_pids: tuple[int, ...] = ()
    """Members of the foreground process group, leader first."""
    foreground_command: str = ""
    """Name (comm) of the foreground group's leader; "" when not known."""
    reader_pid: int | None = None
    """The process found waiting on the terminal."""
    reader_command: str = ""
    pane_process_is_foreground: bool | None = None
    """The pane's own process leads the foreground group."""
    children: tuple[int, ...] = ()
    """Descendants of the pane's process outside the foreground group."""
    stopped: bool = False
    """The foreground program is in state T."""
    unread_bytes: int | None = None
    """Bytes in the terminal's input queue that nobody has read; None when not known."""
    at_s: float = 0.0


@attrs.frozen(kw_only=True)
class PaneFields:
    """tmux's own variables of one pane, read in the same instant as the screen."""

    pane_id: PaneId
    pane_pid: int
    dead: bool = False
    dead_status: int | None = None
    dead_signal: int | None = None
    in_mode: bool = False
    mode: str = ""
    """Such as ``copy-mode`` or ``view-mode``; "" outside modes."""
    input_off: bool = False
    synchronized: bool = False
    alternate_on: bool = False
    cursor_x: int = 0
    cursor_y: int = 0
    cursor_shown: bool = True
    cursor_character: str = ""
    history_size: int = 0
    history_limit: int = 0
    """Lines the history holds at most; 0 when not known."""
    history_dropped: int = 0
    """Lines it has dropped at its limit so far; tmux does not tell, the tracker counts."""
    width: int = 80
    height: int = 24
    command: str = ""
    """``#{pane_current_command}``: the foreground group's leader."""
    title: str = ""
    tty: str = ""

    @property
    def scrolled(self) -> int:
        """Lines that have left the screen: a row plus this keeps its number."""
        return self.history_size + self.history_dropped


@attrs.frozen(kw_only=True)
class Look:
    """One look at a pane: the screen and everything read beside it.

    ``rows`` are the visible rows as ``capture-pane -e -N`` gives them: bytes with
    SGR sequences, trailing blanks kept, exactly ``fields.height`` of them.
    """

    fields: PaneFields
    rows: tuple[bytes, ...]
    above: tuple[bytes, ...] = ()
    """Rows of history right above the visible ones, where they were asked for."""
    kernel: KernelFact | None
    asked_at_s: float
    at_s: float


class ScreenKind(enum.Enum):
    """What a screen looks like; never proof by itself."""

    UNKNOWN = "unknown"
    READY = "ready"
    BUSY = "busy"
    PROMPTING = "prompting"


@attrs.frozen(kw_only=True)
class ComposerReading:
    """Where a program takes typed text, and what stands in it.

    Rows and columns count from 0 in cells of the visible screen.
    """

    row: int
    column: int
    """First cell of the input text, behind the prompt text."""
    last_row: int
    """Last row that belongs to the input area."""
    text: str
    """Typed text in it, rows joined; "" when empty or only hint text."""
    hint: str = ""
    """Dim text that is not typed (placeholder, suggestion)."""
    prompt_text: str = ""
    """What stands before ``column`` on its row, such as ``>>> ``."""
    collapsed: bool = False
    """The text is a placeholder for a collapsed paste."""


@attrs.frozen(kw_only=True)
class OptionReading:
    """One choice of a prompt."""

    key: str
    """What selects it: a digit, a letter, or "" when only the arrows do."""
    label: str
    """Verbatim, colours and box drawing removed."""
    highlighted: bool = False
    ticked: bool | None = None
    """Whether its box is ticked; None where there is no box."""
    row: int | None = attrs.field(default=None, eq=False)
    """Where its label stands; another size moves it and makes no other question."""


@attrs.frozen(kw_only=True)
class PromptReading:
    """A question read off the live end of a screen."""

    kind: PromptKind
    question: str
    """Word for word; wrapped rows joined by one space."""
    context: str = ""
    """The command, diff or path it asks about."""
    options: tuple[OptionReading, ...] = ()
    default: str | None = None
    """Key or label that a bare Enter takes, when that is visible."""
    secret: bool = False
    rows: tuple[str, ...] = ()
    """The verbatim rows."""
    fingerprint: str = ""
    """Digest of the words that matter: not highlight, clock or spinner."""
    cancel_key: str | None = None
    """tmux key name that declines (``Escape``, ``C-c``, ``q``), where the screen says so."""
    submits: bool = True
    """A typed answer needs Enter; False where one key acts at once."""
    many: bool = False
    """Any number of its options may be taken: Space ticks one, Enter takes what is ticked."""
    cut: bool = False
    """It begins at the top of what could be read: its first rows may stand above that."""


@attrs.frozen(kw_only=True)
class ScreenReading:
    """What the screen package makes of one look."""

    kind: ScreenKind
    words: str
    """What was seen, for people: ``composer at row 21 after '> '``."""
    composer: ComposerReading | None = None
    prompt: PromptReading | None = None
    shown: PromptReading | None = None
    """The question on screen also where the kernel says that nobody reads an answer now: a
    program may be drawing it."""
    reaches_up: bool = False
    """The question begins at the top of the screen, and may begin above it."""
    frame: str = ""
    """Digest of the rows with volatile parts masked (digits, spinner glyphs, caret)."""
    body: str = ""
    """The same digest without the composer's rows."""
    still: str = ""
    """Digest of all that must stand still while a program does nothing; "" where unknown."""

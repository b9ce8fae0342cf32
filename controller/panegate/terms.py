"""The closed vocabularies that everything else speaks.

Every enum here is part of the public surface. Where an enum has a *zero value*
it is the safe one: it refuses or claims nothing.
"""

import enum

__all__ = [
    "Advice",
    "EscalationCause",
    "Fate",
    "FaultKind",
    "Grade",
    "Intent",
    "OutcomeKind",
    "PromptKind",
    "Reason",
    "State",
    "Verdict",
]


class State(enum.Enum):
    """What is believed about one pane."""

    BOOTING = "booting"
    """Started or adopted; nothing is proven yet."""
    READY = "ready"
    """The program reads input at its own input point."""
    BUSY = "busy"
    """Output flows, a turn is open, or quiet without evidence of anything else yet."""
    PROMPTING = "prompting"
    """It waits for a person's decision."""
    SILENT = "silent"
    """Quiet past the profile's limit with no evidence of ready or prompting."""
    EXITED = "exited"
    """The program is gone (terminal)."""


class Intent(enum.Enum):
    """What a write is for."""

    MESSAGE = "message"
    """Wait until allowed, then deliver."""
    NUDGE = "nudge"
    """Automatic: deliver now or not at all."""
    STEER = "steer"
    """To programs whose profile says they take input while busy."""
    ANSWER = "answer"
    """A person's decision about one named prompt."""
    INTERRUPT = "interrupt"
    """Escape or C-c, as the profile says."""
    KEYS = "keys"
    """Raw keys, named and journalled."""


class Fate(enum.Enum):
    """What is known about a write."""

    UNKNOWN = "unknown"
    """Some of it may have reached the program; nothing is sent again."""
    LANDED = "landed"
    """Evidence read after the write says the program took it."""
    NOT_LANDED = "not_landed"
    """Bytes were written, and the evidence says the program did not take them."""
    REFUSED = "refused"
    """Not a byte was sent."""
    WITHDRAWN = "withdrawn"
    """Taken back before a byte was sent."""


class Verdict(enum.Enum):
    """What the gate says about one write now; the zero value refuses."""

    REFUSE = 0
    HOLD = 1
    ALLOW = 2


class Grade(enum.Enum):
    """What a belief rests on, strongest first."""

    PROCESS = "process"
    MARK = "mark"
    KERNEL = "kernel"
    SCREEN = "screen"
    TRANSCRIPT = "transcript"
    CLAIM = "claim"
    TIMING = "timing"


class PromptKind(enum.Enum):
    """What kind of decision a program waits for."""

    PERMISSION = "permission"
    CONFIRM = "confirm"
    MENU = "menu"
    SECRET = "secret"
    TEXT = "text"
    LOGIN = "login"
    LIMIT = "limit"
    PAGER = "pager"
    KEY = "key"


class OutcomeKind(enum.Enum):
    """Why a session ended."""

    COMPLETED = "completed"
    EXITED = "exited"
    CRASHED = "crashed"
    KILLED = "killed"
    TIMEOUT = "timeout"
    STALLED = "stalled"
    SUSPENDED = "suspended"
    BLOCKED_ON_PROMPT = "blocked_on_prompt"
    ENV_FAULT = "env_fault"
    LIMITED = "limited"
    NEEDS_LOGIN = "needs_login"
    SERVICE_ERROR = "service_error"
    SERVER_LOST = "server_lost"
    UNKNOWN = "unknown"


class FaultKind(enum.Enum):
    """What a program's own error row speaks of."""

    LIMITED = "limited"
    """A limit of use is reached (429, a quota)."""
    AUTH = "auth"
    """It is not logged in, or not allowed (401, 403)."""
    OVERLOADED = "overloaded"
    """The service has no room now (503, 529)."""
    SERVER = "server"
    """The service failed (500, 502, other 5xx)."""
    TRANSPORT = "transport"
    """The way to the service broke."""


class Advice(enum.Enum):
    """What a caller should do about an outcome."""

    NONE = "none"
    RETRY_CHARGED = "retry_charged"
    RETRY_FREE = "retry_free"
    PAUSE = "pause"
    ESCALATE = "escalate"


class EscalationCause(enum.Enum):
    """Why a person is called."""

    PROMPT = "prompt"
    """The program asks, and nobody has answered in time."""
    UNPROVEN = "unproven"
    """It is quiet, a nudge was due, and nothing proves that it would take one."""
    NUDGES_SPENT = "nudges_spent"
    """It reads, and the nudges that it may get are used up."""


class Reason(enum.Enum):
    """Why a write was held or refused, or did not land."""

    UNPROVEN = "unproven"
    """Nothing proves that the program would take it (the zero value)."""
    NONE = "none"
    """Nothing stands in the way; also the reason of a write that landed."""
    BOOTING = "booting"
    BUSY = "busy"
    SILENT = "silent"
    PROMPTING = "prompting"
    EXITED = "exited"
    UNCONFIRMED = "unconfirmed"
    """The screen moved since the state was decided; a look is under way."""
    QUEUED = "queued"
    """An earlier write of this pane is not finished."""
    DRAFT = "draft"
    """Somebody's text stands in the composer."""
    LEFT_BEHIND = "left_behind"
    """Our own earlier text stands in the composer; `clear` removes it."""
    COPY_MODE = "copy_mode"
    """The pane is in copy, view, tree or another tmux mode."""
    INPUT_OFF = "input_off"
    SYNCHRONIZED = "synchronized"
    SHELL_LEFT_BEHIND = "shell_left_behind"
    """The launched program is gone and a shell has the pane."""
    DEAD_PANE = "dead_pane"
    GONE_PANE = "gone_pane"
    OTHER_PROCESS = "other_process"
    """Another process than the one launched or adopted runs in the pane."""
    STOPPED = "stopped"
    """The program is stopped (SIGSTOP, C-z, C-s)."""
    CONTROL_CHARACTERS = "control_characters"
    MULTI_LINE = "multi_line"
    """Several lines to a program without bracketed paste."""
    LINE_TOO_LONG = "line_too_long"
    """Longer than a canonical terminal takes in one line."""
    TEXT_TOO_LONG = "text_too_long"
    EMPTY = "empty"
    OPENS_A_MODE = "opens_a_mode"
    """The first character opens a mode or popup of this program."""
    OWN_PANE = "own_pane"
    HELD = "held"
    """A person holds the pane."""
    NOT_PROMPTING = "not_prompting"
    STALE_PROMPT = "stale_prompt"
    NO_SUCH_OPTION = "no_such_option"
    ANSWERS_NOT_ALLOWED = "answers_not_allowed"
    NOT_HIDDEN = "not_hidden"
    """A secret for a question that shows its input."""
    NO_CANCEL = "no_cancel"
    """This prompt has no way to decline that is known."""
    NOT_WHILE_BUSY = "not_while_busy"
    """The program takes no input while it is busy."""
    SERVER_UNREACHABLE = "server_unreachable"
    SERVER_DIED = "server_died"
    """The tmux server died; what became of the program is not known."""
    DEADLINE = "deadline"
    WITHDRAWN = "withdrawn"
    JOURNAL = "journal"
    """The journal could not take the write; nothing was typed."""
    CHANGED = "changed"
    """The pane changed between the deciding look and the write."""
    NO_ECHO = "no_echo"
    ECHO_DIFFERS = "echo_differs"
    MENU_OPENED = "menu_opened"
    LINE_BREAK = "line_break"
    """The Enter became a line break in the composer."""
    NO_REACTION = "no_reaction"
    PROMPT_OPENED = "prompt_opened"
    """A question appeared between the text and its Enter."""
    SOMEONE_TYPED = "someone_typed"
    REJECTED = "rejected"
    """tmux answered the write with an error."""
    CONNECTION_LOST = "connection_lost"
    CONTROLLER_ENDED = "controller_ended"
    """The controller was closed, or crashed, before the write had its fate."""
    NUDGE_NOT_DUE = "nudge_not_due"

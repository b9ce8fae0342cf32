"""An asyncio controller for interactive programs in tmux panes, over control mode.

Names are imported on first use (PEP 562), so that the command line's help and hooks start
without any third-party module.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from panegate import sync
    from panegate.errors import (
        JournalError,
        LaunchFailed,
        NoSuchPane,
        NotReady,
        PanegateError,
        ProfileError,
        Refused,
        ServerUnreachable,
        SettingsError,
        StaleAnswer,
        TmuxTooOld,
        TransportBroken,
    )
    from panegate.gate.policy import Decision
    from panegate.gate.receipt import Proof, Receipt
    from panegate.ids import PaneId, ServerIdentity
    from panegate.journal.base import Journal
    from panegate.journal.memory import MemoryJournal
    from panegate.service.bus import EventStream
    from panegate.service.controller import Controller
    from panegate.service.pane import Pane
    from panegate.service.settings import Answers, Settings
    from panegate.service.views import Explanation, RunResult, Screen, ScreenLabel
    from panegate.session.events import (
        Dropped,
        Event,
        PaneExited,
        PaneOpened,
        Prompt,
        PromptChanged,
        PromptClosed,
        PromptOpened,
        ServerBack,
        ServerLost,
        StateChanged,
        WriteFinished,
        WriteHeld,
    )
    from panegate.terms import (
        Advice,
        Fate,
        Grade,
        Intent,
        OutcomeKind,
        PromptKind,
        Reason,
        State,
        Verdict,
    )

__version__ = "0.1.0"

_HOMES = {
    "panegate.errors": (
        "JournalError",
        "LaunchFailed",
        "NoSuchPane",
        "NotReady",
        "PanegateError",
        "ProfileError",
        "Refused",
        "ServerUnreachable",
        "SettingsError",
        "StaleAnswer",
        "TmuxTooOld",
        "TransportBroken",
    ),
    "panegate.gate.policy": ("Decision",),
    "panegate.gate.receipt": ("Proof", "Receipt"),
    "panegate.ids": ("PaneId", "ServerIdentity"),
    "panegate.journal.base": ("Journal",),
    "panegate.journal.memory": ("MemoryJournal",),
    "panegate.service.bus": ("EventStream",),
    "panegate.service.controller": ("Controller",),
    "panegate.service.pane": ("Pane",),
    "panegate.service.settings": ("Answers", "Settings"),
    "panegate.service.views": ("Explanation", "RunResult", "Screen", "ScreenLabel"),
    "panegate.session.events": (
        "Dropped",
        "Event",
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
    ),
    "panegate.terms": (
        "Advice",
        "Fate",
        "Grade",
        "Intent",
        "OutcomeKind",
        "PromptKind",
        "Reason",
        "State",
        "Verdict",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Advice",
    "Answers",
    "Controller",
    "Decision",
    "Dropped",
    "Event",
    "EventStream",
    "Explanation",
    "Fate",
    "Grade",
    "Intent",
    "Journal",
    "JournalError",
    "LaunchFailed",
    "MemoryJournal",
    "NoSuchPane",
    "NotReady",
    "OutcomeKind",
    "Pane",
    "PaneExited",
    "PaneId",
    "PaneOpened",
    "PanegateError",
    "ProfileError",
    "Prompt",
    "PromptChanged",
    "PromptClosed",
    "PromptKind",
    "PromptOpened",
    "Proof",
    "Reason",
    "Receipt",
    "Refused",
    "RunResult",
    "Screen",
    "ScreenLabel",
    "ServerBack",
    "ServerIdentity",
    "ServerLost",
    "ServerUnreachable",
    "Settings",
    "SettingsError",
    "StaleAnswer",
    "State",
    "StateChanged",
    "TmuxTooOld",
    "TransportBroken",
    "Verdict",
    "WriteFinished",
    "WriteHeld",
    "__version__",
    "sync",
]


def __getattr__(name: str) -> Any:
    if name == "sync":
        return import_module("panegate.sync")
    home = _HOME_OF.get(name)
    if home is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

"""An asyncio controller for interactive programs in tmux panes, over control mode.

Names are imported on first use (PEP 562), so that the command line's help and hooks start
without any third-party module.
"""

TYPE_CHECKING = False  # typing itself is slow to import, and hooks wait for this
if TYPE_CHECKING:
    from typing import Any

    from panegate import sync
    from panegate.errors import (
        JournalError,
        LaunchFailed,
        NoSuchPane,
        NotReady,
        PanegateError,
        ProfileError,
        Refused,
        ServerHeld,
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
    from panegate.session.claims import Judgement, Standing
    from panegate.session.events import (
        Dropped,
        Escalated,
        Event,
        LimitReached,
        Nudged,
        OutcomeReached,
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
    from panegate.session.nudging import NudgePolicy
    from panegate.session.outcome_facts import SessionLimits
    from panegate.session.outcomes import Outcome
    from panegate.session.transcript import Record
    from panegate.terms import (
        Advice,
        EscalationCause,
        Fate,
        FaultKind,
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
        "ServerHeld",
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
    "panegate.session.claims": ("Judgement", "Standing"),
    "panegate.session.transcript": ("Record",),
    "panegate.session.events": (
        "Dropped",
        "Escalated",
        "Event",
        "LimitReached",
        "Nudged",
        "OutcomeReached",
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
    "panegate.session.nudging": ("NudgePolicy",),
    "panegate.session.outcome_facts": ("SessionLimits",),
    "panegate.session.outcomes": ("Outcome",),
    "panegate.terms": (
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
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Advice",
    "Answers",
    "Controller",
    "Decision",
    "Dropped",
    "Escalated",
    "EscalationCause",
    "Event",
    "EventStream",
    "Explanation",
    "Fate",
    "FaultKind",
    "Grade",
    "Intent",
    "Journal",
    "JournalError",
    "Judgement",
    "LaunchFailed",
    "LimitReached",
    "MemoryJournal",
    "NoSuchPane",
    "NotReady",
    "NudgePolicy",
    "Nudged",
    "Outcome",
    "OutcomeKind",
    "OutcomeReached",
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
    "Record",
    "Refused",
    "RunResult",
    "Screen",
    "ScreenLabel",
    "ServerBack",
    "ServerHeld",
    "ServerIdentity",
    "ServerLost",
    "ServerUnreachable",
    "SessionLimits",
    "Settings",
    "SettingsError",
    "StaleAnswer",
    "Standing",
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


def __getattr__(name: str) -> "Any":
    from importlib import import_module

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

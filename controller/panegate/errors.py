"""The exception tree.

Everything that ``send`` and its kin raise means *nothing was written*; a write
that began is always reported by a receipt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from panegate.terms import Reason, State

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "JournalError",
    "LaunchFailed",
    "LocalProtocolError",
    "NoSuchPane",
    "NotReady",
    "PanegateError",
    "ProfileError",
    "Refused",
    "RemoteProtocolError",
    "ServerHeld",
    "ServerUnreachable",
    "SettingsError",
    "StaleAnswer",
    "TmuxTooOld",
    "TransportBroken",
]


class PanegateError(Exception):
    """Base of everything raised on purpose.

    Attributes:
        fix: What to do next, one sentence; empty when there is nothing to say.

    """

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.fix = fix


class LocalProtocolError(PanegateError):
    """Our caller asked for something illegal now; nothing was changed."""


class RemoteProtocolError(PanegateError):
    """tmux sent something that cannot be read; the connection must be closed."""


class Refused(PanegateError):
    """The gate said no; not a byte was written.

    Attributes:
        reason: Why, as a closed enum.
        state: The pane's state at the decision.
        prompt: The prompt that was open (a `panegate.Prompt`), if any.
        screen: The screen that decided (a `panegate.Screen`), if there was one.

    """

    def __init__(
        self,
        message: str,
        *,
        reason: Reason = Reason.UNPROVEN,
        state: State = State.BOOTING,
        prompt: Any = None,
        screen: Any = None,
        fix: str = "",
    ) -> None:
        super().__init__(message, fix=fix)
        self.reason = reason
        self.state = state
        self.prompt = prompt
        self.screen = screen


class NotReady(Refused):
    """``within_s`` ran out before the gate opened; nothing was written."""


class StaleAnswer(Refused):
    """The prompt answered is not the one on screen; `prompt` is the new one or None."""


class LaunchFailed(PanegateError):
    """The program did not come up.

    Attributes:
        screen: What it showed last (a `panegate.Screen`), if it could be read.
        status: Its exit status, if known.
        signal: The signal that ended it, if known.

    """

    def __init__(
        self,
        message: str,
        *,
        screen: Any = None,
        status: int | None = None,
        signal: int | None = None,
        fix: str = "",
    ) -> None:
        super().__init__(message, fix=fix)
        self.screen = screen
        self.status = status
        self.signal = signal


class NoSuchPane(PanegateError):
    """No pane of that id or name is known here."""


class ServerUnreachable(PanegateError):
    """The tmux server or its socket cannot be reached; panes are *unknown*, not dead."""


class ServerHeld(PanegateError):
    """Another controller is in charge of the tmux server.

    Attributes:
        pid: Its process; 0 where that is not known.

    """

    def __init__(self, message: str, *, pid: int = 0, fix: str = "") -> None:
        super().__init__(message, fix=fix)
        self.pid = pid


class TmuxTooOld(PanegateError):
    """tmux is missing or older than 3.2a."""


class TransportBroken(PanegateError):
    """The byte stream is unusable; what was in flight is unknown."""


class JournalError(PanegateError):
    """The journal cannot be written or read; nothing is typed without it."""


class SettingsError(PanegateError):
    """A settings file or variable is wrong.

    Attributes:
        path: The file, or None for the environment.
        line: Line number from 1, or None.

    """

    def __init__(
        self, message: str, *, path: Path | None = None, line: int | None = None, fix: str = ""
    ) -> None:
        super().__init__(_located(message, path, line), fix=fix)
        self.path = path
        self.line = line


class ProfileError(PanegateError):
    """A profile is wrong.

    Attributes:
        path: The file.
        line: Line number from 1, or None when the line is not known.

    """

    def __init__(
        self, message: str, *, path: Path | None = None, line: int | None = None, fix: str = ""
    ) -> None:
        super().__init__(_located(message, path, line), fix=fix)
        self.path = path
        self.line = line


def _located(message: str, path: Path | None, line: int | None) -> str:
    if path is None:
        return message
    return f"{path}:{line}: {message}" if line is not None else f"{path}: {message}"

"""Errors as plain values, and back: the same on the wire and in ``--json``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cattrs

from panegate.errors import (
    JournalError,
    LaunchFailed,
    LocalProtocolError,
    NoSuchPane,
    NotReady,
    PanegateError,
    ProfileError,
    Refused,
    RemoteProtocolError,
    ServerHeld,
    ServerUnreachable,
    SettingsError,
    StaleAnswer,
    TmuxTooOld,
    TransportBroken,
)
from panegate.service.views import Screen
from panegate.session.events import Prompt
from panegate.terms import Reason, State

__all__ = ["code_of", "error_from", "failure_of"]

_converter = cattrs.Converter()


def code_of(error: BaseException) -> str:
    """Return the ``code`` of an error: its name in small letters."""
    name = type(error).__name__
    parts = [f"_{c.lower()}" if c.isupper() else c for c in name]
    return "".join(parts).lstrip("_")


def failure_of(error: PanegateError) -> dict[str, Any]:
    """Return an error: a code, one sentence, what to do, and what the error carries."""
    code = getattr(error, "code", None) or code_of(error)
    out: dict[str, Any] = {"code": code, "message": str(error), "fix": error.fix}
    if isinstance(error, Refused):
        out["reason"] = error.reason.value
        out["state"] = error.state.value
        out["prompt"] = _converter.unstructure(error.prompt)
        out["screen"] = _converter.unstructure(error.screen)
    elif isinstance(error, LaunchFailed):
        out["status"], out["signal"] = error.status, error.signal
        out["screen"] = _converter.unstructure(error.screen)
    elif isinstance(error, ProfileError | SettingsError):
        out["path"] = str(error.path) if error.path is not None else None
        out["line"] = error.line
    return out


_KINDS: tuple[type[PanegateError], ...] = (
    JournalError,
    LaunchFailed,
    LocalProtocolError,
    NoSuchPane,
    NotReady,
    ProfileError,
    Refused,
    RemoteProtocolError,
    ServerHeld,
    ServerUnreachable,
    SettingsError,
    StaleAnswer,
    TmuxTooOld,
    TransportBroken,
)
_BY_CODE = {code_of(kind("")): kind for kind in _KINDS}
_BY_CODE["service_ends"] = TransportBroken


def error_from(failure: Mapping[str, Any]) -> Exception:
    """Return the error that `failure_of` was given; what is not known is a `PanegateError`."""
    code = str(failure.get("code", ""))
    message, fix = str(failure.get("message", code)), str(failure.get("fix", ""))
    if code == "bad_value":
        return ValueError(message)
    kind = _BY_CODE.get(code, PanegateError)
    if issubclass(kind, Refused):
        return kind(
            message,
            reason=Reason(failure.get("reason", Reason.UNPROVEN.value)),
            state=State(failure.get("state", State.BOOTING.value)),
            prompt=_maybe(failure.get("prompt"), Prompt),
            screen=_maybe(failure.get("screen"), Screen),
            fix=fix,
        )
    if issubclass(kind, LaunchFailed):
        return kind(
            message,
            screen=_maybe(failure.get("screen"), Screen),
            status=failure.get("status"),
            signal=failure.get("signal"),
            fix=fix,
        )
    error = kind(message, fix=fix)
    if isinstance(error, ProfileError | SettingsError):
        # the place stands in the words already
        path = failure.get("path")
        error.path, error.line = Path(path) if path is not None else None, failure.get("line")
    return error


def _maybe(value: Any, kind: type[Any]) -> Any:
    return None if value is None else _converter.structure(value, kind)

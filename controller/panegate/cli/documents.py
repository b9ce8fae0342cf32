"""What ``--json`` prints: plain values, enums by their value, one schema version."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import cattrs

from panegate.errors import PanegateError
from panegate.service.local.failures import failure_of

if TYPE_CHECKING:
    from panegate.cli.remote import AnyPane
    from panegate.session.events import Event

__all__ = [
    "SCHEMA",
    "dumps",
    "error_document",
    "event_document",
    "pane_document",
    "plain",
    "utc_of",
]

SCHEMA: Final = 1
"""Version of every document; a change that takes something away raises it."""

_converter = cattrs.Converter()


def plain(value: Any) -> Any:
    """Return *value* as what JSON has; attrs classes become objects, enums their values."""
    return _converter.unstructure(value)


def dumps(document: Mapping[str, Any]) -> str:
    """Return one document as one line, its schema version first."""
    return json.dumps({"schema": SCHEMA, **document}, ensure_ascii=False)


def utc_of(at_s: float) -> str:
    """Return a monotonic instant of this process as wall time, ISO 8601."""
    at = time.time() - (time.monotonic() - at_s)
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at))
    return f"{whole}.{int(at % 1 * 1000):03}Z"


def event_document(event: Event) -> dict[str, Any]:
    """Return an event: its name, when it was, and its fields."""
    fields = plain(event)
    at_s = fields.pop("at_s")
    return {"event": type(event).__name__, "at_utc": utc_of(at_s), "at_s": at_s, **fields}


def pane_document(pane: AnyPane) -> dict[str, Any]:
    """Return what is known about a pane now."""
    return {
        "id": pane.id,
        "name": pane.name,
        "profile": pane.profile.name,
        "state": pane.state.value,
        "confirmed": pane.confirmed,
        "draft": pane.draft,
        "held": pane.held,
        "prompt": plain(pane.prompt),
        "where": pane.where,
    }


def error_document(error: PanegateError) -> dict[str, Any]:
    """Return an error: a code, one sentence, what to do, and what the error carries."""
    return {"error": failure_of(error)}

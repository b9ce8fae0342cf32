"""Receipts and events as JSON and back."""

import json
from collections.abc import Mapping
from typing import Any, get_args

import cattrs

from panegate.gate.receipt import Receipt
from panegate.session.events import Event

__all__ = ["event_from", "event_to", "json_of", "receipt_from", "receipt_to", "value_from"]

_converter = cattrs.Converter()
_EVENTS: dict[str, Any] = {kind.__name__: kind for kind in get_args(Event)}
_APART = ("seq", "at_s")


def json_of(value: Any) -> str:
    """Return *value*, attrs classes and enums included, as JSON."""
    return json.dumps(_converter.unstructure(value), ensure_ascii=False, separators=(",", ":"))


def value_from(text: str | None) -> Any:
    """Return the plain value of *text*; None for None and for what cannot be read."""
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def receipt_to(receipt: Receipt) -> str:
    """Return a receipt as JSON."""
    return json_of(receipt)


def receipt_from(text: str) -> Receipt:
    """Return the receipt that `receipt_to` wrote.

    Raises:
        ValueError: It cannot be read.

    """
    try:
        return _converter.structure(json.loads(text), Receipt)
    except (cattrs.BaseValidationError, LookupError, TypeError) as error:
        raise ValueError(str(error)) from error


def event_to(event: Event) -> tuple[str, str]:
    """Return an event's kind and its fields, number and time apart, as JSON."""
    fields = _converter.unstructure(event)
    for name in _APART:
        fields.pop(name, None)
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return type(event).__name__, text


def event_from(kind: str, text: str, *, seq: int, at_s: float) -> Event | None:
    """Return the event; None where this version does not know the kind or its fields."""
    known = _EVENTS.get(kind)
    fields = value_from(text)
    if known is None or not isinstance(fields, Mapping):
        return None
    try:
        event: Event = _converter.structure({**fields, "seq": seq, "at_s": at_s}, known)
    except (cattrs.BaseValidationError, ValueError, LookupError, TypeError):
        return None
    return event

"""Who is told when a person is needed: the settings of it, and what they are told."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import urlsplit

import attrs
import cattrs

if TYPE_CHECKING:
    from panegate.session.events import Escalated

__all__ = [
    "ExecSink",
    "LogSink",
    "Sink",
    "SinkError",
    "WebhookSink",
    "escalation_document",
    "sinks_from",
]

_SCHEMA: Final = 1
_converter = cattrs.Converter()


class SinkError(ValueError):
    """A sink that is set wrongly.

    Attributes:
        number: Which one, from 0; -1 where all of them are wrong.
        key: Its wrong key; "" where it is none of a key.

    """

    def __init__(self, words: str, *, number: int = -1, key: str = "") -> None:
        super().__init__(words)
        self.number = number
        self.key = key


@attrs.frozen(kw_only=True)
class LogSink:
    """One log line ``person.needed``, a warning."""

    @property
    def label(self) -> str:
        """What it is called."""
        return "log"


@attrs.frozen(kw_only=True)
class ExecSink:
    """Runs a program, without a shell; the document stands on its standard input."""

    argv: tuple[str, ...]

    @property
    def label(self) -> str:
        """What it is called: by its kind and a digest, so that its order does not matter."""
        return _label("exec", *self.argv)


@attrs.frozen(kw_only=True)
class WebhookSink:
    """Posts the document as JSON to a URL; redirects are not followed."""

    url: str

    @property
    def label(self) -> str:
        """What it is called."""
        return _label("webhook", self.url)

    @property
    def host(self) -> str:
        """Where it goes, without what may be secret in a URL."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")


Sink: TypeAlias = LogSink | ExecSink | WebhookSink

_KEYS: Final[Mapping[str, frozenset[str]]] = {
    "log": frozenset(),
    "exec": frozenset({"argv"}),
    "webhook": frozenset({"url"}),
}


def sinks_from(value: Any) -> tuple[Sink, ...]:
    """Return the sinks of a settings file: ``[[sinks]]`` tables with a ``kind`` each.

    Raises:
        SinkError: They are wrong; says which one and which of its keys.

    """
    if isinstance(value, tuple) and all(isinstance(v, Sink) for v in value):
        return value
    if not isinstance(value, list) or not all(isinstance(v, Mapping) for v in value):
        raise SinkError('expected [[sinks]] tables, such as kind = "log"')
    return tuple(_sink_from(table, number) for number, table in enumerate(value))


def _sink_from(table: Mapping[str, Any], number: int) -> Sink:
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in _KEYS:
        words = f"kind is one of {', '.join(_KEYS)}, not {kind!r}"
        raise SinkError(words, number=number, key="kind" if "kind" in table else "")
    for key in table:
        if key != "kind" and key not in _KEYS[kind]:
            takes = ", ".join(_KEYS[kind]) or "nothing else"
            raise SinkError(f"unknown key {key!r}: {kind} takes {takes}", number=number, key=key)
    for key in _KEYS[kind] - set(table):
        raise SinkError(f"{kind} needs {key}", number=number)
    if kind == "exec":
        argv = table["argv"]
        if not isinstance(argv, list) or not argv or not all(isinstance(w, str) for w in argv):
            words = f"argv is a program and its arguments, not {argv!r}"
            raise SinkError(words, number=number, key="argv")
        return ExecSink(argv=tuple(argv))
    if kind == "webhook":
        return WebhookSink(url=_url_from(table["url"], number))
    return LogSink()


def _url_from(value: Any, number: int) -> str:
    try:
        parts = urlsplit(value)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except (ValueError, AttributeError, TypeError):
        good = False
    if not good or not isinstance(value, str) or not value.isascii() or " " in value:
        raise SinkError(f"url is an http or https address, not {value!r}", number=number, key="url")
    return value


def _label(kind: str, *words: str) -> str:
    digest = hashlib.blake2b(json.dumps(words).encode(), digest_size=4)
    return f"{kind}:{digest.hexdigest()}"


def escalation_document(event: Escalated, *, name: str, server: str, at_utc: str) -> dict[str, Any]:
    """Return what sinks are told.

    Args:
        event: The escalation; its id is the same when it is told again.
        name: Name of the pane.
        server: The tmux server, in words.
        at_utc: When, ISO 8601.

    """
    fields = _converter.unstructure(event)
    del fields["seq"], fields["at_s"]
    head = {"schema": _SCHEMA, "event": "Escalated", "at_utc": at_utc}
    return {**head, "server": server, "name": name, **fields}

"""One JSON object a line: requests, replies, failures and notes. Pure, versioned, bounded.

Client to server::

    {"v": 1, "id": 7, "method": "send", "params": {"pane": "w1", "text": "make"}}

Server to client, for each request exactly one of the first two::

    {"v": 1, "id": 7, "result": ...}
    {"v": 1, "id": 7, "error": {"code": "refused", "message": "...", "fix": "...", ...}}
    {"v": 1, "sub": 3, "event": {"event": "StateChanged", ...}}
"""

import json
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import attrs

from panegate.errors import PanegateError

__all__ = [
    "MAX_REPLY_BYTES",
    "MAX_REQUEST_BYTES",
    "VERSION",
    "BadMessage",
    "Failure",
    "LineBuffer",
    "Message",
    "Note",
    "Reply",
    "Request",
    "decode_message",
    "decode_request",
    "encode",
]

VERSION: Final = 1
"""Of every message; a change that takes something away, or means something else, raises it."""
MAX_REQUEST_BYTES: Final = 4 * 1024 * 1024
"""The longest line a server takes."""
MAX_REPLY_BYTES: Final = 256 * 1024 * 1024
"""The longest line a client takes: a whole history fits."""


class BadMessage(PanegateError):
    """A line is no message of this version.

    Attributes:
        code: ``bad_message``, ``unsupported_version`` or ``line_too_long``.
        id: Of the request, where the line says it.

    """

    def __init__(self, message: str, *, code: str, id: int | None = None, fix: str = "") -> None:
        super().__init__(message, fix=fix)
        self.code = code
        self.id = id


@attrs.frozen(kw_only=True)
class Request:
    """A client wants something done."""

    id: int
    """The client's own number; its reply carries it."""
    method: str
    params: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class Reply:
    """It was done."""

    id: int
    result: Any


@attrs.frozen(kw_only=True)
class Failure:
    """It was not; ``id`` is None where the line could not be read."""

    id: int | None
    error: Mapping[str, Any]
    """``code message fix`` and what the error carries."""


@attrs.frozen(kw_only=True)
class Note:
    """Something happened; given to those who subscribed."""

    sub: int
    """Which subscription."""
    event: Mapping[str, Any]
    pane: Mapping[str, Any] | None = None
    """What the pane is now, where the subscription asked for it."""


Message: TypeAlias = Reply | Failure | Note


def encode(message: Request | Message) -> bytes:
    """Return a message as one line, with its line feed."""
    fields = attrs.asdict(message, recurse=False)
    if fields.get("pane", 0) is None:
        del fields["pane"]
    text = json.dumps({"v": VERSION, **fields}, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass") + b"\n"


def decode_request(line: bytes) -> Request:
    """Return the request of a line.

    Raises:
        BadMessage: It is none of this version; nothing of its values is in the words.

    """
    fields = _object(line)
    request_id = fields.pop("id", None)
    known_id = request_id if _is_id(request_id) else None
    _require_version(fields.pop("v", None), known_id)
    if known_id is None:
        raise BadMessage("a request needs an id: a whole number from 0", code="bad_message")
    method, params = fields.pop("method", None), fields.pop("params", {})
    problem = ""
    if not isinstance(method, str):
        problem = "a request names its method"
    elif not isinstance(params, dict):
        problem = "params is an object"
    elif fields:
        problem = f"a request has no {', '.join(sorted(fields))}"
    if problem:
        raise BadMessage(problem, code="bad_message", id=known_id)
    return Request(id=known_id, method=str(method), params=params)


def decode_message(line: bytes) -> Message:
    """Return what a server said; unknown keys are left out.

    Raises:
        BadMessage: It is none of this version.

    """
    fields = _object(line)
    _require_version(fields.get("v"), None)
    if "sub" in fields and isinstance(fields.get("event"), dict):
        return Note(sub=int(fields["sub"]), event=fields["event"], pane=fields.get("pane"))
    if isinstance(fields.get("error"), dict):
        found = fields.get("id")
        return Failure(id=found if _is_id(found) else None, error=fields["error"])
    if "result" in fields and _is_id(fields.get("id")):
        return Reply(id=fields["id"], result=fields["result"])
    raise BadMessage("neither reply, failure nor event", code="bad_message")


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadMessage("not a line of JSON in UTF-8", code="bad_message") from error
    if not isinstance(found, dict):
        raise BadMessage("a message is a JSON object", code="bad_message")
    return found


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _require_version(version: object, request_id: int | None) -> None:
    if version == VERSION and not isinstance(version, bool):
        return
    said = repr(version) if isinstance(version, int) else "none that can be read"
    raise BadMessage(
        f"version {said} of the messages is not spoken here, only {VERSION}",
        code="unsupported_version",
        id=request_id,
        fix="use the same panegate on both sides: restart the service after an update",
    )


@attrs.define(eq=False)
class LineBuffer:
    """Cuts a stream into lines of a bounded length, in linear time."""

    max_line_bytes: int
    _parts: list[bytes] = attrs.field(factory=list, init=False)
    _n_bytes: int = attrs.field(default=0, init=False)
    _skipping: bool = attrs.field(default=False, init=False)

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """Return the lines that *chunk* completes, without line feeds.

        None stands for a line that was too long: its bytes are dropped, also those to come.
        """
        found: list[bytes | None] = []
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            self._keep(part)
            found.append(None if self._skipping else b"".join(self._parts))
            self._parts.clear()
            self._n_bytes, self._skipping = 0, False
        self._keep(rest)
        return found

    @property
    def n_bytes(self) -> int:
        """Bytes kept of a line that is not complete."""
        return self._n_bytes

    def _keep(self, part: bytes) -> None:
        if self._skipping or not part:
            return
        if self._n_bytes + len(part) > self.max_line_bytes:
            self._skipping = True
            self._parts.clear()
            self._n_bytes = 0
            return
        self._parts.append(part)
        self._n_bytes += len(part)

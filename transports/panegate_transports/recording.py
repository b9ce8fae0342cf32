"""The format of recorded streams: one JSON object a line, the first a header.

::

    {"format":"panegate-recording","version":1,"tmux_version":"3.4","width":80,…}
    {"k":"in","at":12.25,"c":"main","b":"JWJlZ2luIDEgMSAwCg=="}
    {"k":"fact","at":12.5,"n":"process-exit","d":{"pid":7}}

``in`` is what a client's stream gave, ``out`` what was sent into it, bytes in
base64; a fact is anything else worth keeping, opaque here. Times are monotonic
seconds of the recording program. Unknown keys are errors: a changed format has
a new version. A writer that dies leaves at most one torn line, the last.
"""

import base64
import binascii
import enum
import json
import math
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias, TypeVar

import attrs

__all__ = [
    "FORMAT",
    "VERSION",
    "BytesRecord",
    "Direction",
    "FactRecord",
    "Json",
    "Record",
    "RecordingDecoder",
    "RecordingError",
    "RecordingHeader",
    "encode_header",
    "encode_record",
]

FORMAT: Final = "panegate-recording"
VERSION: Final = 1

_T = TypeVar("_T")

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


class Direction(enum.Enum):
    """Which way bytes went, seen from the recording program."""

    IN = "in"
    OUT = "out"


class RecordingError(ValueError):
    """A recording cannot be read.

    Attributes:
        line: Line number, from 1.

    """

    def __init__(self, message: str, *, line: int) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


@attrs.frozen(kw_only=True)
class RecordingHeader:
    """What was recorded, and when."""

    tmux_version: str
    width: int
    """Columns."""
    height: int
    """Rows."""
    started_utc: str
    """Wall time of the start, ISO 8601."""
    extra: dict[str, Json] = attrs.field(factory=dict)
    """Anything else, opaque here."""


@attrs.frozen(kw_only=True)
class BytesRecord:
    """Bytes that passed through one client's stream."""

    direction: Direction
    at_s: float
    """Monotonic seconds of the recording program."""
    client: str
    """Which of the recorded streams."""
    data: bytes


@attrs.frozen(kw_only=True)
class FactRecord:
    """Something that was learned by other means than the streams."""

    at_s: float
    """Monotonic seconds of the recording program."""
    name: str
    detail: Json


Record: TypeAlias = BytesRecord | FactRecord


def encode_header(header: RecordingHeader) -> bytes:
    """Return the first line of a recording, with its line feed.

    Raises:
        ValueError: ``extra`` holds something that JSON cannot.

    """
    return _line({"format": FORMAT, "version": VERSION, **attrs.asdict(header)})


def encode_record(record: Record) -> bytes:
    """Return one line with its line feed.

    Raises:
        ValueError: The time is not finite, or a fact holds what JSON cannot.

    """
    if isinstance(record, BytesRecord):
        return _line(
            {
                "k": record.direction.value,
                "at": record.at_s,
                "c": record.client,
                "b": base64.b64encode(record.data).decode("ascii"),
            }
        )
    return _line({"k": "fact", "at": record.at_s, "n": record.name, "d": record.detail})


class RecordingDecoder:
    """Reads a recording line by line; iterate over it for the records.

    A last line without line feed that cannot be read is what a dying writer
    leaves: it ends the iteration, and `torn_line` tells.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        """Read the header.

        Args:
            lines: Lines with their line feeds, such as a file opened as binary.

        Raises:
            RecordingError: There is no header, or not of this format and version.

        """
        self._lines = iter(lines)
        self._line = 0
        self.torn_line: int | None = None
        """Number of the line that was torn, once the iteration has met it."""
        self.header = _header(self._next_line() or b"", self._line or 1)

    def __iter__(self) -> Iterator[Record]:
        return self

    def __next__(self) -> Record:
        """Return the next record.

        Raises:
            RecordingError: A whole line cannot be read; the iteration may go on.

        """
        raw = self._next_line()
        if raw is None:
            raise StopIteration
        try:
            return _record(raw, self._line)
        except RecordingError:
            if raw.endswith(b"\n"):
                raise
            self.torn_line = self._line
            raise StopIteration from None

    def _next_line(self) -> bytes | None:
        raw = next(self._lines, None)
        if raw is not None:
            self._line += 1
        return raw


def _line(fields: dict[str, Json]) -> bytes:
    try:
        text = json.dumps(fields, separators=(",", ":"), allow_nan=False)
    except TypeError as exc:
        raise ValueError(str(exc)) from exc
    return text.encode("ascii") + b"\n"


def _header(raw: bytes, line: int) -> RecordingHeader:
    fields = _Fields(raw, line)
    if fields.take("format", str) != FORMAT:
        raise RecordingError(f"not a {FORMAT}", line=line)
    version = fields.take("version", int)
    if version != VERSION:
        raise RecordingError(f"version {version} is not known, only {VERSION}", line=line)
    header = RecordingHeader(
        tmux_version=fields.take("tmux_version", str),
        width=fields.take("width", int),
        height=fields.take("height", int),
        started_utc=fields.take("started_utc", str),
        extra=fields.take("extra", dict),
    )
    fields.finish()
    return header


def _record(raw: bytes, line: int) -> Record:
    fields = _Fields(raw, line)
    kind = fields.take("k", str)
    at_s = fields.take_seconds("at")
    record: Record
    if kind == "fact":
        record = FactRecord(at_s=at_s, name=fields.take("n", str), detail=fields.take_json("d"))
    elif kind in ("in", "out"):
        record = BytesRecord(
            direction=Direction(kind),
            at_s=at_s,
            client=fields.take("c", str),
            data=fields.take_bytes("b"),
        )
    else:
        raise RecordingError(f"unknown kind {kind!r}", line=line)
    fields.finish()
    return record


class _Fields:
    """The fields of one line; each is taken once and checked."""

    def __init__(self, raw: bytes, line: int) -> None:
        self._number = line
        try:
            fields = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
        except (ValueError, RecursionError) as exc:
            raise self._error(f"not JSON: {exc}") from None
        if not isinstance(fields, dict):
            raise self._error("not an object")
        self._fields: dict[str, Json] = fields

    def take_json(self, key: str) -> Json:
        try:
            return self._fields.pop(key)
        except KeyError:
            raise self._error(f"{key!r} is missing") from None

    def take(self, key: str, kind: type[_T]) -> _T:
        value = self.take_json(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self._error(f"{key!r} is not of type {kind.__name__}")
        return value

    def take_seconds(self, key: str) -> float:
        value = self.take_json(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._error(f"{key!r} is not a number")
        seconds = float(value)
        if not math.isfinite(seconds):
            raise self._error(f"{key!r} is not finite")
        return seconds

    def take_bytes(self, key: str) -> bytes:
        try:
            return base64.b64decode(self.take(key, str), validate=True)
        except (binascii.Error, ValueError) as exc:
            if isinstance(exc, RecordingError):
                raise
            raise self._error(f"{key!r} is not base64: {exc}") from None

    def finish(self) -> None:
        if self._fields:
            raise self._error(f"unknown keys {sorted(self._fields)}")

    def _error(self, message: str) -> RecordingError:
        return RecordingError(message, line=self._number)


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number")

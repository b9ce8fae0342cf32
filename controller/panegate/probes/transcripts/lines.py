"""The end of a file of JSON lines, as values. Pure."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

import attrs

from panegate.probes.transcripts.cut_json import Json, as_object, parse_cut

__all__ = [
    "MAX_QUOTE",
    "Entry",
    "Line",
    "Tail",
    "entries_of",
    "quoted",
    "split_lines",
    "text_of",
    "wall_seconds",
]

MAX_QUOTE: Final = 8000
"""Characters kept of a call's input or of last words."""


@attrs.frozen
class Line:
    """One line without its line feed."""

    data: bytes
    cut: bool = False
    """Only its beginning: the line was too long to keep."""


@attrs.frozen(kw_only=True)
class Tail:
    """The last lines of a file."""

    lines: tuple[Line, ...] = ()
    whole: bool = True
    """They are all the lines of the file."""


@attrs.frozen
class Entry:
    """One readable line."""

    value: dict[str, Json]
    at_s: float | None
    """Wall seconds; of the entry before where it has no time of its own."""


def split_lines(data: bytes, *, at_start: bool) -> tuple[Line, ...]:
    """Return the lines that lie whole in *data*, and the last one also without its end.

    Args:
        data: Bytes of a file up to its end.
        at_start: *data* begins where a line begins; else its first line is dropped.

    """
    parts = data.split(b"\n")
    if not at_start:
        del parts[0]
    return tuple(Line(part) for part in parts if part.strip())


def entries_of(tail: Tail) -> tuple[list[Entry], int]:
    """Return the entries of *tail* and how many lines could not be read.

    A last line that is torn is neither: its writer has not finished it.
    """
    entries: list[Entry] = []
    unreadable = 0
    at_s: float | None = None
    for number, line in enumerate(tail.lines, 1):
        value = parse_cut(line.data) if line.cut else as_object(line.data)
        if value is None:
            unreadable += number < len(tail.lines)
            continue
        own_s = wall_seconds(value.get("timestamp"))
        at_s = at_s if own_s is None else own_s
        entries.append(Entry(value, at_s))
    return entries, unreadable


def wall_seconds(value: Json) -> float | None:
    """Return the wall seconds of an ISO 8601 time; None when it is none."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment.timestamp() if moment.tzinfo is not None else None


def text_of(content: Json, *kinds: str) -> Iterator[str]:
    """Give the texts of a message's content: a plain text, or blocks of *kinds*."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict) and block.get("type") in kinds:
                text = block.get("text")
                if isinstance(text, str):
                    yield text


def quoted(text: str) -> str:
    """Return *text*, cut where it is too long to hand on, with what is missing said."""
    if len(text) <= MAX_QUOTE:
        return text
    return f"{text[:MAX_QUOTE]}… ({len(text) - MAX_QUOTE} characters more)"

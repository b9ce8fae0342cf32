"""JSON that was cut off, read as far as it goes. Pure."""

import json
from typing import Final, TypeAlias

__all__ = ["Json", "as_object", "parse_cut"]

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
_CLOSERS: Final = {"{": "}", "[": "]"}
_MAX_DEPTH: Final = 200


def as_object(data: bytes) -> dict[str, Json] | None:
    """Return the JSON object that *data* is, whole; None when it is none."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def parse_cut(data: bytes) -> dict[str, Json] | None:
    """Return the JSON object that *data* begins, as far as it can be read.

    A text that was cut keeps its beginning. A number or a name that was cut is left out, and
    so is everything behind the cut. None where *data* does not begin an object.
    """
    whole = as_object(data)
    if whole is not None:
        return whole
    text = data.decode("utf-8", "ignore").lstrip()
    if not text.startswith("{"):
        return None
    closed = _closed(text)
    return None if closed is None else as_object(closed.encode("utf-8", "surrogatepass"))


def _closed(text: str) -> str | None:
    """Return *text* up to its last whole value, with everything open closed."""
    stack: list[str] = []
    safe, safe_stack = 0, ""
    inside = escaped = False
    is_key, position = False, 0
    string_at = 0
    for position, character in enumerate(text):
        if inside:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                inside = False
                if not is_key:
                    safe, safe_stack = position + 1, "".join(stack)
            continue
        if character == '"':
            inside, string_at = True, position
            is_key = bool(stack) and stack[-1] == "{" and _expects_key(text, position)
        elif character in "{[":
            if len(stack) >= _MAX_DEPTH:
                break
            stack.append(character)
            safe, safe_stack = position + 1, "".join(stack)
        elif character in "}]":
            if not stack or _CLOSERS[stack[-1]] != character:
                return None
            stack.pop()
            safe, safe_stack = position + 1, "".join(stack)
            if not stack:
                break
        elif character == ",":
            safe, safe_stack = position, "".join(stack)
    if inside and not is_key and position + 1 == len(text):
        return text[:string_at] + _string(text[string_at:]) + _closing("".join(stack))
    return text[:safe] + _closing(safe_stack)


def _expects_key(text: str, position: int) -> bool:
    before = position - 1
    while before >= 0 and text[before] in " \t\r\n":
        before -= 1
    return text[before] in "{,"


def _string(begun: str) -> str:
    """Close a string that was cut, without an escape that was cut with it."""
    for cut in range(0, min(len(begun), 12)):
        closed = begun[: len(begun) - cut] + '"'
        try:
            value = json.loads(closed)
        except ValueError:
            continue
        if isinstance(value, str) and not _half_pair(value):
            return closed
    return '""'


def _half_pair(value: str) -> bool:
    return bool(value) and "\ud800" <= value[-1] <= "\udbff"


def _closing(stack: str) -> str:
    return "".join(_CLOSERS[opened] for opened in reversed(stack))

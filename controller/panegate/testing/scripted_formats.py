"""The part of tmux's format language that panegate's own commands use.

It is written against tmux's manual, not against the guard, and it is closed: what it
does not know raises `UnknownFormat`, so that a scripted server refuses instead of guessing.
"""

import fnmatch
import re
from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ["UnknownFormat", "expand", "is_true"]

_SGR: Final = re.compile(r"\x1b\[[0-9;:]*m")
_NAME: Final = re.compile(r"[a-z_]+")
_SEARCH: Final = re.compile(r"C(/r)?:(.*)", re.DOTALL)
_BRACKETS: Final = re.compile(r"\[(\^?)(\]?[^\]]*)\]")


class UnknownFormat(ValueError):
    """A format holds something that is not understood here."""


def is_true(value: str) -> bool:
    """Tell whether an expanded condition holds: neither empty nor ``0``."""
    return value not in ("", "0")


def expand(text: str, fields: Mapping[str, str], rows: Sequence[str] = ()) -> str:
    """Expand a format.

    Known: ``#{name}``, ``#{==:a,b}``, ``#{m:pattern,text}``, ``#{&&:a,b}``, ``#{?c,a,b}``,
    ``#{C:glob}``, ``#{C/r:regex}``, and the escapes ``##``, ``#,`` and ``#}``.

    Args:
        text: The format.
        fields: Values of the variables; one that is missing is empty, as in tmux.
        rows: What the searches look through; SGR and trailing blanks are ignored.

    Raises:
        UnknownFormat: Anything else.

    """
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] != "#" or at + 1 == len(text):
            out.append(text[at])
            at += 1
        elif text[at + 1] == "{":
            end = _closing(text, at + 2)
            out.append(_value(text[at + 2 : end], fields, rows))
            at = end + 1
        elif text[at + 1] in "#,}":
            out.append(text[at + 1])
            at += 2
        else:
            msg = f"unknown format: {text[at : at + 2]!r}"
            raise UnknownFormat(msg)
    return "".join(out)


def _closing(text: str, at: int) -> int:
    """Return where the brace ends that was opened before *at*."""
    depth = 1
    while at < len(text):
        if text.startswith("#{", at):
            depth += 1
            at += 2
        elif text[at] == "#":
            at += 2
        else:
            depth -= text[at] == "}"
            if depth == 0:
                return at
            at += 1
    msg = f"a format does not end: {text[-40:]!r}"
    raise UnknownFormat(msg)


def _arguments(text: str, n: int) -> list[str]:
    """Split at commas outside braces."""
    parts, begin, at = [], 0, 0
    while at < len(text):
        if text.startswith("#{", at):
            at = _closing(text, at + 2) + 1
        elif text[at] == "#":
            at += 2
        else:
            if text[at] == ",":
                parts.append(text[begin:at])
                begin = at + 1
            at += 1
    parts.append(text[begin:])
    if len(parts) != n:
        msg = f"{len(parts)} arguments instead of {n}: {text[:40]!r}"
        raise UnknownFormat(msg)
    return parts


def _value(body: str, fields: Mapping[str, str], rows: Sequence[str]) -> str:
    if _NAME.fullmatch(body):
        return fields.get(body, "")
    if body.startswith("?"):
        condition, then, other = _arguments(body[1:], 3)
        if _NAME.fullmatch(condition):
            condition = f"#{{{condition}}}"
        chosen = then if is_true(expand(condition, fields, rows)) else other
        return expand(chosen, fields, rows)
    if (search := _SEARCH.fullmatch(body)) is not None:
        pattern = expand(search[2], fields, rows)
        return str(_first_row(pattern, rows, regex=search[1] is not None))
    operator, colon, rest = body.partition(":")
    if not colon or operator not in ("==", "&&", "m"):
        msg = f"unknown format: {body[:40]!r}"
        raise UnknownFormat(msg)
    left, right = (expand(part, fields, rows) for part in _arguments(rest, 2))
    if operator == "==":
        return str(int(left == right))
    if operator == "m":
        return str(int(fnmatch.fnmatchcase(right, left)))
    return str(int(is_true(left) and is_true(right)))


def _first_row(pattern: str, rows: Sequence[str], *, regex: bool) -> int:
    """Return the number of the first row, from 1, in which *pattern* is found; 0 for none."""
    source = _python_regex(pattern) if regex else fnmatch.translate(f"*{pattern}*")
    try:
        compiled = re.compile(source)
    except re.error:
        return 0  # tmux finds nothing with an expression it cannot compile
    for number, row in enumerate(rows, 1):
        if compiled.search(_SGR.sub("", row).rstrip()) is not None:
            return number
    return 0


def _python_regex(pattern: str) -> str:
    """Return a POSIX extended expression as Python's."""
    if "[[:" in pattern or "[[." in pattern or "[[=" in pattern or "\\" in pattern:
        msg = f"unknown in a search: {pattern[:40]!r}"
        raise UnknownFormat(msg)

    def bracket(match: re.Match[str]) -> str:
        members = "".join(c if c == "-" else re.escape(c) for c in match[2])
        return f"[{match[1]}{members}]"

    return _BRACKETS.sub(bracket, pattern)

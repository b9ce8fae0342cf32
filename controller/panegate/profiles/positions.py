"""Where the keys of a TOML file stand.

`tomllib` gives values without lines. This scans the text once and remembers the line of
every table, key and array element, so that an error can name one. It trusts that
`tomllib` took the text: on other texts the answers are merely wrong, never an error.
"""

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

__all__ = ["Positions", "Step"]

_HEADER: Final = re.compile(r"\s*\[(\[)?\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY: Final = re.compile(r"""\s*([A-Za-z0-9_-]+|"[^"]*"|'[^']*')\s*=""")
_TOKEN: Final = re.compile(
    r"""'''|\"\"\"|'[^']*'|"(?:\\.|[^"\\])*"|\#.*|[\[\]{},]|[^\s'"\#\[\]{},]+""", re.X
)
_END: Final = {"'''": re.compile(r"'''+"), '"""': re.compile(r'(?:\\.|[^\\])*?"""+')}

Step: TypeAlias = str | int
"""A table's or key's name, or an index from 0."""


class Positions:
    """Line numbers, from 1, of the parts of one TOML text."""

    def __init__(self, text: str) -> None:
        self._lines: dict[tuple[Step, ...], int] = {}
        self._counts: dict[str, int] = {}
        self._table: tuple[Step, ...] = ()
        self._key: tuple[Step, ...] = ()
        self._depth = 0
        self._index = 0
        self._fresh = False
        self._quote = ""
        for number, line in enumerate(text.split("\n"), 1):
            self._scan(line, number)

    def line(self, steps: Sequence[Step]) -> int | None:
        """Return the line of the part that *steps* lead to, or of the nearest one around it.

        Args:
            steps: Table names, array indices from 0 and keys, outermost first.

        """
        at = tuple(steps)
        while at:
            if (number := self._lines.get(at)) is not None:
                return number
            at = at[:-1]
        return None

    def _scan(self, line: str, number: int) -> None:
        start = 0
        if not self._quote and self._depth == 0:
            if (header := _HEADER.match(line)) is not None:
                self._enter_table(header[2], number, repeated=header[1] is not None)
                return
            if (key := _KEY.match(line)) is not None:
                self._key = (*self._table, key[1].strip("\"'"))
                self._lines[self._key] = number
                self._index, self._fresh = 0, True
                start = key.end()
        self._scan_value(line, start, number)

    def _enter_table(self, name: str, number: int, *, repeated: bool) -> None:
        parts: tuple[Step, ...] = tuple(part.strip(" \"'") for part in name.split("."))
        if repeated:
            index = self._counts.get(name, 0)
            self._counts[name] = index + 1
            parts = (*parts, index)
        self._table = self._key = parts
        self._lines.setdefault(parts, number)

    def _scan_value(self, line: str, start: int, number: int) -> None:
        at = start
        while at < len(line):
            if self._quote:
                end = _END[self._quote].search(line, at)
                if end is None:
                    return
                at, self._quote = end.end(), ""
                continue
            token = _TOKEN.search(line, at)
            if token is None:
                return
            at = token.end()
            self._take(token[0], number)

    def _take(self, token: str, number: int) -> None:
        if token.startswith("#"):
            return
        if token in ("]", "}"):
            self._depth -= 1
        elif token == ",":
            if self._depth == 1:
                self._index += 1
                self._fresh = True
        else:
            if self._depth == 1 and self._fresh:
                self._lines.setdefault((*self._key, self._index), number)
                self._fresh = False
            if token in ("[", "{"):
                self._depth += 1
            elif token in _END:
                self._quote = token

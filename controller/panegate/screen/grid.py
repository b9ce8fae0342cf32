"""A captured screen as rows of cells.

``capture-pane -e`` writes SGR sequences as differences, across row ends too, so a
row's colours depend on all rows above it. Text is cheap and read row by row;
styles are worked out only when somebody asks.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import attrs
from wcwidth import wcwidth

from panegate.panes.facts import Look

__all__ = ["DEFAULT_STYLE", "Grid", "Run", "Style"]

_ESCAPE = re.compile(
    r"\x1b(?:\[([0-9;:]*)m|\[[0-9;:<=>?]*[ -/]*[@-~]"
    r"|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])|[\x0e\x0f]"
)
"""Splits a row into texts and, between them, SGR parameters (None for other sequences)."""
_SGR = re.compile(r"\x1b\[([0-9;:]*)m")
# Characters that are one cell wide in every tmux: no table needed for rows of these.
_NARROW = re.compile(
    "[\x20-\x7e\xa0-\xac\xae-\u02af\u0370-\u0373\u0388-\u03ce\u0410-\u044f\u2010-\u2027"
    "\u2030-\u205e\u2190-\u2199\u21d0-\u21ff\u2200-\u22ff\u2500-\u25fc\u2800-\u28ff"
    "\u276e\u276f\u203a\u00bb\u2713-\u2717\u2722-\u2727\u2732-\u273f\u25cf\u2756]*"
)
_ACS = str.maketrans(
    "`afgjklmnopqrstuvwxyz{|}~+,-.0",
    "◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·→←↑↓▮",
)
_ZWJ = "\u200d"
_STYLE_TABLE_SIZE = 4096
_RGB = 1 << 24


@attrs.frozen(slots=True)
class Style:
    """The look of a cell; colours are palette numbers, or ``1 << 24 | 0xRRGGBB``, or -1."""

    fg: int = -1
    bg: int = -1
    bold: bool = False
    dim: bool = False
    reverse: bool = False
    italic: bool = False

    @property
    def faint(self) -> bool:
        """Dim, or drawn in a middle grey: what programs use for text nobody typed."""
        return self.dim or _is_grey(self.fg)

    @property
    def ground(self) -> tuple[bool, int]:
        """What fills the cell: the reverse flag and the background."""
        return (self.reverse, self.bg)


DEFAULT_STYLE = Style()
"""Plain cells."""


class Run(NamedTuple):
    """Cells of one style: columns ``start`` to ``end``, the latter not included."""

    start: int
    end: int
    style: Style


class _StyleTable:
    """Styles by number, and which one a sequence of SGR parameters leads to."""

    def __init__(self) -> None:
        self.styles = [DEFAULT_STYLE]
        self._numbers = {DEFAULT_STYLE: 0}
        self._next: list[dict[str, int]] = [{}]

    def after(self, number: int, params: str) -> int:
        found = self._next[number].get(params)
        return self._learn(number, params) if found is None else found

    def _learn(self, number: int, params: str) -> int:
        style = _applied(self.styles[number], params)
        found = self._numbers.get(style)
        if found is None:
            found = self._numbers[style] = len(self.styles)
            self.styles.append(style)
            self._next.append({})
        self._next[number][params] = found
        return found


def _style_table() -> _StyleTable:
    """The table all grids share; a new one when many colours have filled it."""
    if len(_tables[-1].styles) > _STYLE_TABLE_SIZE:
        _tables[-1] = _StyleTable()
    return _tables[-1]


class _Row:
    """One row's text without escapes, and where its characters stand."""

    __slots__ = ("columns", "parts", "plain", "text", "width")

    def __init__(self, plain: str, parts: list[str]) -> None:
        self.plain = plain
        self.parts = parts
        """Texts and SGR parameters in turn; empty for a row of one style."""
        self.text = plain.rstrip(" ")
        narrow = plain.isascii() or _NARROW.fullmatch(plain) is not None
        self.columns: list[int] | None = None if narrow else _columns(plain)
        self.width = len(self.text) if narrow else self.column_of(len(self.text))

    def column_of(self, index: int) -> int:
        if self.columns is None:
            return index
        return self.columns[min(index, len(self.columns) - 1)]

    def index_of(self, column: int) -> int:
        """The first character that begins at or behind *column*."""
        if self.columns is None:
            return min(column, len(self.plain))
        low, high = 0, len(self.plain)
        while low < high:
            middle = (low + high) // 2
            if self.columns[middle] < column:
                low = middle + 1
            else:
                high = middle
        # Zero-width characters belong to the cell on their left.
        while 0 < low < len(self.plain) and self.columns[low + 1] == self.columns[low]:
            low += 1
        return low


class Grid:
    """The visible screen: ``height`` rows of ``width`` cells.

    Rows missing at the end read as blank. Nothing here raises for a row or column
    outside the screen: those are blank too.
    """

    def __init__(self, rows: Sequence[bytes], *, width: int, height: int | None = None) -> None:
        self.width = width
        self.height = len(rows) if height is None else height
        self._raw = [row.decode("utf-8", "replace") for row in rows[: self.height]]
        self._rows: list[_Row | None] = [None] * len(self._raw)
        self._table = _style_table()
        self._entries: list[int] = [0]
        self._runs: dict[int, tuple[Run, ...]] = {}
        self._shifted = _shift_states(self._raw)

    @classmethod
    def from_look(cls, look: Look) -> "Grid":
        """Return the grid of a look."""
        return cls(look.rows, width=look.fields.width, height=look.fields.height)

    def text(self, row: int) -> str:
        """Return a row's text without colours and trailing blanks."""
        found = self._row(row)
        return "" if found is None else found.text

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """All rows as `text` gives them, ``height`` of them."""
        return tuple(self.text(row) for row in range(self.height))

    @cached_property
    def last_row(self) -> int:
        """The last row that is not blank, or -1."""
        for row in range(len(self._raw) - 1, -1, -1):
            if self.text(row):
                return row
        return -1

    def row_width(self, row: int) -> int:
        """Return how many columns the row's text takes, trailing blanks not counted."""
        found = self._row(row)
        return 0 if found is None else found.width

    def slice(self, row: int, start: int, end: int | None = None) -> str:
        """Return the text of columns *start* to *end*; blanks fill up to *end* when given."""
        found = self._row(row)
        if found is None:
            return " " * max(0, (end or 0) - start)
        first = found.index_of(start)
        if end is None:
            return found.plain[first:].rstrip(" ")
        part = found.plain[first : found.index_of(end)]
        missing = end - max(start, found.column_of(len(found.plain)))
        return part + " " * missing if missing > 0 else part

    def wrapped(self, row: int, start: int = 0) -> str:
        """Return the text from *start* of a row that runs on in the next: to the edge, exactly."""
        part = self.slice(row, start, self.width)
        if part.endswith(" ") and self.row_width(row) == self.width - 1 and self.is_full(row):
            return part[:-1]  # A wide character did not fit into the last column.
        return part

    def column_of(self, row: int, index: int) -> int:
        """Return the column where character *index* of the row's text stands."""
        found = self._row(row)
        return index if found is None else found.column_of(index)

    def index_of(self, row: int, column: int) -> int:
        """Return the index in the row's text of the first character at or behind *column*."""
        found = self._row(row)
        return 0 if found is None else found.index_of(column)

    def is_full(self, row: int) -> bool:
        """Tell whether the row's text reaches the last column (it may be wrapped)."""
        used = self.row_width(row)
        if used >= self.width:
            return True
        if used != self.width - 1 or row + 1 >= self.height:
            return False
        following = self.text(row + 1)[:1]
        return bool(following) and wcwidth(following) == 2

    def runs_over(self, row: int) -> bool:
        """Tell whether the row's last cell is written, also by a blank, and text follows it.

        As far as the cells tell: a blank at the edge before a line's end looks the same.
        """
        if self.is_full(row):
            return True
        found = self._row(row)
        if found is None or found.width != self.width - 1 or row + 1 >= self.height:
            return False
        written = found.column_of(len(found.plain)) >= self.width
        return written and self.text(row + 1)[:1].strip() != ""

    def runs(self, row: int) -> tuple[Run, ...]:
        """Return the row's cells grouped by style, left to right, gaps none."""
        if not 0 <= row < len(self._raw):
            return ()
        known = self._runs.get(row)
        if known is None:
            known = self._runs[row] = self._read_runs(row)
        return known

    def style(self, row: int, column: int) -> Style:
        """Return the style of one cell; the default style behind the row's end."""
        for run in self.runs(row):
            if run.start <= column < run.end:
                return run.style
        return DEFAULT_STYLE

    def _row(self, row: int) -> _Row | None:
        if not 0 <= row < len(self._raw):
            return None
        found = self._rows[row]
        if found is None:
            plain = raw = self._raw[row]
            parts: list[str] = []
            if "\x1b" in raw:
                parts = _ESCAPE.split(raw)
                plain = "".join(parts[::2])
            if self._shifted is not None:
                plain = _unshifted(raw, self._shifted[row])
            found = self._rows[row] = _Row(plain, parts)
        return found

    def _entry_style(self, row: int) -> int:
        """The number of the style in force where a row begins."""
        known, after = self._entries, self._table.after
        while len(known) <= row:
            number = known[-1]
            raw = self._raw[len(known) - 1]
            if "\x1b" in raw:
                for params in _SGR.findall(raw):
                    number = after(number, params)
            known.append(number)
        return known[row]

    def _read_runs(self, row: int) -> tuple[Run, ...]:
        found = self._row(row)
        number = self._entry_style(row)
        styles, after = self._table.styles, self._table.after
        if found is None or not found.plain:
            return ()
        if not found.parts:
            return (Run(0, found.column_of(len(found.plain)), styles[number]),)
        runs: list[Run] = []
        index = start = 0
        for text, params in zip(found.parts[::2], [*found.parts[1::2], ""], strict=True):
            index += len(text)
            if params is None:  # Another sequence than SGR.
                continue
            column = index if found.columns is None else found.column_of(index)
            if column > start:
                runs.append(Run(start, column, styles[number]))
                start = column
            number = after(number, params)
        return tuple(runs)


def _columns(plain: str) -> list[int]:
    """Columns of each character and of the end, as tmux counts cells."""
    columns = []
    column = 0
    joined = False
    for character in plain:
        columns.append(column)
        width = max(0, wcwidth(character))
        if character == _ZWJ:
            joined = True
            continue
        if joined and width:
            # What follows a joiner shares the cell of what precedes it.
            columns[-1] = column
            joined = False
            continue
        column += width
    columns.append(column)
    return columns


def _shift_states(raws: Sequence[str]) -> list[bool] | None:
    """Whether line-drawing characters are on where each row begins; None when they never are."""
    if not any("\x0e" in raw for raw in raws):
        return None
    states = []
    on = False
    for raw in raws:
        states.append(on)
        last_on, last_off = raw.rfind("\x0e"), raw.rfind("\x0f")
        if last_on != last_off:
            on = last_on > last_off
    return states


def _unshifted(raw: str, on: bool) -> str:
    parts = []
    for piece in re.split("([\x0e\x0f])", raw):
        if piece == "\x0e":
            on = True
        elif piece == "\x0f":
            on = False
        elif piece:
            text = _ESCAPE.sub("", piece)
            parts.append(text.translate(_ACS) if on else text)
    return "".join(parts)


_FLAGS: dict[int, tuple[str, bool]] = {
    1: ("bold", True),
    2: ("dim", True),
    3: ("italic", True),
    7: ("reverse", True),
    23: ("italic", False),
    27: ("reverse", False),
}


def _applied(style: Style, params: str) -> Style:
    plain = re.sub(r"(?<!\d)4:\d", "4", params)  # kinds of underline
    codes = [int(part) if part else 0 for part in re.split("[;:]", plain)]
    values: dict[str, int | bool] = attrs.asdict(style)
    position = 0
    while position < len(codes):
        code = codes[position]
        position += 1
        if code == 0:
            values = attrs.asdict(DEFAULT_STYLE)
        elif code in _FLAGS:
            name, value = _FLAGS[code]
            values[name] = value
        elif code == 22:
            values["bold"] = values["dim"] = False
        elif code in (38, 48, 58):
            colour, position = _extended(codes, position)
            if code != 58:
                values["fg" if code == 38 else "bg"] = colour
        elif 30 <= code <= 39 or 90 <= code <= 97:
            values["fg"] = -1 if code == 39 else code - 30 if code < 40 else code - 82
        elif 40 <= code <= 49 or 100 <= code <= 107:
            values["bg"] = -1 if code == 49 else code - 40 if code < 50 else code - 92
    return Style(
        fg=int(values["fg"]),
        bg=int(values["bg"]),
        bold=bool(values["bold"]),
        dim=bool(values["dim"]),
        reverse=bool(values["reverse"]),
        italic=bool(values["italic"]),
    )


def _extended(codes: list[int], position: int) -> tuple[int, int]:
    if position < len(codes) and codes[position] == 5:
        return (codes[position + 1] if position + 1 < len(codes) else -1), position + 2
    if position < len(codes) and codes[position] == 2:
        rgb = codes[position + 1 : position + 4]
        if len(rgb) == 3:
            return _RGB | rgb[0] << 16 | rgb[1] << 8 | rgb[2], position + 4
        return -1, len(codes)
    return -1, position


def _is_grey(colour: int) -> bool:
    if colour < _RGB:
        return colour == 8 or 236 <= colour <= 246
    red, green, blue = colour >> 16 & 255, colour >> 8 & 255, colour & 255
    middle = (red + green + blue) / 3
    return max(red, green, blue) - min(red, green, blue) <= 24 and 64 <= middle <= 160


_tables = [_StyleTable()]

"""The text in a composer's input box, and how it breaks into rows."""

from typing import NamedTuple

__all__ = ["InputBox", "Shown", "cell_width", "hard_spans", "word_spans"]

_FIRST_BLOCK = 0xF0000
"""A collapsed paste is one private-use character in the text."""
_TAB_SHOWN = "    "


def cell_width(text: str) -> int:
    """Return how many terminal cells *text* takes."""
    if text.isascii():
        return len(text)
    import unicodedata

    width = 0
    for character in text:
        if unicodedata.combining(character) or character in "\u200b\u200d\ufe0e\ufe0f":
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return width


def hard_spans(text: str, width: int) -> list[tuple[int, int]]:
    """Break *text* after every *width* cells; give the spans of the rows."""
    width = max(2, width)
    if text.isascii():
        return [(at, min(at + width, len(text))) for at in range(0, len(text), width)] or [(0, 0)]
    spans: list[tuple[int, int]] = []
    start, used = 0, 0
    for at, character in enumerate(text):
        cells = cell_width(character)
        if used + cells > width:
            spans.append((start, at))
            start, used = at, 0
        used += cells
    return [*spans, (start, len(text))]


def word_spans(text: str, width: int) -> list[tuple[int, int]]:
    """Break *text* at blanks where it can; the blank at a break is shown nowhere."""
    width = max(2, width)
    spans: list[tuple[int, int]] = []
    start = 0
    while True:
        end = start + hard_spans(text[start : start + width + 1], width)[0][1]
        if end >= len(text):
            return [*spans, (start, len(text))]
        blank = text.rfind(" ", start, end + 1)
        if blank > start:
            spans.append((start, blank))
            start = blank + 1
        else:
            spans.append((start, end))
            start = end


class Shown(NamedTuple):
    """The box's rows without any decoration, and where the cursor is among them."""

    rows: list[str]
    cursor_row: int
    cursor_cell: int


class InputBox:
    """Editable text with a cursor; pasted blocks may stand in it as one-row labels."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.cursor = len(text)
        self._blocks: dict[str, tuple[str, str]] = {}

    def insert(self, text: str) -> None:
        """Insert *text*, its line breaks as line feeds, at the cursor."""
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)

    def insert_block(self, label: str, text: str) -> None:
        """Insert *text* that is shown as *label*."""
        mark = chr(_FIRST_BLOCK + len(self._blocks))
        self._blocks[mark] = (label, text)
        self.insert(mark)

    def clear(self) -> None:
        """Empty it."""
        self.text, self.cursor = "", 0

    def delete_line(self) -> None:
        """Delete back to the start of the line; at its start, join it to the one above."""
        start = self.text.rfind("\n", 0, self.cursor) + 1
        if start == self.cursor:
            start = max(0, start - 1)
        self.text = self.text[:start] + self.text[self.cursor :]
        self.cursor = start

    def backspace(self) -> None:
        """Delete the character before the cursor."""
        if self.cursor:
            self.text = self.text[: self.cursor - 1] + self.text[self.cursor :]
            self.cursor -= 1

    def delete(self) -> None:
        """Delete the character at the cursor."""
        self.text = self.text[: self.cursor] + self.text[self.cursor + 1 :]

    def move(self, where: str) -> None:
        """Move the cursor: ``Left``, ``Right``, ``Home`` or ``End`` (of the line)."""
        if where == "Left":
            self.cursor = max(0, self.cursor - 1)
        elif where == "Right":
            self.cursor = min(len(self.text), self.cursor + 1)
        elif where == "Home":
            self.cursor = self.text.rfind("\n", 0, self.cursor) + 1
        elif where == "End":
            end = self.text.find("\n", self.cursor)
            self.cursor = len(self.text) if end < 0 else end

    def value(self) -> str:
        """Return the text with each block in full."""
        return self._expand(self.text, 1)

    def label(self) -> str:
        """Return the text as it is shown, on one line or more."""
        return self._expand(self.text, 0)

    def show(self, width: int, *, by_words: bool, max_rows: int) -> Shown:
        """Break the text into rows of *width* cells; of many, those around the cursor."""
        before = self._expand(self.text[: self.cursor], 0)
        rows: list[str] = []
        cursor_row, cursor_cell, offset = 0, 0, 0
        for line in self.label().split("\n"):
            at = len(before) - offset
            spans = word_spans(line, width) if by_words else hard_spans(line, width)
            if 0 <= at <= len(line):
                row, start = max((row, s) for row, (s, _) in enumerate(spans) if s <= at)
                cursor_row, cursor_cell = len(rows) + row, cell_width(line[start:at])
            rows += [line[start:end] for start, end in spans]
            offset += len(line) + 1
        first = max(0, min(cursor_row - max_rows + 1, len(rows) - max_rows))
        last = first + max(1, max_rows)
        return Shown(rows[first:last], cursor_row - first, min(cursor_cell, width))

    def _expand(self, text: str, part: int) -> str:
        for mark, both in self._blocks.items():
            if mark in text:
                text = text.replace(mark, both[part])
        return text if part else text.replace("\t", _TAB_SHOWN)

"""Where a text breaks into rows: tells a hidden beginning from a missing one."""

import itertools
from collections.abc import Iterator, Sequence

from wcwidth import wcwidth

__all__ = ["begins_a_row", "cells"]


def begins_a_row(rows: Sequence[str], text: str, at: int, *, indent: int = 0) -> bool:
    """Tell whether *rows*, the end of a text from character *at* on, can be its last rows.

    A box that shows only the end of a long text begins at one of the text's own row breaks;
    where the program lost the beginning, the rest begins anywhere.

    Args:
        rows: What is seen, without borders; several rows.
        text: All of the text.
        at: Where *rows* begin in it, at a character that is no blank.
        indent: Cells of a prompt in front of the text's first row, which is that much shorter.

    """
    words_break = _breaks_words(rows, text, at)
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", start)
    line = text[start:] if end < 0 else text[start:end]
    at -= start
    if not line[:at].strip():
        return True
    widths = [cells(row.rstrip()) for row in rows]
    widest = max(widths)
    hard = [widest]
    if not words_break:
        # breaks that all fall on blanks by chance make all rows as wide, a blank at each end
        hard = [widest, widest + 1] if min(widths[:-1], default=widest) == widest else []
    shorter = {0, indent} if start == 0 else {0}
    if any(at in _hard_breaks(line, w - less, w) for w in hard for less in shorter):
        return True
    return not words_break and any(at in _word_breaks(line, w) for w in _word_widths(rows))


def cells(text: str) -> int:
    """Return how many columns a text takes."""
    return len(text) if text.isascii() else sum(max(0, wcwidth(c)) for c in text)


def _hard_breaks(line: str, first: int, width: int) -> Iterator[int]:
    """Yield where rows begin that break after so many cells, at the next one not blank."""
    used, limit = 0, first
    for index, character in enumerate(line):
        size = cells(character)
        if used + size > limit:
            yield index + len(line[index:]) - len(line[index:].lstrip())
            used, limit = 0, width
        used += size


def _word_breaks(line: str, width: int) -> Iterator[int]:
    """Yield where rows begin that break at blanks."""
    used, index = 0, 0
    for word in line.split(" "):
        size = cells(word)
        if used and used + 1 + size > width:
            yield index + len(line[index:]) - len(line[index:].lstrip())
            used = size
        else:
            used += size + (1 if index else 0)
        index += len(word) + 1


def _breaks_words(rows: Sequence[str], text: str, at: int) -> bool:
    """Tell whether one of the rows ends inside a word of the text."""
    for row in rows[:-1]:
        left = sum(not character.isspace() for character in row)
        while left and at < len(text):
            left -= not text[at].isspace()
            at += 1
        if at < len(text) and not text[at].isspace():
            return True
    return False


def _word_widths(rows: Sequence[str]) -> range:
    """Return the widths at which rows that break at blanks would break where these do."""
    least = max(cells(row.rstrip()) for row in rows)
    fits = [
        cells(row.rstrip()) + 1 + cells(following.split()[0])
        for row, following in itertools.pairwise(rows)
        if following.strip()
    ]
    return range(least, max(least + 1, min(fits, default=0)))

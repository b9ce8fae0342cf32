"""Fuzzy finders: a row to type a query into, a count beside it, a list to pick from."""

import re

import attrs

from panegate.panes.facts import OptionReading, PaneFields
from panegate.screen.layout import Layout

__all__ = ["Picker", "count_beside", "find_picker"]

_COUNT = re.compile(r"\s*(?:<\s)?\d+/\d+(?:\s|\Z)")
_COUNT_BEHIND = re.compile(r"\s+\d+/\d+\s*\Z")
_MARKED = re.compile(r"[>▌❯➤]\s*\S")
_LISTED_ROWS = 40


@attrs.frozen(kw_only=True)
class Picker:
    """A finder's query and the rows it lists."""

    query: str
    options: tuple[OptionReading, ...]
    first: int
    last: int


def count_beside(layout: Layout, row: int) -> int | None:
    """Return the row of the count (``3/14``) that belongs to a query row, or None."""
    grid = layout.grid
    if _COUNT_BEHIND.search(grid.text(row)) is not None:
        return row
    return next((at for at in (row - 1, row + 1) if _COUNT.match(grid.text(at))), None)


def find_picker(layout: Layout, fields: PaneFields) -> Picker | None:
    """Return the finder whose query row holds the shown cursor, or None.

    Its list stands on the other side of the count, or below where both share a row.
    """
    grid, row = layout.grid, fields.cursor_y
    if not fields.cursor_shown or not grid.text(row):
        return None
    count = count_beside(layout, row)
    if count is None:
        return None
    above = range(count - 1, -1, -1)
    below = range(count + 1, grid.last_row + 1)
    rows = [each for each in (above if count < row else below) if layout.view(each).text]
    marked = [each for each in rows if _MARKED.match(grid.text(each))]
    if count == row and not marked:
        return None
    options = tuple(
        OptionReading(
            key="", label=_pickable(grid.text(each)), highlighted=marked == [each], row=each
        )
        for each in sorted(rows[:_LISTED_ROWS])
    )
    taken = [option.row for option in options if option.row is not None]
    return Picker(
        query=grid.slice(row, 0, fields.cursor_x).strip(),
        options=options,
        first=min([*taken, row, count]),
        last=max([*taken, row, count]),
    )


def _pickable(text: str) -> str:
    return re.sub(r"\A\s*[>▌❯➤]?\s+", "", text)

"""Fuzzy finders: a row to type a query into, a count beside it, a list to pick from."""

import re

import attrs

from panegate.panes.facts import OptionReading, PaneFields
from panegate.screen.layout import Layout
from panegate.screen.options import POINTERS

__all__ = ["Picker", "count_beside", "find_picker", "list_beside"]

_COUNT = re.compile(r"\s*(?:<\s)?\d+/\d+(?:\s|\Z)")
_COUNT_BEHIND = re.compile(r"\s+\d+/\d+\s*\Z|\s<\s\d+/\d+(?:\s|\Z)")
_MARKED = re.compile(rf"[>{re.escape(POINTERS)}](?:\s*\S|\Z)")
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


def list_beside(layout: Layout, row: int, *, alternate: bool) -> range | None:
    """Return the rows of a list that touches a query row, or None.

    One of them is pointed at, on a ground of its own, and the others keep the column of the
    pointer free. A list that begins at the top of the alternate screen need not touch.
    """
    for step in (-1, 1):
        rows = _touching(layout, row, step)
        if _is_list(layout, rows):
            return rows
    top = next((at for at in range(row) if layout.view(at).text), row)
    if not alternate or top > 2:
        return None
    end = next((at for at in range(top, row) if not layout.view(at).text), row)
    rows = range(top, end)
    empty = all(not layout.view(at).text for at in range(end, row))
    return rows if empty and _is_list(layout, rows) else None


def _touching(layout: Layout, row: int, step: int) -> range:
    """The rows of text from a row's neighbour on, in one direction."""
    at = row + step
    while 0 <= at < layout.grid.height and layout.view(at).text:
        at += step
    return range(at + 1, row) if step < 0 else range(row + 1, at)


def _is_list(layout: Layout, rows: range) -> bool:
    grid = layout.grid
    pointed = [
        at
        for at in rows
        if layout.view(at).text[0] in f">{POINTERS}" and layout.view(at).text[1:2] in ("", " ")
    ]
    if len(pointed) != 1:
        return False
    column = layout.view(pointed[0]).column
    grounds = {grid.style(pointed[0], at).ground for at in (column, column + 2)}
    if grounds == {(False, -1)}:
        return False
    return all(at in pointed or layout.view(at).column >= column + 2 for at in rows)


def find_picker(layout: Layout, fields: PaneFields) -> Picker | None:
    """Return the finder whose query row holds the shown cursor, or None.

    Its list stands on the other side of the count, or below where both share a row; where
    the count is hidden, a list touches the query.
    """
    grid, row = layout.grid, fields.cursor_y
    if not fields.cursor_shown or not grid.text(row):
        return None
    count = count_beside(layout, row)
    if count is None:
        beside = list_beside(layout, row, alternate=fields.alternate_on)
        if beside is None:
            return None
        count, rows = row, [each for each in beside if layout.view(each).text]
    else:
        above = range(count - 1, -1, -1)
        below = range(count + 1, grid.last_row + 1)
        rows = [each for each in (above if count < row else below) if layout.view(each).text]
    marked = [each for each in rows if _MARKED.match(layout.view(each).text)]
    if count == row and not marked:
        return None
    options = tuple(
        OptionReading(
            key="", label=_pickable(layout.view(each).text), highlighted=marked == [each], row=each
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
    return re.sub(rf"\A\s*(?:[>{re.escape(POINTERS)}]\s*(?=\S))?", "", text)

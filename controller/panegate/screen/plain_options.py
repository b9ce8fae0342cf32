"""Options that nothing marks: at the very end of a screen whose program reads keys."""

import re

from panegate.panes.facts import KernelFact, OptionReading, PaneFields, TtyWait
from panegate.screen.layout import FOOTER_ROWS, Layout, asks, is_spinner, only_footers
from panegate.screen.options import OptionBlock, numbered_block, option_label

__all__ = ["READING", "checkable_rows", "find_plain_block"]

READING = frozenset((TtyWait.READ, TtyWait.SELECT, TtyWait.TIMED, TtyWait.EVENT_LOOP))
"""Waits in which a program may be about to read keys."""
_CHECKABLE = re.compile(r"(?:\[[ xX*✓✔]?\]|\([ xX*•]\)|[☐☑☒◯◉○●◻◼⬡⬢])\s+(?=\S)")


def find_plain_block(
    layout: Layout, fields: PaneFields, kernel: KernelFact | None
) -> OptionBlock | None:
    """Return options without a mark at the very end of the screen, or None.

    Numbered rows, rows with a box to tick, or rows under a question: with the cursor
    hidden, or in a program that reads keys with the cursor at their end.
    """
    grid = layout.grid
    raw = kernel is not None and kernel.icanon is False and kernel.wait in READING
    last = grid.last_row
    while last > 0 and layout.hint(last) and grid.last_row - last < FOOTER_ROWS:
        last -= 1
    if last < 0 or not only_footers(layout, last + 1):
        return None
    numbered = numbered_block(layout, last)
    if fields.cursor_shown:
        under = fields.cursor_y > last or (
            fields.cursor_y == last and fields.cursor_x >= grid.row_width(last)
        )
        over = numbered is not None and _asks_over(layout, fields, numbered)
        if not over and not (raw and under):
            return None
    return numbered or checkable_rows(layout, last) or _rows_under_question(layout, last)


def _asks_over(layout: Layout, fields: PaneFields, block: OptionBlock) -> bool:
    """Whether the cursor waits behind a question right over the options."""
    row = fields.cursor_y
    behind = fields.cursor_x - layout.grid.row_width(row)
    return row == block.first - 1 and 0 <= behind <= 2 and asks(layout.view(row).text)


def checkable_rows(layout: Layout, last: int) -> OptionBlock | None:
    """Return rows up to *last* that all begin with a box to tick, or None.

    The one whose box alone has a cell on another ground is where the keys go.
    """
    rows: list[int] = []
    row = last
    column = layout.view(last).column
    while row >= 0 and _CHECKABLE.match(layout.view(row).text):
        if layout.view(row).column != column:
            break
        rows.insert(0, row)
        row -= 1
    if len(rows) < 2:
        return None
    at = [each for each in rows if _holds_caret(layout, each, column)]
    options = tuple(
        OptionReading(key="", label=layout.view(each).text, highlighted=at == [each], row=each)
        for each in rows
    )
    return OptionBlock(
        first=rows[0],
        last=last,
        options=options,
        column=column,
        pointed=len(at) == 1,
        numbered=False,
        checkboxes=True,
    )


def _holds_caret(layout: Layout, row: int, column: int) -> bool:
    """Whether the inside of a box of three cells is on a ground of its own."""
    grid = layout.grid
    inside, around = grid.style(row, column + 1).ground, grid.style(row, column).ground
    return inside != around == grid.style(row, column + 2).ground


def _rows_under_question(layout: Layout, last: int) -> OptionBlock | None:
    column = layout.view(last).column
    first = last
    while first > 0 and layout.view(first - 1).text and not asks(layout.view(first - 1).text):
        first -= 1
    rows = range(first, last + 1)
    question = layout.view(first - 1)
    if not 2 <= len(rows) <= 6 or not question.text or not asks(question.text):
        return None
    views = [layout.view(row) for row in rows]
    if any(view.column != column or len(view.text) > 60 for view in views):
        return None
    if question.column > column or any(is_spinner(view.text) for view in views):
        return None
    if any(asks(view.text) or view.text.endswith((":", "：")) for view in views):
        return None  # what asks by itself is no answer
    options = []
    for view in views:
        key, label = option_label(view.text) or ("", view.text)
        options.append(OptionReading(key=key, label=label, row=view.row))
    return OptionBlock(
        first=first,
        last=last,
        options=tuple(options),
        column=column,
        pointed=False,
        numbered=all(option.key for option in options),
    )

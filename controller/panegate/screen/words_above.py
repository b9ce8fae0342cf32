"""The words over a block of options: the question, and what it asks about."""

import re

import attrs

from panegate.screen.layout import Layout, asks, is_spinner, join_rows, rule_title
from panegate.screen.options import OptionBlock

__all__ = ["Words", "words_above"]

_ABOVE_ROWS = 60
_SHELL_LINE = re.compile(r"\S*[$#%❯➜]\s+\S|.*[\w~/\])][$#]\s+\S")


@attrs.frozen(kw_only=True)
class Words:
    """The text over a block of options."""

    question: str
    context: str
    first: int
    """The first row that belongs to the question."""


def words_above(layout: Layout, block: OptionBlock) -> Words:
    """Return the question over a block of options, and what it asks about."""
    top, title, framed = _top(layout, block)
    rows = [row for row in range(top, block.first) if layout.view(row).text]
    if not rows:
        return Words(question=title, context="", first=block.first)
    paragraphs = _paragraphs(layout, rows)
    asking = _asking(layout, paragraphs)
    if asking is not None:
        first, last = asking
        question = join_rows(layout, first, last)
        kept = rows if framed else _near(layout, rows, first, last)
        context_rows = [row for row in kept if not first <= row <= last]
        context = _texts(layout, context_rows)
        if title:
            context = f"{title}\n{context}" if context else title
        return Words(question=question, context=context, first=min([*kept, first]))
    if title:
        return Words(question=title, context=_texts(layout, rows), first=top)
    kept = rows if framed else _last_paragraphs(layout, paragraphs)
    question_end = kept[0]
    while question_end < kept[-1] and _runs_on(layout, question_end):
        question_end += 1
    return Words(
        question=join_rows(layout, kept[0], question_end),
        context=_texts(layout, [row for row in kept if row > question_end]),
        first=kept[0],
    )


def _top(layout: Layout, block: OptionBlock) -> tuple[int, str, bool]:
    """The first row of the dialog around a block, its title, and whether a frame says so."""
    boxed = layout.view(block.first).boxed
    blanks = 0
    row = block.first - 1
    while row >= 0 and block.first - row <= _ABOVE_ROWS:
        view = layout.view(row)
        if view.rule:
            return row + 1, rule_title(layout.grid.text(row)), True
        if boxed and not view.boxed:
            # An open frame: its head stands one row above the bar.
            return (row if view.text else row + 1), "", True
        if not boxed:
            if view.column == 0 and (_SHELL_LINE.match(view.text) or is_spinner(view.text)):
                return row + 1, "", False
            blanks = 0 if view.text else blanks + 1
            if blanks > 1:
                return row + 1, "", False
        row -= 1
    return max(0, row + 1), "", False


def _paragraphs(layout: Layout, rows: list[int]) -> list[list[int]]:
    groups: list[list[int]] = []
    for row in rows:
        if groups and row == groups[-1][-1] + 1:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _asking(layout: Layout, paragraphs: list[list[int]]) -> tuple[int, int] | None:
    """First and last row of the question nearest above the options."""
    for number, group in enumerate(reversed(paragraphs)):
        for row in reversed(group):
            text = layout.view(row).text
            nearest = number == 0 and row == group[-1]
            if asks(text) or (nearest and text.endswith((":", "："))):
                first = row
                while first > group[0] and _runs_on(layout, first - 1):
                    first -= 1
                return first, row
    return None


def _runs_on(layout: Layout, row: int) -> bool:
    """Whether a row was wrapped by words: the next one's first word did not fit."""
    if layout.wraps(row):
        return True
    view, following = layout.view(row), layout.view(row + 1)
    if not view.text or not following.text or following.column != view.column:
        return False
    limit = view.end - (1 if view.boxed else 0)
    used = layout.grid.column_of(row, 0) + view.column + len(view.text)
    return used + 1 + len(following.text.split()[0]) > limit


def _near(layout: Layout, rows: list[int], first: int, last: int) -> list[int]:
    """Without a frame: the question, what stands between it and the options, what touches it."""
    kept = [row for row in rows if row >= first]
    row = first - 1
    while row in rows:
        kept.insert(0, row)
        row -= 1
    return kept


def _last_paragraphs(layout: Layout, paragraphs: list[list[int]]) -> list[int]:
    """The paragraph over the options, with a heading over it that stands further left."""
    last = paragraphs[-1]
    if len(paragraphs) > 1 and len(paragraphs[-2]) == 1:
        heading = paragraphs[-2]
        if layout.view(heading[0]).column < layout.view(last[0]).column:
            return [*heading, *last]
    return last


def _texts(layout: Layout, rows: list[int]) -> str:
    left = min((layout.view(row).column for row in rows), default=0)
    lines: list[str] = []
    for row in rows:
        view = layout.view(row)
        if lines and row - 1 in rows and layout.wraps(row - 1):
            lines[-1] += view.text
        else:
            lines.append(" " * (view.column - left) + view.text)
    return "\n".join(lines)

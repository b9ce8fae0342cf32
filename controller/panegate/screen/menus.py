"""Menus and permission questions: a block of options with the words above it."""

import re

import attrs

from panegate.panes.facts import (
    ComposerReading,
    KernelFact,
    OptionReading,
    PaneFields,
    TtyWait,
)
from panegate.screen.layout import (
    Layout,
    asks,
    is_hint_text,
    is_spinner,
    join_rows,
    rule_title,
)
from panegate.screen.options import (
    OptionBlock,
    find_blocks,
    numbered_block,
    option_label,
    row_of_options,
)
from panegate.screen.wording import choice_kind
from panegate.terms import PromptKind

__all__ = ["MenuPrompt", "find_menu"]

_READING = frozenset((TtyWait.READ, TtyWait.SELECT, TtyWait.TIMED, TtyWait.EVENT_LOOP))
_FOOTER_ROWS = 5
_ABOVE_ROWS = 30
_SHELL_LINE = re.compile(r"\S*[$#%❯➜]\s+\S|.*[\w~/\])][$#]\s+\S")
_COUNT = re.compile(r"\s*(?:<\s)?\d+/\d+(?:\s|\Z)")
_STATUS = re.compile(r"\S\s{3,}\S|\s[|·•]\s")
_BULLETS = frozenset("●•*■◆▌⏵")
"""They begin a paragraph of a transcript as well as they mark a chosen row."""


@attrs.frozen(kw_only=True)
class MenuPrompt:
    """A menu before it becomes a prompt."""

    kind: PromptKind
    question: str
    context: str
    options: tuple[OptionReading, ...]
    default: str | None
    secret: bool = False
    submits: bool
    first: int
    last: int
    footer_last: int


def find_menu(
    layout: Layout,
    fields: PaneFields,
    kernel: KernelFact | None,
    composer: ComposerReading | None,
) -> MenuPrompt | None:
    """Return the menu at the live end, or None.

    With a composer on screen only a popup beside it counts, and only while something
    is typed into it.
    """
    if composer is not None:
        return _popup(layout, fields, composer)
    picker = _picker(layout, fields)
    if picker is not None:
        return picker
    for block in find_blocks(layout):
        if not _marked(layout, fields, block):
            continue
        if _live(layout, fields, block):
            return _menu(layout, fields, kernel, block)
    across = _across(layout, fields)
    if across is not None:
        return _menu(layout, fields, kernel, across)
    plain = _plain_block(layout, fields, kernel)
    return None if plain is None else _menu(layout, fields, kernel, plain)


def _marked(layout: Layout, fields: PaneFields, block: OptionBlock) -> bool:
    """Whether the block's mark is a selection: not a status bar, not pasted text."""
    if not block.pointed:
        return False
    marked = next(option for option in block.options if option.highlighted)
    row = block.first if marked.row is None else marked.row
    at_end = fields.cursor_x >= layout.grid.row_width(row)
    if fields.cursor_shown and fields.cursor_y == row and at_end and len(block.options) < 3:
        return False
    if len(block.options) > 1:
        return True
    ground = layout.grid.style(row, block.column).ground
    wide = any(
        run.end >= layout.grid.width - 2 and run.style.ground == ground != (False, -1)
        for run in layout.grid.runs(row)
    )
    typed = fields.cursor_shown and fields.cursor_y == row
    lone = not layout.view(row - 1).text and row == 0
    return not (wide or typed or lone)


def _live(layout: Layout, fields: PaneFields, block: OptionBlock) -> bool:
    """Whether only footers follow, and the cursor does not stand somewhere else."""
    if fields.cursor_shown and not _cursor_belongs(layout, fields, block):
        return False
    return _only_footers(layout, block.last + 1)


def _cursor_belongs(layout: Layout, fields: PaneFields, block: OptionBlock) -> bool:
    y = fields.cursor_y
    if block.first - 3 <= y <= block.last:
        return True
    if y < block.first:
        return False
    if any(not layout.hint(row) for row in range(block.last + 1, y)):
        return False
    left = layout.grid.slice(y, 0, fields.cursor_x).strip()
    return not left or is_hint_text(left) or layout.view(y).rule


def _only_footers(layout: Layout, first: int) -> bool:
    rows = 0
    gap = False
    for row in range(first, layout.grid.last_row + 1):
        view = layout.view(row)
        if not view.text:
            gap = True
            continue
        rows += 1
        if rows > _FOOTER_ROWS or (is_spinner(view.text) and not layout.faint(row)):
            return False
        if layout.hint(row):
            continue
        if not (gap and _STATUS.search(layout.grid.text(row))):
            return False
    return True


def _across(layout: Layout, fields: PaneFields) -> OptionBlock | None:
    """Options side by side on the last rows, one on a ground of its own."""
    if fields.cursor_shown:
        return None
    for row in range(layout.grid.last_row, max(-1, layout.grid.last_row - 4), -1):
        block = row_of_options(layout, row)
        if block is not None and _only_footers(layout, row + 1):
            return block
    return None


def _plain_block(
    layout: Layout, fields: PaneFields, kernel: KernelFact | None
) -> OptionBlock | None:
    """Options without a mark: numbered rows, or rows under a question, at the very end."""
    grid = layout.grid
    raw = kernel is not None and kernel.icanon is False and kernel.wait in _READING
    last = grid.last_row
    while last > 0 and layout.hint(last) and grid.last_row - last < _FOOTER_ROWS:
        last -= 1
    at_end = fields.cursor_y == last and fields.cursor_x >= grid.row_width(last)
    at_edge = fields.cursor_y > last or at_end
    if fields.cursor_shown and not (raw and at_edge):
        return None
    if last < 0 or not _only_footers(layout, last + 1):
        return None
    block = numbered_block(layout, last)
    if block is not None:
        return block
    return _rows_under_question(layout, last)


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


def _picker(layout: Layout, fields: PaneFields) -> MenuPrompt | None:
    """A fuzzy finder: a query row with a count beside it and a list above or below."""
    grid, row = layout.grid, fields.cursor_y
    if not fields.cursor_shown or not grid.text(row):
        return None
    for count in (row - 1, row + 1):
        if not _COUNT.match(grid.text(count)):
            continue
        block = next((b for b in find_blocks(layout) if b.pointed), None)
        step = count - row
        edge = count + step
        listed = [
            each
            for each in (range(edge, -1, -1) if step < 0 else range(edge, grid.last_row + 1))
            if layout.view(each).text
        ][:40]
        options = tuple(
            OptionReading(
                key="",
                label=_pickable(grid.text(each)),
                highlighted=block is not None
                and block.first <= each <= block.last
                and any(o.highlighted and o.row == each for o in block.options),
                row=each,
            )
            for each in sorted(listed)
        )
        first = min([*listed, row, count])
        last = max([*listed, row, count])
        return MenuPrompt(
            kind=PromptKind.MENU,
            question=grid.slice(row, 0, fields.cursor_x).strip(),
            context="",
            options=options,
            default=None,
            submits=True,
            first=first,
            last=last,
            footer_last=last,
        )
    return None


def _pickable(text: str) -> str:
    return re.sub(r"\A\s*[>▌❯➤]?\s+", "", text)


def _popup(layout: Layout, fields: PaneFields, composer: ComposerReading) -> MenuPrompt | None:
    """A completion menu that opened beside a composer with text in it."""
    if not composer.text or "\n" in composer.text:
        return None
    for block in find_blocks(layout):
        if not block.pointed or len(block.options) < 2:
            continue
        if block.first <= composer.last_row and block.last >= composer.row:
            continue
        between = (
            range(composer.last_row + 1, block.first)
            if block.first > composer.last_row
            else range(block.last + 1, composer.row)
        )
        if len(between) > 2 or any(not layout.view(row).rule for row in between):
            continue
        if block.last < composer.row and _is_paragraph(layout, block):
            continue
        return MenuPrompt(
            kind=PromptKind.MENU,
            question=composer.text,
            context="",
            options=block.options,
            default=_highlighted(block.options),
            submits=True,
            first=block.first,
            last=block.last,
            footer_last=block.last,
        )
    return None


def _is_paragraph(layout: Layout, block: OptionBlock) -> bool:
    """Whether a block is what the program said last: a bullet and rows under its words."""
    first = next((o.row for o in block.options if o.highlighted), None)
    return first is not None and layout.view(first).text[:1] in _BULLETS


def _menu(
    layout: Layout, fields: PaneFields, kernel: KernelFact | None, block: OptionBlock
) -> MenuPrompt:
    words = _words_above(layout, block)
    options = block.options
    question = words.question
    if not question and len(options) > 1 and not options[0].highlighted and not block.numbered:
        question, options = options[0].label, options[1:]
    kind = choice_kind(question, options)
    if block.checkboxes:
        kind = PromptKind.MENU
    line_mode = kernel is not None and kernel.icanon is True
    footer_last = max(block.last, min(layout.grid.last_row, block.last + _FOOTER_ROWS + 2))
    return MenuPrompt(
        kind=kind,
        question=question,
        context=words.context,
        options=options,
        default=_highlighted(options),
        submits=line_mode or not block.numbered,
        first=words.first,
        last=block.last,
        footer_last=footer_last,
    )


def _highlighted(options: tuple[OptionReading, ...]) -> str | None:
    return next((option.key or option.label for option in options if option.highlighted), None)


@attrs.frozen(kw_only=True)
class _Words:
    question: str
    context: str
    first: int


def _words_above(layout: Layout, block: OptionBlock) -> _Words:
    """The question over a block of options, and what it asks about."""
    top, title, framed = _top(layout, block)
    rows = [row for row in range(top, block.first) if layout.view(row).text]
    if not rows:
        return _Words(question=title, context="", first=block.first)
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
        return _Words(question=question, context=context, first=min([*kept, first]))
    if title:
        return _Words(question=title, context=_texts(layout, rows), first=top)
    kept = rows if framed else _last_paragraphs(layout, paragraphs)
    question_end = kept[0]
    while question_end < kept[-1] and _runs_on(layout, question_end):
        question_end += 1
    return _Words(
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
    lines: list[str] = []
    for row in rows:
        text = layout.view(row).text
        if lines and row - 1 in rows and layout.wraps(row - 1):
            lines[-1] += text
        else:
            lines.append(text)
    return "\n".join(lines)

"""Menus and permission questions: a block of options with the words above it."""

import attrs

from panegate.panes.facts import ComposerReading, KernelFact, OptionReading, PaneFields
from panegate.screen.layout import FOOTER_ROWS, Layout, asks, is_hint_text, only_footers
from panegate.screen.options import (
    OptionBlock,
    find_blocks,
    row_of_options,
    takes_many,
    with_ticks,
)
from panegate.screen.pickers import find_picker
from panegate.screen.plain_options import READING, find_plain_block
from panegate.screen.wording import choice_kind
from panegate.screen.words_above import words_above
from panegate.terms import PromptKind

__all__ = ["MenuPrompt", "find_menu"]

_TEXT_SIGNS = frozenset("*•‣>")
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
    many: bool = False
    first: int
    last: int
    footer_last: int


def find_menu(
    layout: Layout,
    fields: PaneFields,
    kernel: KernelFact | None,
    composer: ComposerReading | None,
    *,
    modal: bool = False,
) -> MenuPrompt | None:
    """Return the menu at the live end, or None.

    With a composer on screen only a popup beside it counts, and only while something
    is typed into it.

    Args:
        layout: The screen.
        fields: For the cursor and the alternate screen.
        kernel: For the terminal's mode.
        composer: The input area, where one is seen.
        modal: Also a choice that is drawn elsewhere while the input area stays: of a program
            that nothing is known about it may be what takes the keys.

    """
    if composer is not None:
        popup = _popup(layout, fields, composer)
        over = _drawn_over(layout, fields, composer) if modal and popup is None else None
        return popup if over is None else _menu(layout, kernel, over)
    picker = find_picker(layout, fields)
    if picker is not None:
        return _unworded(picker.query, picker.options, picker.first, picker.last)
    for block in find_blocks(layout):
        if not _marked(layout, fields, block) or _of_a_text(layout, fields, kernel, block):
            continue
        if _live(layout, fields, block):
            menu = _menu(layout, kernel, block)
            if len(block.options) > 1 or menu.question:
                return menu  # one coloured row that nothing is said about is a bar
    across = _across(layout, fields)
    if across is not None:
        return _menu(layout, kernel, across)
    plain = find_plain_block(layout, fields, kernel)
    return None if plain is None else _menu(layout, kernel, plain)


def _marked(layout: Layout, fields: PaneFields, block: OptionBlock) -> bool:
    """Whether the block's mark is a selection: not a status bar, not pasted text."""
    if not block.pointed:
        return False
    marked = next(option for option in block.options if option.highlighted)
    row = block.first if marked.row is None else marked.row
    ground = layout.grid.style(row, block.column).ground
    coloured = ground != (False, -1)
    here = fields.cursor_shown and fields.cursor_y == row
    at_end = fields.cursor_x >= layout.grid.row_width(row)
    if here and at_end and len(block.options) < 3:
        pasted = any(run.style.ground == ground for run in layout.grid.runs(row - 1))
        if not coloured or pasted:
            return False
    if len(block.options) > 1:
        return True
    wide = coloured and any(
        run.end >= layout.grid.width - 2 and run.style.ground == ground
        for run in layout.grid.runs(row)
    )
    typed = here and not coloured
    lone = not layout.view(row - 1).text and row == 0
    return not (wide or typed or lone)


def _of_a_text(
    layout: Layout, fields: PaneFields, kernel: KernelFact | None, block: OptionBlock
) -> bool:
    """Whether an item of a text is all it is: a sign that texts use, more text, a line's end.

    A menu marked by such a sign hides the cursor, or is one of a program that reads keys.
    """
    marked = next((option.row for option in block.options if option.highlighted), None)
    sign = "" if marked is None else layout.view(marked).text[:1]
    reads = kernel is not None and kernel.icanon is False and kernel.wait in READING
    under = fields.cursor_shown and fields.cursor_y > block.last and fields.cursor_x == 0
    return sign in _TEXT_SIGNS and under and not reads


def _live(layout: Layout, fields: PaneFields, block: OptionBlock) -> bool:
    """Whether only footers follow, and the cursor does not stand somewhere else."""
    if fields.cursor_shown and not _cursor_belongs(layout, fields, block):
        return False
    return only_footers(layout, block.last + 1)


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


def _across(layout: Layout, fields: PaneFields) -> OptionBlock | None:
    """Options side by side on the last rows, one on a ground of its own."""
    if fields.cursor_shown:
        return None
    for row in range(layout.grid.last_row, max(-1, layout.grid.last_row - 4), -1):
        block = row_of_options(layout, row)
        if block is not None and only_footers(layout, row + 1):
            return block
    return None


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
        return _unworded(composer.text, block.options, block.first, block.last)
    return None


def _drawn_over(
    layout: Layout, fields: PaneFields, composer: ComposerReading
) -> OptionBlock | None:
    """A choice above the input area of a full-screen program that nothing has come after.

    One that was made and left behind has output under it, and no row that explains its keys.
    """
    view = layout.view(composer.row)
    if not (fields.alternate_on or view.boxed or layout.view(composer.row - 1).rule):
        return None
    for block in find_blocks(layout):
        if not block.pointed or len(block.options) < 2 or block.last >= composer.row:
            continue
        if _is_paragraph(layout, block):
            continue
        below = next((r for r in range(block.last + 1, composer.row) if layout.view(r).text), None)
        explained = below is not None and is_hint_text(layout.view(below).text)
        worded = block.numbered or any(
            asks(layout.view(row).text) for row in range(max(0, block.first - 3), block.first)
        )
        if explained or (below is None and worded):
            return block
    return None


def _is_paragraph(layout: Layout, block: OptionBlock) -> bool:
    """Whether a block is what the program said last: a bullet and rows under its words."""
    first = next((o.row for o in block.options if o.highlighted), None)
    return first is not None and layout.view(first).text[:1] in _BULLETS


def _unworded(
    question: str, options: tuple[OptionReading, ...], first: int, last: int
) -> MenuPrompt:
    """A list that belongs to what is being typed."""
    return MenuPrompt(
        kind=PromptKind.MENU,
        question=question,
        context="",
        options=options,
        default=_highlighted(options),
        submits=True,
        first=first,
        last=last,
        footer_last=last,
    )


def _menu(layout: Layout, kernel: KernelFact | None, block: OptionBlock) -> MenuPrompt:
    words = words_above(layout, block)
    options = block.options
    question = words.question
    if not question and len(options) > 1 and not options[0].highlighted and not block.numbered:
        question, options = options[0].label, options[1:]
    kind = choice_kind(question, options)
    many = block.checkboxes and takes_many(options)
    if block.checkboxes:
        kind, options = PromptKind.MENU, with_ticks(options)
    line_mode = kernel is not None and kernel.icanon is True
    footer_last = max(block.last, min(layout.grid.last_row, block.last + FOOTER_ROWS + 2))
    return MenuPrompt(
        kind=kind,
        question=question,
        context=words.context,
        options=options,
        default=None if block.checkboxes else _highlighted(options),
        submits=line_mode or not block.numbered,
        many=many,
        first=words.first,
        last=block.last,
        footer_last=footer_last,
    )


def _highlighted(options: tuple[OptionReading, ...]) -> str | None:
    return next((option.key or option.label for option in options if option.highlighted), None)

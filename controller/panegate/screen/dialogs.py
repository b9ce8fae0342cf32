"""Framed dialogs with buttons, as dialog, whiptail and installers draw them."""

import re

import attrs

from panegate.panes.facts import OptionReading, PaneFields
from panegate.screen.layout import Layout, asks, rule_title
from panegate.screen.options import find_blocks, takes_many, with_ticks
from panegate.screen.plain_options import checkable_rows
from panegate.screen.wording import SECRET_WORDS
from panegate.terms import PromptKind

__all__ = ["Dialog", "find_dialog"]

_BUTTON = re.compile(r"<\s*([^\W\d_][^<>]{0,18}?)\s*>|\[\s+([^\W\d_][^\[\]]{0,18}?)\s+\]")
_TOPS = "╭┌╔┏╒╓+"
_ROWS_BACK = 48


@attrs.frozen(kw_only=True)
class Dialog:
    """A framed dialog's parts, before they become a prompt."""

    kind: PromptKind
    question: str
    context: str
    options: tuple[OptionReading, ...]
    secret: bool
    many: bool
    default: str | None
    first: int
    last: int


def find_dialog(layout: Layout, fields: PaneFields) -> Dialog | None:
    """Return the dialog whose buttons are the lowest on the screen, or None.

    A shown cursor must stand inside its frame: a dialog that a finished program left
    behind is none.
    """
    last_row = layout.grid.last_row
    for row in range(last_row, max(-1, last_row - _ROWS_BACK), -1):
        view = layout.view(row)
        if not view.boxed or not view.text or _BUTTON.sub("", view.text).strip():
            continue
        top, bottom = _frame(layout, row)
        if top is None or bottom is None:
            continue
        if fields.cursor_shown and not top <= fields.cursor_y <= bottom:
            return None
        return _dialog(layout, fields, top, row, bottom)
    return None


def _frame(layout: Layout, row: int) -> tuple[int | None, int | None]:
    top = bottom = None
    for above in range(row - 1, -1, -1):
        view = layout.view(above)
        if not view.rule and not view.boxed:
            break
        if view.rule and not view.boxed and layout.grid.text(above).lstrip()[:1] in _TOPS:
            top = above
            break
    for below in range(row + 1, layout.grid.height):
        view = layout.view(below)
        if view.rule and not view.boxed:
            bottom = below
            break
        if not view.boxed:
            break
    return top, bottom


def _dialog(layout: Layout, fields: PaneFields, top: int, buttons_row: int, bottom: int) -> Dialog:
    listed = next(
        (b for b in find_blocks(layout) if top < b.first and b.last < buttons_row and b.pointed),
        None,
    )
    if listed is None:
        listed = checkable_rows(layout, _last_text(layout, top, buttons_row))
    buttons = _buttons(layout, buttons_row)
    options = buttons if listed is None else listed.options
    boxes = listed is not None and listed.checkboxes
    body_end = listed.first if listed is not None else buttons_row
    typed = fields.cursor_shown and top < fields.cursor_y < buttons_row
    rows = [row for row in range(top + 1, body_end) if layout.view(row).text]
    if typed and listed is None:
        rows = [row for row in rows if row != fields.cursor_y]  # what is being typed
    title = rule_title(layout.grid.text(top))
    question, context = _question([layout.view(row).text for row in rows], title)
    field = listed is None and (typed or _has_field(layout, top, buttons_row))
    kind = PromptKind.CONFIRM
    if listed is not None:
        kind = PromptKind.MENU
    elif field:
        kind = PromptKind.SECRET if SECRET_WORDS.search(question) else PromptKind.TEXT
    return Dialog(
        kind=kind,
        question=question,
        context=context,
        options=with_ticks(options) if boxes else options,
        secret=kind is PromptKind.SECRET,
        many=boxes and takes_many(options),
        default=None if boxes or field else _highlighted(options),
        first=top,
        last=bottom,
    )


def _highlighted(options: tuple[OptionReading, ...]) -> str | None:
    return next((option.key or option.label for option in options if option.highlighted), None)


def _last_text(layout: Layout, top: int, buttons_row: int) -> int:
    """The lowest row of text over the buttons."""
    rows = range(buttons_row - 1, top, -1)
    return next((row for row in rows if layout.view(row).text), top)


def _question(texts: list[str], title: str) -> tuple[str, str]:
    """The asking row with what wraps into it, or all of the text; the rest is context."""
    at = next((i for i in range(len(texts) - 1, -1, -1) if asks(texts[i])), None)
    if at is None:
        return " ".join(texts) or title, title if texts else ""
    rest = [*([title] if title else []), *texts[:at], *texts[at + 1 :]]
    return texts[at], "\n".join(rest)


def _buttons(layout: Layout, row: int) -> tuple[OptionReading, ...]:
    grid = layout.grid
    view = layout.view(row)
    plain = grid.style(row, max(0, view.column - 1)).ground
    found = []
    for match in _BUTTON.finditer(view.text):
        label = (match[1] or match[2]).strip()
        ground = grid.style(row, view.column + match.start()).ground
        found.append(OptionReading(key="", label=label, highlighted=ground != plain, row=row))
    if sum(option.highlighted for option in found) != 1:
        found = [attrs.evolve(option, highlighted=False) for option in found]
    return tuple(found)


def _has_field(layout: Layout, top: int, buttons_row: int) -> bool:
    """Whether the frame holds a framed row to type into."""
    inner_rules = [
        row
        for row in range(top + 1, buttons_row)
        if layout.view(row).rule and layout.view(row).boxed
    ]
    return len(inner_rules) >= 2 and inner_rules[-1] - inner_rules[0] == 2

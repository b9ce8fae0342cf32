"""Questions of programs that hide the cursor and draw their own: one row, no menu."""

import re

from panegate.panes.facts import OptionReading, PaneFields
from panegate.screen.boxes import caret_cell
from panegate.screen.choices import read_choices
from panegate.screen.layout import Layout, asks
from panegate.screen.prompt_rows import RowPrompt, context_above
from panegate.screen.wording import SECRET_WORDS
from panegate.terms import PromptKind

__all__ = ["read_drawn"]

_MARKED = re.compile(r"[?◆]\s+\S")
_ANSWER = re.compile(r"\s*[‣›»❯]\s*\w{0,12}\Z|\s*[‣›»❯]\s*(?=\()")
_TOGGLE = re.compile(r"\s[›‣»❯]\s+(?P<first>\w+)\s*/\s*(?P<second>\w+)\Z")
_RADIO = re.compile(r"(?P<glyph>[●○◉◯])\s+(?P<label>[^●○◉◯/]*[^●○◉◯/\s])")
_ROWS_BACK = 6


def read_drawn(layout: Layout, fields: PaneFields) -> RowPrompt | None:
    """Read a confirmation, a toggle or an input field drawn without the cursor."""
    if fields.cursor_shown:
        return None
    last = layout.grid.last_row
    row = last
    while row >= 0 and last - row < _ROWS_BACK and layout.hint(row):
        if _has_caret(layout, row):
            break
        row -= 1
    if row < 0 or not layout.view(row).text:
        return None
    return _radios(layout, row) or _one_row(layout, fields, row) or _field(layout, row)


def _has_caret(layout: Layout, row: int) -> bool:
    view = layout.view(row)
    return bool(view.text) and caret_cell(layout, row, view.column, view.end) is not None


def _one_row(layout: Layout, fields: PaneFields, row: int) -> RowPrompt | None:
    """``? Sure? (y/N) ‣ false`` and ``? Sure? › no / yes``, the cursor parked in the row."""
    text = layout.view(row).text
    if fields.cursor_y != row or not (_MARKED.match(text) or asks(text)):
        return None
    context, top = context_above(layout, row - 1)
    toggle = _TOGGLE.search(text)
    if toggle is not None:
        options = tuple(OptionReading(key="", label=toggle[name]) for name in ("first", "second"))
        return RowPrompt(
            kind=PromptKind.CONFIRM,
            question=text[: toggle.start()].strip(),
            context=context,
            options=options,
            first=max(top, 0),
            last=row,
        )
    choices = read_choices(_ANSWER.sub(" ", text).strip())
    if choices is None or not choices.yes_no:
        return None
    return RowPrompt(
        kind=choices.kind,
        question=choices.question,
        context=context,
        options=choices.options,
        default=choices.default,
        first=max(top, 0),
        last=row,
    )


def _radios(layout: Layout, row: int) -> RowPrompt | None:
    """``● Yes / ○ No`` in one row under its question."""
    view = layout.view(row)
    found = list(_RADIO.finditer(view.text))
    filled = [match["glyph"] in "●◉" for match in found]
    if len(found) < 2 or sum(filled) != 1 or found[0].start() != 0:
        return None
    options = tuple(
        OptionReading(key="", label=match["label"], highlighted=on, row=row)
        for match, on in zip(found, filled, strict=True)
    )
    question = layout.view(row - 1).text
    context, top = context_above(layout, row - 2)
    return RowPrompt(
        kind=PromptKind.CONFIRM,
        question=question,
        context=context,
        options=options,
        default=next(option.label for option in options if option.highlighted),
        first=max(min(top, row - 1), 0),
        last=row,
    )


def _field(layout: Layout, row: int) -> RowPrompt | None:
    """A caret drawn in a row of a frame that is open at its right, under a question."""
    view = layout.view(row)
    above = layout.view(row - 1)
    if not view.boxed or view.end < layout.grid.width or not above.text or above.rule:
        return None
    column = caret_cell(layout, row, view.column, view.end)
    if column is None or not layout.view(row + 1).rule:
        return None
    right = layout.grid.slice(row, column)
    hint = right.strip() if layout.grid.style(row, column + 1).faint else ""
    secret = SECRET_WORDS.search(above.text) is not None
    context, top = context_above(layout, row - 2)
    return RowPrompt(
        kind=PromptKind.SECRET if secret else PromptKind.TEXT,
        question=above.text,
        context=context,
        default=hint or None,
        secret=secret,
        first=max(min(top, row - 1), 0),
        last=row,
    )

"""The composer's input area, in four layouts."""

import argparse
from typing import NamedTuple

from panegate.testing.programs._box import InputBox, cell_width
from panegate.testing.programs._paint import Frame, styled

__all__ = ["POPUP_ROWS", "Situation", "draw_input"]

POPUP_ROWS = ("/help", "/history", "/halt")
_SHORTCUTS = "? for shortcuts"
_BRANCH = "~/work/app (main) "
_BRANCH_HINT = "  enter sends · ? for shortcuts"


class Situation(NamedTuple):
    """What is to be seen beside the text."""

    busy_row: str = ""
    queued: tuple[str, ...] = ()
    clock: str = ""
    popup: int | None = None
    """The highlighted row of an open menu."""
    caret: bool = True
    """The blinking caret is on."""
    height: int = 24
    width: int = 80


def draw_input(box: InputBox, options: argparse.Namespace, now: Situation) -> Frame:
    """Return the rows of busy line, input box, menu and footer, and the cursor."""
    above = ["", now.busy_row] if now.busy_row else []
    queue = [styled("2", f"  queued: {text}"[: now.width]) for text in now.queued]
    if options.busy_enter != "keep":
        above, queue = above + queue, []
    below = queue + _popup(now.popup)
    footer = f"{options.footer} {now.clock}".rstrip()
    framed = options.layout in ("box", "narrow")
    tall = now.height - len(above) - len(below) - 5
    if framed:
        before, after = "│ ", " │"
        above.append(styled("2", "╭" + "─" * (now.width - 2) + "╮"))
        below = [
            styled("2", "╰" + "─" * (now.width - 2) + "╯"),
            *below,
            f"  {styled('2', _SHORTCUTS[: now.width - 2])}",
            f"  {footer}"[: now.width],
        ]
    elif options.layout == "branch":
        before, after = "", ""
        below += [styled("2", _BRANCH_HINT[: now.width])]
    else:
        before, after = "", ""
        above += [styled("2", footer[: now.width])] if footer else []
    lead = f"{_BRANCH if options.layout == 'branch' else ''}{options.glyph} "
    indent = " " * (cell_width(lead) if framed else 2)
    # One cell is kept free for the cursor, so a full row never gets an empty one below it.
    room = now.width - cell_width(before + after) - cell_width(lead) - 1
    shown = box.show(room, by_words=options.layout == "narrow", max_rows=max(1, tall))
    drawn_caret = options.cursor != "shown" and now.caret
    rows = []
    for at, text in enumerate(shown.rows):
        row_lead = lead if at == 0 else indent
        here = at == shown.cursor_row
        caret_cell = shown.cursor_cell if here and drawn_caret else None
        hint = options.hint if not box.text and at == 0 else ""
        body, used = _body(text, hint[: room - 1], caret_cell)
        fill = " " * max(0, now.width - cell_width(before + row_lead + after) - used)
        rows.append(
            f"{styled('2', before)}{row_lead}{body}{fill if framed else ''}{styled('2', after)}"
        )
    cursor_lead = lead if shown.cursor_row == 0 else indent
    return Frame(
        [*above, *rows, *below],
        len(above) + shown.cursor_row,
        cell_width(before + cursor_lead) + shown.cursor_cell,
        options.cursor == "shown" and now.caret,
        options.cursor == "parked",
    )


def _body(text: str, hint: str, caret_cell: int | None) -> tuple[str, int]:
    """Return a row's text with a drawn caret or a dim hint, and its cells."""
    plain = text or hint
    if caret_cell is None:
        return (text or styled("2", hint)), cell_width(plain)
    at, used = 0, 0
    while at < len(plain) and used < caret_cell:
        used += cell_width(plain[at])
        at += 1
    caret = styled("7", plain[at] if at < len(plain) else " ")
    head, tail = plain[:at], plain[at + 1 :]
    if not text:
        head, tail = styled("2", head), styled("2", tail)
    return f"{head}{caret}{tail}", cell_width(plain) + (at >= len(plain))


def _popup(highlighted: int | None) -> list[str]:
    if highlighted is None:
        return []
    return [
        styled("7" if at == highlighted else "", f"  {'❯' if at == highlighted else ' '} {row}")
        for at, row in enumerate(POPUP_ROWS)
    ]

"""Putting rows on the terminal: a whole screen, or a block at the end of the output."""

from typing import NamedTuple

from panegate.testing.programs._box import cell_width, hard_spans
from panegate.testing.programs._terminal import Terminal

__all__ = ["Frame", "InlinePainter", "ScreenPainter", "styled", "wrap"]


def styled(sgr: str, text: str) -> str:
    """Return *text* in the rendition *sgr* (``2`` dim, ``1`` bold, ``7`` reverse)."""
    return f"\x1b[{sgr}m{text}\x1b[0m" if sgr and text else text


class Frame(NamedTuple):
    """The rows below the transcript, escapes included, and the cursor among them."""

    rows: list[str]
    cursor_row: int
    cursor_cell: int
    shown: bool = True
    """The hardware cursor is visible."""
    parked: bool = False
    """It stands in the bottom left corner instead."""
    over: tuple[int, tuple[str, ...]] | None = None
    """Rows painted over what is there, from a row of the (alternate) screen on."""


class ScreenPainter:
    """Repaints the rows of the alternate screen that changed."""

    def __init__(self, terminal: Terminal, *, top: bool = False) -> None:
        self._terminal = terminal
        self._top = top
        self._last: list[str] = []
        self._last_cursor: tuple[int, int, bool] | None = None

    def enter(self) -> str:
        """Return what switches the screen on."""
        return "\x1b[?1049h\x1b[2J"

    def leave(self) -> str:
        """Return what switches it off."""
        return "\x1b[?25h\x1b[?1049l"

    def forget(self) -> None:
        """Repaint everything next time."""
        self._last, self._last_cursor = [], None

    def paint(self, transcript: list[str], frame: Frame, *, rewrite: int | None = None) -> str:
        """Return the bytes that bring the screen to this; empty when it is there.

        Args:
            transcript: All of its lines; those that fit are shown.
            frame: The rows below it.
            rewrite: A row of the frame (negative: from its end) to write even unchanged.
        """
        height, width = self._terminal.size()
        frame_rows = frame.rows[-height:]
        cursor_row = max(0, frame.cursor_row - (len(frame.rows) - len(frame_rows)))
        room = height - len(frame_rows)
        above = [row for line in transcript[-height:] for row in wrap(line, width)]
        above = above[-room:] if room > 0 else []
        blank = [""] * (room - len(above))
        rows = above + frame_rows + blank if self._top else above + blank + frame_rows
        if frame.over is not None:
            at_row, over = frame.over
            rows = [*rows[:at_row], *over, *rows[at_row + len(over) :]][:height]
        first = len(above) if self._top else room
        if len(self._last) != height:
            self._last = ["\x00"] * height
        if rewrite is not None:
            self._last[first + rewrite % len(frame_rows)] = "\x00"
        changes = [
            f"\x1b[{at + 1};1H\x1b[2K{row}" for at, row in enumerate(rows) if row != self._last[at]
        ]
        place = (height, 1) if frame.parked else (first + cursor_row + 1, frame.cursor_cell + 1)
        cursor = (*place, frame.shown)
        if not changes and cursor == self._last_cursor:
            return ""
        self._last, self._last_cursor = rows, cursor
        # The cursor is hidden only when it was shown, so a still cursor makes no noise.
        return f"{''.join(changes)}\x1b[{place[0]};{place[1]}H\x1b[?25{'h' if frame.shown else 'l'}"


class InlinePainter:
    """Keeps a block of rows at the end of the main screen and prints above it."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._printed = 0
        self._last: Frame | None = None

    def enter(self) -> str:
        """Return what begins the output: nothing here."""
        return ""

    def leave(self) -> str:
        """Return what ends it: the cursor below the block."""
        below = len(self._last.rows) - 1 - self._last.cursor_row if self._last else 0
        return (f"\x1b[{below}B" if below else "") + "\r\n\x1b[?25h"

    def forget(self) -> None:
        """Clear the screen and print the transcript's end again next time."""
        self._last = None
        self._printed = -1

    def paint(self, transcript: list[str], frame: Frame, *, rewrite: int | None = None) -> str:
        """Return the bytes that print what is new and bring the block to *frame*."""
        if frame.parked:
            frame = frame._replace(parked=False, cursor_row=len(frame.rows) - 1, cursor_cell=0)
        if self._printed == len(transcript) and frame == self._last and rewrite is None:
            return ""
        height, width = self._terminal.size()
        old_rows = len(self._last.rows) if self._last is not None else 0
        out = "\r"
        if self._printed < 0:
            out = "\x1b[2J\x1b[H"
            self._printed = max(0, len(transcript) - height)
        elif self._last is not None and self._last.cursor_row:
            out += f"\x1b[{self._last.cursor_row}A"
        # Row by row: clearing from the top corner would put the screen into the history.
        new = transcript[self._printed :]
        out += "".join(f"\x1b[2K{line}{_rest(line, width)}\r\n" for line in new)
        self._printed = len(transcript)
        rows = frame.rows[-(height - 1) :]
        cursor_row = max(0, frame.cursor_row - (len(frame.rows) - len(rows)))
        out += "\r\n".join(f"\x1b[2K{row}" for row in rows)
        left_over = max(0, old_rows - len(rows) - sum(len(wrap(line, width)) for line in new))
        out += "\r\n\x1b[2K" * left_over
        up = len(rows) - 1 - cursor_row + left_over
        out += (f"\x1b[{up}A" if up else "") + "\r"
        out += f"\x1b[{frame.cursor_cell}C" if frame.cursor_cell else ""
        self._last = frame._replace(rows=rows, cursor_row=cursor_row)
        return f"{out}\x1b[?25{'h' if frame.shown else 'l'}"


def _rest(line: str, width: int) -> str:
    """Clear what is right of a line's last row; not where the row is full."""
    return "\x1b[K" if cell_width(line) > width and cell_width(line) % width else ""


def wrap(line: str, width: int) -> list[str]:
    """Break a plain transcript line into rows (a line with escapes is left whole)."""
    if "\x1b" in line or cell_width(line) <= width:
        return [line]
    return [line[start:end] for start, end in hard_spans(line, width)]

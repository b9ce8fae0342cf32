"""A digest of what a screen says, blind to what moves by itself."""

import re
from hashlib import blake2b

from panegate.screen.grid import Grid
from panegate.screen.layout import SPINNER

__all__ = ["frame", "frames"]

_SPINNERS = re.compile(f"[{SPINNER}]")
_LONE_CARET = re.compile(r"(?<![█▌▐▏▎▍▋▊▉])[█▌▐▏▎](?=\s|\Z)", re.MULTILINE)
_LONE_TURN = re.compile(rb"(?<![^\s])[|/\\-](?![^\s])")
_DIGITS = bytes.maketrans(b"123456789", b"000000000")


def frame(grid: Grid, *, without: tuple[int, int] | None = None) -> str:
    """Return a digest of the screen's text with its volatile parts masked.

    Numbers, spinner glyphs, a caret drawn as a block, colours, runs of blanks and
    blank rows at the end make no difference; everything else does.

    Args:
        grid: The screen.
        without: First and last row to leave out (the composer's).

    """
    return _digest(_masked_rows(grid), without)


def frames(grid: Grid, without: tuple[int, int] | None) -> tuple[str, str]:
    """Return the frame of all rows and that without some; the same without any to leave out."""
    rows = _masked_rows(grid)
    whole = _digest(rows, None)
    return whole, whole if without is None else _digest(rows, without)


def _masked_rows(grid: Grid) -> list[bytes]:
    text = "\n".join(grid.texts[: grid.last_row + 1])
    if not text.isascii():
        text = _SPINNERS.sub("*", text)
        text = _LONE_CARET.sub(" ", text)
    masked = text.encode("utf-8", "replace").translate(_DIGITS)
    for run, one in ((b"00", b"0"), (b"  ", b" ")):
        while run in masked:
            masked = masked.replace(run, one)
    return _LONE_TURN.sub(b"*", masked.replace(b" \n", b"\n")).split(b"\n")


def _digest(rows: list[bytes], without: tuple[int, int] | None) -> str:
    if without is not None:
        first, last = without
        rows = rows[:first] + rows[last + 1 :]
    return blake2b(b"\n".join(rows).rstrip(), digest_size=16).hexdigest()

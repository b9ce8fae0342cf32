"""A digest of what a screen says, blind to what moves by itself."""

import re
from hashlib import blake2b

from panegate.screen.grid import Grid
from panegate.screen.layout import SPINNER

__all__ = ["frame"]

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
    texts = grid.texts[: grid.last_row + 1]
    if without is not None:
        first, last = without
        texts = texts[:first] + texts[last + 1 :]
    text = "\n".join(texts).rstrip()
    if not text.isascii():
        text = _SPINNERS.sub("*", text)
        text = _LONE_CARET.sub(" ", text)
    masked = text.encode("utf-8", "replace").translate(_DIGITS)
    for run, one in ((b"00", b"0"), (b"  ", b" ")):
        while run in masked:
            masked = masked.replace(run, one)
    masked = _LONE_TURN.sub(b"*", masked.replace(b" \n", b"\n")).rstrip()
    return blake2b(masked, digest_size=16).hexdigest()

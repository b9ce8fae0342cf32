r"""Rows of the deciding look, as searches that tmux can repeat.

tmux can say which visible row is the *first* that matches a search (``#{C/r:...}``,
``#{C:...}``). A pin is such a search with the answer computed here from the look: it is true
while that row still shows that text and no earlier row does. A short row is searched as a
whole, by regular expression; a longer one as text contained in a row, for to compile a long
expression costs tmux five times the search (65 against 15 microseconds on 80x24).

What is searched is the row as tmux itself sees it: colours gone, trailing blanks gone,
line drawing as its plain letters, UTF-8. A tmux server always runs in a UTF-8 locale (it
sets one, or does not start), so text beyond ASCII is embedded as it is. Characters with a
meaning in formats, strftime or patterns become wildcards for one character, or a bracket
of their own: no ``#``, ``,``, braces or ``%`` ever get in.

Rows that are blank, or whose text stands twice, cannot be pinned so, and a dialog may be drawn
over just those. One more search therefore looks for whatever of letters, signs and the words of
questions is *not* on the screen of the look: it must still find nothing.
"""

import re
import string
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import attrs

__all__ = [
    "MAX_ROW_CHARS",
    "MAX_WHOLE_CHARS",
    "Pin",
    "Pins",
    "pin_rows",
    "question_signs",
    "row_search",
    "row_text",
]

MAX_ROW_CHARS: Final = 400
"""Longer rows are not pinned: they would only make the guard long."""
MAX_WHOLE_CHARS: Final = 32
"""Longer rows are searched as contained text."""

_SEQUENCES: Final = re.compile(rb"\x1b\[[0-9;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)|[\x0e\x0f]")
_BLANKS: Final = " \t\n\v\f\r"  # what isspace() trims in a UTF-8 locale
_SYNTAX: Final = frozenset("#,{}%\\")
_REGEX_ANY: Final = _SYNTAX | {"^"}
_REGEX_BRACKETED: Final = frozenset(".$?*+|()[]")
_REGEX: Final = str.maketrans(
    {c: "." for c in _REGEX_ANY} | {c: f"[{c}]" for c in _REGEX_BRACKETED}
)
_GLOB_ANY: Final = _SYNTAX | frozenset("*?[]")
_GLOB: Final = str.maketrans(dict.fromkeys(_GLOB_ANY, "?"))
_UNCERTAIN: Final = frozenset({"Cc", "Cn", "Cs", "Zl", "Zp"})
_SIGNS: Final = "?!&()*+/<=>@_|~$;\"'`"
_TELLING: Final = string.ascii_letters + _SIGNS
"""Digits are left out: a clock or a counter may stand anywhere."""
_GLYPHS: Final = "❯›▸▶►→➜●◉○◯□☐│┃─━═╭┌╔"
_WORDS: Final = (
    "do you",
    "allow",
    "yes",
    "y/n",
    "esc",
    "enter",
    "press",
    "proceed",
    "continue",
    "confirm",
    "cancel",
    "password",
    "permission",
    "approve",
    "trust",
)
"""With a small or a capital letter at their start."""
_N_AROUND: Final = 3
_N_SEARCHED: Final = 8


@attrs.frozen
class Pin:
    """One search and its answer: the first row that matches, from 1; 0 for none."""

    name: str
    search: str
    """Modifier and pattern, as they stand in a format: ``C/r:^> $``."""
    row_number: int


@attrs.frozen
class Pins:
    """The pins of one look, the most telling first, and what could not be pinned."""

    pins: tuple[Pin, ...]
    left_out: tuple[str, ...]


def row_text(row: bytes) -> str | None:
    """Return a captured row as tmux's own search sees it, or None where that is not sure.

    Args:
        row: One row of a `panegate.panes.facts.Look`.

    """
    try:
        text = _SEQUENCES.sub(b"", row).decode().rstrip(_BLANKS)
    except UnicodeDecodeError:
        return None
    if text.isascii():
        return text if text.isprintable() else None
    if any(unicodedata.category(c) in _UNCERTAIN for c in set(text)):
        return None
    return text


def row_search(text: str) -> str:
    """Return the search for this row: a format modifier with its pattern, format-safe."""
    if len(text) <= MAX_WHOLE_CHARS:
        return f"C/r:^{text.translate(_REGEX)}$"
    return f"C:{text.translate(_GLOB)}"


def pin_rows(rows: Sequence[bytes], *, first: int, last: int) -> Pins:
    """Pin the input area's rows, the nearest rows with text around it, and the first blank one.

    Args:
        rows: All visible rows of the look.
        first: First row of the input area, from 0.
        last: Its last row.

    """
    texts = [row_text(row) for row in rows]
    wanted = [("composer_row", first), *([("composer_last_row", last)] if last != first else [])]
    above = _named("above", reversed(range(first)), texts)
    below = _named("below", range(last + 1, len(rows)), texts)
    pins: list[Pin] = []
    left_out: list[str] = []
    for name, row in wanted:
        _pin(name, row, texts, pins, left_out)
    near: list[Pin] = []
    for candidates in (above, below):
        found: list[Pin] = []
        for name, row in candidates:
            if len(found) < _N_AROUND:
                _pin(f"{name}_{len(found) + 1}", row, texts, found, left_out)
        near += found
    # Nearest first on both sides, so that a shortened guard keeps the closest rows.
    near.sort(key=lambda pin: (pin.name.rpartition("_")[2], pin.name))
    blank = _blank_pin(texts)
    if blank is None:
        left_out.append("first_blank_row: an earlier row cannot be read with certainty")
    n_nearest = sum(pin.name.endswith("_1") for pin in near)
    blanks = [] if blank is None else [blank]
    absent = _absent_pin(rows, texts)
    news = [] if absent is None else [absent]
    return Pins((*pins, *news, *near[:n_nearest], *blanks, *near[n_nearest:]), tuple(left_out))


def question_signs(rows: Sequence[bytes]) -> Pin | None:
    """Pin that no sign or word of questions comes to the screen which is not there already.

    As `pin_rows` does it, letters left out: text that rolls by brings all of them.

    Args:
        rows: All visible rows of the look.

    """
    return _absent_pin(rows, [row_text(row) for row in rows], telling=_SIGNS)


def _named(
    side: str, rows: Iterable[int], texts: Sequence[str | None]
) -> Iterator[tuple[str, int]]:
    n = 0
    for row in rows:
        if texts[row] != "" and n < _N_SEARCHED:
            n += 1
            yield side, row


def _pin(
    name: str, row: int, texts: Sequence[str | None], pins: list[Pin], left_out: list[str]
) -> None:
    text = texts[row]
    if text is None:
        left_out.append(f"{name}: row {row + 1} cannot be read with certainty")
    elif text == "":
        left_out.append(f"{name}: row {row + 1} is blank")
    elif len(text) > MAX_ROW_CHARS:
        left_out.append(f"{name}: row {row + 1} is too long")
    elif (before := _earlier_match(text, texts[:row])) is not None:
        left_out.append(f"{name}: row {row + 1} is hidden by row {before + 1}")
    else:
        pins.append(Pin(name, row_search(text), row + 1))


def _earlier_match(text: str, earlier: Sequence[str | None]) -> int | None:
    """The first row above that the search for *text* finds too, or may find."""
    whole = len(text) <= MAX_WHOLE_CHARS
    wild = (_REGEX_ANY if whole else _GLOB_ANY).intersection(text)
    for n, row in enumerate(earlier):
        if row is None or text == row or (not whole and text in row):
            return n
        if wild and (_finds_whole if whole else _finds_within)(text, row, wild):
            return n
    return None


def _finds_whole(text: str, row: str, wild: frozenset[str]) -> bool:
    return len(text) == len(row) and _alike(text, row, wild)


def _finds_within(text: str, row: str, wild: frozenset[str]) -> bool:
    n = len(text)
    return any(_alike(text, row[at : at + n], wild) for at in range(len(row) - n + 1))


def _alike(pattern: str, text: str, wild: frozenset[str]) -> bool:
    """Compare texts of one length; characters of *wild* in the pattern stand for any."""
    return all(a == b or a in wild for a, b in zip(pattern, text, strict=True))


def _blank_pin(texts: Sequence[str | None]) -> Pin | None:
    for row, text in enumerate(texts):
        if text is None:
            return None
        if text == "":
            return Pin("first_blank_row", row_search(""), row + 1)
    return Pin("first_blank_row", row_search(""), 0)


def _absent_pin(
    rows: Sequence[bytes], texts: Sequence[str | None], *, telling: str = _TELLING
) -> Pin | None:
    """What is not on the screen must still not be: where no row is pinned a question may open."""
    known = [
        _SEQUENCES.sub(b"", row).decode(errors="replace") if text is None else text
        for row, text in zip(rows, texts, strict=True)
    ]
    text = "\n".join(known)
    seen, lower = frozenset(text), text.lower()
    characters = "".join(c for c in telling if c not in seen)
    wanted = [f"[{characters}]"] if characters else []
    wanted += [glyph for glyph in _GLYPHS if glyph not in seen]
    wanted += [f"[{w[0].upper()}{w[0]}]{w[1:]}" for w in _WORDS if w not in lower]
    if not wanted:
        return None
    return Pin("absent", f"C/r:{'|'.join(wanted)}", 0)

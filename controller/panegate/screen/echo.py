"""Whether typed text stands in a program's input area, cell by cell."""

import enum
import re
import unicodedata

import attrs

from panegate.panes.facts import ComposerReading, PaneFields
from panegate.screen.grid import Grid
from panegate.screen.wrapping import begins_a_row, cells

__all__ = ["EchoKind", "EchoReading", "compare_echo"]

_MIN_TAIL = 12
_MIN_TAIL_ROWS = 6
_COLLAPSES_FROM = 200
_BREAK_GLYPHS = "↵⏎␤¶"
_DRAWN_TAB = "^I"
_RIGHT_PROMPT = re.compile(r"\s{2,}\S.{0,40}\Z")


class EchoKind(enum.Enum):
    """How much of a text is seen where it was typed; the zero value claims nothing."""

    NONE = "none"
    """Nothing stands there, or only hint text."""
    PARTIAL = "partial"
    """The beginning of the text."""
    FULL = "full"
    """All of it (with `EchoReading.tail_only`: all that fits on the screen)."""
    COLLAPSED = "collapsed"
    """A placeholder for a large paste."""
    DIFFERS = "differs"
    """Something else."""


@attrs.frozen(kw_only=True)
class EchoReading:
    """What was found where a text was typed."""

    kind: EchoKind
    seen: str
    """The text on the screen, rows joined."""
    words: str
    """For people: what was seen, how much is missing."""
    tail_only: bool = False
    """The beginning has scrolled out of sight; only the end was compared."""
    line_break: bool = False
    """All of the text stands there with an empty line under it that holds the cursor."""


def compare_echo(
    grid: Grid,
    fields: PaneFields,
    start: tuple[int, int],
    text: str,
    *,
    composer: ComposerReading | None,
    collapsed_ok: bool,
    scrolled: int = 0,
) -> EchoReading:
    """Compare the cells from where the text began up to the cursor with the text.

    Rows that the terminal wrapped are joined exactly; rows that the program laid out
    itself may differ in the blanks at their ends. What is right of the cursor is hint
    text. Characters are compared in NFC, without zero-width ones; a tab matches any
    number of blanks.

    Args:
        grid: The screen now.
        fields: For the cursor and the size.
        start: Row and column of the first cell of the input, when it was empty.
        text: What was typed.
        composer: The input area found on this screen, if any; its rows take precedence.
        collapsed_ok: A placeholder for a large paste counts as the text.
        scrolled: Rows that went into the history since *start* was read.

    """
    reader = _EchoReader(grid, fields, start, text, composer, scrolled)
    return reader.read(collapsed_ok)


class _EchoReader:
    def __init__(
        self,
        grid: Grid,
        fields: PaneFields,
        start: tuple[int, int],
        text: str,
        composer: ComposerReading | None,
        scrolled: int,
    ) -> None:
        self._grid = grid
        self._fields = fields
        self._row = start[0] - scrolled
        self._column = start[1]
        self._text = text
        self._wanted = text
        self._composer = composer

    def read(self, collapsed_ok: bool) -> EchoReading:
        composer = self._composer
        candidates: list[list[str]] = []
        if composer is not None and composer.text:
            candidates.append(composer.text.split("\n"))
        candidates.extend(self._terminal_rows())
        best: EchoReading | None = None
        for wanted in _spellings(self._text):
            self._wanted = wanted
            for rows in candidates:
                reading = self._compare(rows, collapsed_ok)
                if best is None or _RANK[reading.kind] > _RANK[best.kind]:
                    best = reading
                if best.kind is EchoKind.FULL:
                    return best
        if best is None:
            return _reading(EchoKind.NONE, "", "nothing is seen where the text was typed")
        return best

    def _terminal_rows(self) -> list[list[str]]:
        """Rows from the start to the cursor; once more without prompts at the right edge."""
        y, x = self._fields.cursor_y, self._fields.cursor_x
        first, column = self._row, self._column
        if first < 0:
            first, column = 0, 0
        if y < first or (y == first and x < column):
            return []
        rows = []
        cut = []
        for row in range(first, y + 1):
            begin = column if row == first else 0
            if row == y:
                rows.append(self._grid.slice(row, begin, x))
            elif self._grid.is_full(row):
                rows.append(self._grid.wrapped(row, begin))
            else:
                rows.append(self._grid.slice(row, begin))
            at_edge = row != y and self._grid.row_width(row) >= self._fields.width - 2
            cut.append(_RIGHT_PROMPT.sub("", rows[-1]) if at_edge else rows[-1])
        candidates = [rows] if cut == rows else [rows, cut]
        begin = column if y == first else 0
        if (whole := self._whole_last_row(begin, rows[-1])) is not None:
            candidates += [[*other[:-1], whole] for other in candidates]
        return candidates

    def _whole_last_row(self, begin: int, left: str) -> str | None:
        """The cursor's row to its end, where the cursor may be at its end by tmux's count."""
        x, y = self._fields.cursor_x, self._fields.cursor_y
        slack = _unsure_cells(self._grid.slice(y, begin))
        if not slack or self._grid.row_width(y) - x > slack:
            return None
        whole = self._grid.slice(y, begin)
        return whole if whole != left.rstrip() else None

    def _compare(self, rows: list[str], collapsed_ok: bool) -> EchoReading:
        seen = "\n".join(rows).strip("\n")
        if not seen.strip():
            return _reading(EchoKind.NONE, "", "nothing is seen where the text was typed")
        normal = [_normal(row) for row in rows]
        matched, complete, rest = _walk(normal, self._wanted)
        length = len(self._wanted)
        if complete and matched >= length:
            line_break = len(rows) > 1 and not rows[-1].strip() and not self._text.endswith("\n")
            return _reading(EchoKind.FULL, seen, "all of the text is seen", line_break=line_break)
        if self._is_collapsed(seen, collapsed_ok):
            return _reading(EchoKind.COLLAPSED, seen, f"a placeholder is seen: {seen.strip()!r}")
        part = self._part_matches(normal)
        if part is EchoKind.FULL:
            words = "the end of the text is seen, its beginning has scrolled away"
            return _reading(part, seen, words, tail_only=True)
        if part is EchoKind.PARTIAL:
            words = "a middle part of the text is seen, its beginning has scrolled away"
            return _reading(part, seen, words, tail_only=True)
        if complete:
            return _reading(
                EchoKind.PARTIAL, seen, f"{matched} of {length} characters of the text are seen"
            )
        return _reading(
            EchoKind.DIFFERS,
            seen,
            f"the text on screen differs behind {matched} characters: {rest[:40]!r}",
        )

    def _is_collapsed(self, seen: str, collapsed_ok: bool) -> bool:
        if not collapsed_ok:
            return False
        if self._composer is not None and self._composer.collapsed:
            return True
        stripped = seen.strip()
        large = len(self._text) >= _COLLAPSES_FROM or "\n" in self._text
        bracketed = stripped.startswith("[") and stripped.endswith("]") and "\n" not in stripped
        return large and bracketed and any(c.isdigit() for c in stripped) and len(stripped) <= 80

    def _part_matches(self, rows: list[str]) -> EchoKind:
        """Whether the rows are the end, or a part, of a text too long for the screen."""
        if not self._too_long(len(rows)):
            return EchoKind.NONE
        wanted = _squashed(self._wanted)
        found = EchoKind.NONE
        for skipped in (0, 1):  # The first row may hold the editor's own mark for "more above".
            seen = _squashed("".join(rows[skipped:]))
            if _MIN_TAIL <= len(seen) < len(wanted):
                if wanted.endswith(seen):
                    whole = self._row < 0 or self._is_last_rows(rows[skipped:], len(seen))
                    return EchoKind.FULL if whole else EchoKind.NONE
                if seen in wanted:
                    found = EchoKind.PARTIAL
        if self._skips_to_last_line(rows):
            return EchoKind.FULL
        return found

    def _skips_to_last_line(self, rows: list[str]) -> bool:
        """Whether a whole screen of the text and then its last line are seen.

        Readline shows a text of more lines than the screen so: the first screenful, then the
        last line, where the cursor is.
        """
        *upper, last = self._wanted.split("\n")
        n_last = 1 + max(0, cells(last) - 1) // max(1, self._fields.width)
        head, tail = _squashed("".join(rows[:-n_last])), _squashed("".join(rows[-n_last:]))
        full = self._row < 0 and len(rows) == self._fields.height
        return full and bool(head) and head in _squashed("".join(upper)) and tail == _squashed(last)

    def _is_last_rows(self, rows: list[str], n_seen: int) -> bool:
        """Whether the rows begin where the whole text has a row break: none of it is lost."""
        at = len(self._wanted)
        for character in reversed(self._wanted):
            if n_seen == 0:
                break
            at -= 1
            n_seen -= not character.isspace()
        return begins_a_row(rows, self._wanted, at, indent=self._column)

    def _too_long(self, n_rows: int) -> bool:
        """Whether a part of the text must be out of sight."""
        if self._row < 0:
            return True
        width = max(1, self._fields.width)
        lines = self._text.split("\n")
        needed = sum(1 + (max(0, cells(line) - 1)) // width for line in lines)
        if needed >= self._fields.height:
            return True
        return n_rows >= _MIN_TAIL_ROWS and needed > n_rows


_RANK = {
    EchoKind.NONE: 0,
    EchoKind.DIFFERS: 1,
    EchoKind.PARTIAL: 2,
    EchoKind.COLLAPSED: 3,
    EchoKind.FULL: 4,
}


def _walk(rows: list[str], wanted: str) -> tuple[int, bool, str]:
    """Match rows against a text.

    Returns:
        How many of its characters were matched, whether all rows matched, and the
        rest of the row that did not.

    """
    at = 0
    for number, row in enumerate(rows):
        first, last = number == 0, number == len(rows) - 1
        ok, end, rest = _walk_row(row if first else row.lstrip(), wanted, at)
        if not ok and not first:
            ok, end, rest = _walk_row(row, wanted, at)
        if not ok:
            return end, False, rest
        at = end
        if not last or not wanted[at:].strip():
            drawn = not last and rows[number + 1].lstrip().startswith(_DRAWN_TAB)
            while at < len(wanted) and wanted[at].isspace():
                if drawn and wanted[at] == "\t":
                    break
                at += 1
    return at, True, ""


def _walk_row(row: str, wanted: str, at: int) -> tuple[bool, int, str]:
    index, end = 0, len(row.rstrip())
    while index < end:
        if at >= len(wanted):
            return False, at, row[index:end]
        want = wanted[at]
        if want == "\t":
            while index < end and row[index] == " ":
                index += 1
            if row.startswith(_DRAWN_TAB, index):
                index += 2
            at += 1
        elif want == "\n":
            if row[index] in _BREAK_GLYPHS:
                index += 1
            elif row[index] != " ":
                return False, at, row[index:end]
            while index < end and row[index] == " ":
                index += 1
            at += 1
        elif row[index] == want:
            index += 1
            at += 1
        else:
            return False, at, row[index:end]
    # Blanks at the row's end that the text has too.
    while index < len(row) and at < len(wanted) and wanted[at] == " ":
        index += 1
        at += 1
    return True, at, ""


def _normal(text: str) -> str:
    composed = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    if composed.isascii():
        return composed
    composed = composed.replace("\xa0", " ")
    return "".join(character for character in composed if not _is_mark(character))


def _spellings(text: str) -> list[str]:
    """How a text may be shown: composed, or (zsh) with its zero-width characters in hex."""
    normal = _normal(text)
    if text.isascii() or not any(_is_mark(character) for character in text):
        return [normal]
    spelled = "".join(f"<{ord(c):04x}>" if _is_mark(c) else c for c in text)
    return [normal, spelled]


def _is_mark(character: str) -> bool:
    return not character.isascii() and unicodedata.category(character) in ("Mn", "Me", "Cf")


def _squashed(text: str) -> str:
    return "".join(text.split())


def _unsure_cells(text: str) -> int:
    """By how many cells versions of tmux and of width tables may differ about the text."""
    if text.isascii():
        return 0
    unsure = sum(unicodedata.category(c) in ("Mn", "Cf", "Sk") or ord(c) > 0x1F000 for c in text)
    return 2 * unsure


def _reading(
    kind: EchoKind, seen: str, words: str, *, tail_only: bool = False, line_break: bool = False
) -> EchoReading:
    return EchoReading(
        kind=kind, seen=seen, words=words, tail_only=tail_only, line_break=line_break
    )

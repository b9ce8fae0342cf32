"""Where a program takes typed text, and what stands in it already."""

from panegate.panes.facts import ComposerReading, PaneFields
from panegate.screen.applications import is_application, is_finder
from panegate.screen.boxes import find_box
from panegate.screen.grid import Grid
from panegate.screen.layout import Layout
from panegate.screen.profile import Family, Pattern, Profile

__all__ = ["find_composer"]

_ROWS_BACK = 200
_RPROMPT_GAP = 2


def find_composer(
    grid: Grid,
    fields: PaneFields,
    profile: Profile,
    *,
    learned: tuple[str, int] | None = None,
    learned_row: int | None = None,
    reader: str = "",
) -> ComposerReading | None:
    """Find the program's input area on the screen.

    Line editors (shells, REPLs, line readers) are found by their prompt text left of
    the cursor; full-screen programs by a caret glyph or the borders of a box. A menu's
    highlighted row is never taken for an input area.

    Args:
        grid: The screen.
        fields: For the cursor and the foreground command.
        profile: Prompts, glyphs, hints.
        learned: A shell's prompt text as seen at its last prompt cycle, and the column
            where its input begins. It outweighs the profile's patterns.
        learned_row: The row that prompt stands on now, while its line editor still has
            the line: everything from there to the cursor is input, also several lines.
            Not on the screen, or below the cursor, where it is out of sight.
        reader: Name of the process that reads the terminal, where the kernel tells.

    """
    by_name = profile.family is not Family.COMPOSER
    if is_application(grid, fields, by_name=by_name, reader=reader):
        return None
    if by_name and is_finder(fields, reader):
        return None
    if profile.prompts or learned is not None or profile.at_empty_row:
        found = _LineReader(grid, fields, profile, learned, learned_row).read()
        if found is not None:
            return found
    if profile.family in (Family.COMPOSER, Family.UNKNOWN):
        return find_box(Layout(grid), fields, profile)
    if profile.family is Family.LINES and profile.reads_lines and not profile.prompts:
        return find_box(Layout(grid), fields, profile)
    return None


class _LineReader:
    """Reads a line editor's input up from the cursor's row."""

    def __init__(
        self,
        grid: Grid,
        fields: PaneFields,
        profile: Profile,
        learned: tuple[str, int] | None,
        learned_row: int | None,
    ) -> None:
        self._grid = grid
        self._x = fields.cursor_x
        self._y = fields.cursor_y
        self._profile = profile
        self._learned = learned
        self._learned_row = learned_row

    def read(self) -> ComposerReading | None:
        """Return the reading, or None when no prompt text leads to the cursor."""
        if (known := self._from_learned_row()) is not None:
            return known
        starts: list[tuple[int, int]] = []  # rows that begin a line of input, lowest first
        row = self._y
        while row >= 0 and self._y - row < _ROWS_BACK:
            column = self._prompt_end(row)
            if column is not None:
                starts.append((row, column))
                return self._reading(row, column, starts[::-1])
            column = self._matched(row, self._profile.continuations)
            if column is not None:
                starts.append((row, column))
            elif row == 0 or not self._nearly_full(row - 1):
                break
            row -= 1
        if starts:
            first, column = starts[-1]
            return self._reading(first, column, starts[::-1])
        return self._below_learned_row() or self._at_empty_row()

    def _from_learned_row(self) -> ComposerReading | None:
        """Everything from the known prompt to the cursor is input."""
        first, learned = self._learned_row, self._learned
        if first is None or learned is None or not 0 <= first <= self._y:
            return None
        column = self._prompt_end(first)
        if column != learned[1]:
            return None
        return self._joined(first, column)

    def _below_learned_row(self) -> ComposerReading | None:
        """Everything up to the cursor is input of a prompt that has scrolled out of sight."""
        if self._learned_row is None or 0 <= self._learned_row <= self._y:
            return None
        if not any(self._grid.text(row) for row in range(self._y + 1)):
            # cleared: readline leaves the prompt out of sight and the cursor where it was
            return self._reading(self._y, self._x, [(self._y, self._x)])
        return self._joined(0, 0)

    def _joined(self, first: int, column: int) -> ComposerReading:
        rows = range(first + 1, self._y + 1)
        lines = [(row, 0) for row in rows if not self._nearly_full(row - 1)]
        return self._reading(first, column, [(first, column), *lines])

    def _at_empty_row(self) -> ComposerReading | None:
        empty = self._x == 0 and not self._grid.text(self._y)
        if not (self._profile.at_empty_row and empty):
            return None
        return ComposerReading(row=self._y, column=0, last_row=self._y, text="")

    def _prompt_end(self, row: int) -> int | None:
        """The column behind the prompt text the row begins with."""
        if self._learned is not None:
            prompt, column = self._learned
            fits = row != self._y or self._x >= column
            seen = self._grid.slice(row, 0, column)
            if prompt.strip() and fits and seen.rstrip() == prompt.rstrip():
                return column
        return self._matched(row, self._profile.prompts)

    def _matched(self, row: int, patterns: tuple[Pattern, ...]) -> int | None:
        """The longest prefix of the row that one of the patterns matches whole."""
        limit = self._x if row == self._y else self._grid.width
        text = self._grid.slice(row, 0, limit)
        longest = -1
        for pattern in patterns:
            if pattern.match(text) is None:
                continue
            for end in range(len(text), longest, -1):
                if pattern.fullmatch(text, 0, end) is not None:
                    longest = end
                    break
        return None if longest < 0 else self._grid.column_of(row, longest)

    def _nearly_full(self, row: int) -> bool:
        return self._grid.row_width(row) >= self._grid.width - 1

    def _reading(self, row: int, column: int, starts: list[tuple[int, int]]) -> ComposerReading:
        last = self._y
        hint = ""
        begins = dict(starts)
        lines: list[str] = []
        for at in range(row, self._y + 1):
            begin = begins.get(at)
            if at == self._y:
                text, hint, last = self._cursor_row(begin or 0)
            elif at + 1 in begins:
                text = self._grid.slice(at, begin or 0)
            else:
                text = self._grid.wrapped(at, begin or 0)
            if begin is not None or not lines:
                lines.append(text)
            else:
                lines[-1] += text
        text = "\n".join(lines)
        return ComposerReading(
            row=row,
            column=column,
            last_row=last,
            text=text if text.strip() or len(lines) > 1 else "",
            hint=hint,
            prompt_text=self._grid.slice(row, 0, column),
            collapsed=any(p.search(text) for p in self._profile.composer.collapsed),
        )

    def _cursor_row(self, begin: int) -> tuple[str, str, int]:
        """Typed text and hint of the cursor's row and those it wraps into; the last row."""
        grid, row = self._grid, self._y
        left = grid.slice(row, begin, self._x)
        right = grid.slice(row, self._x)
        if not right:
            return left.rstrip() if not left.strip() else left, "", row
        if self._is_hint(right):
            return left if left.strip() else "", right.strip(), row
        text, hint = self._split_faint(row)
        last = row
        while not hint and grid.is_full(last) and last < grid.last_row:
            last += 1
            text += grid.slice(last, 0)
        return left + text, hint, last

    def _is_hint(self, right: str) -> bool:
        """Whether what stands right of the cursor was not typed."""
        row, at = self._y, self._x
        stripped = right.lstrip()
        first = at + len(right) - len(stripped)
        if self._grid.style(row, first).faint:
            return True
        at_edge = self._grid.row_width(row) >= self._grid.width - 2
        return self._profile.family is Family.SHELL and first - at >= _RPROMPT_GAP and at_edge

    def _split_faint(self, row: int) -> tuple[str, str]:
        """Split what is right of the cursor at the first faint run."""
        for run in self._grid.runs(row):
            if run.start > self._x and run.style.faint:
                hint = self._grid.slice(row, run.start)
                if hint.strip():
                    return self._grid.slice(row, self._x, run.start).rstrip(), hint.strip()
        return self._grid.slice(row, self._x), ""

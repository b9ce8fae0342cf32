"""Input boxes of full-screen and inline programs: a caret glyph, a frame, or both."""

import re

import attrs

from panegate.panes.facts import ComposerReading, PaneFields
from panegate.screen.layout import Layout, RowView, asks, invites_key
from panegate.screen.options import option_label
from panegate.screen.pickers import count_beside, list_beside
from panegate.screen.profile import Family, Profile

__all__ = ["DEFAULT_GLYPHS", "caret_cell", "find_box"]

DEFAULT_GLYPHS = (">", "❯", "›", "»", "▌", "$", "%", "#", "λ", "→")
"""Glyphs that stand before an input in programs that nothing is known about."""
_BARS = frozenset("┃│▌▎▍|")
_BLANKS = " \xa0"
_ANSWERED = (">", "❯", "›", "»")
"""Glyphs that also stand between a question and its answer (``Name? › ``)."""
_ASKED = re.compile(r"(?:[?？؟]|[:：]\s)\s*\Z")
_ROWS_BACK = 60
_ROWS_BELOW_UNKNOWN = 4
_ROWS_BELOW_HIDDEN = 14
_ROWS_OF_BOX = 10
"""A frame around more rows than this is around a whole screen."""


@attrs.frozen(slots=True)
class _Area:
    """Candidate input rows, and the column where their text begins."""

    first: int
    last: int
    column: int
    glyph_column: int | None
    framed: bool
    bar: bool = False


@attrs.frozen(slots=True)
class _Caret:
    row: int
    column: int
    drawn: bool
    """A reverse cell; otherwise the terminal's cursor."""


def caret_cell(layout: Layout, row: int, start: int, end: int) -> int | None:
    """Return the column of a lone reverse cell between two columns of a row, or None."""
    found = None
    for run in layout.grid.runs(row):
        if run.style.reverse and start <= run.start < end:
            width = run.end - run.start
            wide = width == 2 and len(layout.grid.slice(row, run.start, run.end)) == 1
            if found is not None or not (width == 1 or wide):
                return None
            found = run.start
    return found


def find_box(layout: Layout, fields: PaneFields, profile: Profile) -> ComposerReading | None:
    """Return the input box of a program with one, or None.

    Programs without a profile need a caret glyph, and must show nothing of a question
    around it.
    """
    unknown = profile.family is not Family.COMPOSER
    return _BoxReader(layout, fields, profile, unknown).read()


class _BoxReader:
    def __init__(self, layout: Layout, fields: PaneFields, profile: Profile, unknown: bool) -> None:
        self._layout = layout
        self._grid = layout.grid
        self._fields = fields
        self._profile = profile
        self._unknown = unknown
        self._glyphs = profile.composer.glyphs or DEFAULT_GLYPHS

    def read(self) -> ComposerReading | None:
        """Return the reading of the first candidate that holds."""
        fields = self._fields
        if fields.cursor_shown:
            area = self._around_cursor()
            caret = _Caret(fields.cursor_y, fields.cursor_x, False)
            if area is not None and self._holds(area, caret):
                return self._reading(area, caret)
            return None
        return self._hidden()

    def _around_cursor(self) -> _Area | None:
        """The area that the shown cursor stands in."""
        y, x = self._fields.cursor_y, self._fields.cursor_x
        for row in range(y, max(-1, y - _ROWS_BACK), -1):
            view = self._layout.view(row)
            if view.rule:
                return self._framed_area(row + 1, y)
            area = self._glyph_area(row, x if row == y else None)
            if area is not None:
                return area if self._continues(area, y) else None
            if row == y:
                area = self._middle_area(row, x) or self._named_area(row, x)
                if area is not None:
                    return area
            if view.blank and not view.boxed and row != y and self._unknown:
                return None
        return None

    def _hidden(self) -> ComposerReading | None:
        """Search upwards: the caret is a reverse cell, or the box speaks for itself."""
        grid, fields = self._grid, self._fields
        for row in range(grid.last_row, max(-1, grid.last_row - _ROWS_BACK), -1):
            area = self._glyph_area(row, None) or self._bare_area(row)
            if area is None:
                continue
            area = attrs.evolve(area, last=self._bottom(area))
            caret = self._drawn_caret(area)
            parked = area.first <= fields.cursor_y <= area.last and fields.cursor_x >= area.column
            if caret is None and parked:
                caret = _Caret(fields.cursor_y, fields.cursor_x, False)
            if self._holds(area, caret):
                reading = self._reading(area, caret)
                if caret is not None or (area.framed and not reading.text):
                    return reading
        return None

    def _glyph_area(self, row: int, cursor_x: int | None) -> _Area | None:
        """An area whose first row begins with a glyph and a blank."""
        view = self._layout.view(row)
        raw = self._grid.text(row).lstrip()
        bar = next((g for g in self._profile.composer.glyphs if g in _BARS), None)
        if bar is not None and raw.startswith(bar):
            return self._bar_area(row, bar, cursor_x)
        for glyph in self._glyphs:
            if not view.text.startswith(glyph):
                continue
            behind = view.text[len(glyph) : len(glyph) + 1]
            if behind and behind not in _BLANKS:
                continue
            column = view.column + len(glyph) + 1
            if cursor_x is not None and cursor_x < column:
                continue
            framed = self._layout.view(row - 1).rule
            area = _Area(row, max(row, self._row_limit()), column, view.column, framed)
            return attrs.evolve(area, last=self._bottom(area))
        return None

    def _row_limit(self) -> int:
        return self._fields.cursor_y if self._fields.cursor_shown else 0

    def _bar_area(self, row: int, bar: str, cursor_x: int | None) -> _Area | None:
        """An area marked by a bar on each of its rows: the block around the cursor."""
        layout, grid = self._layout, self._grid
        at = self._fields.cursor_y
        if row != at or (cursor_x is None and not layout.view(row).text):
            return None
        first = last = row

        def filled(candidate: int) -> bool:
            text = grid.text(candidate).lstrip()
            return text.startswith(bar) and bool(text[len(bar) :].strip())

        while filled(first - 1) and filled(row):
            first -= 1
        while filled(last + 1) and filled(row):
            last += 1
        text = grid.text(first)
        bar_column = grid.column_of(first, len(text) - len(text.lstrip()))
        begins = [
            layout.view(each).column for each in range(first, last + 1) if layout.view(each).text
        ]
        column = min([*begins, self._fields.cursor_x])
        if column <= bar_column:
            return None
        return _Area(first, last, column, bar_column, False, bar=True)

    def _middle_area(self, row: int, x: int) -> _Area | None:
        """A glyph further right on the cursor's row: ``~/project main > text``."""
        text = self._grid.slice(row, 0, x)
        ends: list[int] = []
        for glyph in self._glyphs:
            if glyph in _BARS:
                continue
            for found in re.finditer(f"{re.escape(glyph)}[{_BLANKS}]", text):
                before = text[: found.start()]
                if before.strip() and _may_end_prompt(before, glyph):
                    ends.append(found.end())
        if not ends:
            return None
        immediate = self._grid.index_of(row, x)
        end = immediate if immediate in ends else min(ends)
        if self._unknown and text[end - 2] in _ANSWERED and _ASKED.search(text[: end - 2]):
            return None
        column = self._grid.column_of(row, end)
        area = _Area(row, row, column, None, False)
        last = row
        while self._grid.is_full(last) and last < self._grid.last_row:
            last += 1
        return attrs.evolve(area, last=last)

    def _named_area(self, row: int, x: int) -> _Area | None:
        """A prompt made of the program's own name: ``(gdb) text``."""
        name = self._fields.command
        if not self._unknown or self._fields.alternate_on or not name:
            return None
        prompt = re.compile(rf"(?:\({re.escape(name)}\)|\[{re.escape(name)}\])[>#$%]?[{_BLANKS}]")
        found = prompt.match(self._grid.slice(row, 0, x))
        if found is None:
            return None
        last = row
        while self._grid.is_full(last) and last < self._grid.last_row:
            last += 1
        return _Area(row, last, found.end(), None, False)

    def _framed_area(self, first: int, y: int) -> _Area | None:
        """The rows between two rules, for programs with a profile but no glyph."""
        if self._unknown or self._profile.composer.glyphs or first > y:
            return None
        area = _Area(first, y, self._first_column(first), None, True)
        area = attrs.evolve(area, last=self._bottom(area))
        return area if self._layout.view(area.last + 1).rule else None

    def _bare_area(self, row: int) -> _Area | None:
        if not self._layout.view(row - 1).rule or self._layout.view(row).rule:
            return None
        return self._framed_area(row, row)

    def _first_column(self, row: int) -> int:
        view = self._layout.view(row)
        column = view.column if view.text else 0
        shown = self._fields.cursor_y == row and self._fields.cursor_x
        return min(column, shown) if shown else column

    def _bottom(self, area: _Area) -> int:
        """The last row of the input area."""
        layout = self._layout
        last = area.first
        if area.bar:
            return area.last
        boxed = layout.view(area.first).boxed
        for row in range(area.first + 1, self._grid.height):
            view = layout.view(row)
            if view.rule:
                return row - 1 if (area.framed or boxed) else last
            if boxed and not view.boxed:
                break
            if view.text and not self._continuation(view, area):
                break
            if not view.text and not (area.framed or boxed or row <= self._row_limit()):
                break
            if not boxed and not area.framed and row > self._row_limit() and layout.hint(row):
                break
            if view.text or row <= self._row_limit():
                last = row
        if area.framed and not boxed:
            return max(last, area.first)
        return last

    def _continuation(self, view: RowView, area: _Area) -> bool:
        if view.column >= area.column:
            return True
        wrapped = self._grid.is_full(view.row - 1) and view.column == 0
        return wrapped and not view.boxed

    def _continues(self, area: _Area, y: int) -> bool:
        """Whether the rows from the glyph to the cursor are one input."""
        return all(
            self._layout.view(row).blank or self._continuation(self._layout.view(row), area)
            for row in range(area.first + 1, y + 1)
        ) and (area.last >= y)

    def _drawn_caret(self, area: _Area) -> _Caret | None:
        for row in range(area.first, area.last + 1):
            column = caret_cell(self._layout, row, area.column - 1, self._grid.width)
            if column is not None:
                return _Caret(row, column, True)
        return None

    def _holds(self, area: _Area, caret: _Caret | None) -> bool:
        """Whether nothing speaks against this area being where text goes."""
        closed = self._layout.view(area.last + 1).rule
        below = [
            row
            for row in range(area.last + 1, self._grid.last_row + 1)
            if not self._layout.view(row).rule and self._layout.view(row).text
        ]
        if self._menu_like(area, caret):
            return False
        if not self._unknown:
            return self._fields.cursor_shown or len(below) <= _ROWS_BELOW_HIDDEN
        if len(below) > _ROWS_BELOW_UNKNOWN or any(self._picks(row) for row in below):
            return False
        if area.framed and closed:
            return True
        if not self._fields.cursor_shown:
            return self._layout.view(area.first).boxed
        above = self._layout.view(area.first - 1)
        starts = self._grid.text(area.first)[:1] in _ANSWERED
        return not (starts and above.text and (asks(above.text) or invites_key(above.text)))

    def _picks(self, row: int) -> bool:
        """Whether a row below looks like a picker's count or selection."""
        return re.match(r"\s*\d+/\d+", self._grid.text(row)) is not None

    def _finds(self, area: _Area) -> bool:
        """Whether what is typed there picks from a list, or an empty screen tells nothing."""
        alternate, row = self._fields.alternate_on, area.first
        if count_beside(self._layout, row) is not None:
            return True
        if list_beside(self._layout, row, alternate=alternate) is not None:
            return True
        others = (at for at in range(self._grid.height) if at != row)
        alone = not any(self._layout.view(at).text for at in others)
        closed = area.framed and self._layout.view(area.last + 1).rule
        box = closed and area.last - area.first < _ROWS_OF_BOX
        return alternate and alone and not box

    def _menu_like(self, area: _Area, caret: _Caret | None) -> bool:
        """Whether the glyph marks a menu's highlighted row instead of an input."""
        if area.glyph_column is None or area.bar:
            return False
        layout = self._layout
        first = layout.view(area.first)
        behind = first.text[area.column - first.column :].strip() if first.text else ""
        label_column = (
            area.column
            + len(first.text[area.column - first.column :])
            - len(first.text[area.column - first.column :].lstrip())
        )
        numbered = option_label(behind) is not None
        above, below = layout.view(area.first - 1), layout.view(area.first + 1)
        aligned = [
            view
            for view in (above, below)
            if view.text and view.column in (area.column, label_column)
        ]
        if self._unknown and self._finds(area):
            return True
        if not aligned:
            return numbered and above.text != "" and self._unknown
        siblings_numbered = any(option_label(view.text) is not None for view in aligned)
        enclosed = above.rule and layout.view(area.last + 1).rule
        at_end = caret is not None and (
            caret.drawn or caret.column >= self._grid.row_width(caret.row)
        )
        plain = not above.text
        if not self._unknown:
            return not (enclosed or (plain and at_end))
        return not (enclosed and at_end and not (numbered and siblings_numbered))

    def _reading(self, area: _Area, caret: _Caret | None) -> ComposerReading:
        typed: list[str] = []
        hints: list[str] = []
        for row in range(area.first, area.last + 1):
            text, hint = self._row_text(row, area, caret)
            if typed and not self._layout.view(row).boxed and self._runs_on(row - 1):
                typed[-1] += text
            else:
                typed.append(text)
            if hint.strip():
                hints.append(hint.strip())
        keep = 0 if caret is None else caret.row - area.first + 1
        while len(typed) > max(1, keep) and not typed[-1].strip():
            typed.pop()
        text = "\n".join(typed)
        at_start = caret is None or (caret.row == area.first and caret.column <= area.column)
        if at_start and text and self._hinted(text):
            hints.insert(0, text.strip())
            text = ""
        if not text.strip() and at_start:
            text = ""
        return ComposerReading(
            row=area.first,
            column=area.column,
            last_row=area.last,
            text=text,
            hint=" ".join(hints),
            prompt_text=self._grid.slice(area.first, 0, area.column),
            collapsed=any(p.search(text) for p in self._profile.composer.collapsed),
        )

    def _runs_on(self, row: int) -> bool:
        return self._grid.is_full(row) and self._layout.view(row + 1).column == 0

    def _hinted(self, text: str) -> bool:
        joined = " ".join(text.split())
        return any(
            p.fullmatch(joined) or p.fullmatch(text.strip()) for p in self._profile.composer.hints
        )

    def _row_text(self, row: int, area: _Area, caret: _Caret | None) -> tuple[str, str]:
        """Typed text and hint text of one row of the area."""
        grid = self._grid
        view = self._layout.view(row)
        if view.blank:
            return "", ""
        start = area.column if row == area.first or view.column >= area.column else 0
        end = view.end
        typed, hint = "", ""
        runs = [run for run in grid.runs(row) if run.end > start and run.start < end]
        for index, run in enumerate(runs):
            first, last = max(run.start, start), min(run.end, end)
            cells = grid.slice(row, first, last)
            on_caret = (
                caret is not None and caret.row == row and run.start <= caret.column < run.end
            )
            before = caret is not None and (row, last) <= (caret.row, caret.column)
            faint = run.style.faint and not before
            if on_caret and caret is not None and caret.drawn:
                following = runs[index + 1 : index + 2]
                faint = run.style.faint or bool(following and following[0].style.faint)
                faint = faint and bool(hint or not typed.strip() or following[0].style.faint)
            if faint and not hint and last <= first:
                continue
            if faint or (hint and not before):
                hint += cells
            else:
                typed += cells
        return typed.replace("\xa0", " ").rstrip(), hint


def _may_end_prompt(before: str, glyph: str) -> bool:
    """Whether text before a glyph in mid-row can be a prompt's."""
    last = before[-1]
    if glyph == "%":
        return not last.isdigit()
    if glyph == ">":
        return last not in "-=<" and "<" not in before
    return True

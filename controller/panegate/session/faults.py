"""Fault sentences on a program's own error rows.

Rows are read at looks, and those that went through the history between two looks from the
history. A sentence counts where a whole row is that sentence and nothing else (wrapped rows
joined): quoted, listed, indented or inside prose it is text. What is seen again at the next
look is the same fault, not another one.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

import attrs

from panegate.screen.grid import DEFAULT_STYLE, Grid
from panegate.screen.profile import FaultRule
from panegate.screen.wrapping import cells
from panegate.session.outcome_facts import FaultMatch
from panegate.session.resets import read_reset
from panegate.terms import FaultKind

__all__ = ["FaultReader", "FoundRow", "fault_rows"]

_MAX_ROWS: Final = 4
_KEPT: Final = 64


@attrs.frozen
class FoundRow:
    """A row that is a fault sentence."""

    row: int
    """Row of the grid."""
    kind: FaultKind
    text: str
    """Rows that it is wrapped over are joined by a blank."""


def fault_rows(
    grid: Grid, rules: Sequence[FaultRule], *, without: tuple[int, int] | None = None
) -> Iterator[FoundRow]:
    """Yield the rows of a grid that are fault sentences, from above.

    Args:
        grid: The rows.
        rules: The program's.
        without: First and last row of its input area, where text is somebody's draft.

    """
    row = 0
    while row <= grid.last_row:
        if without is not None and without[0] <= row <= without[1]:
            row += 1
            continue
        found = _read(grid, row, rules)
        if found is None:
            row += 1
            continue
        yield found[0]
        row += found[1]


def _read(grid: Grid, row: int, rules: Sequence[FaultRule]) -> tuple[FoundRow, int] | None:
    """The sentence that begins at *row*, and how many rows it takes."""
    best: tuple[FoundRow, int] | None = None
    for text, n_rows in _joined(grid, row):
        if n_rows > 1 and _rule_of(grid, row + n_rows - 1, grid.text(row + n_rows - 1), rules):
            break  # another one begins there
        rule = _rule_of(grid, row, text, rules)
        if rule is not None:
            best = FoundRow(row, rule.kind, text), n_rows
    return best


def _rule_of(grid: Grid, row: int, text: str, rules: Sequence[FaultRule]) -> FaultRule | None:
    for rule in rules:
        if rule.pattern.fullmatch(text) is not None:
            if not rule.coloured or _is_coloured(grid, row):
                return rule
    return None


def _joined(grid: Grid, row: int) -> Iterator[tuple[str, int]]:
    """The row's text alone, then with each further row that it can be wrapped over."""
    text = grid.text(row)
    if not text.strip():
        return
    yield text, 1
    for n_rows in range(2, _MAX_ROWS + 1):
        last, following = row + n_rows - 2, grid.text(row + n_rows - 1).strip()
        if not following:
            return
        if grid.is_full(last):
            text = text + following if grid.text(last)[-1:] != " " else f"{text} {following}"
        elif _breaks_at_a_word(grid, last, following.split()[0]):
            text = f"{text} {following}"
        else:
            return  # the next word would have had room: it is another sentence
        yield text, n_rows


def _breaks_at_a_word(grid: Grid, row: int, next_word: str) -> bool:
    """Tell whether a row may end where it does because the next word had no room: no border."""
    used = grid.row_width(row)
    worded = any(map(str.isalnum, next_word)) and 2 * used >= grid.width
    return worded and used + 1 + cells(next_word) > grid.width


def _is_coloured(grid: Grid, row: int) -> bool:
    """Tell whether the row's last word has a colour of its own."""
    end = grid.row_width(row)
    return end > 0 and grid.style(row, end - 1).fg != DEFAULT_STYLE.fg


@attrs.define
class _Sighting:
    kind: FaultKind
    text: str
    row: int
    turn: int


@attrs.define(kw_only=True)
class FaultReader:
    """Finds what is new among the fault sentences of one pane."""

    rules: tuple[FaultRule, ...]
    _shown: list[_Sighting] = attrs.field(factory=list, init=False)
    """On screen at the last look, from above."""
    _scrolled_off: list[_Sighting] = attrs.field(factory=list, init=False)

    def looked(
        self,
        grid: Grid,
        *,
        scrolled: int,
        without: tuple[int, int] | None,
        turn: int,
        offset: int,
        seen: datetime,
        at_s: float,
    ) -> list[FaultMatch]:
        """Read a screen; return the faults that were not there before.

        Args:
            grid: The visible rows.
            scrolled: Rows that have left the screen so far.
            without: See `fault_rows`.
            turn: Turn that is open, or the last one.
            offset: Bytes of output so far.
            seen: The time of day, for what it says about a reset.
            at_s: When the screen was read.

        """
        if not self.rules:
            return []
        gone = [s for s in self._shown if s.row < scrolled]
        self._scrolled_off = [*self._scrolled_off, *gone][-_KEPT:]
        before = [s for s in self._shown if s.row >= scrolled]
        now = [
            _Sighting(found.kind, found.text, scrolled + found.row, turn)
            for found in fault_rows(grid, self.rules, without=without)
        ]
        known = _n_known(before, now, turn)
        for old, same in zip(before[len(before) - known :], now, strict=False):
            same.turn = old.turn
        self._shown = now
        return [_match(s, offset, seen, at_s) for s in now[known:]]

    def history(
        self, grid: Grid, *, first_row: int, turn: int, offset: int, seen: datetime, at_s: float
    ) -> list[FaultMatch]:
        """Read rows that went through the history since the last look; return what is new.

        Args:
            grid: The rows.
            first_row: Number of the first of them, counted from the start of the history.
            turn: As for `looked`; so are the rest.
            offset: Bytes of output so far.
            seen: The time of day.
            at_s: When the look that found them gone was taken.

        """
        known = {(s.row, s.kind) for s in (*self._scrolled_off, *self._shown)}
        out = []
        for found in fault_rows(grid, self.rules):
            row = first_row + found.row
            if (row, found.kind) not in known:
                sighting = _Sighting(found.kind, found.text, row, turn)
                self._scrolled_off = [*self._scrolled_off, sighting][-_KEPT:]
                out.append(_match(sighting, offset, seen, at_s))
        return out


def _n_known(before: Sequence[_Sighting], now: Sequence[_Sighting], turn: int) -> int:
    """How many of *now*, from above, are the last ones of *before*."""
    for n in range(min(len(before), len(now)), 0, -1):
        pairs = zip(before[len(before) - n :], now, strict=False)
        if all(_is_same(old, new, turn) for old, new in pairs):
            return n
    return 0


def _is_same(old: _Sighting, new: _Sighting, turn: int) -> bool:
    # A new turn puts its message under what stood there: an old row does not sink then.
    sank = turn > old.turn and new.row > old.row
    # A row that is wrapped may not have shown its second half before.
    same = new.text.startswith(old.text) or old.text.startswith(new.text)
    return old.kind is new.kind and same and not sank


def _match(sighting: _Sighting, offset: int, seen: datetime, at_s: float) -> FaultMatch:
    limited = sighting.kind is FaultKind.LIMITED
    return FaultMatch(
        kind=sighting.kind,
        text=sighting.text,
        at_s=at_s,
        offset=offset,
        row=sighting.row,
        turn=sighting.turn,
        reset=read_reset(sighting.text, seen) if limited else None,
    )

"""A profile's row rules applied to named regions of the screen."""

from collections.abc import Iterable

import attrs

from panegate.panes.facts import ComposerReading, PaneFields
from panegate.screen.grid import Grid
from panegate.screen.profile import Region, RowRule

__all__ = ["TITLE_ROW", "RuleMatch", "first_match"]

TITLE_ROW = 1 << 30
"""The row of a match in the title: below everything on the screen."""
_LIVE_END_ROWS = 15
_ABOVE_ROWS = 8


@attrs.frozen(kw_only=True)
class RuleMatch:
    """A rule that found its pattern."""

    rule: RowRule
    row: int
    """Where; `TITLE_ROW` for the title."""
    text: str
    """The text of that row."""

    @property
    def words(self) -> str:
        """What was seen, for people."""
        place = "in the title" if self.row == TITLE_ROW else f"at row {self.row}"
        return f"{self.rule.words or repr(self.text.strip())} {place}"


def first_match(
    rules: Iterable[RowRule],
    grid: Grid,
    fields: PaneFields,
    composer: ComposerReading | None = None,
) -> RuleMatch | None:
    """Return the match of the first rule that matches, at its lowest row.

    Args:
        rules: In the order of the profile.
        grid: The screen.
        fields: For the cursor and the title.
        composer: For the regions around it; without one they are empty.

    """
    for rule in rules:
        for row, text in _region(rule.region, grid, fields, composer):
            if rule.pattern.search(text) is not None:
                return RuleMatch(rule=rule, row=row, text=text)
    return None


def _region(
    region: Region, grid: Grid, fields: PaneFields, composer: ComposerReading | None
) -> list[tuple[int, str]]:
    """The rows of a region with their texts, lowest first."""
    match region:
        case Region.TITLE:
            return [(TITLE_ROW, fields.title)]
        case Region.CURSOR_ROW:
            return [(fields.cursor_y, grid.slice(fields.cursor_y, 0, fields.cursor_x))]
        case Region.SCREEN:
            return _non_blank(grid, 0, grid.last_row)
        case Region.LIVE_END:
            return _non_blank(grid, 0, grid.last_row, _LIVE_END_ROWS)
        case Region.LAST_ROW:
            return _non_blank(grid, 0, grid.last_row, 1)
        case Region.ABOVE_COMPOSER:
            return [] if composer is None else _non_blank(grid, 0, composer.row - 1, _ABOVE_ROWS)
        case Region.BELOW_COMPOSER:
            if composer is None:
                return []
            return _non_blank(grid, composer.last_row + 1, grid.last_row)


def _non_blank(
    grid: Grid, first: int, last: int, limit: int | None = None
) -> list[tuple[int, str]]:
    rows: list[tuple[int, str]] = []
    for row in range(last, first - 1, -1):
        if limit is not None and len(rows) >= limit:
            break
        text = grid.text(row)
        if text:
            rows.append((row, text))
    return rows

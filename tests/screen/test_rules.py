"""Profile rules over named regions."""

import pytest
from tests.screen.building import look, rule

from panegate.panes.facts import ComposerReading
from panegate.screen.grid import Grid
from panegate.screen.profile import Region
from panegate.screen.rules import TITLE_ROW, first_match

ROWS = ["needle far", *[""] * 3, *(f"row {n}" for n in range(4, 20)), "> fix‸ needle", "last"]
SEEN = look(ROWS, title="⠋ needle")
COMPOSER = ComposerReading(row=20, column=2, last_row=20, text="fix needle")


@pytest.mark.parametrize(
    ("region", "pattern", "row"),
    [
        (Region.SCREEN, "needle far", 0),
        (Region.SCREEN, "needle", 20),
        (Region.LIVE_END, "needle far", None),
        (Region.LIVE_END, "row 7", 7),
        (Region.LIVE_END, "row 6", None),
        (Region.LAST_ROW, "last", 21),
        (Region.LAST_ROW, "fix", None),
        (Region.CURSOR_ROW, "fix", 20),
        (Region.CURSOR_ROW, "needle", None),
        (Region.TITLE, "needle", TITLE_ROW),
        (Region.TITLE, "row", None),
        (Region.ABOVE_COMPOSER, "row 12", 12),
        (Region.ABOVE_COMPOSER, "row 11", None),
        (Region.ABOVE_COMPOSER, "last", None),
        (Region.BELOW_COMPOSER, "last", 21),
        (Region.BELOW_COMPOSER, "fix", None),
    ],
)
def test_a_region_is_searched_and_nothing_else(
    region: Region, pattern: str, row: int | None
) -> None:
    match = first_match([rule(region, pattern)], Grid.from_look(SEEN), SEEN.fields, COMPOSER)
    assert (None if match is None else match.row) == row


def test_regions_around_a_composer_are_empty_without_one() -> None:
    rules = [rule(Region.ABOVE_COMPOSER, "."), rule(Region.BELOW_COMPOSER, ".")]
    assert first_match(rules, Grid.from_look(SEEN), SEEN.fields) is None


def test_the_first_rule_that_matches_wins_and_gives_its_words() -> None:
    rules = [rule(Region.SCREEN, "absent"), rule(Region.LAST_ROW, "last", words="the end")]
    match = first_match(rules, Grid.from_look(SEEN), SEEN.fields)
    assert match is not None
    assert match.words == "the end at row 21"

"""Fault sentences: whole rows of the program itself, and each of them once."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.screen.grid import Grid
from panegate.screen.profile import FaultRule
from panegate.session.faults import FaultReader, fault_rows
from panegate.session.outcome_facts import FaultMatch
from panegate.terms import FaultKind

WIDTH = 40
SEEN = datetime(2026, 3, 4, 16, 30, tzinfo=UTC)
ERROR = "✗ API error: the link broke"


def rule(pattern: str, kind: FaultKind, sample: str, *, coloured: bool = False) -> FaultRule:
    return FaultRule(pattern=re.compile(pattern), kind=kind, sample=sample, coloured=coloured)


RULES = (
    rule(r"✗ API error: .+", FaultKind.TRANSPORT, ERROR),
    rule(r"✗ Session limit reached.*", FaultKind.LIMITED, "✗ Session limit reached"),
)


def grid(*rows: str, height: int = 12) -> Grid:
    padded = [row + " " * WIDTH for row in rows] + [" " * WIDTH] * (height - len(rows))
    return Grid([row.encode() for row in padded], width=WIDTH, height=height)


def texts(*rows: str, without: tuple[int, int] | None = None) -> list[str]:
    return [found.text for found in fault_rows(grid(*rows), RULES, without=without)]


def test_a_row_that_is_the_sentence_is_a_fault() -> None:
    [found] = fault_rows(grid("> go on", "", ERROR, "", "> "), RULES)
    assert (found.row, found.kind, found.text) == (2, FaultKind.TRANSPORT, ERROR)


@pytest.mark.parametrize(
    "row",
    [
        f"It said: {ERROR}",
        f"  {ERROR}",
        f"> {ERROR}",
        f"+{ERROR}",
        f"- {ERROR}",
        f" 12  {ERROR}",
        f"`{ERROR}`",
        f'"{ERROR}"',
        "API error: the link broke",
        "✗ API error",
        "│ ✗ API error: the link broke │",
    ],
)
def test_the_same_words_quoted_listed_or_in_a_diff_are_text(row: str) -> None:
    assert texts(row) == []
    assert texts("some prose", row, "more prose") == []


def test_a_draft_in_the_input_area_is_no_fault() -> None:
    assert texts("hello", ERROR, without=(1, 1)) == []


def test_a_sentence_wrapped_over_rows_is_one_fault() -> None:
    whole = "✗ API error: the link broke while the answer came in"
    first, second = whole[:WIDTH], whole[WIDTH:]
    assert texts(first, second, "", "> ") == [whole]
    by_words = "✗ API error: the link broke while the", "answer came in"
    assert texts(*by_words, "", "> ") == [" ".join(by_words)]


def test_what_stands_under_a_short_sentence_is_not_part_of_it() -> None:
    assert texts(ERROR, "prose goes on here") == [ERROR]


def test_a_box_under_a_sentence_is_not_part_of_it() -> None:
    assert texts(ERROR, "╭" + "─" * (WIDTH - 2) + "╮", "│ > │") == [ERROR]
    assert texts("✗ API error: it", "a" * WIDTH) == ["✗ API error: it"]


def test_two_faults_in_a_row_are_two() -> None:
    long = "✗ API error: " + "x" * (WIDTH - 13)
    assert texts(long, ERROR) == [long, ERROR]


def test_a_rule_for_coloured_rows_wants_a_colour() -> None:
    coloured = (rule(r"● API Error: .+", FaultKind.SERVER, "● API Error: 500", coloured=True),)
    plain = "● API Error: 500 it broke"
    red = "● \x1b[31mAPI Error: 500 it broke\x1b[39m"
    assert [f.text for f in fault_rows(grid(plain), coloured)] == []
    assert [f.text for f in fault_rows(grid(red), coloured)] == [plain]


# --- the same fault at the next look -----------------------------------------------------


class Reading:
    """A reader that is shown one screen after the other."""

    def __init__(self) -> None:
        self.reader = FaultReader(rules=RULES)
        self.found: list[FaultMatch] = []

    def look(self, *rows: str, scrolled: int = 0, turn: int = 1, height: int = 12) -> int:
        """Show a screen; return how many faults are new."""
        new = self.reader.looked(
            grid(*rows, height=height),
            scrolled=scrolled,
            without=None,
            turn=turn,
            offset=100,
            seen=SEEN,
            at_s=1.0,
        )
        self.found += new
        return len(new)

    def history(self, *rows: str, first_row: int) -> int:
        new = self.reader.history(
            grid(*rows, height=len(rows)),
            first_row=first_row,
            turn=1,
            offset=100,
            seen=SEEN,
            at_s=1.0,
        )
        self.found += new
        return len(new)


def test_a_fault_that_stays_on_screen_is_seen_once() -> None:
    seen = Reading()
    assert seen.look("a", ERROR) == 1
    assert seen.look("a", ERROR) == 0
    assert seen.look(ERROR, "b") == 0  # moved up
    assert seen.look("a", "b", ERROR) == 0  # pushed down, in the same turn
    assert seen.look("b") == 0


def test_the_same_sentence_once_more_is_another_fault() -> None:
    seen = Reading()
    assert seen.look(ERROR, "b") == 1
    assert seen.look(ERROR, "b", ERROR) == 1
    assert seen.look("b", ERROR) == 0
    assert seen.look("b", ERROR, "c", ERROR, ERROR) == 2


def test_the_same_sentence_in_a_later_turn_is_another_fault() -> None:
    seen = Reading()
    assert seen.look(ERROR, "> go on", turn=1) == 1
    assert seen.look("> go on", ERROR, turn=2) == 1
    assert [f.turn for f in seen.found] == [1, 2]


def test_a_sentence_whose_row_left_the_screen_is_not_the_one_on_it() -> None:
    seen = Reading()
    assert seen.look("a", ERROR, scrolled=0) == 1
    assert seen.look("x", ERROR, scrolled=30) == 1


def test_faults_that_went_by_between_two_looks_are_read_from_the_history() -> None:
    seen = Reading()
    assert seen.look("a", ERROR, "b", scrolled=0, height=3) == 1
    assert seen.look("y", "z", scrolled=6, height=3) == 0
    # rows 0 to 5: the one that was seen, and one that nobody saw
    assert seen.history("a", ERROR, "b", "c", ERROR, "d", first_row=0) == 1
    assert seen.history("a", ERROR, "b", "c", ERROR, "d", first_row=0) == 0
    assert [f.row for f in seen.found] == [1, 4]


def test_a_limit_says_when_it_ends() -> None:
    seen = Reading()
    seen.look("✗ Session limit reached, resets 5:10pm")
    [found] = seen.found
    assert found.kind is FaultKind.LIMITED
    assert found.reset is not None
    assert found.reset.at_utc == "2026-03-04T17:10:00Z"


prose = st.text(alphabet="abc ✗:API error", max_size=WIDTH - 1).filter(
    lambda row: all(r.pattern.fullmatch(row.rstrip()) is None for r in RULES)
)


@given(st.lists(prose, max_size=5), st.lists(prose, max_size=5))
def test_prose_around_a_fault_neither_hides_nor_adds_one(
    above: list[str], below: list[str]
) -> None:
    kinds = [f.kind for f in fault_rows(grid(*above, ERROR, *below), RULES)]
    assert kinds == [FaultKind.TRANSPORT]
    assert [*fault_rows(grid(*above, *below), RULES)] == []

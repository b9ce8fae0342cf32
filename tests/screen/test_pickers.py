"""Fuzzy finders."""

import pytest
from tests.screen.building import grid, look

from panegate.panes.facts import Look
from panegate.screen.grid import Grid
from panegate.screen.layout import Layout
from panegate.screen.pickers import Picker, count_beside, find_picker, list_beside

ABOVE = "  c.txt\n  b.txt\n⟦bg236:> a.txt⟧\n  3/14 ─────\n> ab‸"
BELOW = "? Pick:\n❯ ‸  2/2\n❯ one\n  two\n"


def find(seen: Look) -> Picker | None:
    return find_picker(Layout(Grid.from_look(seen)), seen.fields)


def test_a_list_above_its_query_is_read() -> None:
    picker = find(look(ABOVE))
    assert picker is not None
    assert picker.query == "> ab"
    assert [option.label for option in picker.options] == ["c.txt", "b.txt", "a.txt"]
    assert [option.highlighted for option in picker.options] == [False, False, True]
    assert (picker.first, picker.last) == (0, 4)


def test_a_list_below_its_query_is_read() -> None:
    picker = find(look(BELOW))
    assert picker is not None
    assert [option.label for option in picker.options] == ["one", "two"]
    assert picker.options[0].highlighted


@pytest.mark.parametrize(
    "screen", ["> ab‸", "text\n> ab‸", "page 3/14 of it\n> ab‸", "$ echo 1/2‸\n", "$ cp a 3/4‸"]
)
def test_an_input_row_without_a_count_is_no_picker(screen: str) -> None:
    assert find(look(screen)) is None


def test_a_hidden_cursor_is_in_no_query() -> None:
    assert find(look(ABOVE, shown=False)) is None


def test_the_count_stands_in_or_beside_the_row() -> None:
    seen = Layout(grid("a\n  3/14\n> q\nb\n> r   1/2\n"))
    assert count_beside(seen, 2) == 1
    assert count_beside(seen, 4) == 4
    assert count_beside(seen, 0) == 1
    assert count_beside(Layout(grid("a\nb\n")), 0) is None
    assert count_beside(Layout(grid("a\n> q  < 3/14 (2) ──── │ text\n")), 1) == 1


def test_a_list_that_touches_its_query_is_read_without_a_count() -> None:
    picker = find(look("text\n\n  c.txt\n  b.txt\n⟦bg236:> a.txt⟧\n> ab‸"))
    assert picker is not None
    assert [option.label for option in picker.options] == ["c.txt", "b.txt", "a.txt"]
    assert [option.highlighted for option in picker.options] == [False, False, True]


@pytest.mark.parametrize(
    "rows",
    ["  b\n> a\n> q", "  b\n⟦r:> a⟧\n⟦r:> c⟧\n> q", "b\n⟦r:> a⟧\n> q", "⟦r:> a⟧\n\n> q"],
    ids=["no ground", "two pointers", "text under the pointer", "apart"],
)
def test_rows_without_one_pointer_in_a_free_column_are_no_list(rows: str) -> None:
    assert list_beside(Layout(grid(rows)), rows.count("\n"), alternate=False) is None

"""Options that nothing marks."""

import pytest
from tests.screen.building import LINE_READ, RAW_READ, look

from panegate.panes.facts import KernelFact, Look
from panegate.screen.grid import Grid
from panegate.screen.layout import Layout
from panegate.screen.options import OptionBlock
from panegate.screen.plain_options import find_plain_block

NUMBERED = "Tool wants\n\n1. Permit\n2. Refuse"
UNDER = "Go on?\n  yes\n  no"
BOXES = "Pick\n◯   Red\n◯   Blue"


def find(seen: Look) -> OptionBlock | None:
    return find_plain_block(Layout(Grid.from_look(seen)), seen.fields, seen.kernel)


@pytest.mark.parametrize(
    ("screen", "labels"),
    [
        (NUMBERED, ["Permit", "Refuse"]),
        (UNDER, ["yes", "no"]),
        (BOXES, ["◯   Red", "◯   Blue"]),
    ],
)
def test_a_hidden_cursor_makes_them_a_question(screen: str, labels: list[str]) -> None:
    found = find(look(screen, shown=False))
    assert found is not None
    assert [option.label for option in found.options] == labels


@pytest.mark.parametrize("screen", [NUMBERED, UNDER, BOXES])
@pytest.mark.parametrize("kernel", [None, LINE_READ])
def test_a_shown_cursor_leaves_them_text(screen: str, kernel: KernelFact | None) -> None:
    assert find(look(screen + "\n‸", kernel=kernel)) is None


@pytest.mark.parametrize("screen", [NUMBERED, UNDER, BOXES])
@pytest.mark.parametrize("end", ["‸", "\n‸"])
def test_a_program_that_reads_keys_with_the_cursor_at_their_end_asks(screen: str, end: str) -> None:
    assert find(look(screen + end, kernel=RAW_READ)) is not None


def test_the_cursor_behind_the_question_over_them_asks() -> None:
    assert find(look("? What size? ‸\n  1) Large\n  2) Small\n")) is not None
    assert find(look("What size ‸\n  1) Large\n  2) Small\n")) is None


@pytest.mark.parametrize(
    "screen",
    [
        "Go on?\n  ✻ Thinking…\n  no\n",
        "Go on?\n  yes\n",
        "Done.\n  yes\n  no\n",
        "Go on?\n" + "  word\n" * 7,
        "    Go on?\n  yes\n  no\n",
        "Go on?\n  yes\n    deeper\n  no\n",
    ],
)
def test_other_rows_under_a_question_are_no_options(screen: str) -> None:
    assert find(look(screen, shown=False)) is None


def test_text_below_them_means_that_output_went_on() -> None:
    assert find(look(NUMBERED + "\n\nRunning tests\n", shown=False)) is None


@pytest.mark.parametrize("row", ["Delete b? no, not this\nDelete c? ‸", "one\nDelete c: ‸"])
def test_rows_that_ask_by_themselves_are_no_options(row: str) -> None:
    assert find(look(f"Delete a?\n{row}", kernel=RAW_READ)) is None

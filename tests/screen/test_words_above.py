"""The question over a block of options, and what it asks about."""

import pytest
from tests.screen.building import grid

from panegate.screen.layout import Layout
from panegate.screen.options import find_blocks
from panegate.screen.words_above import Words, words_above

OPTIONS = "❯ 1. Yes\n  2. No\n"


def words(screen: str, width: int = 80) -> Words:
    layout = Layout(grid(screen, width=width))
    return words_above(layout, next(iter(find_blocks(layout))))


def test_the_nearest_row_that_asks_is_the_question() -> None:
    found = words("Old?\n\nNew?\n" + OPTIONS)
    assert found.question == "New?"
    assert found.context == ""


def test_rows_between_the_question_and_the_options_are_its_context() -> None:
    found = words("Run this?\n\n  $ make\n\n" + OPTIONS)
    assert (found.question, found.context) == ("Run this?", "$ make")


def test_a_colon_asks_only_right_over_the_options() -> None:
    assert words("Choose:\n" + OPTIONS).question == "Choose:"
    assert words("Note:\n\nChoose one\n" + OPTIONS).question == "Choose one"


def test_a_frame_bounds_the_context_and_its_title_leads_it() -> None:
    found = words("before\n─ Tool ──────\ncommand\n\nRun?\n" + OPTIONS)
    assert found.question == "Run?"
    assert found.context == "Tool\ncommand"
    assert found.first == 2


def test_a_titled_frame_without_a_question_asks_by_its_title() -> None:
    found = words(
        "╭─ Approve ──╮\n│ make test  │\n│ ❯ 1. Yes   │\n│   2. No    │\n╰────────────╯\n"
    )
    assert (found.question, found.context) == ("Approve", "make test")


def test_a_heading_further_left_is_the_question_of_an_indented_paragraph() -> None:
    found = words("Approval needed\n\n  fetch wants\n  a host\n\n" + OPTIONS)
    assert (found.question, found.context) == ("Approval needed", "fetch wants\na host")


@pytest.mark.parametrize("stop", ["$ npm create", "user@host:~$ make", "⠋ working"])
def test_a_shell_line_and_a_spinner_end_the_dialog(stop: str) -> None:
    found = words(f"{stop}\nPick one\n{OPTIONS}")
    assert found.question == "Pick one"
    assert found.context == ""


def test_two_blank_rows_end_the_dialog() -> None:
    assert words("Old?\n\n\nPick one\n" + OPTIONS).question == "Pick one"


def test_a_question_wrapped_by_words_is_one() -> None:
    first = "Do you want to let this tool change the"
    found = words(f"{first}\nconfiguration of the machine?\n{OPTIONS}", width=44)
    assert found.question == f"{first} configuration of the machine?"


def test_a_short_row_over_the_question_is_not_part_of_it() -> None:
    found = words("rm -rf build\nDelete it?\n" + OPTIONS)
    assert (found.question, found.context) == ("Delete it?", "rm -rf build")


def test_nothing_above_is_no_question() -> None:
    found = words(OPTIONS)
    assert (found.question, found.context, found.first) == ("", "", 0)

"""Menus at the live end, and blocks that are none."""

import pytest
from tests.screen.building import LINE_READ, RAW_READ, look

from panegate.panes.facts import ComposerReading, KernelFact, Look
from panegate.screen.grid import Grid
from panegate.screen.layout import Layout
from panegate.screen.menus import MenuPrompt, find_menu


def find(seen: Look, composer: ComposerReading | None = None) -> MenuPrompt | None:
    return find_menu(Layout(Grid.from_look(seen)), seen.fields, seen.kernel, composer)


MENU = "Pick one\n❯ 1. North\n  2. South\n"


@pytest.mark.parametrize(
    ("kernel", "submits"), [(RAW_READ, False), (None, False), (LINE_READ, True)]
)
def test_a_digit_acts_at_once_unless_lines_are_read(
    kernel: KernelFact | None, submits: bool
) -> None:
    menu = find(look(MENU, shown=False, kernel=kernel))
    assert menu is not None
    assert menu.submits is submits


@pytest.mark.parametrize(
    ("place", "live"),
    [
        ((0, 4), True),
        ((1, 0), True),
        ((2, 10), True),
        ((3, 0), True),
    ],
)
def test_a_shown_cursor_must_be_at_the_menu(place: tuple[int, int], live: bool) -> None:
    assert (find(look(MENU, cursor=place)) is not None) is live


def test_a_cursor_behind_other_text_is_not_at_the_menu() -> None:
    assert find(look(MENU + "\nother text‸")) is None
    assert find(look(MENU + "\n  Esc to cancel‸")) is not None
    assert find(look(["cmd‸", *[""] * 6, *MENU.splitlines()])) is None


def test_a_spinner_below_means_work() -> None:
    assert find(look(MENU + "\n⠋ Working…\n", shown=False)) is None


def test_the_footer_belongs_to_the_rows_shown() -> None:
    menu = find(look(MENU + "\n  Esc to cancel\n", shown=False))
    assert menu is not None
    assert menu.footer_last >= 4


POPUP = "──────────\n❯ {}‸\n──────────\n⟦r:/help   show help⟧\n/hello  greet\n"


@pytest.mark.parametrize(("draft", "popup"), [("/he", True), ("", False), ("/he\nx", False)])
def test_a_popup_needs_one_row_of_draft(draft: str, popup: bool) -> None:
    composer = ComposerReading(row=1, column=2, last_row=1, text=draft)
    menu = find(look(POPUP.format("/he")), composer)
    assert (menu is not None) is popup


def test_a_popup_stands_right_beside_the_composer() -> None:
    composer = ComposerReading(row=1, column=2, last_row=1, text="/he")
    away = POPUP.format("/he").replace("⟦r:", "text\n\n⟦r:")
    assert find(look(away), composer) is None


def test_what_the_program_said_last_is_no_popup() -> None:
    composer = ComposerReading(row=3, column=2, last_row=3, text="hello")
    screen = "● First line\n  second line\n──────────\n❯ hello‸\n──────────\n"
    assert find(look(screen), composer) is None


def test_a_heading_on_the_same_column_is_no_option() -> None:
    menu = find(look("Choose\n⟦r:one  ⟧\ntwo\nthree\n", shown=False))
    assert menu is not None
    assert menu.question == "Choose"
    assert [option.label for option in menu.options] == ["one", "two", "three"]


def test_a_lone_coloured_row_that_nothing_is_said_about_is_no_menu() -> None:
    bar = look(["up 1.5s", "", "", "⟦r:Help and Quit⟧"], shown=False, alternate=True)
    assert find(bar) is None

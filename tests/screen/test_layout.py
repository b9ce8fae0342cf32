"""Rows seen through their borders."""

import pytest
from tests.screen.building import grid

from panegate.screen.layout import (
    Layout,
    asks,
    invites_key,
    is_hint_text,
    is_rule,
    is_sides,
    is_spinner,
    join_rows,
    only_footers,
    rule_title,
)


def layout(screen: str, width: int = 80) -> Layout:
    return Layout(grid(screen, width=width))


@pytest.mark.parametrize(
    ("row", "text", "column", "boxed"),
    [
        ("plain", "plain", 0, False),
        ("  indented  ", "indented", 2, False),
        ("│ inside     │", "inside", 2, True),
        ("┃  open bar", "open bar", 3, True),
        ("  │ │ twice │ │", "twice", 6, True),
        ("| ascii box |", "ascii box", 2, True),
        ("a | b", "a | b", 0, False),
        ("│            │", "", 0, True),
        ("", "", 0, False),
    ],
)
def test_borders_are_taken_off(row: str, text: str, column: int, boxed: bool) -> None:
    view = layout(row).view(0)
    assert (view.text, view.column, view.boxed, view.rule) == (text, column, boxed, False)


@pytest.mark.parametrize(
    "row",
    [
        "╭────────╮",
        "└──┘",
        "━━━━━━",
        "──────────────",
        "+--------+",
        "==========",
        "╭─ Title ──────╮",
        "┌───┤ Careful ├───┐",
        "├──────┤",
        "  │ ┌────┐ │",
        "└",
    ],
)
def test_drawing_is_a_rule(row: str) -> None:
    assert layout(row).view(0).rule


@pytest.mark.parametrize("row", ["a - b", "--help", "- item", "│ text │", "│    │", "-> x", "…"])
def test_text_is_no_rule(row: str) -> None:
    assert not is_rule(row)


def test_a_row_of_sides_is_the_blank_row_of_a_box() -> None:
    assert is_sides("│     │")
    assert not is_sides("│ x │")
    assert not is_sides("   ")


@pytest.mark.parametrize(
    ("row", "title"),
    [("╭─ Title ──────╮", "Title"), ("┌───┤ Careful ├───┐", "Careful"), ("──────", "")],
)
def test_a_title_is_read_out_of_its_border(row: str, title: str) -> None:
    assert rule_title(row) == title


@pytest.mark.parametrize(
    "text",
    [
        "Esc to cancel · Tab to amend",
        "? for shortcuts",
        "↑/↓ select",
        "ctrl+f fullscreen  ⇆ select  enter confirm",
        "Press enter to confirm or esc to cancel",
        "q to quit",
        "^G Help",
        "Use arrow keys",
        "enter: open",
    ],
)
def test_explained_keys_are_a_hint(text: str) -> None:
    assert is_hint_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "1. Yes",
        "3. No, and say what to do differently (esc)",
        "Enter a value:",
        "Running tests",
        "a → b",
        "Is it ok ? (yes/no)",
        "Deleted 3 files",
        "escape the quotes",
    ],
)
def test_words_are_no_hint(text: str) -> None:
    assert not is_hint_text(text)


@pytest.mark.parametrize(
    "text",
    ["Sure?", "本当？", "أكيد؟", "Σίγουρα;", "(really?)", "“Sure?”", "Sure? "],
)
def test_question_marks_of_several_scripts_ask(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize("text", ["int x = 1;", "Done.", "Name:", "what? no", ""])
def test_other_endings_do_not_ask(text: str) -> None:
    assert not asks(text)


@pytest.mark.parametrize(
    "text", ["Press any key", "Hit t to trust this", "Type DELETE to confirm", "Press ENTER"]
)
def test_an_invitation_is_seen(text: str) -> None:
    assert invites_key(text)


@pytest.mark.parametrize("text", ["pressing matters", "type: str", "a hit", "keyboard"])
def test_other_words_do_not_invite(text: str) -> None:
    assert not invites_key(text)


@pytest.mark.parametrize("text", ["⠋ working", "✻ Thinking…", "· Musing… (3s)", "| building"])
def test_a_turning_glyph_in_front_is_a_spinner(text: str) -> None:
    assert is_spinner(text)


@pytest.mark.parametrize("text", ["working", "●  done", "- item one", "⠋"])
def test_other_rows_are_no_spinner(text: str) -> None:
    assert not is_spinner(text)


def test_a_row_is_faint_when_all_of_its_text_is() -> None:
    seen = layout("⟦d:all dim⟧\n⟦d:half⟧ dim\n│ ⟦fg8:grey⟧ │\n")
    assert seen.faint(0)
    assert not seen.faint(1)
    assert seen.faint(2)
    assert not seen.faint(9)


def test_rows_broken_at_the_edge_are_joined_without_a_blank() -> None:
    seen = layout("x" * 10 + "\nyy\nzz\n", width=10)
    assert join_rows(seen, 0, 2) == "x" * 10 + "yy zz"


def test_rows_broken_at_a_border_are_joined_without_a_blank() -> None:
    seen = layout("│aaaaaa│\n│bb    │\n│cc    │\n", width=20)
    assert join_rows(seen, 0, 2) == "aaaaaabb cc"


@pytest.mark.parametrize(
    ("below", "footers"),
    [
        ("", True),
        ("\n  Esc to cancel\n", True),
        ("\n⟦d:tip of the day⟧\n", True),
        ("  ~/dir     main     100%\n", False),
        ("╰─────╯\n  ~/dir     main     100%\n", True),
        ("\nRunning tests\n", False),
        ("\n✻ Thinking…\n", False),
        ("\n✻ Thinking… (esc to interrupt)\n", False),
        ("\n⟦d:⠋ frozen⟧\n", True),
        ("\n" + "Esc to cancel\n" * 6, False),
    ],
)
def test_only_hints_and_a_status_row_are_footers(below: str, footers: bool) -> None:
    assert only_footers(layout("2. No\n" + below), 1) is footers

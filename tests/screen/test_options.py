"""Blocks of options."""

import pytest
from tests.screen.building import grid

from panegate.panes.facts import OptionReading
from panegate.screen.layout import Layout
from panegate.screen.options import (
    POINTERS,
    OptionBlock,
    find_blocks,
    numbered_block,
    option_label,
    row_of_options,
    takes_many,
    with_ticks,
)


def blocks(screen: str, width: int = 80) -> list[OptionBlock]:
    return [block for block in find_blocks(Layout(grid(screen, width=width))) if block.pointed]


def block(screen: str, width: int = 80) -> OptionBlock:
    found = blocks(screen, width)
    assert found
    return found[0]


def labels(found: OptionBlock) -> list[str]:
    return [option.label for option in found.options]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1. Yes", ("1", "Yes")),
        ("2) No", ("2", "No")),
        ("(3) Maybe", ("3", "Maybe")),
        ("[a] All", ("a", "All")),
        ("y: yes", ("y", "yes")),
        ("10. Ten", ("10", "Ten")),
        ("1 Apple", ("1", "Apple")),
        ("[x] 1. ticked", ("1", "[x] 1. ticked")),
    ],
)
def test_a_key_in_front_is_split_off(text: str, parts: tuple[str, str]) -> None:
    assert option_label(text) == parts


@pytest.mark.parametrize("text", ["Yes", "1.5 seconds", "[x] ticked", "[ ] open", "100. many", ""])
def test_other_rows_have_no_key(text: str) -> None:
    assert option_label(text) is None


@pytest.mark.parametrize("pointer", list(POINTERS))
def test_every_pointer_marks_its_row(pointer: str) -> None:
    found = block(f"Pick\n  one\n{pointer} two\n  three\n")
    assert labels(found) == ["one", "two", "three"]
    assert [option.highlighted for option in found.options] == [False, True, False]


def test_several_pointers_are_a_bulleted_list() -> None:
    assert blocks("* one\n* two\n* three\n") == []
    assert blocks("> quoted\n> text\n") == []


def test_one_filled_circle_among_open_ones_is_marked() -> None:
    found = block("● yes\n○ no\n○ later\n")
    assert labels(found) == ["yes", "no", "later"]
    assert found.options[0].highlighted


@pytest.mark.parametrize("mark", ["r", "bg4"])
def test_a_row_on_a_ground_of_its_own_is_marked(mark: str) -> None:
    found = block(f"  one\n  ⟦{mark}:two⟧\n  three\n")
    assert labels(found) == ["one", "two", "three"]
    assert found.options[1].highlighted


def test_of_two_rows_the_one_that_stands_out_is_marked() -> None:
    found = block("│ ⟦bg4:one⟧    │\n│ two    │\n")
    assert [option.highlighted for option in found.options] == [True, False]
    found = block("│ one    │\n│ ⟦bg4:two⟧    │\n")
    assert [option.highlighted for option in found.options] == [False, True]


def test_a_caret_cell_marks_nothing() -> None:
    assert blocks("  one\n  ⟦r:t⟧wo\n  three\n") == []


def test_rows_that_are_all_coloured_mark_nothing() -> None:
    assert blocks("⟦r:one⟧\n⟦r:two⟧\n⟦r:three⟧\n") == []


def test_deeper_rows_go_on_with_the_label_above() -> None:
    found = block("❯ 1. first part\n     second part\n  2. other\n")
    assert labels(found) == ["first part second part", "other"]


def test_a_label_broken_at_the_edge_is_joined_without_a_blank() -> None:
    found = block("❯ 1. " + "a" * 15 + "\nbbb\n  2. other\n", width=20)
    assert labels(found) == ["a" * 15 + "bbb", "other"]


def test_a_gap_is_crossed_only_to_the_next_number() -> None:
    assert len(block("❯ 1. one\n\n  2. two\n").options) == 2
    assert len(block("❯ 1. one\n\n  7. seven\n").options) == 1
    assert len(block("❯ one\n\n  two\n").options) == 1


def test_a_hotkey_behind_a_label_is_its_key() -> None:
    assert block("❯ Yes (y)\n  No (n)\n").options[0].key == "y"
    assert block("❯ 1. Yes (y)\n  2. No (n)\n").options[0].key == "1"


def test_a_pointer_right_before_a_box_marks_the_row() -> None:
    found = block("❯◯ Large\n ◯ Small\n")
    assert labels(found) == ["◯ Large", "◯ Small"]
    assert found.checkboxes


def test_numbered_rows_are_found_from_their_end() -> None:
    seen = Layout(grid("Fruit\n1) Apple\n2) Banana\n   and more\n\n"))
    found = numbered_block(seen, 4)
    assert found is not None
    assert [option.key for option in found.options] == ["1", "2"]
    assert labels(found) == ["Apple", "Banana and more"]
    assert numbered_block(Layout(grid("1) one\nother\n")), 1) is None
    assert numbered_block(Layout(grid("1) alone\n")), 0) is None


def test_options_in_one_row_are_told_by_their_ground() -> None:
    found = row_of_options(Layout(grid("  ⟦bg3: Allow ⟧   Reject    enter confirm\n")), 0)
    assert found is not None
    assert [(o.label, o.highlighted) for o in found.options] == [("Allow", True), ("Reject", False)]
    assert row_of_options(Layout(grid("  Allow    Reject\n")), 0) is None
    assert row_of_options(Layout(grid("one word\n")), 0) is None


def test_a_bar_of_function_keys_is_no_row_of_options() -> None:
    assert row_of_options(Layout(grid("F1 Help  ⟦r:q Quit⟧")), 0) is None
    assert row_of_options(Layout(grid("Help  ⟦r:Quit⟧")), 0) is not None


def test_numbers_in_columns_are_options_one_by_one() -> None:
    seen = Layout(grid("1) north  3) south  5) a b\n2) east   4) west\n"))
    found = numbered_block(seen, 1)
    assert found is not None
    assert [(o.key, o.label, o.row) for o in found.options] == [
        ("1", "north", 0),
        ("2", "east", 1),
        ("3", "south", 0),
        ("4", "west", 1),
        ("5", "a b", 0),
    ]
    same = numbered_block(Layout(grid("1) see  7) below\n2) east\n")), 1)
    assert same is not None
    assert labels(same) == ["see  7) below", "east"]


def test_boxes_come_off_the_labels_and_say_what_is_ticked() -> None:
    options = tuple(
        OptionReading(key="", label=label) for label in ("[ ] a", "[x] b", "◉ c", "◯ d", "e")
    )
    found = with_ticks(options)
    assert [(o.label, o.ticked) for o in found] == [
        ("a", False),
        ("b", True),
        ("c", True),
        ("d", False),
        ("e", None),
    ]
    assert takes_many(options)
    assert not takes_many((OptionReading(key="", label="( ) a"),))

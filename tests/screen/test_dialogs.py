"""Framed dialogs with buttons."""

import pytest
from tests.screen.building import look

from panegate.panes.facts import Look
from panegate.screen.dialogs import Dialog, find_dialog
from panegate.screen.grid import Grid
from panegate.screen.layout import Layout
from panegate.terms import PromptKind

YES_NO = """

        ┌──────┤ Careful ├───────┐
        │                        │
        │ The disk is full.      │
        │ Delete everything?     │
        │                        │
        │   ⟦bg1:<Yes>⟧     <No>        │
        └────────────────────────┘
"""
LIST = """
   ┌──────────────────────────┐
   │ Pick one                 │
   │ ┌──────────────────────┐ │
   │ │   ⟦bg4:a⟧  ⟦bg4:Apple⟧           │ │
   │ │   b  Banana          │ │
   │ │   c  Cherry          │ │
   │ └──────────────────────┘ │
   ├──────────────────────────┤
   │    ⟦bg4:<  OK  >⟧  <Cancel>    │
   └──────────────────────────┘
"""
FIELD = """
   ┌──────────────────────────┐
   │ {}│
   │ ┌──────────────────────┐ │
   │ │ ‸                    │ │
   │ └──────────────────────┘ │
   ├──────────────────────────┤
   │    ⟦bg4:<  OK  >⟧  <Cancel>    │
   └──────────────────────────┘
"""


def find(seen: Look) -> Dialog | None:
    return find_dialog(Layout(Grid.from_look(seen)), seen.fields)


def found(seen: Look) -> Dialog:
    dialog = find(seen)
    assert dialog is not None
    return dialog


def test_a_yes_no_dialog_gives_its_question_and_its_marked_button() -> None:
    dialog = found(look(YES_NO, shown=False))
    assert dialog.kind is PromptKind.CONFIRM
    assert dialog.question == "Delete everything?"
    assert dialog.context == "Careful\nThe disk is full."
    assert [(o.label, o.highlighted) for o in dialog.options] == [("Yes", True), ("No", False)]


def test_a_list_in_a_dialog_is_a_menu_of_its_rows() -> None:
    dialog = found(look(LIST, shown=False))
    assert dialog.kind is PromptKind.MENU
    assert dialog.question == "Pick one"
    assert [o.label for o in dialog.options] == ["a  Apple", "b  Banana", "c  Cherry"]
    assert [o.highlighted for o in dialog.options] == [True, False, False]


@pytest.mark.parametrize(
    ("words", "kind"),
    [("Your name?".ljust(25), PromptKind.TEXT), ("Your password?".ljust(25), PromptKind.SECRET)],
)
def test_a_framed_row_to_type_into_is_a_text_or_a_secret(words: str, kind: PromptKind) -> None:
    dialog = found(look(FIELD.format(words)))
    assert dialog.kind is kind
    assert dialog.secret is (kind is PromptKind.SECRET)


def test_without_a_marked_button_none_is_highlighted() -> None:
    dialog = found(look(YES_NO.replace("⟦bg1:<Yes>⟧", "<Yes>"), shown=False))
    assert not any(option.highlighted for option in dialog.options)


def test_a_dialog_that_a_finished_program_left_behind_is_none() -> None:
    assert find(look(YES_NO + "\nuser@host:~$ ‸")) is None


def test_a_frame_without_buttons_and_buttons_without_a_frame_are_none() -> None:
    assert find(look(YES_NO.replace("⟦bg1:<Yes>⟧     <No>", "nothing to do"), shown=False)) is None
    assert find(look("  <Yes>   <No>\n", shown=False)) is None


def test_a_cursor_above_the_buttons_stands_in_a_row_to_type_into() -> None:
    frame = (
        "┌──────────────────┐\n│ {}           │\n│ {} │\n│  <Ok>  <Cancel>  │\n└──────────────────┘"
    )
    assert found(look(frame.format("Name:", "‸________________"))).kind is PromptKind.TEXT
    assert found(look(frame.format("Sure?", " " * 16), shown=False)).kind is PromptKind.CONFIRM


BOXES = """
   ┌──────────────────────────┐
   │ Pick some                │
   │                          │
   │  ⟦bg4:[⟧⟦bg1: ⟧⟦bg4:]⟧ a  Apple            │
   │  ⟦bg4:[*]⟧ b  Banana           │
   │                          │
   │       <Ok>    <Cancel>   │
   └──────────────────────────┘
"""


def test_boxes_to_tick_are_options_and_the_one_that_holds_the_caret_is_highlighted() -> None:
    dialog = found(look(BOXES, shown=False))
    assert (dialog.kind, dialog.question, dialog.many) == (PromptKind.MENU, "Pick some", True)
    assert [(o.label, o.ticked, o.highlighted) for o in dialog.options] == [
        ("a  Apple", False, True),
        ("b  Banana", True, False),
    ]
    assert dialog.default is None


def test_round_boxes_take_one() -> None:
    dialog = found(look(BOXES.replace("[", "(").replace("]", ")"), shown=False))
    assert not dialog.many
    assert [option.ticked for option in dialog.options] == [False, True]


def test_what_is_typed_in_a_field_is_no_part_of_the_question() -> None:
    typed = FIELD.format("Your name?               ").replace(
        "‸                    ", "Bo‸         "
    )
    dialog = found(look(typed))
    assert (dialog.question, dialog.context, dialog.default) == ("Your name?", "", None)

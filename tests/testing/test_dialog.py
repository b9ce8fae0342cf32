"""Dialogs: which key takes which row."""

import re

import pytest

from panegate.testing.programs._dialog import Choice, Dialog
from panegate.testing.programs._keys import Key

_SGR = re.compile(r"\x1b\[[0-9;]*m")


def _press(dialog: Dialog, *keys: str) -> Choice | None:
    for key in keys:
        name = key if len(key) > 1 else "text"
        choice = dialog.press(Key(name, key if name == "text" else ""))
        if choice is not None:
            return choice
    return None


@pytest.mark.parametrize(
    ("keys", "option"),
    [(("Enter",), 1), (("2",), 2), (("Down", "Enter"), 2), (("Up", "Enter"), 3), (("3", "1"), 3)],
)
def test_digits_act_at_once_and_enter_takes_the_highlighted_row(
    keys: tuple[str, ...], option: int
) -> None:
    """The last row declines."""
    choice = _press(Dialog(command="ls"), *keys)
    assert choice is not None
    assert (choice.by, choice.option, choice.approved) == ("option", option, option < 3)


def test_letters_are_ignored_unless_they_are_hotkeys() -> None:
    """Text before an Enter changes nothing: the Enter still approves."""
    assert _press(Dialog(), *"noway") is None
    choice = _press(Dialog(hotkeys=True), *"wxyz")
    assert choice == Choice("option", 1, "Yes", approved=True)
    declined = _press(Dialog(hotkeys=True), *"continue")
    assert declined is not None
    assert (declined.option, declined.approved) == (3, False)
    lasting = _press(Dialog(hotkeys=True), "p")
    assert lasting is not None
    assert lasting.option == 2


@pytest.mark.parametrize(("key", "by"), [("Escape", "escape"), ("C-c", "interrupt")])
def test_escape_and_interrupt_decline(key: str, by: str) -> None:
    """Neither ever approves."""
    assert _press(Dialog(), key) == Choice(by, 0, "", approved=False)


def test_rows_without_numbers_ignore_digits() -> None:
    """Then only arrows and Enter choose."""
    assert _press(Dialog(numbered=False), "2") is None


def test_a_one_letter_dialog_takes_its_letter_and_no_enter() -> None:
    """An Enter sent along would go to the next screen."""
    dialog = Dialog(options=("trust", "leave"), letters="t")
    assert _press(dialog, "Enter", "x") is None
    assert _press(dialog, "t") == Choice("option", 1, "trust", approved=True)


def test_it_shows_command_question_and_options_word_for_word() -> None:
    """A reader of the screen can be checked against them."""
    dialog = Dialog(command="rm -rf ./x", question="Sure?", options=("Yes", "No"))
    dialog.press(Key("Down"))
    frame = dialog.frame(40, shown=False)
    rows = [_SGR.sub("", row) for row in frame.rows]
    assert rows[-4:] == ["   1. Yes", " ❯ 2. No", "", " Esc to cancel"]
    assert "   rm -rf ./x" in rows
    assert " Sure?" in rows
    assert rows[frame.cursor_row] == " ❯ 2. No"

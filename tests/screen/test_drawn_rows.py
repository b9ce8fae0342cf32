"""Questions drawn by programs that hide the cursor."""

import pytest
from tests.screen.building import look

from panegate.panes.facts import Look
from panegate.screen.drawn_rows import read_drawn
from panegate.screen.grid import Grid
from panegate.screen.layout import Layout
from panegate.screen.prompt_rows import RowPrompt
from panegate.terms import PromptKind


def read(seen: Look) -> RowPrompt | None:
    return read_drawn(Layout(Grid.from_look(seen)), seen.fields)


def asked(seen: Look) -> RowPrompt:
    prompt = read(seen)
    assert prompt is not None
    return prompt


@pytest.mark.parametrize(
    "row", ["? Want to answer? ⟦d:(y/N)⟧ ⟦d:‣⟧ false", "? Can you confirm? ⟦fg8:›⟧ ⟦fg8:(y/N)⟧"]
)
def test_a_confirmation_in_one_row_is_read(row: str) -> None:
    prompt = asked(look(row, shown=False))
    assert prompt.kind is PromptKind.CONFIRM
    assert [option.key for option in prompt.options] == ["y", "N"]
    assert prompt.default == "N"


def test_a_toggle_gives_its_two_sides() -> None:
    prompt = asked(look("? Confirm? › no / yes", shown=False))
    assert prompt.question == "? Confirm?"
    assert [option.label for option in prompt.options] == ["no", "yes"]


def test_radio_buttons_in_one_row_stand_under_their_question() -> None:
    prompt = asked(look("◆  Install?\n│  ● Yes / ○ No\n└\n", shown=False))
    assert prompt.question == "◆  Install?"
    assert [(o.label, o.highlighted) for o in prompt.options] == [("Yes", True), ("No", False)]
    assert prompt.default == "Yes"


def test_a_drawn_caret_under_a_question_is_a_field() -> None:
    prompt = asked(look("◆  Where?\n│  ⟦r:.⟧⟦d:/sparkling⟧\n└\n", shown=False))
    assert prompt.kind is PromptKind.TEXT
    assert prompt.question == "◆  Where?"
    assert prompt.default == "./sparkling"
    secret = asked(look("◆  Your password\n│  ⟦r:_⟧\n└\n", shown=False))
    assert secret.kind is PromptKind.SECRET
    assert secret.secret


@pytest.mark.parametrize(
    "screen",
    [
        "? Confirm? › no / yes‸",
        "◆  Install?\n│  ● Yes / ○ No\n└\n",
    ],
)
def test_a_shown_cursor_leaves_it_to_other_readers(screen: str) -> None:
    assert read(look(screen, shown=True)) is None


@pytest.mark.parametrize(
    "screen",
    [
        "? Want to answer? (y/N) ‣ true\nok\n",
        "╭──────────╮\n│ > ⟦r: ⟧      │\n╰──────────╯\n",
        "text with a (y/N) in it, and more\n",
        "│ text ⟦r:x⟧\nmore\n",
        "● Yes ● No\n",
        "",
    ],
)
def test_other_rows_are_none(screen: str) -> None:
    assert read(look(screen, shown=False)) is None


def test_the_cursor_must_be_parked_in_the_row() -> None:
    assert read(look("? Sure? (y/N)", shown=False, cursor=(5, 0))) is None

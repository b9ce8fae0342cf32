"""A choice and an input area on one screen: which of them takes the keys."""

import pytest
from tests.screen.building import AGENT, UNKNOWN, look

from panegate.panes.facts import ScreenKind
from panegate.screen.profile import Profile
from panegate.screen.read import read_screen

DIALOG = """
> run the tests
{over}
 Bash command

   rm -rf ./build

 Do you want to run this command?
 ❯ 1. Yes
   2. No, and tell it what to do differently (esc)
{under}
╭──────────────────────────────────────────────────╮
│ > ‸                                              │
╰──────────────────────────────────────────────────╯
  ? for shortcuts
"""
LIVE = [("", ""), ("● I am on it.", "\n Esc to cancel\n  ⎿ 40 rows\n● More of the transcript.\n")]
MADE = "  ⎿ Yes\n● Done.\n"


def kind(text: str, by: Profile = UNKNOWN, *, shown: bool = True, alternate: bool = True) -> str:
    reading = read_screen(look(text, shown=shown, alternate=alternate), by)
    return reading.kind.value


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize(("over", "under"), LIVE, ids=["nothing after it", "keys explained"])
def test_a_choice_drawn_over_the_transcript_is_the_question(
    over: str, under: str, shown: bool
) -> None:
    """The box and its cursor stay: of an unknown program the choice may take the keys."""
    text = DIALOG.format(over=over, under=under)
    seen = text if shown else text.replace("‸", "⟦r: ⟧")
    reading = read_screen(look(seen, shown=shown, alternate=True), UNKNOWN)
    assert reading.kind is ScreenKind.PROMPTING
    assert reading.prompt is not None
    assert reading.prompt.question == "Do you want to run this command?"
    assert [option.key for option in reading.prompt.options] == ["1", "2"]


def test_a_choice_that_was_made_is_a_part_of_the_transcript() -> None:
    assert kind(DIALOG.format(over="", under=MADE)) == "ready"


def test_a_profile_says_itself_what_its_questions_are() -> None:
    assert kind(DIALOG.format(over="", under=""), AGENT) == "ready"


def test_what_the_program_said_is_no_choice() -> None:
    said = "> go on?\n● Done.\n  It took 3 s.\n"
    assert kind(f"{said}╭─────────╮\n│ > ‸     │\n╰─────────╯\n") == "ready"


@pytest.mark.parametrize("by", [AGENT, UNKNOWN], ids=["agent", "unknown"])
def test_a_paragraph_right_above_a_draft_is_no_popup(by: Profile) -> None:
    """A bullet and a row under its words look like a chosen row and its neighbour."""
    said = "> go on\n\n● Done.\n  ⎿ declined\n"
    box = "╭──────────────────╮\n│ ❯ one more‸      │\n╰──────────────────╯\n  ? for shortcuts"
    assert kind(said + box, by, alternate=False) == "ready"


def test_numbered_words_of_a_user_above_a_shell_prompt_are_no_choice() -> None:
    assert kind("❯ 1. Yes\n  2. No\nuser@host:~$ ‸", alternate=False) == "ready"

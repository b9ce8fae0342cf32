"""Answers listed behind a question."""

import pytest

from panegate.screen.choices import Choices, read_choices
from panegate.terms import PromptKind


def read(text: str) -> Choices:
    choices = read_choices(text)
    assert choices is not None
    return choices


@pytest.mark.parametrize(
    ("text", "keys", "default"),
    [
        ("Sure? [y/N] ", ["y", "N"], "N"),
        ("Sure? [Y/n]: ", ["Y", "n"], "Y"),
        ("Sure (yes/no)? ", ["yes", "no"], None),
        ("connecting (yes/no/[fingerprint])? ", ["yes", "no", "fingerprint"], None),
        ("hunk [y,n,q,a,d,e,?]? ", ["y", "n", "q", "a", "d", "e", "?"], None),
        ("Weiter? (j/N) ", ["j", "N"], "N"),
        ("Like it? [y/n] (y): ", ["y", "n"], "y"),
        ("Who? [Paul/Jessica] (Paul): ", ["Paul", "Jessica"], "Paul"),
        ("Continue y/n? ", ["y", "n"], None),
        ("Proceed (y/[n])? ", ["y", "n"], "n"),
        ("leave ([y]/n)? ", ["y", "n"], "y"),
        ("Delete all? (y or n) ", ["y", "n"], None),
        ("Make it pending? (y or [n]) ", ["y", "n"], "n"),
        ("[O]pen, (E)dit anyway, (Q)uit: ", ["O", "E", "Q"], "O"),
        ("(Y)es, [N]o, (C)ancel: ", ["Y", "N", "C"], "N"),
        ("Run it? (Y)es/(N)o/(D)on't ask again [Yes]: ", ["Y", "N", "D"], "Yes"),
    ],
)
def test_a_list_of_answers_is_split(text: str, keys: list[str], default: str | None) -> None:
    choices = read(text)
    assert [option.key for option in choices.options] == keys
    assert choices.default == default
    assert choices.question == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "[src/main] ",
        "(1/3) ",
        "ratio (2/5): ",
        "user [a/b] $ ",
        "plain? ",
        "",
        "see (a, b)",
        "path/to",
    ],
)
def test_a_path_or_a_ratio_is_no_list(text: str) -> None:
    assert read_choices(text) is None


def test_typed_characters_behind_the_list_do_not_count() -> None:
    assert read("Sure? [y/N] ye").question == "Sure? [y/N]"
    assert read_choices("Sure? [y/N] I am quite sure of it") is None


def test_letters_in_words_give_key_and_label() -> None:
    options = read("Run it? (Y)es/(N)o [Yes]: ").options
    assert [(option.key, option.label) for option in options] == [("Y", "Yes"), ("N", "No")]


def test_yes_and_no_are_a_confirmation_and_names_a_menu() -> None:
    assert read("Sure? [y/N] ").kind is PromptKind.CONFIRM
    assert read("Who? [Paul/Jessica]: ").kind is PromptKind.MENU
    assert read("Allow this command? [y/N] ").kind is PromptKind.PERMISSION

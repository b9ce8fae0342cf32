"""What the words of a prompt tell."""

import pytest

from panegate.panes.facts import OptionReading
from panegate.screen.wording import SECRET_WORDS, cancel_key, choice_kind, fingerprint
from panegate.terms import PromptKind


def options(*labels: str) -> tuple[OptionReading, ...]:
    return tuple(OptionReading(key=str(n), label=label) for n, label in enumerate(labels, 1))


@pytest.mark.parametrize(
    ("question", "labels", "kind"),
    [
        ("Run it?", ("Allow once", "Allow always", "Reject"), PromptKind.PERMISSION),
        ("Do you trust this folder?", ("Yes", "No"), PromptKind.PERMISSION),
        ("Delete it?", ("Yes", "No"), PromptKind.CONFIRM),
        ("Löschen?", ("Ja", "Nein"), PromptKind.CONFIRM),
        ("Which way?", ("North", "South"), PromptKind.MENU),
        ("Which way?", (), PromptKind.MENU),
    ],
)
def test_the_kind_follows_the_words(
    question: str, labels: tuple[str, ...], kind: PromptKind
) -> None:
    assert choice_kind(question, options(*labels)) is kind


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        (["Esc to cancel"], "Escape"),
        (["3. No (esc)"], "Escape"),
        (["enter confirm", "Escape: go back"], "Escape"),
        (["Ctrl-C to abort"], "C-c"),
        (["^C to quit"], "C-c"),
        (["press q to quit"], "q"),
        (["q: exit"], "q"),
        (["esc to interrupt"], None),
        (["1. Yes", "2. No"], None),
        (["escape the quotes"], "Escape"),
    ],
)
def test_the_declining_key_is_what_the_rows_say(rows: list[str], key: str | None) -> None:
    assert cancel_key(rows) == key


@pytest.mark.parametrize(
    "text", ["Password:", "Enter passphrase for key 'x':", "PIN:", "Mot de passe :", "密码："]
)
def test_words_of_secrets_are_known(text: str) -> None:
    assert SECRET_WORDS.search(text)
    assert not SECRET_WORDS.search("Name:")


def test_a_fingerprint_is_blind_to_marks_spinners_clocks_and_wrapping() -> None:
    def digest(question: str, context: str, *labels: str) -> str:
        return fingerprint(PromptKind.MENU, question, context, options(*labels))

    base = digest("Which one?", "⠋ waiting 3s", "[ ] a", "b")
    assert base == digest("Which  one?", "⠙ waiting 12s", "[x] a", "b")
    assert base != digest("Which two?", "⠋ waiting 3s", "[ ] a", "b")
    assert base != digest("Which one?", "⠋ looking 3s", "[ ] a", "b")
    assert base != digest("Which one?", "⠋ waiting 3s", "[ ] a", "c")
    assert base != digest("Which one?", "⠋ waiting 3s", "[ ] a")


def test_a_number_that_is_no_clock_counts() -> None:
    def digest(question: str) -> str:
        return fingerprint(PromptKind.CONFIRM, question, "", ())

    assert digest("Delete 3 files?") != digest("Delete 4 files?")
    assert digest("e\u0301?") == digest("é?")


def test_the_kind_and_the_keys_count() -> None:
    one, two = options("a", "b"), (OptionReading(key="x", label="a"), options("a", "b")[1])
    assert fingerprint(PromptKind.MENU, "q", "", one) != fingerprint(PromptKind.MENU, "q", "", two)
    assert fingerprint(PromptKind.MENU, "q", "", one) != fingerprint(PromptKind.TEXT, "q", "", one)


def test_where_the_question_begins_may_depend_on_the_width() -> None:
    def digest(question: str, context: str) -> str:
        return fingerprint(PromptKind.MENU, question, context, ())

    wide = digest("and part two of it?", "make\nShall I go on with part one")
    assert wide == digest("on with part one and part two of it?", "make\nShall I go")
    assert wide != digest("and part two of it?", "make all\nShall I go on with part one")

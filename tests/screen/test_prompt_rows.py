"""Questions the cursor stands behind."""

import pytest
from tests.screen.building import HIDDEN_READ, LINE_READ, RAW_READ, grid, look

from panegate.panes.facts import KernelFact, Look
from panegate.screen.grid import Grid
from panegate.screen.layout import Layout
from panegate.screen.prompt_rows import (
    RowPrompt,
    context_above,
    read_key_invitation,
    read_pager,
    read_question,
    read_secret,
)
from panegate.terms import PromptKind


def question(seen: Look) -> RowPrompt | None:
    return read_question(Layout(Grid.from_look(seen)), seen.fields, seen.kernel)


def secret(seen: Look) -> RowPrompt | None:
    return read_secret(Layout(Grid.from_look(seen)), seen.fields, seen.kernel)


def pager(seen: Look) -> RowPrompt | None:
    return read_pager(Layout(Grid.from_look(seen)), seen.fields, seen.kernel)


def key(seen: Look) -> RowPrompt | None:
    return read_key_invitation(Layout(Grid.from_look(seen)), seen.fields, seen.kernel)


def test_a_secret_without_words_takes_the_row_above() -> None:
    found = secret(look("Enter the code\n‸", kernel=HIDDEN_READ))
    assert found is not None
    assert found.question == "Enter the code"


@pytest.mark.parametrize(
    "screen",
    ["Password:        ‸", "the password is here ‸", "Password: \nmore\n", "Password policy set.‸"],
)
def test_words_of_a_secret_elsewhere_are_none(screen: str) -> None:
    assert secret(look(screen)) is None


@pytest.mark.parametrize(
    ("row", "default"),
    [
        ("port [80]: ‸", "80"),
        ("name: (demo) ‸", "demo"),
        ("? Project name? ⟦fg8:›⟧ ⟦fg8:demo⟧‸", "demo"),
        ("name: ‸", None),
        ("Is it (really) so? ‸", None),
    ],
)
def test_the_value_of_a_bare_enter_is_the_default(row: str, default: str | None) -> None:
    found = question(look(row))
    assert found is not None
    assert found.default == default


@pytest.mark.parametrize("row", ["? Your name ‸", "? Your name Bo‸"])
def test_a_question_mark_in_front_asks_too(row: str) -> None:
    found = question(look(row))
    assert found is not None
    assert found.question.startswith("? Your name")


@pytest.mark.parametrize(
    "screen",
    [
        "Name:     ‸",
        "Na‸me: ",
        "Name: ‸Bob",
        "Name: ‸\ntext below",
        "plain ‸",
        "‸",
        "12:30 ‸",
    ],
)
def test_a_row_that_does_not_ask_right_before_the_cursor_is_none(screen: str) -> None:
    assert question(look(screen)) is None


def test_a_hidden_cursor_asks_only_in_a_blocked_line_read() -> None:
    assert question(look("Name: ‸", shown=False)) is None
    assert question(look("Name: ‸", shown=False, kernel=LINE_READ)) is not None
    assert question(look("Name: ‸", shown=False, kernel=RAW_READ)) is None


def test_a_question_that_wraps_is_joined_over_its_rows() -> None:
    text = "Enter the very long name of the thing that you would like to have: "
    rows = [text[n : n + 40] for n in range(0, len(text), 40)]
    found = question(look([*rows[:-1], rows[-1] + "‸"], width=40))
    assert found is not None
    assert found.question == text.strip()
    assert found.first == 0


def test_a_list_over_the_answer_line_gives_its_heading_as_the_question() -> None:
    found = question(look("Fruit\n1) Apple\n2) Pear\n‸", kernel=LINE_READ))
    assert found is not None
    assert found.kind is PromptKind.MENU
    assert found.question == "Fruit"


@pytest.mark.parametrize(
    ("bottom", "kernel"),
    [
        ("⟦r:some text⟧ and more‸", None),
        (":x‸", None),
        ("⟦r:(END)⟧‸", LINE_READ),
        ("took (45%)‸", None),
        ("plain‸", None),
    ],
)
def test_other_last_rows_are_no_pager(bottom: str, kernel: KernelFact | None) -> None:
    assert pager(look([*(["x"] * 23), bottom], kernel=kernel)) is None


def test_a_pager_is_at_the_last_row_with_the_cursor_behind_it() -> None:
    assert pager(look(["a", "⟦r:(END)⟧‸"])) is not None
    assert pager(look(["a", "⟦r:(END)⟧", "b‸"])) is None
    assert pager(look([*(["x"] * 23), "⟦r:‸f.txt⟧"])) is None
    assert pager(look(["x", ":‸"])) is None
    assert pager(look(["x", ":‸"], alternate=True)) is not None


def test_pasted_text_in_reverse_down_to_the_last_row_is_no_pager() -> None:
    rows = [f"⟦r:{'word ' * 16}⟧" for _ in range(23)]
    assert pager(look([*rows, "⟦r:the end⟧‸"])) is None


@pytest.mark.parametrize("screen", ["Press any key\nmore‸", "Press any key\n\n‸", "Press ‸any key"])
def test_an_invitation_counts_at_the_live_end_only(screen: str) -> None:
    assert key(look(screen)) is None


def test_an_invitation_to_type_a_word_is_text() -> None:
    found = key(look("Type DELETE to confirm\n‸"))
    assert found is not None
    assert found.kind is PromptKind.TEXT
    assert found.submits


def test_the_context_ends_at_a_blank_row_a_rule_and_a_shell_line() -> None:
    for stop in ("", "────────", "$ make test", "user@host:~$ ls"):
        seen = Layout(grid(f"far\n{stop}\nnear\nnearer\nquestion?\n"))
        assert context_above(seen, 3) == ("near\nnearer", 2)
    assert context_above(Layout(grid(["", "question?"])), 0) == ("", 1)

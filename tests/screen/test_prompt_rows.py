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
    read_listed,
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


def test_the_context_keeps_its_indentation() -> None:
    seen = look("@@ -1 +1,2 @@\n if x:\n+    go()\nStage this hunk [y,n]? ‸", kernel=LINE_READ)
    found = question(seen)
    assert found is not None
    assert found.context == "@@ -1 +1,2 @@\n if x:\n+    go()"


@pytest.mark.parametrize(("gap", "context"), [(0, "text"), (1, "text"), (2, "text"), (3, "")])
def test_the_context_may_stand_two_blank_rows_above(gap: int, context: str) -> None:
    found = question(look("text" + "\n" * (gap + 1) + "Is this OK? (yes) ‸", kernel=LINE_READ))
    assert found is not None
    assert (found.context, found.default) == (context, "yes")


@pytest.mark.parametrize("typed", ["", "2", "23"])
def test_a_number_behind_a_sign_is_typed_and_no_part_of_the_question(typed: str) -> None:
    found = question(look(f"1) apple\n2) pear\n#? {typed}‸", kernel=LINE_READ))
    assert found is not None
    assert found.question == "#?"


def test_a_key_named_alone_is_an_option() -> None:
    found = key(look("Press ENTER or type command to continue‸"))
    assert found is not None
    assert [(option.key, option.label) for option in found.options] == [("ENTER", "continue")]
    found = key(look("Press any key to continue...‸"))
    assert found is not None
    assert found.options == ()


def test_a_pager_that_stands_out_in_italics_is_one() -> None:
    rows = ["text"] * 23 + ["⟦i:some.txt⟧‸"]
    found = pager(look(rows))
    assert found is not None
    assert found.question == "some.txt"


def test_answers_that_an_editor_lists_are_read_only_at_its_last_row() -> None:
    row = "[O]pen Read-Only, (E)dit anyway, (Q)uit: ‸"

    def listed(screen: str) -> RowPrompt | None:
        seen = look(screen)
        return read_listed(Layout(Grid.from_look(seen)), seen.fields)

    found = listed(f"text\n{row}")
    assert found is not None
    assert [option.key for option in found.options] == ["O", "E", "Q"]
    assert found.default == "O"
    assert listed(f"{row}\nmore text") is None
    assert listed("text‸") is None


def test_rows_that_end_in_a_blank_at_the_edge_are_lines_unless_one_over_them_is_full() -> None:
    flood = ["flood " * 5] * 3
    found = question(look([*flood, "Go on? ‸"], width=30, kernel=LINE_READ))
    assert found is not None
    assert found.question == "Go on?"
    wrapped = ["x" * 30, "flood " * 5, "and what now? ‸"]
    found = question(look(wrapped, width=30, kernel=LINE_READ))
    assert found is not None
    assert found.question == "x" * 30 + "flood " * 5 + "and what now?"

"""Input points of line editors: shells, REPLs, line readers."""

import pytest
from tests.screen.building import BASH, PYTHON, composer_rule, look, profile

from panegate.panes.facts import ComposerReading, Look
from panegate.screen.composer import find_composer
from panegate.screen.grid import Grid
from panegate.screen.profile import Family, Profile

SHELL = profile(Family.SHELL)
LEARNED = ("root@box ~ # ", 13)


def find(
    seen: Look, by: Profile, learned: tuple[str, int] | None = None, row: int | None = None
) -> ComposerReading | None:
    grid = Grid.from_look(seen)
    return find_composer(grid, seen.fields, by, learned=learned, learned_row=row)


def found(seen: Look, by: Profile, learned: tuple[str, int] | None = None) -> ComposerReading:
    composer = find(seen, by, learned)
    assert composer is not None
    return composer


def test_an_empty_prompt_is_an_empty_composer_behind_it() -> None:
    composer = found(look("out\n>>> ‸"), PYTHON)
    assert (composer.row, composer.column, composer.text) == (1, 4, "")
    assert composer.prompt_text == ">>> "


def test_typed_text_is_the_draft_wherever_the_cursor_stands() -> None:
    for row in (">>> print(1)‸", ">>> ‸print(1)", ">>> pri‸nt(1)"):
        assert found(look(row), PYTHON).text == "print(1)"


def test_blanks_before_the_cursor_belong_to_the_draft() -> None:
    assert found(look(">>> a  ‸"), PYTHON).text == "a  "


def test_a_wrapped_draft_is_joined_exactly() -> None:
    draft = "x" * 20 + " " * 9 + "y" * 60
    rows = [(">>> " + draft)[n : n + 40] for n in range(0, 4 + len(draft), 40)]
    composer = found(look([*rows[:-1], rows[-1] + "‸"], width=40), PYTHON)
    assert composer.text == draft
    assert (composer.row, composer.last_row) == (0, len(rows) - 1)


def test_a_wrapped_draft_goes_on_below_the_cursor() -> None:
    draft = "y" * 90
    rows = [(">>> " + draft)[n : n + 40] for n in range(0, 94, 40)]
    composer = found(look(rows, width=40, cursor=(0, 10)), PYTHON)
    assert composer.text == draft
    assert composer.last_row == 2


def test_wide_characters_are_counted_in_columns() -> None:
    composer = found(look(">>> 日本語‸"), PYTHON)
    assert composer.text == "日本語"
    wide = profile(Family.REPL, prompts=("入力> ",))
    assert found(look("入力> ab‸"), wide).column == 6


def test_output_that_is_not_a_prompt_is_no_composer() -> None:
    assert find(look(">>> input()\nname‸"), PYTHON) is None
    assert find(look(">>> f()\n‸"), PYTHON) is None


def test_an_open_block_at_a_continuation_prompt_is_a_draft() -> None:
    composer = found(look(">>> def f():\n...     return 1\n... ‸"), PYTHON)
    assert composer.text == "def f():\n    return 1\n"
    assert composer.row == 0


def test_a_continuation_prompt_without_its_beginning_is_not_empty() -> None:
    composer = found(look("...     a\n... ‸"), PYTHON)
    assert composer.text.strip() == "a"


def test_a_learned_prompt_says_where_the_input_begins() -> None:
    composer = found(look("root@box ~ # echo $ ‸"), SHELL, LEARNED)
    assert composer.text == "echo $ "
    assert composer.column == 13


def test_a_learned_prompt_outweighs_patterns_that_match_further() -> None:
    assert found(look("root@box ~ # echo $ ‸"), BASH, LEARNED).text == "echo $ "
    assert found(look("root@box ~ # echo $ ‸"), BASH).column == 20


def test_another_prompt_than_the_learned_one_is_none() -> None:
    assert find(look("mysql> ‸"), SHELL, LEARNED) is None


def test_a_prompt_that_scrolled_out_of_sight_leaves_all_rows_to_the_input() -> None:
    for row in (-1, 2):
        composer = find(look("two\nthree‸"), SHELL, LEARNED, row=row)
        assert composer is not None
        assert (composer.row, composer.column, composer.text) == (0, 0, "two\nthree")
    assert find(look("two\nthree‸"), SHELL, LEARNED, row=1) is None
    assert find(look("two\nthree‸"), SHELL, LEARNED) is None


def test_a_cleared_screen_with_the_prompt_out_of_sight_has_an_empty_input_at_the_cursor() -> None:
    composer = find(look("             ‸"), SHELL, LEARNED, row=-3)
    assert composer is not None
    assert (composer.row, composer.column, composer.text) == (0, 13, "")


def test_a_prompt_in_sight_outweighs_one_out_of_sight() -> None:
    composer = find(look("out\n$ ls‸"), BASH, LEARNED, row=-1)
    assert composer is not None
    assert (composer.row, composer.text) == (1, "ls")


def test_the_cursor_left_of_the_input_is_no_composer() -> None:
    assert find(look("root@‸box ~ # "), SHELL, LEARNED) is None


def test_a_shell_without_patterns_or_a_learned_prompt_has_none() -> None:
    assert find(look("$ ‸"), SHELL) is None


@pytest.mark.parametrize("rest", ["⟦d:o hello⟧", "⟦fg8:o hello⟧", "⟦fg240:o hello⟧"])
def test_a_suggestion_right_of_the_cursor_is_a_hint(rest: str) -> None:
    composer = found(look(f"$ ech‸{rest}"), BASH)
    assert composer.text == "ech"
    assert composer.hint == "o hello"


def test_plain_text_right_of_the_cursor_is_typed_and_a_suggestion_behind_it_is_not() -> None:
    composer = found(look("$ ec‸ho⟦fg8: hello⟧"), BASH)
    assert composer.text == "echo"
    assert composer.hint == "hello"


def test_a_prompt_at_the_right_edge_is_a_hint_in_a_shell() -> None:
    row = "$ ls‸".ljust(74) + "[12:00]"
    assert found(look(row), BASH).text == "ls"
    assert found(look(row), BASH).hint == "[12:00]"


def test_typed_text_far_right_of_a_moved_cursor_is_no_hint() -> None:
    assert found(look("$ ‸ls  -l"), BASH).text == "ls  -l"
    assert found(look("$ ‸   late"), BASH).text.strip() == "late"


def test_a_declared_line_reader_takes_lines_at_an_empty_row() -> None:
    by = profile(Family.LINES, reads_lines=True, at_empty_row=True)
    composer = found(look("out\n‸"), by)
    assert (composer.row, composer.column, composer.text) == (1, 0, "")
    assert find(look("out\npartial‸"), by) is None


def test_a_placeholder_for_a_paste_is_collapsed_text() -> None:
    by = profile(Family.REPL, prompts=("> ",), composer=composer_rule(collapsed=(r"\[block \d+",)))
    assert found(look("> [block 1: 90 rows]‸"), by).collapsed
    assert not found(look("> block‸"), by).collapsed


def test_the_longest_of_several_prompts_wins() -> None:
    by = profile(Family.REPL, prompts=("> ", r"\w*> "))
    assert found(look("architect> ‸"), by).column == 11

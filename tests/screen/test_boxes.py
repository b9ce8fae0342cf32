"""Input boxes of full-screen programs, and what only looks like one."""

import pytest
from tests.screen.building import AGENT, UNKNOWN, composer_rule, look, profile

from panegate.panes.facts import ComposerReading, Look
from panegate.screen.composer import find_composer
from panegate.screen.grid import Grid
from panegate.screen.profile import Family, Profile

BOX = """
● Done.

╭────────────────────────────────────╮
│ > {}│
╰────────────────────────────────────╯
  ? for shortcuts
"""
RULES = """
● Done.

────────────────────────────────────────
❯ {}
────────────────────────────────────────
  ? for shortcuts
"""
BARE = """
• Done.

› {}

  ? for shortcuts            100% context left
"""


def boxed(text: str) -> str:
    return BOX.format(text + " " * (33 - len(text.replace("‸", ""))))


def find(seen: Look, by: Profile) -> ComposerReading | None:
    return find_composer(Grid.from_look(seen), seen.fields, by)


def found(seen: Look, by: Profile) -> ComposerReading:
    composer = find(seen, by)
    assert composer is not None
    return composer


@pytest.mark.parametrize("by", [AGENT, UNKNOWN], ids=["profile", "unknown"])
@pytest.mark.parametrize("screen", [boxed("‸"), RULES.format("‸"), BARE.format("‸")])
def test_an_empty_box_with_the_cursor_in_it_is_an_empty_composer(screen: str, by: Profile) -> None:
    composer = found(look(screen), by)
    assert composer.text == ""
    assert composer.row == composer.last_row


@pytest.mark.parametrize("by", [AGENT, UNKNOWN], ids=["profile", "unknown"])
@pytest.mark.parametrize(
    "screen", [boxed("fix it‸"), RULES.format("fix it‸"), BARE.format("fix it‸")]
)
def test_typed_text_in_a_box_is_the_draft(screen: str, by: Profile) -> None:
    assert found(look(screen), by).text == "fix it"


@pytest.mark.parametrize("by", [AGENT, UNKNOWN], ids=["profile", "unknown"])
@pytest.mark.parametrize(
    "screen",
    [
        BARE.format("‸⟦d:Find and fix a bug in @filename⟧"),
        RULES.format("‸⟦fg246:Ask for anything⟧"),
    ],
)
def test_dim_text_right_of_the_caret_is_a_hint(screen: str, by: Profile) -> None:
    composer = found(look(screen), by)
    assert composer.text == ""
    assert composer.hint


def test_a_placeholder_of_the_profile_is_a_hint_in_any_colour() -> None:
    composer = found(look(boxed("‸Type your message or @path")), AGENT)
    assert composer.text == ""
    assert composer.hint == "Type your message or @path"
    assert found(look(boxed("Type your message x‸")), AGENT).text == "Type your message x"


def test_a_hidden_cursor_is_found_as_a_reverse_cell() -> None:
    composer = found(look(RULES.format("fix⟦r: ⟧"), shown=False, cursor=(0, 0)), AGENT)
    assert composer.text == "fix"
    hinted = look(RULES.format("⟦r:T⟧⟦d:ry something⟧"), shown=False, cursor=(0, 0))
    assert found(hinted, AGENT).text == ""
    assert found(hinted, AGENT).hint == "Try something"


def test_an_empty_framed_box_needs_no_caret() -> None:
    assert found(look(boxed(""), shown=False, cursor=(0, 0)), AGENT).text == ""
    assert found(look(boxed(""), shown=False, cursor=(0, 0)), UNKNOWN).text == ""


def test_unframed_text_without_any_caret_is_no_composer() -> None:
    assert find(look(BARE.format("old text"), shown=False, cursor=(0, 0)), AGENT) is None


def test_a_no_break_space_behind_the_glyph_is_a_blank() -> None:
    assert found(look("───────────\n❯\xa0‸\n───────────\n"), AGENT).column == 2


def test_several_rows_in_a_box_are_one_draft() -> None:
    screen = """
╭────────────────────╮
│ > one              │
│   two              │
│   three‸           │
╰────────────────────╯
"""
    composer = found(look(screen), AGENT)
    assert composer.text == "one\ntwo\nthree"
    assert (composer.row, composer.last_row) == (1, 3)


def test_a_numbered_message_in_a_ruled_box_is_a_draft_and_no_menu() -> None:
    screen = "out\n──────────────────\n❯ 1. do this\n  2. do that⟦r: ⟧\n──────────────────\n"
    composer = found(look(screen, shown=False, cursor=(0, 0)), AGENT)
    assert composer.text == "1. do this\n2. do that"


def test_a_line_break_at_the_end_shows_as_an_empty_row() -> None:
    screen = "──────────────────\n❯ fix it\n  ‸\n──────────────────\n"
    assert found(look(screen), AGENT).text == "fix it\n"


def test_a_draft_of_bare_rows_ends_at_the_cursor() -> None:
    screen = "• Done.\n\n› one\n  two‸\n\n  ? for shortcuts\n"
    composer = found(look(screen), AGENT)
    assert composer.text == "one\ntwo"


def test_a_draft_that_the_terminal_wrapped_is_joined() -> None:
    rows = ["> " + "a" * 38, "a" * 10 + "‸"]
    assert found(look(rows, width=40), AGENT).text == "a" * 48


def test_a_bar_in_front_of_each_row_is_a_glyph_where_the_profile_says_so() -> None:
    by = profile(Family.COMPOSER, composer=composer_rule(("┃",)))
    screen = "┃\n┃  ‸⟦d:Ask anything⟧\n┃\n┃  Build  Some Model\n"
    composer = found(look(screen), by)
    assert (composer.row, composer.column, composer.text) == (1, 3, "")
    typed = found(look("┃\n┃  one\n┃  two‸\n┃\n┃  Build\n"), by)
    assert typed.text == "one\ntwo"


def test_a_box_without_a_glyph_lies_between_two_rules() -> None:
    by = profile(Family.COMPOSER)
    screen = "hello\n──────────────────\nfix it⟦r: ⟧\n──────────────────\n 0% of 128k\n"
    composer = found(look(screen, shown=False, cursor=(0, 0)), by)
    assert composer.text == "fix it"
    assert find(look(screen, shown=False, cursor=(0, 0)), UNKNOWN) is None


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("~/project main > ‸", 17),
        ("user@host:~/src$ ‸", 17),
        ("root@host:/# ‸", 13),
        ("mysql> ‸", 7),
        ("dev ❯ ‸", 6),
    ],
)
def test_a_glyph_in_mid_row_counts_before_the_cursor(row: str, column: int) -> None:
    composer = found(look(row), UNKNOWN)
    assert composer.column == column
    assert composer.text == ""


def test_text_behind_a_glyph_in_mid_row_is_the_draft() -> None:
    composer = found(look("~/project main > make test‸"), UNKNOWN)
    assert composer.text == "make test"
    assert composer.prompt_text == "~/project main > "


@pytest.mark.parametrize(
    "row",
    [
        "Downloading 45% ‸",
        "<html> ‸",
        "mysql-> ‸",
        "plain text ‸",
        "Name? › ‸",
        "a => ‸",
        ">quoted‸",
        "#!/bin/sh‸",
    ],
)
def test_output_that_ends_like_a_prompt_is_no_composer(row: str) -> None:
    assert find(look(row), UNKNOWN) is None


@pytest.mark.parametrize(
    "screen",
    [
        "Proceed?\n❯ 1. Yes\n  2. No\n",
        "Proceed?\n  1. Yes\n❯ 2. No\n",
        "Pick\n\n> one\n  two\n  three\n",
        "Do you want to proceed?\n ❯ 1. Yes\n   2. No, and say\n      what to do\n",
    ],
)
@pytest.mark.parametrize("by", [AGENT, UNKNOWN], ids=["profile", "unknown"])
@pytest.mark.parametrize("parked", [(1, 2), (2, 2), (0, 0)])
def test_a_menus_highlighted_row_is_no_composer(
    screen: str, by: Profile, parked: tuple[int, int]
) -> None:
    assert find(look(screen, shown=False, cursor=parked), by) is None


def test_a_picker_with_the_composers_glyph_is_no_composer_with_the_cursor_shown() -> None:
    screen = "Pick a session:\n> one\n  two\n  three‸\n"
    assert find(look(screen), UNKNOWN) is None
    assert find(look(screen), AGENT) is None


def test_a_fuzzy_finders_query_is_no_composer() -> None:
    assert find(look("  b.txt\n▌ a.txt\n  2/2 ────\n> ‸"), UNKNOWN) is None


def test_a_question_right_above_a_bare_glyph_is_no_composer() -> None:
    assert find(look("What is your name?\n> ‸"), UNKNOWN) is None
    assert find(look("out\n> ‸"), UNKNOWN) is not None


@pytest.mark.parametrize(
    "bottom",
    [
        "-- INSERT --         1,3   All",
        "^X Exit   ^R Read File ^U Paste",
        " 1Help  2Menu  3View  4Edit",
    ],
)
def test_an_editor_has_no_composer(bottom: str) -> None:
    screen = ["# heading", "> ‸", *[""] * 20, bottom]
    assert find(look(screen, alternate=True), UNKNOWN) is None
    assert find(look(["# ‸", *["~"] * 22, ""], alternate=True), UNKNOWN) is None


def test_an_editor_is_known_by_its_name_too() -> None:
    assert find(look("> ‸", command="nvim"), UNKNOWN) is None


def test_much_text_below_the_input_row_is_no_live_end() -> None:
    rows = ["> ‸", *(f"text {n}" for n in range(8))]
    assert find(look(rows), UNKNOWN) is None


def test_a_collapsed_paste_is_named() -> None:
    composer = found(look(RULES.format("[Pasted text #1 +80 lines]‸")), AGENT)
    assert composer.collapsed


@pytest.mark.parametrize("by", [AGENT, UNKNOWN], ids=["profile", "unknown"])
def test_an_empty_row_in_a_box_has_no_text_of_its_borders(by: Profile) -> None:
    screen = boxed("fix it").replace("\n╰", f"\n│ ‸{' ' * 35}│\n╰")
    assert found(look(screen), by).text == "fix it\n"


@pytest.mark.parametrize("query", ["> ‸", "❯ ‸", "│ > ‸ │"])
def test_a_row_beside_a_list_with_a_pointer_is_a_query(query: str) -> None:
    side = ("│", " │") if query.startswith("│") else ("", "")
    rows = [f"{side[0]} {text}{side[1]}" for text in ("  delta", "  beta", "⟦bg236:> alpha⟧")]
    for screen in ([*rows, f" {query}"], [f" {query}", *rows[::-1]]):
        for alternate in (False, True):
            assert find(look(["above", "", *screen], alternate=alternate), UNKNOWN) is None


def test_an_entered_line_above_the_input_row_is_no_list() -> None:
    for above in (["> cd work"], ["out", "⟦bg236:> said⟧", "Done."]):
        assert find(look([*above, "> ‸"]), UNKNOWN) is not None


def test_a_list_at_the_top_of_the_alternate_screen_belongs_to_the_query_below() -> None:
    screen = ["⟦bg236:> alpha⟧", "  beta", "", "", "> ‸"]
    assert find(look(screen, alternate=True), UNKNOWN) is None
    assert find(look(["words", "", *screen], alternate=True), UNKNOWN) is not None


@pytest.mark.parametrize("frame", [(), ("╭────╮", "│    │", "╰────╯")])
def test_a_glyph_alone_on_the_alternate_screen_tells_nothing(frame: tuple[str, ...]) -> None:
    top, side, bottom = frame or ("", "", "")
    query = "│ > ‸│" if frame else "> ‸"
    screen = [top, *[side] * 15, query, bottom]
    assert find(look(screen, alternate=True), UNKNOWN) is None
    assert find(look(["Welcome", *screen], alternate=True), UNKNOWN) is not None
    assert find(look(screen), UNKNOWN) is not None


def test_a_small_box_alone_on_the_alternate_screen_is_a_composer() -> None:
    assert find(look(["╭────╮", "│ > ‸│", "╰────╯"], alternate=True), UNKNOWN) is not None


@pytest.mark.parametrize("reader", ["fzf", "vim", "nano"])
def test_who_reads_the_terminal_tells_a_finder_or_an_editor_started_by_another(reader: str) -> None:
    seen = look(["words", "> ‸"], command="git")
    grid = Grid.from_look(seen)
    assert find_composer(grid, seen.fields, UNKNOWN) is not None
    assert find_composer(grid, seen.fields, UNKNOWN, reader=reader) is None


@pytest.mark.parametrize(
    ("row", "text"), [("(gdb) ‸", ""), ("(gdb) print 1‸", "print 1"), ("[gdb]> run‸", "run")]
)
def test_a_prompt_made_of_the_programs_own_name_is_an_input_row(row: str, text: str) -> None:
    composer = found(look(["Reading symbols", row], command="gdb"), UNKNOWN)
    assert (composer.row, composer.text) == (1, text)


@pytest.mark.parametrize("row", ["(y) ‸", "[sudo] password for me ‸", "(gdb)‸", "a (gdb) ‸"])
def test_other_words_in_brackets_are_no_input_row(row: str) -> None:
    assert find(look(["words", row], command="gdb"), UNKNOWN) is None
    assert find(look(["words", "(gdb) ‸"], command="cat"), UNKNOWN) is None

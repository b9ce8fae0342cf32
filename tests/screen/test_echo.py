"""Typed text compared with the cells where it should stand."""

import textwrap

import pytest
from tests.screen.building import AGENT, BASH, look

from panegate.panes.facts import Look
from panegate.screen.composer import find_composer
from panegate.screen.echo import EchoKind, EchoReading, compare_echo
from panegate.screen.grid import Grid
from panegate.screen.profile import Profile


def echo(
    seen: Look,
    text: str,
    start: tuple[int, int] = (0, 2),
    *,
    by: Profile | None = None,
    collapsed_ok: bool = False,
    scrolled: int = 0,
) -> EchoReading:
    grid = Grid.from_look(seen)
    composer = None if by is None else find_composer(grid, seen.fields, by)
    return compare_echo(
        grid,
        seen.fields,
        start,
        text,
        composer=composer,
        collapsed_ok=collapsed_ok,
        scrolled=scrolled,
    )


@pytest.mark.parametrize("by", [None, BASH], ids=["cells", "composer"])
@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ("$ ‸", EchoKind.NONE),
        ("$ make‸", EchoKind.PARTIAL),
        ("$ make test‸", EchoKind.FULL),
        ("$ make test‸⟦d: --all⟧", EchoKind.FULL),
        ("$ make tent‸", EchoKind.DIFFERS),
        ("$ make testx‸", EchoKind.DIFFERS),
        ("$ maketest‸", EchoKind.DIFFERS),
        ("$ ‸⟦d:make test⟧", EchoKind.NONE),
    ],
)
def test_the_cells_up_to_the_cursor_are_compared(
    row: str, kind: EchoKind, by: Profile | None
) -> None:
    assert echo(look(row), "make test", by=by).kind is kind


def test_partial_says_how_much_is_seen() -> None:
    reading = echo(look("$ make‸"), "make test")
    assert reading.words == "4 of 9 characters of the text are seen"
    assert reading.seen == "make"


def test_lost_blanks_are_a_difference() -> None:
    assert echo(look("$ ls-l‸"), "ls -l").kind is EchoKind.DIFFERS
    assert echo(look("$ a b‸"), "a  b").kind is EchoKind.DIFFERS
    assert echo(look("$ a‸"), " a").kind is EchoKind.DIFFERS
    assert echo(look("$ a  ‸"), "a  ").kind is EchoKind.FULL


def test_rows_the_terminal_wrapped_are_joined_exactly() -> None:
    text = "x" * 17 + " " * 5 + "word " * 12
    rows = [("$ " + text)[n : n + 40] for n in range(0, len(text) + 2, 40)]
    assert echo(look([*rows[:-1], rows[-1] + "‸"], width=40), text).kind is EchoKind.FULL
    wrong = text.replace("word", "work", 1)
    assert echo(look([*rows[:-1], rows[-1] + "‸"], width=40), wrong).kind is EchoKind.DIFFERS


def test_a_word_that_ends_at_the_edge_keeps_its_blank() -> None:
    text = "a" * 38 + " bcd"
    rows = ["$ " + "a" * 38, " bcd‸"]
    assert echo(look(rows, width=40), text).kind is EchoKind.FULL
    text = "a" * 37 + " bcd"
    rows = ["$ " + "a" * 37, "bcd‸"]
    assert echo(look(rows, width=40), text).kind is EchoKind.FULL


def test_rows_a_program_wrapped_in_a_border_may_differ_in_their_blanks() -> None:
    text = "Please look at the parser first and then tell me whether the lexer is to blame"
    screen = """
╭───────────────────────────────────╮
│ > Please look at the parser first │
│   and then tell me whether the    │
│   lexer is to blame‸              │
╰───────────────────────────────────╯
"""
    seen = look(screen, width=37)
    assert echo(seen, text, (1, 4), by=AGENT).kind is EchoKind.FULL
    assert echo(seen, text.replace("lexer", "lexers"), (1, 4), by=AGENT).kind is EchoKind.DIFFERS


def test_the_cursor_parked_elsewhere_does_not_hide_a_composers_text() -> None:
    screen = "──────────────────\n❯ fix it⟦r: ⟧\n──────────────────\n"
    seen = look(screen, shown=False, cursor=(23, 0))
    assert echo(seen, "fix it", (1, 2), by=AGENT).kind is EchoKind.FULL


def test_line_breaks_are_compared_as_rows() -> None:
    screen = "──────────────────\n❯ one\n\n  two⟦r: ⟧\n──────────────────\n"
    seen = look(screen, shown=False, cursor=(23, 0))
    assert echo(seen, "one\n\ntwo", (1, 2), by=AGENT).kind is EchoKind.FULL
    assert echo(seen, "one\n\nten", (1, 2), by=AGENT).kind is EchoKind.DIFFERS
    shell = look("$ one\ntwo‸")
    assert echo(shell, "one\ntwo").kind is EchoKind.FULL


def test_a_swallowed_enter_shows_as_an_empty_row_under_the_text() -> None:
    screen = "──────────────────\n❯ fix it\n  ‸\n──────────────────\n"
    reading = echo(look(screen), "fix it", (1, 2), by=AGENT)
    assert reading.kind is EchoKind.FULL
    assert reading.line_break
    plain = echo(look(screen.replace("\n  ‸", "‸")), "fix it", (1, 2), by=AGENT)
    assert plain.kind is EchoKind.FULL
    assert not plain.line_break


@pytest.mark.parametrize("shown", ["a       b", "a b", "a^Ib", "ab"])
def test_a_tab_matches_any_blanks(shown: str) -> None:
    assert echo(look(f"$ {shown}‸"), "a\tb").kind is EchoKind.FULL


@pytest.mark.parametrize(
    "text", ["日本語 ok", "caf\u0065\u0301", "👍🏽 yes", "👨\u200d👩\u200d👧 hi", "❤\ufe0f x"]
)
def test_wide_and_combined_characters_match(text: str) -> None:
    assert echo(look(f"$ {text}‸"), text).kind is EchoKind.FULL


def test_composed_and_decomposed_text_match() -> None:
    assert echo(look("$ caf\u00e9‸"), "cafe\u0301").kind is EchoKind.FULL
    assert echo(look("$ cafe‸"), "caf\u00e9").kind is EchoKind.DIFFERS


def test_a_cursor_that_another_tmux_counts_differently_does_not_cut_the_text() -> None:
    assert echo(look("$ ❤\ufe0f yes", cursor=(0, 8)), "❤\ufe0f yes").kind is EchoKind.FULL


def test_cells_that_another_tmux_counts_narrower_still_belong_to_the_text() -> None:
    """tmux 3.3a counts two cells for a flag, the width table four."""
    text = "🇫🇷 ❤\ufe0f 😀"
    assert echo(look(f"$ {text}", cursor=(0, 9)), text).kind is EchoKind.FULL
    assert echo(look("$ plain", cursor=(0, 5)), "plain").kind is EchoKind.PARTIAL
    far = look(f"$ {text} and much more than that", cursor=(0, 9))
    assert echo(far, f"{text} and much more than that").kind is not EchoKind.FULL


def test_a_tab_drawn_at_a_rows_beginning_is_that_of_the_text() -> None:
    assert echo(look("$ a\n  ^Ib‸"), "a\n\tb").kind is EchoKind.FULL
    assert echo(look("$ a\n  b‸"), "a\n\tb").kind is EchoKind.FULL
    assert echo(look("$ a\n  ^Ib‸"), "a\nb").kind is EchoKind.DIFFERS


def test_the_start_moves_up_with_the_history() -> None:
    seen = look("out\n$ make test‸", history=5)
    assert echo(seen, "make test", (3, 2), scrolled=2).kind is EchoKind.FULL
    assert echo(seen, "make test", (1, 2), scrolled=0).kind is EchoKind.FULL
    assert echo(seen, "make test", (3, 2), scrolled=0).kind is EchoKind.NONE


LONG = " ".join(f"word{n}" for n in range(430))


def long_rows(width: int, height: int) -> list[str]:
    rows = [("$ " + LONG)[n : n + width] for n in range(0, len(LONG) + 2, width)]
    return rows[-height:]


def test_a_text_longer_than_the_screen_is_compared_by_its_tail() -> None:
    rows = long_rows(80, 24)
    seen = look([*rows[:-1], rows[-1] + "‸"])
    reading = echo(seen, LONG, (23, 2), scrolled=38)
    assert reading.kind is EchoKind.FULL
    assert reading.tail_only
    other = echo(seen, LONG[:-3] + "xyz", (23, 2), scrolled=38)
    assert other.kind is EchoKind.DIFFERS


def test_readline_shows_the_first_screenful_and_the_last_line_of_many() -> None:
    text = "\n".join(f"line {n}" for n in range(60))
    first = [f"line {n}" for n in range(1, 24)]
    seen = look([*first, "line 59‸"])
    reading = echo(seen, text, (0, 2), scrolled=1)
    assert (reading.kind, reading.tail_only) == (EchoKind.FULL, True)
    for rows in ([*first, "line 58‸"], [*first[:5], "line 99", *first[6:], "line 59‸"]):
        assert echo(look(rows), text, (0, 2), scrolled=1).kind is not EchoKind.FULL
    short = [*first[:9], "line 59‸"]
    assert echo(look(short), text, (0, 2), scrolled=1).kind is not EchoKind.FULL


def test_an_editors_mark_for_more_above_is_skipped() -> None:
    rows = ["<....", *long_rows(80, 23)]
    seen = look([*rows[:-1], rows[-1] + "‸"])
    assert echo(seen, LONG, (0, 2)).tail_only


def box_with(rows: list[str]) -> list[str]:
    """A box that has no room above the rows it shows."""
    screen = [f"│   {row:70}   │" for row in rows]
    screen[0] = screen[0].replace("│   ", "│ > ", 1)
    screen[-1] = f"│   {rows[-1]}‸{' ' * (70 - len(rows[-1]))}   │"
    return ["╭" + "─" * 76 + "╮", *screen, "╰" + "─" * 76 + "╯"]


def hard_rows(text: str) -> list[str]:
    return [text[n : n + 70] for n in range(0, len(text), 70)]


@pytest.mark.parametrize("rows", [hard_rows(LONG), textwrap.wrap(LONG, 70)], ids=["hard", "words"])
def test_a_box_that_shows_only_the_end_of_a_long_text_is_a_tail(rows: list[str]) -> None:
    reading = echo(look(box_with(rows[-8:])), LONG, (1, 4), by=AGENT)
    assert reading.kind is EchoKind.FULL
    assert reading.tail_only


@pytest.mark.parametrize("lost", [1022, 2044])
@pytest.mark.parametrize("by_words", [False, True])
def test_a_box_whose_rows_begin_anywhere_has_lost_the_head(lost: int, by_words: bool) -> None:
    rest = LONG[lost:][:-600]
    rows = textwrap.wrap(rest, 70) if by_words else hard_rows(rest)
    reading = echo(look(box_with(rows)), LONG[:-600], (1, 4), by=AGENT)
    assert reading.kind is EchoKind.DIFFERS


def test_a_missing_head_in_a_box_that_has_room_is_no_tail() -> None:
    text = " ".join(f"w{n}" for n in range(300))
    tail = text[-130:]
    screen = ["─" * 80, f"❯ {tail[:76]}", f"  {tail[76:]}‸", "─" * 80]
    assert echo(look(screen), text, (1, 2), by=AGENT).kind is EchoKind.DIFFERS


@pytest.mark.parametrize(
    "placeholder",
    ["[Pasted text #1 +80 lines]", "[Pasted Content 4971 chars]", "[block 1: 90 rows]"],
)
def test_a_placeholder_counts_only_where_it_may(placeholder: str) -> None:
    seen = look(f"───────────\n❯ {placeholder}‸\n───────────\n")
    text = "line\n" * 80
    assert echo(seen, text, (1, 2), by=AGENT, collapsed_ok=True).kind is EchoKind.COLLAPSED
    assert echo(seen, text, (1, 2), by=AGENT).kind is EchoKind.DIFFERS
    if "Pasted text" not in placeholder:
        assert echo(seen, "short", (1, 2), by=AGENT, collapsed_ok=True).kind is EchoKind.DIFFERS

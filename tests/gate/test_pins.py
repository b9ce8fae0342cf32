"""Rows of a look as searches that tmux repeats."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.gate.pins import (
    MAX_ROW_CHARS,
    MAX_WHOLE_CHARS,
    Pin,
    pin_rows,
    row_search,
    row_text,
)


def rows_of(*texts: str, height: int | None = None) -> tuple[bytes, ...]:
    missing = (height or len(texts)) - len(texts)
    return tuple(text.encode() for text in (*texts, *[""] * missing))


def as_python(search: str) -> re.Pattern[str]:
    """The searches made here, read by Python."""
    kind, _, pattern = search.partition(":")
    if kind == "C":  # a glob whose only special character is the question mark
        return re.compile(f".*{'.'.join(map(re.escape, pattern.split('?')))}", re.DOTALL)
    assert kind == "C/r"
    if "|" in pattern and "[|]" not in pattern:  # what is absent: read by Python as it stands
        return re.compile(f".*(?:{pattern})", re.DOTALL)
    assert (pattern[0], pattern[-1]) == ("^", "$")
    return re.compile(pattern[1:-1].replace("[[]", r"\[") + r"\Z", re.DOTALL)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (b"plain", "plain"),
        (b"trailing  \t ", "trailing"),
        (b"  lead", "  lead"),
        (b"\x1b[1m\x1b[38;5;3m> \x1b[0mhi\x1b[4:3mx\x1b[0m", "> hix"),
        (b"\x0elqqk\x0f x", "lqqk x"),
        (b"\x1b]8;id=1;http://a/\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("❯ café 日本".encode(), "❯ café 日本"),
        (b"", ""),
    ],
)
def test_a_row_reads_as_tmux_searches_it(row: bytes, text: str) -> None:
    assert row_text(row) == text


@pytest.mark.parametrize(
    "row", [b"\xff\xfe", b"a\tb", b"\x1b[2Jx", b"a\x7fb", "a\u0085b".encode(), "a\u0378".encode()]
)
def test_a_row_that_cannot_be_read_with_certainty_is_none(row: bytes) -> None:
    assert row_text(row) is None


def test_characters_with_a_meaning_never_reach_a_short_rows_search() -> None:
    assert row_search("100% #{a}, \\d ^[b](c)$D*?+|") == (
        "C/r:^100. ..a.. .d .[[]b[]][(]c[)][$]D[*][?][+][|]$"
    )


def test_characters_with_a_meaning_never_reach_a_long_rows_search() -> None:
    text = "100% #(touch x) #{pane_id}, \\d ^[a](b)$HOME*?+|"
    assert len(text) > MAX_WHOLE_CHARS
    assert row_search(text) == "C:100? ?(touch x) ??pane_id?? ?d ^?a?(b)$HOME??+|"


@given(st.text(st.characters(min_codepoint=32, exclude_characters="\x7f"), max_size=60))
def test_a_row_is_always_found_by_its_own_search(text: str) -> None:
    known = row_text(text.encode(errors="replace"))
    if known is not None:
        assert as_python(row_search(known)).match(known)


def test_pins_name_the_input_area_the_rows_around_it_and_the_first_blank_row() -> None:
    rows = rows_of("a1", "", "a2", "a3", "a4", "> ", "b1", "", "b2", "b3", "b4", height=14)
    found = pin_rows(rows, first=5, last=5)
    assert {(p.name, p.row_number) for p in found.pins} == {
        ("composer_row", 6),
        ("absent", 0),
        ("above_1", 5),
        ("above_2", 4),
        ("above_3", 3),
        ("below_1", 7),
        ("below_2", 9),
        ("below_3", 10),
        ("first_blank_row", 2),
    }
    assert found.left_out == ()


def test_the_most_telling_pins_come_first() -> None:
    rows = rows_of("a1", "a2", "a3", "> x", "y", "b1", "b2", "b3")
    names = [p.name for p in pin_rows(rows, first=3, last=4).pins]
    assert names[:2] == ["composer_row", "composer_last_row"]
    assert names[2] == "absent"
    assert set(names[3:5]) == {"above_1", "below_1"}
    assert names[5] == "first_blank_row"
    assert set(names[6:8]) == {"above_2", "below_2"}


def test_no_blank_row_is_a_pin_too() -> None:
    assert Pin("first_blank_row", "C/r:^$", 0) in pin_rows(rows_of("a", "b"), first=0, last=0).pins


def test_a_row_hidden_by_an_equal_row_above_is_left_out() -> None:
    rows = rows_of(">>>", "x", ">>>")
    found = pin_rows(rows, first=2, last=2)
    assert "composer_row" not in {p.name for p in found.pins}
    assert found.left_out == ("composer_row: row 3 is hidden by row 1",)


def test_the_wildcards_of_a_row_decide_which_row_it_finds() -> None:
    """``a%c`` is searched as ``a.c``, which an earlier ``abc`` matches."""
    hidden = pin_rows(rows_of("abc", "a%c"), first=1, last=1)
    assert hidden.left_out == ("composer_row: row 2 is hidden by row 1",)
    seen = pin_rows(rows_of("a%c", "abc"), first=1, last=1)
    assert Pin("composer_row", "C/r:^abc$", 2) in seen.pins


def test_a_long_row_is_hidden_by_a_row_that_contains_it() -> None:
    text = "a row that is, all in all, rather long"
    hidden = pin_rows(rows_of(f"- {text.replace(',', ';')} -", text), first=1, last=1)
    assert hidden.left_out == ("composer_row: row 2 is hidden by row 1",)
    seen = pin_rows(rows_of(text[1:], text), first=1, last=1)
    assert [pin.row_number for pin in seen.pins if pin.name == "composer_row"] == [2]


@pytest.mark.parametrize("character", "#,{}%\\*?[]")
def test_a_long_row_is_hidden_by_one_that_its_wildcards_match(character: str) -> None:
    text = f"a row that is {character} all in all rather long"
    hidden = pin_rows(rows_of(f"- {text.replace(character, '.')}", text), first=1, last=1)
    assert hidden.left_out == ("composer_row: row 2 is hidden by row 1",)


def test_the_longest_short_row_is_searched_as_a_whole() -> None:
    text = "x" * MAX_WHOLE_CHARS
    found = pin_rows(rows_of(f"{text}.", text), first=1, last=1)
    assert Pin("composer_row", f"C/r:^{text}$", 2) in found.pins
    longer = pin_rows(rows_of(f".{text}x", f"{text}x"), first=1, last=1)
    assert longer.left_out == ("composer_row: row 2 is hidden by row 1",)


def test_a_short_row_is_not_hidden_by_a_row_that_contains_it() -> None:
    found = pin_rows(rows_of("x > ", "> "), first=1, last=1)
    assert Pin("composer_row", "C/r:^>$", 2) in found.pins


def test_a_dot_on_screen_is_a_dot() -> None:
    found = pin_rows(rows_of("abc", "a.c"), first=1, last=1)
    assert Pin("composer_row", "C/r:^a[.]c$", 2) in found.pins


def test_the_next_row_takes_the_place_of_one_that_cannot_be_pinned() -> None:
    rows = rows_of("same", "a1", "same", "> ")
    found = {p.name: p.row_number for p in pin_rows(rows, first=3, last=3).pins}
    assert (found["above_1"], found["above_2"]) == (2, 1)


def test_nothing_below_an_unreadable_row_is_claimed() -> None:
    rows = (b"a", b"\xff", b"> ", b"b", b"")
    found = pin_rows(rows, first=2, last=2)
    assert [(p.name, p.row_number) for p in found.pins] == [("absent", 0), ("above_1", 1)]
    assert any(words.startswith("first_blank_row") for words in found.left_out)
    assert any(words.startswith("composer_row") for words in found.left_out)


def test_a_blank_input_row_is_left_to_the_other_pins() -> None:
    found = pin_rows(rows_of("a", "", "b"), first=1, last=1)
    assert found.left_out == ("composer_row: row 2 is blank",)


def test_very_long_rows_are_not_pinned() -> None:
    found = pin_rows(rows_of("x" * (MAX_ROW_CHARS + 1), "y"), first=0, last=0)
    assert found.left_out == ("composer_row: row 1 is too long",)


QUESTION = " Do you want to run this? | ❯ 1. Yes | 2. No (esc)"


@pytest.mark.parametrize(
    "rows",
    [
        ("", "", "> "),
        ("go on? Yes (esc) | > * + / & <b> = @ _ ~ $ ; ! ' \" `", "", "> "),
        ("The quick brown fox jumps over the lazy dog", "THE QUICK BROWN FOX JUMPS OVER", "> "),
        (f"what ? {string.ascii_letters}", "│ ❯", "> "),
    ],
)
def test_a_question_on_a_blank_row_is_something_that_was_absent(rows: tuple[str, ...]) -> None:
    last = len(rows) - 1
    pin = next(
        p for p in pin_rows(rows_of(*rows), first=last, last=last).pins if p.name == "absent"
    )
    pattern = as_python(pin.search)
    assert pin.row_number == 0
    assert not any(pattern.match(row) for row in rows)
    assert any(pattern.match(part) for part in QUESTION.split("|"))


def test_a_clock_that_goes_on_is_nothing_that_was_absent() -> None:
    pins = {p.name: p for p in pin_rows(rows_of("up 1.0s", "> "), first=1, last=1).pins}
    assert as_python(pins["absent"].search).match("up 9.8s") is None


def test_where_everything_stands_on_screen_nothing_is_absent() -> None:
    everything = string.printable[:95] + "❯›▸▶►→➜●◉○◯□☐│┃─━═╭┌╔"
    words = "Do you Allow Yes y/n Esc Enter Press Proceed Continue Confirm Cancel"
    rows = rows_of(everything, f"{words} Password Permission Approve Trust", "> ")
    assert "absent" not in {p.name for p in pin_rows(rows, first=2, last=2).pins}


def texts() -> st.SearchStrategy[list[str]]:
    short = st.text("ab.%#> é,", max_size=4)
    long = st.builds("{}{}{}".format, short, st.sampled_from(["ab," * 12, "a?*" * 12]), short)
    return st.lists(short | long, min_size=1, max_size=12)


@given(texts(), st.data())
def test_every_pin_is_the_first_row_its_search_finds(rows: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(rows) - 1))
    last = data.draw(st.integers(first, len(rows) - 1))
    trimmed = [row.rstrip(" ") for row in rows]
    for pin in pin_rows(rows_of(*rows), first=first, last=last).pins:
        pattern = as_python(pin.search)
        hits = [n for n, row in enumerate(trimmed, 1) if pattern.match(row)]
        assert (hits[0] if hits else 0) == pin.row_number

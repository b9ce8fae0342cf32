"""Rows of cells out of captured bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcwidth

from panegate.screen.grid import DEFAULT_STYLE, Grid, Run, Style


def one(row: bytes, width: int = 80) -> Grid:
    return Grid([row], width=width)


def test_text_has_neither_escapes_nor_trailing_blanks() -> None:
    assert one(b"\x1b[1mab\x1b[0m c   ").text(0) == "ab c"
    assert one(b"\x1b]8;id=1;https://x.y/\x1b\\link\x1b]8;;\x1b\\ z").text(0) == "link z"


def test_rows_missing_below_are_blank() -> None:
    grid = Grid([b"a"], width=10, height=3)
    assert grid.texts == ("a", "", "")
    assert grid.last_row == 0
    assert grid.text(7) == ""
    assert grid.slice(2, 0, 4) == "    "


def test_an_empty_screen_has_no_last_row() -> None:
    assert Grid([b"", b"  "], width=10).last_row == -1


def test_a_slice_is_filled_with_blanks_up_to_its_end() -> None:
    assert one(b"ab").slice(0, 1, 5) == "b   "
    assert one(b"ab").slice(0, 4, 6) == "  "
    assert one(b"abc  ").slice(0, 1) == "bc"


def test_wide_characters_take_two_columns() -> None:
    grid = one("a日b".encode())
    assert grid.row_width(0) == 4
    assert grid.column_of(0, 2) == 3
    assert grid.slice(0, 1, 3) == "日"
    assert grid.slice(0, 3, 4) == "b"


def test_combining_marks_stay_with_their_cell() -> None:
    grid = one("xe\u0301y".encode())
    assert grid.row_width(0) == 3
    assert grid.slice(0, 1, 2) == "e\u0301"
    assert grid.slice(0, 2) == "y"


def test_joined_emoji_share_a_cell_as_tmux_counts() -> None:
    grid = one("👨\u200d👩\u200d👧x".encode())
    assert grid.row_width(0) == 3
    assert grid.slice(0, 2) == "x"


def test_styles_go_on_across_row_ends() -> None:
    grid = Grid([b"\x1b[2mdim", b"still", b"\x1b[0mplain"], width=10)
    assert grid.style(0, 0).dim
    assert grid.style(1, 4).dim
    assert not grid.style(2, 0).dim


def test_runs_cover_the_row_in_order() -> None:
    runs = one("ab\x1b[7m日\x1b[27mc".encode()).runs(0)
    assert runs == (
        Run(0, 2, DEFAULT_STYLE),
        Run(2, 4, Style(reverse=True)),
        Run(4, 5, DEFAULT_STYLE),
    )


@pytest.mark.parametrize(
    ("params", "style"),
    [
        ("31", Style(fg=1)),
        ("97;44", Style(fg=15, bg=4)),
        ("38;5;240;48;5;7", Style(fg=240, bg=7)),
        ("38;2;1;2;3", Style(fg=1 << 24 | 0x010203)),
        ("1;2;7", Style(bold=True, dim=True, reverse=True)),
        ("1;22", Style()),
        ("3", Style(italic=True)),
        ("3;23", Style()),
        ("4:3", Style()),
        ("31;39", Style()),
        ("104;49", Style()),
        ("7;27", Style()),
        ("58;5;3;2", Style(dim=True)),
        ("4:3;31", Style(fg=1)),
        ("", Style()),
    ],
)
def test_sgr_parameters_make_the_style(params: str, style: Style) -> None:
    assert one(f"\x1b[{params}mx".encode()).style(0, 0) == style


@pytest.mark.parametrize(
    ("style", "faint"),
    [
        (Style(dim=True), True),
        (Style(fg=8), True),
        (Style(fg=240), True),
        (Style(fg=1 << 24 | 0x808080), True),
        (Style(fg=7), False),
        (Style(fg=2), False),
        (Style(fg=1 << 24 | 0xFFFFFF), False),
        (Style(fg=1 << 24 | 0x8080FF), False),
        (Style(), False),
    ],
)
def test_faint_is_dim_or_middle_grey(style: Style, faint: bool) -> None:
    assert style.faint is faint


def test_line_drawing_characters_become_box_drawing() -> None:
    grid = Grid([b"\x0elqqk\x0f x", b"\x0ex\x0f q"], width=10)
    assert grid.texts == ("┌──┐ x", "│ q")


def test_a_shift_goes_on_across_row_ends() -> None:
    assert Grid([b"\x0eqq", b"qq\x0fqq"], width=10).texts == ("──", "──qq")


def test_a_row_is_full_at_the_last_column_or_before_a_wide_character() -> None:
    assert Grid([b"abcd"], width=4).is_full(0)
    assert not Grid([b"abc"], width=4).is_full(0)
    wide = Grid([b"abc", "日".encode()], width=4)
    assert wide.is_full(0)
    assert wide.wrapped(0) == "abc"
    assert not Grid([b"abc", b"d"], width=4).is_full(0)


def test_bytes_that_are_no_utf8_do_not_stop_a_reading() -> None:
    assert one(b"a\xffb").text(0) == "a\ufffdb"


@given(
    st.text(
        alphabet=st.characters(min_codepoint=0x20, blacklist_categories=("Cs", "Cc")), max_size=40
    )
)
def test_columns_agree_with_the_width_of_the_characters_before(text: str) -> None:
    plain = text.replace("\u200d", "")
    grid = one(plain.encode(), width=100)
    for index in range(len(plain.rstrip(" "))):
        assert grid.column_of(0, index) == sum(max(0, wcwidth(c)) for c in plain[:index])


@given(st.lists(st.sampled_from([*"ab 日本é", "\x1b[7m", "\x1b[0m", "\x1b[31m"]), max_size=30))
def test_runs_and_slices_give_the_same_text(parts: list[str]) -> None:
    grid = one("".join(parts).encode())
    joined = "".join(grid.slice(0, run.start, run.end) for run in grid.runs(0))
    assert joined.rstrip(" ") == grid.text(0)

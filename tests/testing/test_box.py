"""The input box: editing, collapsed blocks and rows."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from panegate.testing.programs._box import InputBox, cell_width, hard_spans, word_spans

_TEXTS = st.text(alphabet="ab 漢é", max_size=60)


@given(_TEXTS, st.integers(2, 12))
def test_rows_fit_and_lose_nothing_but_blanks_at_breaks(text: str, width: int) -> None:
    """What is typed is on the screen, in order."""
    hard = [text[start:end] for start, end in hard_spans(text, width)]
    words = [text[start:end] for start, end in word_spans(text, width)]
    assert "".join(hard) == text
    assert "".join(words).replace(" ", "") == text.replace(" ", "")
    assert all(cell_width(row) <= width for row in [*hard, *words])


@given(st.lists(_TEXTS, max_size=4), st.data(), st.booleans())
def test_the_cursor_stands_behind_the_text_before_it(
    lines: list[str], data: st.DataObject, by_words: bool
) -> None:
    """The cells from the first row to the cursor are the text up to it."""
    text = "\n".join(lines)
    box = InputBox(text)
    box.cursor = data.draw(st.integers(0, len(text)))
    shown = box.show(9, by_words=by_words, max_rows=1000)
    row = shown.rows[shown.cursor_row]
    assert shown.cursor_cell <= 9
    before = "".join(shown.rows[: shown.cursor_row])
    cells = cell_width(before.replace(" ", "")) + cell_width(row[: len(row)].replace(" ", ""))
    wanted = cell_width(text[: box.cursor].replace("\n", "").replace(" ", ""))
    assert cell_width(before.replace(" ", "")) <= wanted <= cells


def test_only_the_rows_around_the_cursor_are_shown_when_there_are_many() -> None:
    """A box never grows over the screen."""
    box = InputBox("\n".join(f"line {n}" for n in range(20)))
    shown = box.show(20, by_words=False, max_rows=3)
    assert shown.rows == ["line 17", "line 18", "line 19"]
    assert (shown.cursor_row, shown.cursor_cell) == (2, 7)


def test_a_collapsed_block_is_shown_as_its_label_and_submitted_in_full() -> None:
    """The screen never has the text."""
    box = InputBox("see ")
    box.insert_block("[Pasted text #1 +3 lines]", "a\nb\nc")
    box.insert(" ok")
    assert box.show(60, by_words=False, max_rows=5).rows == ["see [Pasted text #1 +3 lines] ok"]
    assert box.value() == "see a\nb\nc ok"
    box.move("Left")
    assert box.show(60, by_words=False, max_rows=5).cursor_cell == len(box.label()) - 1


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("one\ntwo", "one\n"), ("one\n", "one"), ("one", ""), ("", "")],
)
def test_clearing_a_line_leaves_the_lines_above(text: str, wanted: str) -> None:
    """One C-u does not empty a box of several lines."""
    box = InputBox(text)
    box.delete_line()
    assert (box.text, box.cursor) == (wanted, len(wanted))


def test_typing_in_the_middle_goes_to_the_cursor() -> None:
    """Arrows, Home and End move within the text."""
    box = InputBox("ad")
    box.move("Left")
    box.insert("bc")
    assert box.value() == "abcd"
    box.move("Home")
    box.delete()
    box.move("End")
    box.backspace()
    assert (box.text, box.cursor) == ("bc", 2)

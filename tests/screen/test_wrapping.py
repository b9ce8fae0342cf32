import textwrap

import pytest

from panegate.screen.wrapping import begins_a_row, cells

TEXT = " ".join(f"word{n}" for n in range(300))
WIDE = " ".join("日本語のテキスト"[: n % 8 + 1] for n in range(200))


def hard(text: str, first: int, width: int) -> list[str]:
    rows, used = [""], 0
    for character in text:
        limit = first if len(rows) == 1 else width
        if used + cells(character) > limit:
            rows.append("")
            used = 0
        rows[-1] += character
        used += cells(character)
    return rows


def starts(text: str, rows: list[str]) -> int:
    """Where the rows, the end of the text, begin."""
    wanted = sum(not c.isspace() for row in rows for c in row)
    at = len(text)
    while wanted:
        at -= 1
        wanted -= not text[at].isspace()
    return at


@pytest.mark.parametrize("text", [TEXT, WIDE], ids=["plain", "wide"])
@pytest.mark.parametrize(("width", "indent"), [(40, 0), (70, 18), (111, 2)])
@pytest.mark.parametrize("n_rows", [4, 6, 7])
def test_rows_cut_anywhere_begin_at_a_break(
    text: str, width: int, indent: int, n_rows: int
) -> None:
    rows = hard(text, width - indent, width)[-n_rows:]
    assert begins_a_row(rows, text, starts(text, rows), indent=indent)


@pytest.mark.parametrize("width", [33, 40, 70, 111])
@pytest.mark.parametrize("n_rows", [4, 6, 7])
def test_rows_cut_at_blanks_begin_at_a_break(width: int, n_rows: int) -> None:
    rows = textwrap.wrap(TEXT, width)[-n_rows:]
    assert begins_a_row(rows, TEXT, starts(TEXT, rows))


def test_the_lines_of_a_text_begin_rows() -> None:
    text = "\n".join(f"  line {n} of many" for n in range(60))
    rows = text.split("\n")[-7:]
    assert begins_a_row(rows, text, starts(text, rows))
    assert not begins_a_row(["many", *rows], text, starts(text, ["many", *rows]))


@pytest.mark.parametrize("wrap", [hard, None], ids=["hard", "words"])
def test_a_rest_that_begins_elsewhere_is_seldom_taken_for_the_last_rows(
    wrap: object,
) -> None:
    """It can be by chance: one offset in every row fits, and one behind a blank."""
    tried = taken = 0
    for at in range(100, 1500):
        if TEXT[at].isspace():
            continue
        rest = TEXT[at:]
        rows = hard(rest, 70, 70) if wrap is not None else textwrap.wrap(rest, 70)
        tried += 1
        taken += begins_a_row(rows, TEXT, at)
    assert 0 < taken / tried < 0.05

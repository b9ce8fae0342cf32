"""Questions that begin above the screen."""

import attrs
import pytest
from tests.screen.building import LINE_READ, NOT_READING, RAW_READ, UNKNOWN, coded, look

from panegate.panes.facts import KernelFact, Look, PromptReading
from panegate.screen.read import read_screen

ABOVE = [
    "$ ask",
    "",
    "This removes all of these files, and nobody",
    "can bring them back:",
    " a.txt",
]
MENU = [" b.txt", " c.txt", "Go on?", "❯ 1. Yes", "  2. No"]


def tall(above: list[str], *, kernel: KernelFact | None = RAW_READ, history: int = 40) -> Look:
    seen = look(MENU, width=60, height=5, shown=False, kernel=kernel, history=history)
    return attrs.evolve(seen, above=tuple(coded(row).encode() for row in above))


def asked(seen: Look) -> PromptReading:
    prompt = read_screen(seen, UNKNOWN).prompt
    assert prompt is not None
    return prompt


def test_without_the_rows_above_it_is_cut_and_says_so() -> None:
    reading = read_screen(tall([]), UNKNOWN)
    assert reading.reaches_up
    assert reading.prompt is not None
    assert reading.prompt.cut
    assert reading.prompt.context == "b.txt\nc.txt"


def test_with_them_it_is_whole_and_its_options_stay_where_they_are() -> None:
    cut, whole = asked(tall([])), asked(tall(ABOVE))
    assert not whole.cut
    assert whole.question == "Go on?"
    assert whole.context.startswith("This removes all of these files, and nobody\n")
    assert whole.context.endswith("\n a.txt\n b.txt\n c.txt")
    assert whole.options == cut.options
    assert whole.fingerprint != cut.fingerprint


def test_what_nobody_reads_yet_is_read_up_alike() -> None:
    asking = read_screen(tall(ABOVE), UNKNOWN).prompt
    drawing = read_screen(tall(ABOVE, kernel=NOT_READING), UNKNOWN)
    assert drawing.prompt is None
    assert drawing.shown is not None
    assert asking is not None
    assert drawing.shown.fingerprint == asking.fingerprint


def test_where_all_that_was_read_is_full_of_it_it_stays_cut() -> None:
    assert asked(tall([" x.txt"] * 5)).cut
    assert not asked(tall([" x.txt"] * 5, history=5)).cut


@pytest.mark.parametrize(
    ("rows", "history", "alternate", "cut"),
    [
        (MENU, 0, False, False),
        (["", *MENU[2:]], 40, False, False),
        (MENU, 40, False, True),
        (MENU, 0, True, True),
        (["", *MENU[1:]], 0, True, False),
        (MENU[1:], 0, True, False),
        ([f"{mark} {n}. Item" for n, mark in enumerate("❯    ", 1)], 0, True, False),
        (
            ["│ and more │", "│ Go on?   │", "│ ❯ 1. Yes │", "│   2. No  │", "╰──────────╯"],
            0,
            True,
            True,
        ),
    ],
)
def test_only_what_touches_the_top_may_be_cut(
    rows: list[str], history: int, alternate: bool, cut: bool
) -> None:
    seen = look(
        rows, width=60, height=5, shown=False, kernel=RAW_READ, history=history, alternate=alternate
    )
    assert asked(seen).cut is cut


def test_a_line_that_wraps_at_blanks_is_joined_with_the_history() -> None:
    above = [f"{'word ' * 11}words", f"{'more ' * 11}more"]
    seen = look(["and your name: ‸"], width=60, height=2, kernel=LINE_READ, history=9)
    seen = attrs.evolve(seen, above=tuple(f"{row:<60}".encode() for row in above))
    assert asked(seen).question.split() == [
        *["word"] * 11,
        "wordsmore",
        *["more"] * 11,
        "and",
        "your",
        "name:",
    ]

"""What changes a frame, and what moves by itself."""

import pytest
from tests.screen.building import grid

from panegate.screen.frame import frame, frames

BASE = "● Done in 12s\n\n> fix it\n  12:01 ⠋ working  100%\n"


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace("12s", "9s"),
        BASE.replace("12:01", "13:59"),
        BASE.replace("⠋", "⠙"),
        BASE.replace("100%", " 7%"),
        BASE.replace("fix it", "⟦d:fix⟧ it"),
        BASE.replace("fix it", "fix it ▌"),
        BASE + "\n\n",
    ],
)
def test_volatile_parts_make_no_difference(other: str) -> None:
    assert frame(grid(BASE)) == frame(grid(other))


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace("Done", "Gone"),
        BASE.replace("fix it", "fix it!"),
        BASE.replace("\n\n", "\n"),
        BASE.replace("working", "waiting"),
        "x\n" + BASE,
    ],
)
def test_words_and_rows_make_a_difference(other: str) -> None:
    assert frame(grid(BASE)) != frame(grid(other))


@pytest.mark.parametrize("turn", ["/", "-", "\\"])
def test_a_turning_bar_of_its_own_is_a_spinner(turn: str) -> None:
    assert frame(grid("| building")) == frame(grid(f"{turn} building"))
    assert frame(grid("a|b")) != frame(grid("a/b"))


def test_without_leaves_the_composers_rows_out() -> None:
    other = BASE.replace("fix it", "something else")
    assert frame(grid(BASE), without=(2, 2)) == frame(grid(other), without=(2, 2))
    assert frame(grid(BASE), without=(0, 0)) != frame(grid(other), without=(0, 0))


def test_both_frames_at_once_are_the_same_as_one_by_one() -> None:
    seen = grid(BASE)
    assert frames(seen, (2, 2)) == (frame(seen), frame(seen, without=(2, 2)))
    assert frames(seen, None) == (frame(seen), frame(seen))

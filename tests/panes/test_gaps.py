"""The settle window grows with a pane's own pauses and never shrinks below the profile's."""

from hypothesis import given
from hypothesis import strategies as st

from panegate.panes.gaps import GapStatistics


def test_few_pauses_say_nothing():
    gaps = GapStatistics()
    for _ in range(19):
        gaps.add(1.9)
    assert gaps.window_s(1.5) == 1.5


def test_a_pane_that_pauses_long_gets_a_longer_window_up_to_the_cap():
    gaps = GapStatistics()
    for _ in range(20):
        gaps.add(1.2)
    assert gaps.window_s(1.5) == 1.2 * 1.5
    gaps.add(2.9)
    assert gaps.window_s(1.5) == 3.0


def test_old_pauses_are_forgotten():
    gaps = GapStatistics()
    gaps.add(2.5)
    for _ in range(64):
        gaps.add(0.1)
    assert gaps.longest_s == 0.1
    assert gaps.count == 65


@given(st.lists(st.floats(0, 10), max_size=200), st.floats(0.01, 3))
def test_window_is_never_below_the_profiles(pauses: list[float], settle_s: float):
    gaps = GapStatistics()
    for gap_s in pauses:
        gaps.add(gap_s)
    assert settle_s <= gaps.window_s(settle_s) <= max(3.0, settle_s)

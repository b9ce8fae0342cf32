"""Every row keeps its number, also when tmux drops the oldest ones."""

import attrs
from tests.session.rig import look

from panegate.panes.facts import ScreenKind, ScreenReading
from panegate.session.history import ABOVE_ROWS, HistoryCount


def numbers(*sizes: int, limit: int = 100, **more: object) -> list[int]:
    count = HistoryCount()
    return [
        count.counted(look("$ ", history_size=n, history_limit=limit, **more)).fields.scrolled
        for n in sizes
    ]


def test_at_its_limit_the_history_loses_a_tenth_and_no_row_its_number():
    assert numbers(98, 100, 91, 99, 100, 92) == [98, 100, 101, 109, 110, 112]
    assert numbers(29, 30, 28, limit=30) == [29, 30, 31]


def test_a_cleared_history_starts_again_at_nothing():
    assert numbers(98, 0, 3) == [98, 0, 3]


def test_a_history_without_a_known_limit_is_taken_as_it_is():
    assert numbers(98, 91, limit=0) == [98, 91]


def test_rows_that_a_taller_screen_takes_back_are_not_dropped():
    count = HistoryCount()
    count.counted(look("$ ", history_size=100, history_limit=100))
    taller = look("$ ", history_size=95, history_limit=100, height=17)
    assert count.counted(taller).fields.scrolled == 95


def test_rows_above_are_wanted_while_a_question_may_begin_there():
    count = HistoryCount()
    seen = look("Go on? ", history_size=40)
    up = ScreenReading(kind=ScreenKind.PROMPTING, words="", reaches_up=True)
    assert count.wants_more(up, seen)
    assert count.wanted_rows == ABOVE_ROWS
    assert not count.wants_more(up, attrs.evolve(seen, above=(b"above",)))
    assert count.wanted_rows == ABOVE_ROWS
    assert not count.wants_more(up, look("Go on? ", history_size=40, alternate_on=True))
    assert not count.wants_more(attrs.evolve(up, reaches_up=False), seen)
    assert count.wanted_rows == 0

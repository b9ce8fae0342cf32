"""One escalation for each wait on one question, however often it is drawn."""

import json

import attrs
import pytest

from panegate.ids import PaneId
from panegate.session.escalation import (
    CONFIRM_S,
    KEPT,
    REOPEN_S,
    EscalationBook,
    episodes_from,
    episodes_to,
    words_key,
)
from panegate.session.events import Prompt
from panegate.terms import PromptKind

AFTER_S = 900.0
OFFSET_S = 1_700_000_000.0


def book() -> EscalationBook:
    return EscalationBook(after_s=AFTER_S)


def raised(book: EscalationBook, now_s: float, *, confirmed: bool = True) -> bool:
    """Call somebody if it is time, as a controller does."""
    if not book.due(now_s, confirmed=confirmed):
        return False
    book.raised(f"e{now_s:.0f}", ["event"])
    return True


def restarted(before: EscalationBook, now_s: float, **shift: float) -> EscalationBook:
    """The book of another controller, from what the first one wrote down."""
    kept = json.loads(json.dumps(episodes_to(before.episodes, wall_offset_s=OFFSET_S)))
    offset_s = OFFSET_S + shift.get("wall_s", 0.0)
    again = book()
    again.episodes = episodes_from(kept, now_s=now_s, wall_offset_s=offset_s)
    return again


def test_a_question_that_stands_is_reported_once_when_its_time_is_up():
    b = book()
    b.asked("a", at_s=10)
    assert b.deadline_s == 910
    assert not raised(b, 909.9)
    assert raised(b, 910)
    assert b.deadline_s is None
    assert not raised(b, 5_000)


def test_seeing_the_same_question_again_changes_nothing():
    b = book()
    b.asked("a", at_s=10)
    b.asked("a", at_s=500)
    assert b.deadline_s == 910
    assert len(b.episodes) == 1


def test_another_question_in_the_same_wait_is_an_episode_of_its_own():
    b = book()
    b.asked("a", at_s=0)
    assert raised(b, 900)
    b.asked("b", at_s=1_000)
    assert b.deadline_s == 1_900
    assert raised(b, 1_900)


def test_words_that_come_back_within_seconds_are_the_same_wait():
    b = book()
    b.asked("a", at_s=0)
    b.closed(answered=False, at_s=600)
    assert b.deadline_s is None
    b.asked("a", at_s=600 + REOPEN_S)
    assert b.deadline_s == 600 + REOPEN_S + 300
    assert raised(b, 905)
    b.closed(answered=False, at_s=1_000)
    b.asked("a", at_s=1_001)
    assert not raised(b, 9_000)


def test_words_that_come_back_later_are_a_new_wait():
    b = book()
    b.asked("a", at_s=0)
    assert raised(b, 900)
    b.closed(answered=False, at_s=1_000)
    b.asked("a", at_s=1_000 + REOPEN_S + 0.1)
    assert b.deadline_s == pytest.approx(1_905.1)


def test_only_the_time_in_which_it_stands_counts():
    """A box that a program draws and removes by itself is no wait."""
    b = book()
    for at_s in range(0, 3_600, 3):
        b.asked("a", at_s=at_s)
        assert not b.due(at_s + 0.15, confirmed=True)
        b.closed(answered=False, at_s=at_s + 0.15)
    assert b.episodes[-1].stood_s(3_600) == pytest.approx(180)


def test_flipping_between_two_questions_resumes_each_one():
    b = book()
    for at_s in range(0, 20, 2):
        b.asked("ab"[at_s // 2 % 2], at_s=at_s)
    assert [e.key for e in b.episodes] == ["a", "b"]
    assert sum(e.stood_s(20) for e in b.episodes) == 20


def test_after_an_answer_the_same_words_are_a_new_wait():
    b = book()
    b.asked("a", at_s=0)
    assert raised(b, 900)
    b.closed(answered=True, at_s=901)
    b.asked("a", at_s=901.5)
    assert b.deadline_s == 1_801.5


def test_a_screen_that_moves_delays_it_only_for_a_moment():
    b = book()
    b.asked("a", at_s=0)
    assert not raised(b, 900 + CONFIRM_S - 0.1, confirmed=False)
    assert raised(b, 900 + CONFIRM_S, confirmed=False)


def test_an_ended_program_waits_for_nobody():
    b = book()
    b.asked("a", at_s=0)
    b.ended()
    assert b.deadline_s is None
    assert not raised(b, 9_000)


def test_no_more_than_a_few_episodes_are_kept():
    b = book()
    for number in range(KEPT + 5):
        b.asked(str(number), at_s=number)
    assert [e.key for e in b.episodes] == [str(n) for n in range(5, KEPT + 5)]


def test_a_restart_goes_on_with_the_wait_it_finds():
    before = book()
    before.asked("a", at_s=100)
    after = restarted(before, 50, wall_s=0)  # another boot: monotonic time began again
    after = restarted(before, 500)
    assert after.deadline_s is None, "nobody has looked yet"
    after.asked("a", at_s=501)
    assert after.deadline_s == 1_000


def test_a_restart_calls_nobody_a_second_time():
    before = book()
    before.asked("a", at_s=100)
    assert raised(before, 1_000)
    assert before.told("e1000", "event")
    after = restarted(before, 1_200)
    after.asked("a", at_s=1_201)
    assert after.current is not None
    assert (after.current.escalation, after.current.pending) == ("e1000", ())
    assert not raised(after, 9_000)


def test_who_was_not_told_before_a_crash_is_known_after_it():
    before = book()
    before.asked("a", at_s=100)
    before.raised("e1", ["event", "hook"])
    assert before.told("e1", "event")
    assert not before.told("e1", "event")
    assert not before.told("e2", "hook")
    after = restarted(before, 1_200)
    after.asked("a", at_s=1_201)
    assert after.current is not None
    assert after.current.pending == ("hook",)


def test_after_a_restart_another_question_is_a_new_wait():
    before = book()
    before.asked("a", at_s=100)
    after = restarted(before, 500)
    after.asked("b", at_s=501)
    assert after.deadline_s == 1_401
    after.asked("a", at_s=502)
    assert after.current is not None
    assert after.current.open_s == 502


def test_after_a_restart_a_pane_that_asks_nothing_forgets_the_wait():
    before = book()
    before.asked("a", at_s=100)
    after = restarted(before, 500)
    after.asks_nothing(at_s=501)
    after.asked("a", at_s=501 + REOPEN_S + 1)
    assert after.deadline_s == 501 + REOPEN_S + 1 + AFTER_S


def test_a_pane_that_settles_in_steps_after_a_restart_still_has_its_wait():
    before = book()
    before.asked("a", at_s=100)
    after = restarted(before, 500)
    after.asks_nothing(at_s=501)
    after.asked("a", at_s=503)
    assert after.current is not None
    assert after.current.stood_s(503) == 401


def test_a_wall_clock_that_went_back_puts_nothing_into_the_future():
    before = book()
    before.asked("a", at_s=1_000)
    after = restarted(before, 500, wall_s=-5_000)
    after.asked("a", at_s=500)
    assert after.deadline_s == 500 + AFTER_S


@pytest.mark.parametrize("value", [[{}], [{"key": "a", "waited_s": "much"}], ["text"], [None]])
def test_what_cannot_be_read_is_said(value: list[object]):
    with pytest.raises(ValueError, match=r"could not|cannot"):
        episodes_from(value, now_s=0, wall_offset_s=0)  # type: ignore[arg-type]


def test_the_words_of_a_prompt_are_its_key_whatever_its_number():
    prompt = Prompt(
        id="%3.1.0a1b2c3d", pane=PaneId("%3"), episode=1, kind=PromptKind.CONFIRM, question="Go?"
    )
    again = attrs.evolve(prompt, id="%3.7.0a1b2c3d", episode=7)
    assert words_key(prompt) == words_key(again) == "0a1b2c3d"

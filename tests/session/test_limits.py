"""Limits of a session: each told once, by its own clock, and never by a clock set back."""

from __future__ import annotations

from panegate.session.faults import FaultReader
from panegate.session.limits import LimitBook
from panegate.session.outcome_facts import LimitName, SessionLimits
from panegate.session.session_record import Instant, SessionRecord
from panegate.terms import State

START = Instant(wall_s=1_000_000.0, mono_s=500.0, boot_s=700.0)


def after(mono_s: float, *, asleep_s: float = 0.0, set_by_s: float = 0.0) -> Instant:
    return Instant(
        wall_s=START.wall_s + mono_s + asleep_s + set_by_s,
        mono_s=START.mono_s + mono_s,
        boot_s=(START.boot_s or 0.0) + mono_s + asleep_s,
    )


def session(**limits: float) -> SessionRecord:
    record = SessionRecord(
        started=START, faults=FaultReader(rules=()), limits=SessionLimits(**limits)
    )
    record.state = State.BUSY
    return record


def names(book: LimitBook, record: SessionRecord, now: Instant) -> list[LimitName]:
    return [reached.name for reached in book.reached(record, now)]


def test_a_limit_is_told_when_it_is_reached_and_once() -> None:
    record, book = session(mono_s=60.0), LimitBook()
    assert book.due_s(record, after(0)) == START.mono_s + 60
    assert names(book, record, after(59.9)) == []
    assert names(book, record, after(60)) == [LimitName.MONO]
    assert names(book, record, after(600)) == []
    assert book.due_s(record, after(600)) is None


def test_the_words_name_the_limit_its_value_and_the_time_it_took() -> None:
    [reached] = LimitBook().reached(session(mono_s=60.0), after(61.5))
    assert reached.words == "the limit mono_s = 60 is reached after 61.5 s"


def test_a_host_that_slept_reaches_the_wall_limit_once_with_the_jump_in_words() -> None:
    record, book = session(wall_s=60.0, mono_s=60.0), LimitBook()
    woken = after(10, asleep_s=7200)
    [reached] = book.reached(record, woken)
    assert reached.name is LimitName.WALL
    assert "clock jump of 7200 s" in reached.words
    assert "asleep" in reached.words
    assert names(book, record, after(20, asleep_s=7200)) == []
    assert names(book, record, after(60, asleep_s=7200)) == [LimitName.MONO]


def test_a_clock_that_is_set_back_changes_nothing() -> None:
    record, book = session(wall_s=60.0), LimitBook()
    back = after(30, set_by_s=-3600)
    assert names(book, record, back) == []
    assert book.due_s(record, back) == START.mono_s + 60
    assert names(book, record, after(60, set_by_s=-3600)) == [LimitName.WALL]


def test_a_clock_that_is_set_back_after_a_sleep_takes_no_time_away() -> None:
    woken = after(30, asleep_s=100, set_by_s=-3600)
    assert names(LimitBook(), session(wall_s=120.0), woken) == [LimitName.WALL]


def test_each_silence_is_told_once_and_output_begins_a_new_one() -> None:
    record, book = session(silence_s=5.0), LimitBook()
    assert names(book, record, after(5)) == [LimitName.SILENCE]
    assert names(book, record, after(50)) == []
    assert book.due_s(record, after(50)) is None
    record.last_output_s = START.mono_s + 51
    assert book.due_s(record, after(51)) == START.mono_s + 56
    assert names(book, record, after(55.9)) == []
    assert names(book, record, after(56)) == [LimitName.SILENCE]


def test_a_program_that_waits_for_input_is_not_silent() -> None:
    record, book = session(silence_s=5.0), LimitBook()
    for state in (State.READY, State.PROMPTING):
        record.state = state
        assert names(book, record, after(500)) == []
        assert book.due_s(record, after(500)) is None


def test_the_first_limit_that_may_be_reached_is_the_next_instant_to_look() -> None:
    record = session(wall_s=90.0, mono_s=60.0, silence_s=70.0)
    assert LimitBook().due_s(record, after(0)) == START.mono_s + 60
    assert LimitBook().due_s(record, after(10, asleep_s=70)) == START.mono_s + 20

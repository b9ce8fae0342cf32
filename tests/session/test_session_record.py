"""The record of a session: turns, faults and ends as they come in, facts as they come out."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.session.rig import PANE, look

from panegate.panes.facts import Mark, MarkKind
from panegate.panes.standing import StandingMarks
from panegate.screen.grid import Grid
from panegate.screen.profile import FaultRule
from panegate.session.events import Prompt
from panegate.session.faults import FaultReader
from panegate.session.outcome_facts import EndedBy, Ending, ServerFact, ServerState, SessionFacts
from panegate.session.outcomes import verdict
from panegate.session.queue import TurnEnd
from panegate.session.session_record import Instant, SessionRecord, ending_of
from panegate.session.transcript import Record, Tokens
from panegate.terms import FaultKind, OutcomeKind, PromptKind, State

SEEN = datetime(2026, 3, 4, 16, 30, tzinfo=UTC)
START = Instant(wall_s=1_000_000.0, mono_s=0.0, boot_s=0.0)
ERROR = "✗ API error: the link broke"
RULE = FaultRule(
    pattern=re.compile("✗ API error: .+"), kind=FaultKind.TRANSPORT, sample="✗ API error: x"
)


def at(mono_s: float) -> Instant:
    return Instant(wall_s=START.wall_s + mono_s, mono_s=mono_s, boot_s=mono_s)


class Session:
    """One record; time is given with each step."""

    def __init__(self, *, again: bool = False) -> None:
        self.record = SessionRecord(started=START, faults=FaultReader(rules=(RULE,)), again=again)
        self.ends: dict[int, TurnEnd] = {}
        self.turn = 0
        self.marks = StandingMarks()

    def show(self, *rows: str, at_s: float, **fields: object) -> int:
        seen = look(*rows, asked_at_s=at_s, **fields)
        self.record.output_bytes += sum(map(len, rows))
        return self.record.looked(seen, Grid.from_look(seen), without=None, seen=SEEN)

    def state(self, state: State, *, at_s: float) -> None:
        self.record.turned(self.turn, self.ends, self.marks, state=state, at_s=at_s)
        self.record.stands(state, None, seen=SEEN)

    def begin(self, *, at_s: float) -> None:
        self.turn += 1
        self.state(State.BUSY, at_s=at_s)

    def finish(self, *, at_s: float, status: int | None = None) -> None:
        self.ends[self.turn] = TurnEnd(state=State.READY, status=status)
        self.state(State.READY, at_s=at_s)

    def facts(self, now_s: float = 100.0) -> SessionFacts:
        return self.record.facts(at(now_s), ServerFact())


def test_a_turn_that_ends_at_the_input_is_completed() -> None:
    session = Session()
    session.begin(at_s=1)
    assert (session.facts().turns_begun, session.facts().turns_completed) == (1, 0)
    session.show("● done", at_s=2)
    session.finish(at_s=2)
    facts = session.facts()
    assert (facts.turns_completed, facts.completed_at_s) == (1, 2)
    assert verdict(facts).kind is OutcomeKind.COMPLETED


def test_a_turn_with_a_fault_is_not_completed_whatever_follows_it() -> None:
    session = Session()
    session.begin(at_s=1)
    session.show(ERROR, at_s=2)
    session.show(ERROR, "more", "and more", at_s=3)
    session.finish(at_s=3)
    facts = session.facts()
    assert facts.turns_completed == 0
    assert facts.fault is not None
    assert verdict(facts).kind is OutcomeKind.SERVICE_ERROR


def test_a_fault_found_after_the_turn_seemed_over_counts_for_it() -> None:
    session = Session()
    session.begin(at_s=1)
    session.finish(at_s=2)
    assert session.facts().turns_completed == 1
    session.show(ERROR, at_s=3)
    assert session.facts().turns_completed == 0


def test_a_later_completed_turn_clears_it() -> None:
    session = Session()
    session.begin(at_s=1)
    session.show(ERROR, at_s=2)
    session.finish(at_s=2)
    session.begin(at_s=3)
    session.show(ERROR, "> go on", "● fine", at_s=4)
    session.finish(at_s=4)
    facts = session.facts()
    assert facts.fault is None
    assert (facts.turns_completed, facts.n_faults) == (1, 1)


@pytest.mark.parametrize("how", ["status", "mark"])
def test_a_turn_that_something_calls_done_is_completed_in_spite_of_a_fault(how: str) -> None:
    session = Session()
    session.begin(at_s=1)
    session.show(ERROR, "● it went on", at_s=2)
    if how == "mark":
        session.marks.feed(Mark(MarkKind.AGENT, "state=done", 3.0))
    session.finish(at_s=3, status=0 if how == "status" else None)
    assert session.facts().turns_completed == 1
    assert session.facts().fault is None


def test_an_old_mark_proves_no_later_turn() -> None:
    session = Session()
    session.marks.feed(Mark(MarkKind.AGENT, "state=done", 0.5))
    session.begin(at_s=1)
    session.show(ERROR, at_s=2)
    session.finish(at_s=3)
    assert session.facts().turns_completed == 0


def test_a_turn_that_stopped_at_a_question_goes_on_until_the_input() -> None:
    session = Session()
    session.begin(at_s=1)
    session.ends[1] = TurnEnd(state=State.PROMPTING, status=None)
    session.state(State.PROMPTING, at_s=2)
    assert session.facts().turns_completed == 0
    session.state(State.BUSY, at_s=3)
    session.state(State.READY, at_s=4)
    assert session.facts().turns_completed == 1


def test_very_many_turns_are_all_counted() -> None:
    session = Session()
    for n in range(1, 101):
        session.begin(at_s=2 * n)
        session.finish(at_s=2 * n + 1)
    facts = session.facts(1000)
    assert (facts.turns_begun, facts.turns_completed, facts.completed_at_s) == (100, 100, 201)


def test_rows_that_scrolled_by_are_asked_for_and_read() -> None:
    session = Session(again=True)
    assert session.show("a", at_s=1, history_size=3) == 0  # of an earlier program
    assert session.show("b", at_s=2, history_size=8) == 5
    rows = ["c", "d", ERROR, "e", "f"]
    grid = Grid([row.ljust(60).encode() for row in rows], width=60)
    session.record.read_history(grid, above=8, seen=SEEN, at_s=2)
    [found] = session.facts().faults
    assert (found.row, found.at_s) == (5, 2)
    assert session.show("g", at_s=3, history_size=8) == 0


def test_what_scrolled_by_before_the_first_look_is_read_too() -> None:
    assert Session().show("a", at_s=1, history_size=30) == 30


def test_nothing_is_asked_for_on_the_alternate_screen_or_without_rules() -> None:
    session = Session()
    assert session.show("a", at_s=1, history_size=30, alternate_on=True) == 0
    session.record.faults.rules = ()
    assert session.show("a", at_s=1, history_size=30) == 0


def prompt(kind: PromptKind = PromptKind.LIMIT) -> Prompt:
    return Prompt(
        id="%1.1.a", pane=PANE, episode=1, kind=kind, question="Out of use", rows=("resets 5:10pm",)
    )


def test_the_question_of_the_end_is_the_one_nobody_answered() -> None:
    session = Session()
    session.record.stands(State.PROMPTING, prompt(), seen=SEEN)
    facts = session.facts()
    assert facts.prompt == prompt()
    assert facts.prompt_reset is not None
    assert facts.prompt_reset.at_utc == "2026-03-04T17:10:00Z"
    session.record.stands(State.EXITED, None, seen=SEEN)
    assert session.facts().prompt == prompt()
    session.record.answered()
    assert session.facts().prompt is None


def test_a_question_that_is_gone_is_not_the_one_of_the_end() -> None:
    session = Session()
    session.record.stands(State.PROMPTING, prompt(), seen=SEEN)
    session.record.stands(State.BUSY, None, seen=SEEN)
    assert session.facts().prompt is None


def test_a_program_that_ended_well_was_not_stopped_by_its_question() -> None:
    for status, kept in ((0, False), (1, True)):
        session = Session()
        session.record.stands(State.PROMPTING, prompt(), seen=SEEN)
        ending = Ending(by=EndedBy.ITSELF, status=status)
        session.record.end(ending, ServerFact(), at=at(5))
        assert (session.facts().prompt is not None) is kept


@pytest.mark.parametrize(("by", "kept"), [(EndedBy.ITSELF, False), (EndedBy.ANOTHER, True)])
def test_a_question_that_the_program_went_on_from_is_not_the_one_of_the_end(
    by: EndedBy, kept: bool
) -> None:
    session = Session()
    session.record.stands(State.PROMPTING, prompt(), seen=SEEN)
    session.record.moved_on(Ending(by=by, status=1))
    assert (session.facts().prompt is not None) is kept


def test_what_is_judged_is_what_was_known_at_the_end() -> None:
    session = Session()
    session.begin(at_s=1)
    session.record.end(Ending(by=EndedBy.US), ServerFact(), at=at(7))
    lost = ServerFact(state=ServerState.DIED)
    facts = session.record.facts(at(500), lost)
    assert facts.server.state is ServerState.REACHABLE
    assert (facts.clocks.mono_s, facts.silent_s, facts.at_s) == (7, 7, 7)
    assert facts.state is State.BUSY


@pytest.mark.parametrize(
    ("known", "by", "crash"),
    [
        ({"status": 0}, EndedBy.ITSELF, False),
        ({"status": 3, "kept": True}, EndedBy.ITSELF, False),
        ({"status": 143}, EndedBy.ANOTHER, False),
        ({"status": 130}, EndedBy.ANOTHER, False),
        ({"status": 139}, EndedBy.ITSELF, False),
        ({"status": 255}, EndedBy.ITSELF, False),
        ({"signal": 11}, EndedBy.ITSELF, True),
        ({"signal": 6}, EndedBy.ITSELF, True),
        ({"signal": 13}, EndedBy.ITSELF, False),
        ({"signal": 9}, EndedBy.ANOTHER, False),
        ({"signal": 15}, EndedBy.ANOTHER, False),
        ({"signal": 15, "ours": True}, EndedBy.US, False),
        ({"signal": 999}, EndedBy.ANOTHER, False),
        ({"kept": True}, EndedBy.ANOTHER, False),
        ({}, EndedBy.UNKNOWN, False),
    ],
)
def test_who_ended_it(known: dict[str, object], by: EndedBy, crash: bool) -> None:
    told: dict[str, object] = {"status": None, "signal": None, "ours": False, "kept": False}
    ending = ending_of(**{**told, **known}, words="w", at_s=1.0)  # type: ignore[arg-type]
    assert (ending.by, ending.crash) == (by, crash)


def told(count: int | None, *, id: str = "a", at_s: float = 1_000_001.0) -> Record:
    return Record(program="claude", tokens=Tokens(count), session_id=id, at_s=at_s)


def test_what_the_program_wrote_down_says_what_it_used() -> None:
    session = Session()
    assert not session.facts().tokens.measured
    session.record.written(told(0))
    assert session.facts().tokens == Tokens(0)
    session.record.written(told(1_280_000))
    assert session.facts().tokens == Tokens(1_280_000)
    session.record.written(told(None))
    assert session.facts().tokens == Tokens(1_280_000)  # measured once is known


def test_what_a_resumed_conversation_had_used_before_is_not_of_this_session() -> None:
    session = Session()
    session.record.written(told(900, at_s=START.wall_s - 3600))
    assert session.facts().tokens == Tokens(0)
    session.record.written(told(950))
    assert session.facts().tokens == Tokens(50)


def test_another_conversation_of_the_same_program_adds_up() -> None:
    session = Session()
    session.record.written(told(100))
    session.record.written(told(0, id="b"))
    session.record.written(told(30, id="b"))
    assert session.facts().tokens == Tokens(130)


rows = st.lists(st.sampled_from(["", "prose", f"It said: {ERROR}", f"  {ERROR}", "+1"]), max_size=6)


@given(rows, rows, rows, st.booleans())
def test_prose_put_in_anywhere_changes_no_verdict(
    before: list[str], above: list[str], below: list[str], fails: bool
) -> None:
    def ran(*extra: list[str]) -> tuple[OutcomeKind, int]:
        first, second, third = extra
        session = Session()
        session.show(*(first or ["$"]), at_s=0.5)
        session.begin(at_s=1)
        session.show(*second, *([ERROR] if fails else []), *third, "> ", at_s=2)
        session.finish(at_s=2)
        outcome = verdict(session.facts())
        return outcome.kind, session.facts().n_faults

    plain = ran([], [], [])
    assert plain == ((OutcomeKind.SERVICE_ERROR, 1) if fails else (OutcomeKind.COMPLETED, 0))
    # a row that is full may be wrapped over the next one; these are not
    assert ran(before, above, below) == plain

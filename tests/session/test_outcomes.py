"""The verdict on whole sessions: its table, what can never change it, the third failure."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.ids import PaneId
from panegate.session import outcomes
from panegate.session.events import Prompt
from panegate.session.outcome_facts import (
    Clocks,
    EndedBy,
    Ending,
    FaultMatch,
    LimitName,
    ServerFact,
    ServerState,
    SessionFacts,
    SessionLimits,
)
from panegate.session.outcomes import RULES, Outcome, verdict
from panegate.session.resets import Reset
from panegate.session.transcript import Tokens
from panegate.terms import Advice, FaultKind, OutcomeKind, PromptKind, State

K, A = OutcomeKind, Advice
NINETY_MINUTES = Clocks(wall_s=5401, mono_s=5400.5, boot_s=5400.5)
BOTH = SessionLimits(wall_s=5400, mono_s=5400)
UNREACHABLE = ServerFact(state=ServerState.UNREACHABLE, words="no answer", pid=7, pid_alive=True)
DIED = ServerFact(state=ServerState.DIED, words="pid 7 is gone", pid=7, pid_alive=False)


def asks(kind: PromptKind = PromptKind.PERMISSION, question: str = "Run it?") -> Prompt:
    return Prompt(id="%1.1.abc", pane=PaneId("%1"), episode=1, kind=kind, question=question)


def fault(
    kind: FaultKind = FaultKind.SERVER,
    *,
    at_s: float = 10.0,
    offset: int = 100,
    text: str = "● API Error: 500 it broke",
) -> FaultMatch:
    return FaultMatch(kind=kind, text=text, at_s=at_s, offset=offset, row=3, turn=1)


def ended(by: EndedBy, **known: object) -> Ending:
    return Ending(by=by, **known)  # type: ignore[arg-type]


def facts(**known: object) -> SessionFacts:
    base = SessionFacts(
        state=State.BUSY, turns_begun=3, output_bytes=1000, at_s=5400.0, clocks=Clocks(wall_s=9)
    )
    return attrs.evolve(base, **known)


TIMED_OUT = {"clocks": NINETY_MINUTES, "limits": BOTH}
SILENT = {"silent_s": 601.0, "limits": SessionLimits(silence_s=600)}
ASLEEP = {"clocks": Clocks(wall_s=20_000, mono_s=600, boot_s=19_990), "limits": BOTH}
FAILED = {"faults": (fault(),), "n_faults": 1}
OUTAGE = {"tokens": Tokens(0), "turns_begun": 1, **FAILED}
IDLE = {"state": State.READY}
DONE = {"state": State.READY, "turns_completed": 3, "completed_at_s": 99.0}
RESET = Reset(words="resets at 5:10pm", at_utc="2026-03-04T16:10:00Z", in_s=2400.0)

# One behaviour a line: facts, row that decides, kind, advice.
CASES: list[tuple[dict[str, object], str, OutcomeKind, Advice]] = [
    ({"server": DIED, "prompt": asks()}, "server_died", K.SERVER_LOST, A.RETRY_FREE),
    ({"server": UNREACHABLE, "prompt": asks()}, "server_unreachable", K.SERVER_LOST, A.PAUSE),
    ({"server": UNREACHABLE, **TIMED_OUT}, "server_unreachable", K.SERVER_LOST, A.PAUSE),
    (
        {"server": UNREACHABLE, "prompt": asks(PromptKind.LIMIT)},
        "server_unreachable",
        K.SERVER_LOST,
        A.PAUSE,
    ),
    (
        {"prompt": asks(PromptKind.LIMIT), "ending": ended(EndedBy.US)},
        "limit_screen",
        K.LIMITED,
        A.PAUSE,
    ),
    ({"prompt": asks(PromptKind.LOGIN), **TIMED_OUT}, "login_screen", K.NEEDS_LOGIN, A.ESCALATE),
    (
        {"prompt": asks(), "ending": ended(EndedBy.US), **TIMED_OUT},
        "open_prompt",
        K.BLOCKED_ON_PROMPT,
        A.ESCALATE,
    ),
    (
        {"prompt": asks(), "ending": ended(EndedBy.ITSELF, status=1)},
        "open_prompt",
        K.BLOCKED_ON_PROMPT,
        A.ESCALATE,
    ),
    (
        {"prompt": asks(), "ending": ended(EndedBy.US), **DONE},
        "open_prompt",
        K.BLOCKED_ON_PROMPT,
        A.ESCALATE,
    ),
    ({"ending": ended(EndedBy.US)}, "ended_by_us", K.KILLED, A.NONE),
    ({"ending": ended(EndedBy.US), **FAILED, **IDLE}, "ended_by_us", K.KILLED, A.NONE),
    ({"ending": ended(EndedBy.US), **DONE}, "ended_by_us", K.COMPLETED, A.NONE),
    ({"ending": ended(EndedBy.ANOTHER, signal=9)}, "ended_by_another", K.KILLED, A.ESCALATE),
    ({"ending": ended(EndedBy.ANOTHER), **DONE}, "ended_by_another", K.KILLED, A.ESCALATE),
    (
        {"ending": ended(EndedBy.ITSELF, signal=11, crash=True), **TIMED_OUT},
        "crashed",
        K.CRASHED,
        A.RETRY_CHARGED,
    ),
    ({"ending": ended(EndedBy.ITSELF, status=0)}, "ended_by_itself", K.COMPLETED, A.NONE),
    (
        {"ending": ended(EndedBy.ITSELF, status=0), **TIMED_OUT},
        "ended_by_itself",
        K.COMPLETED,
        A.NONE,
    ),
    (
        {"ending": ended(EndedBy.ITSELF, status=0), **ASLEEP},
        "ended_by_itself",
        K.COMPLETED,
        A.NONE,
    ),
    ({"ending": ended(EndedBy.ITSELF, status=3)}, "ended_by_itself", K.EXITED, A.RETRY_CHARGED),
    (
        {"ending": ended(EndedBy.ITSELF, status=0), **FAILED},
        "ended_by_itself",
        K.EXITED,
        A.RETRY_CHARGED,
    ),
    ({"ending": ended(EndedBy.ITSELF, status=1), **OUTAGE}, "ended_by_itself", K.EXITED, A.PAUSE),
    ({"ending": ended(EndedBy.UNKNOWN), **IDLE}, "ended_by_itself", K.EXITED, A.NONE),
    (ASLEEP, "wall_clock_only", K.SUSPENDED, A.RETRY_FREE),
    ({"ending": ended(EndedBy.US), **ASLEEP}, "wall_clock_only", K.SUSPENDED, A.RETRY_FREE),
    (
        {"tokens": Tokens(1_280_000), **ASLEEP, **FAILED},
        "wall_clock_only",
        K.SUSPENDED,
        A.RETRY_FREE,
    ),
    (
        {"tokens": Tokens(1_280_000), "ending": ended(EndedBy.US), **TIMED_OUT, **FAILED},
        "worked_until_a_limit",
        K.TIMEOUT,
        A.RETRY_CHARGED,
    ),
    ({"tokens": Tokens(5), **SILENT, **FAILED}, "worked_until_a_limit", K.STALLED, A.RETRY_CHARGED),
    ({**OUTAGE, **TIMED_OUT}, "never_ran", K.ENV_FAULT, A.PAUSE),
    (
        {**OUTAGE, **TIMED_OUT, "ending": ended(EndedBy.ANOTHER, signal=15)},
        "never_ran",
        K.ENV_FAULT,
        A.PAUSE,
    ),
    ({"tokens": Tokens(0), **SILENT}, "never_ran", K.ENV_FAULT, A.PAUSE),
    ({**OUTAGE, **IDLE}, "never_ran", K.ENV_FAULT, A.PAUSE),
    ({**FAILED, **IDLE}, "fault_alone", K.SERVICE_ERROR, A.RETRY_FREE),
    ({**FAILED, **TIMED_OUT}, "fault_alone", K.SERVICE_ERROR, A.RETRY_FREE),
    ({**FAILED, **IDLE, "tokens": Tokens(7)}, "fault_alone", K.SERVICE_ERROR, A.RETRY_CHARGED),
    ({"faults": (fault(FaultKind.LIMITED),), **IDLE}, "fault_alone", K.LIMITED, A.PAUSE),
    ({"faults": (fault(FaultKind.AUTH),), **IDLE}, "fault_alone", K.NEEDS_LOGIN, A.ESCALATE),
    (
        {"faults": (fault(FaultKind.AUTH),), "tokens": Tokens(0), **IDLE},
        "fault_alone",
        K.NEEDS_LOGIN,
        A.ESCALATE,
    ),
    (TIMED_OUT, "limit_alone", K.TIMEOUT, A.RETRY_CHARGED),
    ({**DONE, **TIMED_OUT}, "limit_alone", K.TIMEOUT, A.RETRY_CHARGED),
    (SILENT, "limit_alone", K.STALLED, A.RETRY_CHARGED),
    (
        {"tokens": Tokens(0), "turns_completed": 1, **TIMED_OUT},
        "limit_alone",
        K.TIMEOUT,
        A.RETRY_CHARGED,
    ),
    (DONE, "all_done", K.COMPLETED, A.NONE),
    ({**DONE, **FAILED}, "all_done", K.COMPLETED, A.NONE),  # a later turn cleared it
    (FAILED, "nothing", K.UNKNOWN, A.NONE),  # it goes on working
    ({**FAILED, "tokens": Tokens(0)}, "nothing", K.UNKNOWN, A.NONE),
    (IDLE, "nothing", K.UNKNOWN, A.NONE),
    ({}, "nothing", K.UNKNOWN, A.NONE),
]


def decided(known: dict[str, object]) -> tuple[str, OutcomeKind, Advice]:
    outcome = verdict(facts(**known))
    return outcome.rule, outcome.kind, outcome.advice


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[1]}-{c[2].value}-{c[3].value}")
def test_each_session_is_judged_by_its_row(
    case: tuple[dict[str, object], str, OutcomeKind, Advice],
) -> None:
    assert decided(case[0]) == case[1:]


@pytest.mark.parametrize("name", [name for name, _ in RULES])
def test_each_row_decides_something_that_no_other_row_does(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = tuple(row for row in RULES if row[0] != name)
    monkeypatch.setattr(outcomes, "RULES", without)
    changed = [case for case in CASES if decided(case[0])[1:] != case[2:]]
    assert changed, f"nothing notices that {name} is missing"


@pytest.mark.parametrize("at", range(len(RULES) - 1))
def test_rows_that_can_both_speak_stand_in_this_order(
    at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Swapping two neighbours changes a case, unless no facts let both of them speak."""
    rows = list(RULES)
    rows[at], rows[at + 1] = rows[at + 1], rows[at]
    monkeypatch.setattr(outcomes, "RULES", tuple(rows))
    changed = [case for case in CASES if decided(case[0])[0] != case[1]]
    pair = (RULES[at][0], RULES[at + 1][0])
    assert bool(changed) is (pair not in _NEVER_BOTH), pair


_NEVER_BOTH = {
    ("server_died", "server_unreachable"),
    ("limit_screen", "login_screen"),
    ("ended_by_us", "ended_by_another"),
    ("ended_by_another", "crashed"),
    ("wall_clock_only", "worked_until_a_limit"),
    ("worked_until_a_limit", "never_ran"),
}


def test_the_order_is_that_of_trust() -> None:
    assert [name for name, _ in RULES] == [
        "server_died",
        "server_unreachable",
        "limit_screen",
        "login_screen",
        "open_prompt",
        "ended_by_us",
        "ended_by_another",
        "crashed",
        "ended_by_itself",
        "wall_clock_only",
        "worked_until_a_limit",
        "never_ran",
        "fault_alone",
        "limit_alone",
        "all_done",
    ]


# --- a productive session that was written off as an outage ------------------------------


def productive(bytes_after_the_error: int) -> SessionFacts:
    output_bytes = 4_000_000
    return facts(
        state=State.BUSY,
        ending=ended(EndedBy.US, words="closed"),
        tokens=Tokens(1_280_000),
        faults=(fault(offset=output_bytes - bytes_after_the_error, at_s=5300.0),),
        n_faults=1,
        output_bytes=output_bytes,
        **TIMED_OUT,
    )


@pytest.mark.parametrize("more", [0, 1_751])
def test_a_session_that_worked_is_no_outage_wherever_its_error_stands(more: int) -> None:
    outcome = verdict(productive(63_786 + more))
    assert (outcome.kind, outcome.advice) == (K.TIMEOUT, A.RETRY_CHARGED)
    assert outcome.charged
    assert outcome.worked
    assert outcome.limits_reached == (LimitName.WALL, LimitName.MONO)
    assert "1,280,000 tokens" in outcome.words
    said = [item.words for item in outcome.evidence]
    assert any(f"{63_786 + more:,} bytes of output" in words for words in said)


def test_an_early_outage_with_no_token_used_is_a_fault_of_the_environment() -> None:
    early = facts(
        **{**OUTAGE, "faults": (fault(at_s=4.0, offset=900),), "output_bytes": 70_000}, **TIMED_OUT
    )
    outcome = verdict(early)
    assert (outcome.kind, outcome.advice) == (K.ENV_FAULT, A.PAUSE)
    assert not outcome.worked
    assert outcome.fault is not None
    assert outcome.fault.text in outcome.words


def test_an_error_that_was_only_quoted_is_no_fault() -> None:
    """Nothing but a match on an error row is a fact; without one the same session timed out."""
    assert verdict(facts(**TIMED_OUT)).kind is K.TIMEOUT
    assert verdict(facts(**TIMED_OUT)).fault is None


def test_a_host_that_slept_did_not_time_the_session_out() -> None:
    outcome = verdict(facts(**ASLEEP))
    assert outcome.kind is K.SUSPENDED
    assert "asleep" in outcome.words
    set_forward = Clocks(wall_s=20_000, mono_s=600, boot_s=600)
    told = verdict(facts(clocks=set_forward, limits=BOTH))
    assert told.kind is K.SUSPENDED
    assert "the clock was set" in told.words


# --- words and evidence ------------------------------------------------------------------


def test_a_limit_screen_says_when_it_ends() -> None:
    outcome = verdict(facts(prompt=asks(PromptKind.LIMIT, "You are out"), prompt_reset=RESET))
    assert outcome.reset == RESET
    assert "resets at 5:10pm" in outcome.words
    assert "You are out" in outcome.words
    limited = attrs.evolve(fault(FaultKind.LIMITED), reset=RESET)
    assert verdict(facts(faults=(limited,), **IDLE)).reset == RESET


def test_a_timeout_names_which_limit_its_value_and_the_time_it_took() -> None:
    words = verdict(facts(limits=SessionLimits(silence_s=5), silent_s=7.2)).words
    assert "silence_s = 5 (7.2 s)" in words
    both = verdict(facts(**TIMED_OUT)).words
    assert "wall_s = 5400 (5401 s)" in both
    assert "mono_s = 5400" in both


def test_a_lost_server_is_described_by_what_was_found() -> None:
    lost = attrs.evolve(UNREACHABLE, socket_present=False, since_answer_s=2.5)
    outcome = verdict(facts(server=lost, clocks=Clocks(wall_s=90, mono_s=30)))
    said = outcome.evidence[0].words
    for part in ("unreachable", "pid 7 alive", "socket missing", "2.5 s", "clock jump 60 s"):
        assert part in said
    assert not outcome.over
    assert verdict(facts(server=DIED)).over


def test_a_session_is_over_only_where_that_is_known() -> None:
    assert not verdict(facts(**TIMED_OUT)).over
    assert verdict(facts(ending=ended(EndedBy.US))).over


def test_tokens_not_measured_are_not_zero_tokens() -> None:
    assert decided({**OUTAGE, **TIMED_OUT})[1] is K.ENV_FAULT
    assert decided({**OUTAGE, "tokens": Tokens(), **TIMED_OUT})[1] is K.SERVICE_ERROR


# --- what can never change a verdict -----------------------------------------------------

kinds = st.sampled_from(FaultKind)
matches = st.lists(
    st.builds(
        fault, kinds, at_s=st.floats(0, 5000), offset=st.integers(0, 1_000_000), text=st.text("ab ")
    ),
    max_size=3,
).map(lambda found: tuple(sorted(found, key=lambda f: f.at_s)))
endings = st.none() | st.builds(
    ended,
    st.sampled_from(EndedBy),
    status=st.none() | st.integers(0, 3),
    signal=st.none() | st.sampled_from([9, 11, 15]),
    crash=st.booleans(),
)
sessions = st.builds(
    facts,
    state=st.sampled_from([s for s in State if s is not State.EXITED]),
    ending=endings,
    server=st.sampled_from([ServerFact(), UNREACHABLE, DIED]),
    prompt=st.none() | st.builds(asks, st.sampled_from(PromptKind)),
    clocks=st.builds(
        Clocks,
        wall_s=st.sampled_from([10.0, 5401.0, 90_000.0]),
        mono_s=st.sampled_from([10.0, 5401.0]),
    ),
    silent_s=st.sampled_from([0.0, 700.0]),
    limits=st.sampled_from([SessionLimits(), BOTH, SessionLimits(silence_s=600)]),
    faults=matches,
    turns_begun=st.integers(0, 5),
    turns_completed=st.integers(0, 5),
    completed_at_s=st.none() | st.floats(0, 5000),
    output_bytes=st.integers(0, 10_000_000),
    tokens=st.sampled_from([Tokens(), Tokens(0), Tokens(1), Tokens(1_280_000)]),
)


def judged(outcome: Outcome) -> tuple[str, OutcomeKind, Advice, bool]:
    return outcome.rule, outcome.kind, outcome.advice, outcome.over


@given(sessions, st.integers(0, 10_000_000))
def test_output_after_a_fault_never_changes_the_verdict(
    session: SessionFacts, output_bytes: int
) -> None:
    other = attrs.evolve(session, output_bytes=output_bytes)
    assert judged(verdict(other)) == judged(verdict(session))


@given(sessions, st.data())
def test_where_a_fault_stands_in_the_output_never_changes_the_verdict(
    session: SessionFacts, data: st.DataObject
) -> None:
    moved = tuple(
        attrs.evolve(f, offset=data.draw(st.integers(0, 10**7)), row=data.draw(st.integers(0, 99)))
        for f in session.faults
    )
    other = attrs.evolve(session, faults=moved)
    assert judged(verdict(other)) == judged(verdict(session))


NEVER_RAN = (K.ENV_FAULT,)


@given(sessions, st.data())
def test_more_evidence_never_turns_a_session_that_worked_into_one_that_never_ran(
    session: SessionFacts, data: st.DataObject
) -> None:
    if not session.worked:
        session = attrs.evolve(session, tokens=Tokens(1))
    more_faults = data.draw(matches)
    known = session.tokens.count
    tokens = data.draw(st.integers(known or 0, 10**7)) if known is not None else None
    measured = data.draw(st.sampled_from([tokens, 0])) if known is None else tokens
    more = attrs.evolve(
        session,
        faults=tuple(sorted((*session.faults, *more_faults), key=lambda f: f.at_s)),
        tokens=Tokens(measured),
        turns_completed=session.turns_completed + data.draw(st.integers(0, 3)),
        output_bytes=session.output_bytes + data.draw(st.integers(0, 10**6)),
        silent_s=session.silent_s + data.draw(st.floats(0, 1000)),
    )
    assert verdict(session).kind not in NEVER_RAN
    assert verdict(more).kind not in NEVER_RAN


@given(sessions)
def test_a_cleared_fault_counts_as_none(session: SessionFacts) -> None:
    last_s = max((f.at_s for f in session.faults), default=0.0)
    cleared = attrs.evolve(
        session, completed_at_s=last_s + 1, turns_completed=session.turns_completed + 1
    )
    without = attrs.evolve(cleared, faults=())
    assert judged(verdict(cleared)) == judged(verdict(without))
    assert verdict(cleared).fault is None


@given(sessions)
def test_an_unreachable_server_never_means_a_dead_session(session: SessionFacts) -> None:
    outcome = verdict(attrs.evolve(session, server=UNREACHABLE, ending=None))
    assert (outcome.kind, outcome.over) == (K.SERVER_LOST, False)


@given(sessions)
def test_rows_said_never_to_speak_both_do_not(session: SessionFacts) -> None:
    table = dict(RULES)
    for one, other in _NEVER_BOTH:
        assert table[one](session) is None or table[other](session) is None


@given(sessions)
def test_every_verdict_says_why(session: SessionFacts) -> None:
    outcome = verdict(session)
    assert outcome.words.strip()
    assert outcome.evidence
    assert outcome.facts is session

"""Who is nudged, how often, and when a person is called instead."""

import json

import attrs
import pytest

from panegate.gate.policy import CONDITIONS, TABLE
from panegate.session.nudging import (
    BY_REASON,
    LOOK_BOUND_S,
    RETRY_S,
    UNCONFIRMED_S,
    NudgeCounts,
    NudgePolicy,
    Nudger,
    Sight,
    Step,
    counts_from,
    counts_to,
    reacted,
)
from panegate.terms import EscalationCause, Fate, Intent, Reason, State

POLICY = NudgePolicy(text="go on", grace_s=100, work_grace_s=600, per_silence=2, per_session=5)


def nudger(policy: NudgePolicy = POLICY, **counts: object) -> Nudger:
    known = NudgeCounts(growth="g0", since_s=0.0)
    return Nudger(policy=policy, counts=attrs.evolve(known, **counts))


def ready(now_s: float, **more: object) -> Sight:
    """A pane that reads, looked at just now."""
    known = Sight(state=State.READY, reason=Reason.NONE, growth="g0", looked_s=now_s)
    return attrs.evolve(known, **more)


def nudge(n: Nudger, now_s: float, *, fate: Fate = Fate.LANDED, answers: bool = False) -> None:
    """Carry out a nudge that is due."""
    move = n.step(ready(now_s), now_s=now_s)
    assert move.step is Step.NUDGE, move
    n.began(now_s=now_s)
    n.saw(ready(now_s, growth=f"echo{now_s}"), now_s=now_s)
    n.finished(fate, reacted=answers, growth="g0", now_s=now_s)


def test_within_its_grace_a_pane_is_left_alone():
    n = nudger()
    move = n.step(ready(99.9), now_s=99.9)
    assert (move.step, move.reason, move.until_s) == (Step.WAIT, Reason.NUDGE_NOT_DUE, 100)


def test_a_look_comes_before_a_nudge():
    n = nudger()
    move = n.step(ready(100, looked_s=50), now_s=100)
    assert move.step is Step.LOOK
    assert n.step(ready(100.1), now_s=100.1).step is Step.NUDGE


def test_growth_starts_the_silence_again():
    n = nudger()
    assert n.saw(ready(90, growth="g1"), now_s=90)
    assert n.step(ready(100), now_s=100).until_s == 190


def test_the_same_picture_is_no_growth():
    n = nudger()
    assert not n.saw(ready(90), now_s=90)
    assert n.step(ready(100), now_s=100).step is Step.NUDGE


def test_the_first_picture_is_no_growth_either():
    n = nudger(growth="")
    assert not n.saw(ready(1), now_s=1)
    assert n.counts.since_s == 1


def test_each_nudge_of_a_silence_waits_for_its_own_grace_and_then_somebody_is_called():
    n = nudger()
    nudge(n, 100)
    assert n.step(ready(199), now_s=199).until_s == 200
    nudge(n, 200)
    move = n.step(ready(300), now_s=300)
    assert (move.step, move.cause) == (Step.ESCALATE, EscalationCause.NUDGES_SPENT)
    n.called()
    assert n.step(ready(9_999), now_s=9_999).step is Step.WAIT


def test_growth_arms_it_again_and_the_session_has_an_end():
    n = nudger()
    at_s = 0.0
    for number in range(5):
        at_s += 100
        nudge(n, at_s)
        n.saw(ready(at_s, growth=f"g{number + 1}"), now_s=at_s)
        n.saw(ready(at_s), now_s=at_s)
    assert n.counts.in_session == 5
    assert n.counts.in_silence == 0
    move = n.step(ready(at_s + 100), now_s=at_s + 100)
    assert (move.step, move.cause) == (Step.ESCALATE, EscalationCause.NUDGES_SPENT)
    assert "session" in move.words


def test_the_echo_of_a_nudge_is_no_growth():
    n = nudger()
    nudge(n, 100)
    assert n.counts.in_silence == 1


def test_a_program_that_answers_at_once_has_grown():
    n = nudger()
    nudge(n, 100, answers=True)
    assert (n.counts.in_silence, n.counts.in_session) == (0, 1)


def test_a_nudge_that_was_refused_is_given_back_and_the_silence_goes_on():
    n = nudger()
    for number, pause_s in enumerate([*RETRY_S, RETRY_S[-1]]):
        at_s = 100.0 + 50 * number
        nudge(n, at_s, fate=Fate.REFUSED)
        assert n.counts == NudgeCounts(growth="g0", since_s=0.0)
        assert n.step(ready(at_s), now_s=at_s).until_s == at_s + pause_s


def test_a_nudge_of_which_nobody_knows_is_the_last_of_its_silence():
    n = nudger()
    nudge(n, 100, fate=Fate.UNKNOWN)
    move = n.step(ready(200), now_s=200)
    assert (move.step, move.cause) == (Step.ESCALATE, EscalationCause.UNPROVEN)
    n.saw(ready(201, growth="g1"), now_s=201)
    assert n.step(ready(301), now_s=301).step is Step.NUDGE


def test_a_nudge_that_did_not_land_counts_and_the_gate_says_whether_another_may_go():
    n = nudger()
    nudge(n, 100, fate=Fate.NOT_LANDED)
    assert n.counts.in_session == 1
    move = n.step(ready(200, reason=Reason.LEFT_BEHIND), now_s=200)
    assert (move.step, move.reason) == (Step.ESCALATE, Reason.LEFT_BEHIND)
    nudge(n, 200)


def test_a_long_tool_call_has_a_grace_of_its_own():
    n = nudger()
    sight = ready(599, state=State.BUSY, reason=Reason.BUSY)
    assert n.step(sight, now_s=599).until_s == 600
    late = attrs.evolve(sight, looked_s=600)
    move = n.step(late, now_s=600)
    assert (move.step, move.cause) == (Step.ESCALATE, EscalationCause.UNPROVEN)


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("reason", list(Reason))
def test_nothing_is_typed_unless_the_gate_has_nothing_against_it(state: State, reason: Reason):
    move = nudger().step(ready(9_999, state=state, reason=reason), now_s=9_999)
    assert (move.step is Step.NUDGE) is (reason is Reason.NONE and state is not State.EXITED)


def test_a_question_is_escalated_as_one():
    sight = ready(100, state=State.PROMPTING, reason=Reason.PROMPTING)
    move = nudger().step(sight, now_s=100)
    assert (move.step, move.cause) == (Step.ESCALATE, EscalationCause.PROMPT)


def test_every_reason_that_the_gate_gives_a_nudge_has_a_row():
    cells = {rule.reason for (intent, _), rule in TABLE.items() if intent is Intent.NUDGE}
    conditions = {c.reason for c in CONDITIONS}
    others = {Reason.NOT_WHILE_BUSY, Reason.STALE_PROMPT}  # a steer's, an answer's
    assert (cells | conditions) - others <= set(BY_REASON)


@pytest.mark.parametrize("reason", [Reason.DRAFT, Reason.HELD, Reason.COPY_MODE])
def test_where_a_person_is_at_the_pane_it_stays_due_and_is_said_once(reason: Reason):
    n = nudger()
    sight = ready(100, reason=reason)
    move = n.step(sight, now_s=100)
    assert (move.step, move.reason) == (Step.LEAVE, reason)
    assert n.first_time(reason)
    assert not n.first_time(reason)
    assert n.step(ready(101), now_s=101).step is Step.NUDGE
    n.saw(ready(102, growth="g1"), now_s=102)
    assert n.first_time(reason)


def test_a_screen_that_never_rests_is_unproven_in_the_end():
    n = nudger()
    sight = ready(100, reason=Reason.UNCONFIRMED)
    assert n.step(sight, now_s=100).until_s == 100 + UNCONFIRMED_S
    late_s = 100 + UNCONFIRMED_S
    assert n.step(attrs.evolve(sight, looked_s=late_s), now_s=late_s).step is Step.ESCALATE


def test_a_pane_whose_looks_are_all_overtaken_is_not_silent():
    n = nudger()
    sight = ready(0, state=State.BUSY, reason=Reason.BUSY, looked_s=10)
    assert n.step(sight, now_s=600).step is Step.LOOK
    assert n.step(sight, now_s=600 + LOOK_BOUND_S).step is Step.WAIT
    assert n.counts.since_s == 600 + LOOK_BOUND_S


def test_nobody_is_called_while_the_server_cannot_be_reached():
    sight = ready(100, reason=Reason.SERVER_UNREACHABLE)
    assert nudger().step(sight, now_s=100).step is Step.WAIT


def test_while_one_is_written_there_is_no_other():
    n = nudger()
    n.began(now_s=100)
    assert n.step(ready(500), now_s=500).step is Step.WAIT


def test_an_escalated_silence_may_still_be_nudged_when_it_turns_out_to_read():
    n = nudger()
    n.called()
    assert n.step(ready(100), now_s=100).step is Step.NUDGE
    assert n.step(ready(900, reason=Reason.SILENT), now_s=900).step is Step.WAIT


@pytest.mark.parametrize("later_s", [0.0, 50.0])
def test_counts_outlive_a_controller(later_s: float):
    n = nudger()
    nudge(n, 100)
    kept = json.loads(json.dumps(counts_to(n.counts, wall_offset_s=1e9)))
    counts = counts_from(kept, now_s=120 + later_s, wall_offset_s=1e9)
    assert counts == n.counts
    again = Nudger(policy=POLICY, counts=counts)
    assert not again.saw(ready(130), now_s=130)
    nudge(again, 200)
    assert again.step(ready(300), now_s=300).step is Step.ESCALATE


def test_counts_that_lie_in_the_future_begin_now():
    kept = counts_to(NudgeCounts(since_s=500), wall_offset_s=0)
    assert counts_from(kept, now_s=3, wall_offset_s=0).since_s == 3


@pytest.mark.parametrize("value", [{}, {"in_session": None}])
def test_counts_that_cannot_be_read_are_said(value: dict[str, object]):
    with pytest.raises(ValueError, match="cannot be read"):
        counts_from(value, now_s=0, wall_offset_s=0)


@pytest.mark.parametrize(
    "wrong", [{"grace_s": 0}, {"grace_s": float("nan")}, {"work_grace_s": -1}, {"per_silence": -1}]
)
def test_a_policy_that_makes_no_sense_is_refused(wrong: dict[str, float]):
    with pytest.raises(ValueError, match="expected"):
        NudgePolicy(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("after", "grew"),
    [
        (["> ", "──"], False),
        (["> go on with it", "──", "> "], False),
        (["> go on", "with it", "> "], False),
        (["> go on with it", "I will fix the parser first.", "> "], True),
        (["$ go on with it", "bash: go: command not found", "$ "], True),
    ],
)
def test_the_nudge_itself_is_no_reaction(after: list[str], grew: bool):
    assert reacted(["> ", "──"], after, "go on with it") is grew

"""The gate's tables: what may be written when."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.gate.policy import (
    CONDITIONS,
    TABLE,
    WORDS,
    Condition,
    Decision,
    Rule,
    Situation,
    decide,
    may_wait,
    render_conditions,
    render_table,
)
from panegate.ids import PaneId
from panegate.panes.facts import PaneFields
from panegate.terms import Intent, Reason, State, Verdict

ALLOW, HOLD, REFUSE = Verdict.ALLOW, Verdict.HOLD, Verdict.REFUSE
FIELDS = PaneFields(pane_id=PaneId("%0"), pane_pid=7)
READY = Situation(state=State.READY, confirmed=True, fields=FIELDS)
ASKING = attrs.evolve(READY, state=State.PROMPTING, prompt_id="p1")
OBSTACLES = {
    Reason.SERVER_UNREACHABLE: {"server_reachable": False},
    Reason.SERVER_DIED: {"server_reachable": False, "state": State.EXITED},
    Reason.GONE_PANE: {"gone": True},
    Reason.DEAD_PANE: {"fields": attrs.evolve(FIELDS, dead=True)},
    Reason.OTHER_PROCESS: {"other_process": True},
    Reason.OWN_PANE: {"own_pane": True},
    Reason.HELD: {"held": "a person looks"},
    Reason.UNPROVEN: {"fields": None},
    Reason.COPY_MODE: {"fields": attrs.evolve(FIELDS, in_mode=True)},
    Reason.INPUT_OFF: {"fields": attrs.evolve(FIELDS, input_off=True)},
    Reason.SYNCHRONIZED: {"fields": attrs.evolve(FIELDS, synchronized=True)},
    Reason.SHELL_LEFT_BEHIND: {"shell_left_behind": True},
    Reason.STOPPED: {"stopped": True},
    Reason.UNCONFIRMED: {"confirmed": False},
    Reason.DRAFT: {"draft": "half a"},
    Reason.LEFT_BEHIND: {"left_behind": True},
    Reason.QUEUED: {"unfinished_write": True},
}
FOR_EVER = {
    Reason.SERVER_DIED,
    Reason.GONE_PANE,
    Reason.DEAD_PANE,
    Reason.OTHER_PROCESS,
    Reason.OWN_PANE,
    Reason.SHELL_LEFT_BEHIND,
}


def situations() -> st.SearchStrategy[Situation]:
    flag = st.booleans()
    fields = st.builds(
        PaneFields,
        pane_id=st.just(PaneId("%0")),
        pane_pid=st.just(7),
        dead=flag,
        in_mode=flag,
        input_off=flag,
        synchronized=flag,
    )
    return st.builds(
        Situation,
        state=st.sampled_from(State),
        confirmed=flag,
        fields=st.none() | fields,
        draft=st.sampled_from(["", "x"]),
        left_behind=flag,
        held=st.sampled_from([None, "", "why"]),
        own_pane=flag,
        server_reachable=flag,
        gone=flag,
        shell_left_behind=flag,
        other_process=flag,
        stopped=flag,
        prompt_id=st.sampled_from([None, "p1", "p2"]),
        takes_input_while_busy=flag,
        unfinished_write=flag,
    )


def test_the_table_is_total() -> None:
    assert set(TABLE) == {(intent, state) for intent in Intent for state in State}


def test_every_condition_speaks_about_every_intent() -> None:
    assert all(set(condition.verdicts) == set(Intent) for condition in CONDITIONS)


def test_the_zero_of_rule_and_verdict_refuses() -> None:
    assert Rule() == Rule(REFUSE, Reason.UNPROVEN)
    assert Verdict(0) is REFUSE


def test_every_reason_given_has_words_that_end_in_a_full_stop() -> None:
    given_reasons = {rule.reason for rule in TABLE.values()} | {c.reason for c in CONDITIONS}
    assert given_reasons == set(WORDS)
    assert all(words.endswith(".") and "\n" not in words for words in WORDS.values())


@pytest.mark.parametrize("intent", list(Intent))
def test_a_pane_nothing_is_known_about_is_not_written_to(intent: Intent) -> None:
    assert decide(intent, Situation()).verdict is not ALLOW


@pytest.mark.parametrize("intent", [i for i in Intent if i is not Intent.MESSAGE])
def test_without_a_look_all_but_messages_are_refused_as_unproven(intent: Intent) -> None:
    decision = decide(intent, Situation(state=State.READY, confirmed=True))
    assert (decision.verdict, decision.reason) == (REFUSE, Reason.UNPROVEN)


def test_an_unknown_intent_is_refused_as_unproven() -> None:
    decision = decide("shout", READY)  # type: ignore[arg-type]
    assert (decision.verdict, decision.reason) == (REFUSE, Reason.UNPROVEN)


def test_an_unknown_state_is_refused_as_unproven() -> None:
    odd = attrs.evolve(READY, state="resting")
    decision = decide(Intent.MESSAGE, odd)
    assert (decision.verdict, decision.reason) == (REFUSE, Reason.UNPROVEN)


def test_a_condition_that_forgets_an_intent_refuses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    forgetful = Condition(name="x", applies=lambda s: True, verdicts={}, reason=Reason.HELD)
    monkeypatch.setattr("panegate.gate.policy.CONDITIONS", (forgetful,))
    assert decide(Intent.MESSAGE, READY).verdict is REFUSE


@pytest.mark.parametrize(
    ("intent", "state", "verdict", "reason"),
    [
        (Intent.MESSAGE, State.READY, ALLOW, Reason.NONE),
        (Intent.MESSAGE, State.BOOTING, HOLD, Reason.BOOTING),
        (Intent.MESSAGE, State.BUSY, HOLD, Reason.BUSY),
        (Intent.MESSAGE, State.SILENT, HOLD, Reason.SILENT),
        (Intent.MESSAGE, State.PROMPTING, REFUSE, Reason.PROMPTING),
        (Intent.MESSAGE, State.EXITED, REFUSE, Reason.EXITED),
        (Intent.NUDGE, State.READY, ALLOW, Reason.NONE),
        (Intent.NUDGE, State.BUSY, REFUSE, Reason.BUSY),
        (Intent.NUDGE, State.SILENT, REFUSE, Reason.SILENT),
        (Intent.NUDGE, State.BOOTING, REFUSE, Reason.BOOTING),
        (Intent.NUDGE, State.PROMPTING, REFUSE, Reason.PROMPTING),
        (Intent.STEER, State.READY, ALLOW, Reason.NONE),
        (Intent.STEER, State.BUSY, REFUSE, Reason.NOT_WHILE_BUSY),
        (Intent.STEER, State.SILENT, REFUSE, Reason.SILENT),
        (Intent.STEER, State.PROMPTING, REFUSE, Reason.PROMPTING),
        (Intent.ANSWER, State.READY, REFUSE, Reason.NOT_PROMPTING),
        (Intent.ANSWER, State.BUSY, REFUSE, Reason.NOT_PROMPTING),
        (Intent.INTERRUPT, State.BOOTING, ALLOW, Reason.NONE),
        (Intent.INTERRUPT, State.BUSY, ALLOW, Reason.NONE),
        (Intent.INTERRUPT, State.SILENT, ALLOW, Reason.NONE),
        (Intent.INTERRUPT, State.READY, ALLOW, Reason.NONE),
        (Intent.INTERRUPT, State.PROMPTING, REFUSE, Reason.PROMPTING),
        (Intent.INTERRUPT, State.EXITED, REFUSE, Reason.EXITED),
        (Intent.KEYS, State.BOOTING, HOLD, Reason.BOOTING),
        (Intent.KEYS, State.BUSY, ALLOW, Reason.NONE),
        (Intent.KEYS, State.SILENT, ALLOW, Reason.NONE),
        (Intent.KEYS, State.READY, ALLOW, Reason.NONE),
        (Intent.KEYS, State.PROMPTING, REFUSE, Reason.PROMPTING),
    ],
)
def test_the_state_alone_decides_when_nothing_else_is_in_the_way(
    intent: Intent, state: State, verdict: Verdict, reason: Reason
) -> None:
    decision = decide(intent, attrs.evolve(READY, state=state, prompt_id="p1"))
    assert (decision.verdict, decision.reason) == (verdict, reason)


def test_steer_goes_into_a_busy_program_that_takes_input_then() -> None:
    listening = attrs.evolve(READY, state=State.BUSY, takes_input_while_busy=True)
    assert decide(Intent.STEER, listening).verdict is ALLOW
    assert decide(Intent.MESSAGE, listening).verdict is HOLD


def test_an_answer_reaches_exactly_the_prompt_it_names() -> None:
    assert decide(Intent.ANSWER, ASKING, "p1").verdict is ALLOW
    for other in ("p2", None, ""):
        decision = decide(Intent.ANSWER, ASKING, other)
        assert (decision.verdict, decision.reason) == (REFUSE, Reason.STALE_PROMPT)


def test_a_prompt_without_an_id_cannot_be_answered() -> None:
    nameless = attrs.evolve(ASKING, prompt_id=None)
    assert decide(Intent.ANSWER, nameless, None).reason is Reason.STALE_PROMPT


@given(st.sampled_from(Intent), situations(), st.sampled_from([None, "p1", "p2"]))
def test_only_the_right_answer_ever_writes_to_a_prompting_pane(
    intent: Intent, situation: Situation, answers: str | None
) -> None:
    asking = attrs.evolve(situation, state=State.PROMPTING)
    decision = decide(intent, asking, answers)
    right = intent is Intent.ANSWER and answers is not None and answers == asking.prompt_id
    assert decision.verdict is not ALLOW or right


@given(st.sampled_from(Intent), situations(), st.sampled_from([None, "p1"]))
def test_whatever_is_allowed_has_a_look_and_no_hard_obstacle(
    intent: Intent, situation: Situation, answers: str | None
) -> None:
    decision = decide(intent, situation, answers)
    if decision.verdict is not ALLOW:
        return
    fields = situation.fields
    assert fields is not None
    assert not any((fields.dead, fields.in_mode, fields.input_off, fields.synchronized))
    assert situation.server_reachable
    assert situation.held is None
    assert not any((situation.gone, situation.own_pane, situation.other_process))
    assert not any((situation.shell_left_behind, situation.stopped, situation.unfinished_write))
    assert situation.confirmed or situation.state not in (State.READY, State.PROMPTING)
    if intent in (Intent.MESSAGE, Intent.NUDGE, Intent.STEER, Intent.ANSWER):
        assert not situation.draft
        assert not situation.left_behind


@given(situations())
def test_a_nudge_goes_only_into_a_proven_ready_pane_and_never_waits(situation: Situation) -> None:
    decision = decide(Intent.NUDGE, situation)
    assert decision.verdict is not HOLD
    if decision.verdict is ALLOW:
        assert situation.state is State.READY
        assert situation.confirmed


@pytest.mark.parametrize("reason", list(OBSTACLES))
def test_an_obstacle_holds_a_message_unless_it_stays_for_ever(reason: Reason) -> None:
    decision = decide(Intent.MESSAGE, attrs.evolve(READY, **OBSTACLES[reason]))
    assert decision.reason is reason
    assert decision.verdict is (REFUSE if reason in FOR_EVER else HOLD)


@pytest.mark.parametrize("reason", list(OBSTACLES))
def test_an_obstacle_refuses_a_nudge_at_once(reason: Reason) -> None:
    decision = decide(Intent.NUDGE, attrs.evolve(READY, **OBSTACLES[reason]))
    assert (decision.verdict, decision.reason) == (REFUSE, reason)


@pytest.mark.parametrize(
    "reason",
    [r for r in OBSTACLES if r not in FOR_EVER and r not in (Reason.UNCONFIRMED, Reason.HELD)],
)
def test_a_message_for_a_prompting_pane_is_refused_at_once_whatever_else_holds(
    reason: Reason,
) -> None:
    decision = decide(Intent.MESSAGE, attrs.evolve(ASKING, **OBSTACLES[reason]))
    if reason is Reason.SERVER_UNREACHABLE:
        assert decision.verdict is HOLD  # what was asked may be gone
    else:
        assert (decision.verdict, decision.reason) == (REFUSE, Reason.PROMPTING)


@pytest.mark.parametrize("intent", [i for i in Intent if i is not Intent.NUDGE])
def test_a_question_that_is_not_confirmed_holds_until_the_next_look(intent: Intent) -> None:
    decision = decide(intent, attrs.evolve(ASKING, confirmed=False), "p1")
    assert (decision.verdict, decision.reason) == (HOLD, Reason.UNCONFIRMED)


@pytest.mark.parametrize("state", [State.BUSY, State.SILENT])
def test_keys_need_no_confirmation_while_busy_or_silent(state: State) -> None:
    moving = attrs.evolve(READY, state=state, confirmed=False)
    assert decide(Intent.KEYS, moving).verdict is ALLOW
    assert decide(Intent.KEYS, attrs.evolve(READY, confirmed=False)).verdict is HOLD


@pytest.mark.parametrize("intent", [Intent.INTERRUPT, Intent.KEYS])
@pytest.mark.parametrize("reason", [Reason.DRAFT, Reason.LEFT_BEHIND])
def test_keys_and_interrupts_may_deal_with_text_in_the_composer(
    intent: Intent, reason: Reason
) -> None:
    assert decide(intent, attrs.evolve(READY, **OBSTACLES[reason])).verdict is ALLOW


def test_the_earlier_condition_names_the_reason() -> None:
    both = attrs.evolve(READY, held="lunch", draft="x")
    assert decide(Intent.MESSAGE, both).reason is Reason.HELD


def test_a_refusal_beats_an_earlier_hold() -> None:
    both = attrs.evolve(READY, held="lunch", shell_left_behind=True)
    assert decide(Intent.MESSAGE, both).reason is Reason.SHELL_LEFT_BEHIND


def test_the_words_of_a_held_pane_say_why() -> None:
    decision = decide(Intent.MESSAGE, attrs.evolve(READY, held="fixing the branch"))
    assert decision.words.endswith("(fixing the branch).")


def test_a_pane_held_without_a_reason_is_held_too() -> None:
    decision = decide(Intent.MESSAGE, attrs.evolve(READY, held=""))
    assert (decision.verdict, decision.words) == (HOLD, WORDS[Reason.HELD])


def test_allowing_says_so() -> None:
    assert decide(Intent.MESSAGE, READY) == Decision(
        verdict=ALLOW, reason=Reason.NONE, words=WORDS[Reason.NONE]
    )


def test_the_rendered_table_has_a_row_per_intent_and_a_column_per_state() -> None:
    head, *rows = render_table()
    assert head == ("intent", *(s.value for s in State))
    assert [row[0] for row in rows] == [i.value for i in Intent]
    assert rows[0][1:] == (
        "hold: booting",
        "allow",
        "hold: busy",
        "refuse: prompting",
        "hold: silent",
        "refuse: exited",
    )


def test_the_rendered_conditions_show_which_intents_they_pass() -> None:
    head, *rows = render_conditions()
    assert head == ("condition", *(i.value for i in Intent))
    steer = next(row for row in rows if row[0] == "takes no input while busy")
    assert steer[1:] == ("-", "-", "refuse: not_while_busy", "-", "-", "-")


@given(situations(), st.sampled_from(Intent))
def test_what_holds_a_write_may_run_out_of_time_and_what_refuses_it_does_not(
    situation: Situation, intent: Intent
) -> None:
    decision = decide(intent, situation)
    if decision.verdict is not ALLOW:
        assert may_wait(intent, decision.reason) is (decision.verdict is HOLD)

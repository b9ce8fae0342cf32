"""Who is called, when, and how often: in virtual time, without tmux."""

from __future__ import annotations

import anyio
import pytest
from tests.service.people_rig import ASKS, OTHER, opened
from tests.session.rig import ABSENT

from panegate.errors import Refused
from panegate.journal.base import Record as Row
from panegate.journal.memory import MemoryJournal
from panegate.session.events import Escalated, Nudged
from panegate.session.inputs import Hold, Reachable
from panegate.session.nudging import NudgePolicy
from panegate.session.transcript import Record
from panegate.terms import EscalationCause, Fate, Reason, State

virtual = pytest.mark.asyncio(loop_factories=["virtual"])
POLICY = NudgePolicy(text="go on", grace_s=100, work_grace_s=600, per_silence=2, per_session=3)


class CrashesAfterDeciding(MemoryJournal):
    """Whoever keeps an escalation is gone right after."""

    crashes = True

    async def record(self, record: Row) -> None:
        await super().record(record)
        if self.crashes and any("escalation" in e for e in record.value.get("episodes", ())):
            await anyio.sleep_forever()


@virtual
async def test_a_question_is_escalated_once_word_for_word_with_where_to_go():
    async with opened() as world:
        world.open("sh")
        await world.shows(*ASKS)
        assert world.state is State.PROMPTING
        await anyio.sleep(890)
        assert world.of(Escalated) == []
        await anyio.sleep(20)
        (event,) = world.of(Escalated)
        assert isinstance(event, Escalated)
        assert event.question == world.panes[0].prompt.question == "Overwrite notes.txt? [y/n]"
        assert event.where == "tmux attach -t =w1"
        assert event.cause is EscalationCause.PROMPT
        assert 899.9 < event.waited_s < 901
        await anyio.sleep(50_000)
        assert len(world.of(Escalated)) == 1


@virtual
async def test_a_pane_that_waits_for_nobody_costs_no_wakeup():
    async with opened() as world:
        world.open("sh")
        await world.shows(*ASKS)
        await anyio.sleep(1_000)
        before = world.engine.pump.wakeups
        await anyio.sleep(50_000)
        assert world.engine.pump.wakeups == before


@virtual
async def test_repaints_and_another_size_are_no_new_wait():
    async with opened() as world:
        world.open("sh")
        for number in range(100):
            await world.shows(*ASKS, width=60 + number % 2)
            await anyio.sleep(30)
        assert len(world.of(Escalated)) == 1


@virtual
async def test_another_question_is_a_wait_of_its_own():
    async with opened() as world:
        world.open("sh")
        await world.shows(*ASKS)
        await anyio.sleep(1_000)
        await world.shows(*OTHER)
        await anyio.sleep(1_000)
        assert [e.question for e in world.of(Escalated)] == [
            "Overwrite notes.txt? [y/n]",
            "Delete draft.txt? [y/n]",
        ]


@virtual
async def test_a_program_that_ended_is_no_longer_waited_for():
    async with opened() as world:
        world.open("sh")
        await world.shows(*ASKS)
        await anyio.sleep(800)
        await world.ends()
        await anyio.sleep(1_000)
        assert world.of(Escalated) == []


@virtual
async def test_while_the_server_is_away_nobody_is_called_and_then_at_once():
    async with opened() as world:
        pane = world.open("sh")
        await world.shows(*ASKS)
        world.put(Reachable(pane.id, False, "gone", world.clock()))
        await anyio.sleep(2_000)
        assert world.of(Escalated) == []
        world.put(Reachable(pane.id, True, "", world.clock()))
        await world.shows(*ASKS)
        await anyio.sleep(10)
        assert len(world.of(Escalated)) == 1


@virtual
async def test_another_controller_goes_on_with_the_same_wait():
    journal = MemoryJournal()
    async with opened(journal) as first:
        first.open("sh")
        await first.shows(*ASKS)
        await anyio.sleep(600)
    await anyio.sleep(200)
    async with opened(journal) as second:
        second.open("sh")
        await second.shows(*ASKS)
        await anyio.sleep(90)
        assert second.of(Escalated) == []
        await anyio.sleep(15)
        (event,) = second.of(Escalated)
        assert 895 < event.waited_s < 905
    async with opened(journal) as third:
        third.open("sh")
        await third.shows(*ASKS)
        await anyio.sleep(5_000)
        assert third.of(Escalated) == []


@virtual
async def test_what_was_decided_and_not_told_is_told_by_the_next_controller():
    journal = CrashesAfterDeciding()
    async with opened(journal) as first:
        first.open("sh")
        await first.shows(*ASKS)
        await anyio.sleep(1_000)
        assert first.of(Escalated) == []
    journal.crashes = False
    async with opened(journal) as second:
        second.open("sh")
        await second.shows(*ASKS)
        (event,) = second.of(Escalated)
        assert event.repeated
        await anyio.sleep(5_000)
        assert len(second.of(Escalated)) == 1
    async with opened(journal) as third:
        third.open("sh")
        await third.shows(*ASKS)
        await anyio.sleep(5_000)
        assert third.of(Escalated) == []


@virtual
async def test_another_program_in_the_same_pane_begins_anew():
    journal = MemoryJournal()
    async with opened(journal) as first:
        first.open("sh")
        await first.shows(*ASKS)
        await anyio.sleep(1_000)
        assert len(first.of(Escalated)) == 1
    async with opened(journal) as second:
        second.open("sh", pid=101)
        await second.shows(*ASKS, pane_pid=101)
        await anyio.sleep(1_000)
        assert len(second.of(Escalated)) == 1


@virtual
async def test_a_journal_that_fails_keeps_nobody_from_being_called():
    async with opened() as world:
        world.open("sh")
        world.journal.broken = True
        await world.shows(*ASKS)
        await anyio.sleep(1_000)
        assert len(world.of(Escalated)) == 1


@virtual
async def test_two_controllers_of_one_pane_call_once():
    journal = MemoryJournal()
    async with opened(journal) as first, opened(journal) as second:
        for world in (first, second):
            world.open("sh")
            await world.shows(*ASKS)
        await anyio.sleep(2_000)
        assert len(first.of(Escalated)) + len(second.of(Escalated)) == 1


@virtual
async def test_a_command_that_lives_for_a_moment_calls_nobody():
    async with opened() as world:
        world.people.active = False
        world.open("sh")
        await world.shows(*ASKS)
        await anyio.sleep(2_000)
        assert world.of(Escalated) == []


# --- nudges


@virtual
async def test_a_quiet_program_that_reads_is_nudged_and_in_the_end_somebody_is_called():
    async with opened() as world:
        pane = world.open("bash")
        await world.shows("$ ", at_prompt=True)
        assert world.state is State.READY
        pane.nudge_policy(POLICY)
        world.answer_looks("$ ")
        await anyio.sleep(95)
        assert world.writes.written == []
        await anyio.sleep(10)
        assert [text for _, text in world.writes.written] == ["go on"]
        assert world.writes.known_in_journal == [1], "counted before a byte leaves"
        await anyio.sleep(1_000)
        assert len(world.writes.written) == 2
        assert [(n.fate, n.in_silence) for n in world.of(Nudged)] == [
            (Fate.LANDED, 1),
            (Fate.LANDED, 2),
        ]
        (event,) = world.of(Escalated)
        assert event.cause is EscalationCause.NUDGES_SPENT
        assert event.rows[0] == "$"


@virtual
async def test_growth_arms_it_again_up_to_the_end_of_the_session():
    async with opened() as world:
        pane = world.open("bash")
        pane.nudge_policy(POLICY)
        for number in range(6):
            rows = (f"line {'abcdef'[number]}", "$ ")
            await world.shows(*rows, at_prompt=True)
            world.answer_looks(*rows)
            await anyio.sleep(120)
        assert len(world.writes.written) == 3
        assert {e.cause for e in world.of(Escalated)} == {EscalationCause.NUDGES_SPENT}


@virtual
async def test_a_question_gets_no_nudge_and_is_escalated_at_the_grace_and_never_again():
    async with opened() as world:
        pane = world.open("sh")
        pane.nudge_policy(POLICY)
        await world.shows(*ASKS)
        world.answer_looks(*ASKS)
        await anyio.sleep(110)
        (event,) = world.of(Escalated)
        assert event.question == "Overwrite notes.txt? [y/n]"
        assert event.cause is EscalationCause.PROMPT
        await anyio.sleep(5_000)
        assert len(world.of(Escalated)) == 1
        assert world.writes.written == []


@virtual
async def test_a_long_tool_call_is_left_alone_within_its_grace():
    async with opened() as world:
        pane = world.open("generic")
        pane.nudge_policy(POLICY)
        await world.shows("compiling", command="cc", kernel=ABSENT)
        world.answer_looks("compiling", command="cc", kernel=ABSENT)
        assert world.state in (State.BUSY, State.BOOTING)
        await anyio.sleep(590)
        assert (world.of(Escalated), world.of(Nudged), world.writes.written) == ([], [], [])
        await anyio.sleep(30)
        (event,) = world.of(Escalated)
        assert event.cause is EscalationCause.UNPROVEN
        assert event.rows[0] == "compiling"


@virtual
async def test_a_pane_that_a_person_holds_is_nudged_when_it_is_given_back():
    async with opened() as world:
        pane = world.open("bash")
        await world.shows("$ ", at_prompt=True)
        pane.nudge_policy(POLICY)
        world.answer_looks("$ ")
        world.put(Hold(pane.id, "reading", world.clock()))
        await anyio.sleep(500)
        (refused,) = world.of(Nudged)
        assert (refused.fate, refused.reason) == (Fate.REFUSED, Reason.HELD)
        world.put(Hold(pane.id, None, world.clock()))
        await anyio.sleep(1)
        assert len(world.writes.written) == 1


@virtual
async def test_a_refused_nudge_is_given_back_and_tried_again_later():
    async with opened() as world:
        pane = world.open("bash")
        await world.shows("$ ", at_prompt=True)
        pane.nudge_policy(POLICY)
        world.answer_looks("$ ")
        world.writes.refuse = Reason.CHANGED
        await anyio.sleep(103)
        world.writes.refuse = None
        await anyio.sleep(10)
        fates = [n.fate for n in world.of(Nudged)]
        assert fates[-1] is Fate.LANDED
        assert set(fates[:-1]) == {Fate.REFUSED}
        assert world.of(Nudged)[-1].in_session == 1


@virtual
async def test_counters_outlive_the_controller():
    journal = MemoryJournal()
    async with opened(journal) as first:
        pane = first.open("bash")
        await first.shows("$ ", at_prompt=True)
        pane.nudge_policy(POLICY)
        first.answer_looks("$ ")
        await anyio.sleep(220)
        assert len(first.writes.written) == 2
    async with opened(journal) as second:
        pane = second.open("bash")
        pane.nudge_policy(POLICY)
        await second.shows("$ ", at_prompt=True)
        second.answer_looks("$ ")
        await anyio.sleep(300)
        assert second.writes.written == [], "two in this silence already"
        await second.shows("more", "$ ", at_prompt=True)
        second.answer_looks("more", "$ ")
        await anyio.sleep(500)
        assert len(second.writes.written) == 1, "three in the session"


@virtual
async def test_counters_of_an_earlier_controller_hold_for_a_policy_that_comes_later():
    journal = MemoryJournal()
    async with opened(journal) as first:
        pane = first.open("bash")
        await first.shows("$ ", at_prompt=True)
        pane.nudge_policy(POLICY)
        first.answer_looks("$ ")
        await anyio.sleep(220)
    async with opened(journal) as second:
        pane = second.open("bash")
        await second.shows("$ ", at_prompt=True)
        second.answer_looks("$ ")
        await anyio.sleep(100)
        pane.nudge_policy(POLICY)
        await anyio.sleep(300)
        assert second.writes.written == []


@virtual
async def test_a_policy_bounds_what_a_caller_sends():
    async with opened() as world:
        pane = world.open("bash")
        await world.shows("$ ", at_prompt=True)
        await pane.nudge("free")
        pane.nudge_policy(NudgePolicy(grace_s=50, per_silence=1))
        world.answer_looks("$ ")
        with pytest.raises(Refused) as refused:
            await pane.nudge("too early")
        assert refused.value.reason is Reason.NUDGE_NOT_DUE
        await anyio.sleep(60)
        assert len(world.writes.written) == 1, "a policy without text sends nothing by itself"
        await pane.nudge("in time")
        with pytest.raises(Refused) as refused:
            await pane.nudge("again")
        assert refused.value.reason is Reason.NUDGE_NOT_DUE
        assert [text for _, text in world.writes.written] == ["free", "in time"]


@virtual
async def test_a_nudge_whose_caller_is_cancelled_stays_counted():
    async with opened() as world:
        pane = world.open("bash")
        await world.shows("$ ", at_prompt=True)
        pane.nudge_policy(NudgePolicy(grace_s=50, per_silence=1))
        world.answer_looks("$ ")
        await anyio.sleep(60)
        hangs = anyio.Event()

        async def never(*_args: object) -> None:
            await hangs.wait()

        world.writes.message = never
        with anyio.move_on_after(1):
            await pane.nudge("in time")
        await anyio.sleep(1)
        records = await world.journal.records("nudge", "server", pane.id)
        assert records[0].value["in_session"] == 1


@virtual
async def test_a_record_that_went_on_is_growth():
    async with opened() as world:
        pane = world.open("bash")
        await world.shows("$ ", at_prompt=True)
        pane.nudge_policy(POLICY)
        world.answer_looks("$ ")
        pane.tracker.claims.record = Record(program="claude", last_words="one")
        await anyio.sleep(103)
        pane.tracker.claims.record = Record(program="claude", last_words="two")
        await anyio.sleep(80)
        assert world.writes.written == []
        await anyio.sleep(130)
        assert len(world.writes.written) == 1


@virtual
async def test_a_text_alone_takes_the_rest_from_the_settings():
    async with opened(nudge_grace_s=40.0, nudge_per_silence=3, nudge_per_session=2) as world:
        pane = world.open("bash")
        await world.shows("$ ", at_prompt=True)
        pane.nudge_policy("go on")
        world.answer_looks("$ ")
        await anyio.sleep(500)
        assert [text for _, text in world.writes.written] == ["go on", "go on"]
        assert 40 <= world.writes.written[0][0] <= 41
        pane.nudge_policy(None)
        await world.shows("more", "$ ", at_prompt=True)
        await anyio.sleep(500)
        assert len(world.writes.written) == 2

"""Q, and what other kinds say about it: who is called, when, and how often."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.journeys.restarts import AFTER_S, child_words, controller
from tests.journeys.staging import (
    WITHIN_S,
    Program,
    Stage,
    open_stage,
    until_state,
)

import panegate as pg
from panegate.testing.truth import TruthEvent, TruthLog

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

LONG = " and ".join(f"part {number} of a long deployment" for number in range(12))
LONG = f"Shall I go on with {LONG}?"


def settings(after_s: float) -> pg.Settings:
    return pg.Settings(answers=pg.Answers.ALLOWED, escalate_after_s=after_s)


async def escalation(events: pg.EventStream) -> pg.Escalated:
    """Wait for the next one."""
    async with asyncio.timeout(WITHIN_S):
        async for event in events:
            if isinstance(event, pg.Escalated):
                return event
    raise AssertionError("the stream ended")


async def all_escalations(events: pg.EventStream) -> list[pg.Escalated]:
    """Return those that came and were not read yet."""
    events.close()
    return [event async for event in events if isinstance(event, pg.Escalated)]


async def resized(stage: Stage, program: Program, columns: int, rows: int) -> None:
    """Give a pane another size, as a person's terminal would; wait until its program knows."""
    words = ("-x", str(columns), "-y", str(rows))
    stage.tmux("resize-window", "-t", program.pane.id, *words)

    def is_told(seen: Sequence[TruthEvent]) -> bool:
        return any(e["event"] == "size" and e["columns"] == columns for e in seen)

    await program.truth.wait_for(is_told, WITHIN_S)


@pytest.mark.asyncio
async def test_c10_a_password_is_asked_for_and_one_person_is_called(tmp_path: Path) -> None:
    async with open_stage(tmp_path, settings=settings(0.5)) as stage:
        program = await stage.program("repl", profile="generic", launch={"composer": "$"})
        events = stage.ctl.events()
        await program.pane.send("up", within_s=WITHIN_S)
        await until_state(program.pane, pg.State.PROMPTING)
        called = await escalation(events)
        assert called.prompt is not None
        assert called.prompt.secret
        assert "password for u" in called.question
        with pytest.raises(pg.Refused) as refused:
            await program.pane.nudge("are you there")
        assert refused.value.reason is pg.Reason.PROMPTING
        receipt = await program.pane.answer(called.prompt.id, secret="hunter2-XYZ", by="tester")
        assert receipt.landed is not False, receipt.words
        await program.truth.wait_for("secret", WITHIN_S)
        assert await all_escalations(events) == []


@pytest.mark.asyncio
async def test_f05_five_questions_in_a_row_are_five_waits(tmp_path: Path) -> None:
    """Each with its own words and its own time; that an outcome counts them is tested there."""
    commands = [f"make step-{number}" for number in range(1, 6)]
    async with open_stage(tmp_path, settings=settings(0.4)) as stage:
        program = await stage.program(
            "composer",
            profile="standin",
            ask_after_submit=100,
            dialog_chain=5,
            dialog_gap=300,
            dialog_commands=commands,
            work=200,
        )
        events = stage.ctl.events()
        await program.pane.send("do all of it", within_s=WITHIN_S)
        for command in commands:
            called = await escalation(events)
            assert called.prompt is not None
            assert command in "\n".join(called.rows)
            assert 0.4 <= called.waited_s < 5
            await program.pane.answer(called.prompt.id, option="1", by="tester", within_s=WITHIN_S)
        await until_state(program.pane, pg.State.READY)
        assert len(program.said("approved")) == 5
        assert await all_escalations(events) == []


@pytest.mark.asyncio
async def test_f06_a_question_that_is_wrapped_anew_is_the_same_wait(tmp_path: Path) -> None:
    """One that fits both sizes; what a program clips is for the reader of prompts to say."""
    async with open_stage(tmp_path, settings=settings(0.5)) as stage:
        program = await stage.program(
            "composer",
            profile="standin",
            launch={"size": (80, 24)},
            ask_after_submit=50,
            dialog_question=LONG,
        )
        events = stage.ctl.events()
        await program.pane.send("ask me", within_s=WITHIN_S)
        first = await escalation(events)
        before = program.pane.prompt
        assert before is not None
        await resized(stage, program, 60, 20)
        await asyncio.sleep(2.0)  # long enough for one too many
        await until_state(program.pane, pg.State.PROMPTING)
        after = program.pane.prompt
        assert after is not None
        assert after.id == before.id
        assert len(program.pane.last_screen().rows) == 20
        assert await all_escalations(events) == []
        assert "part 11" in first.question


@pytest.mark.asyncio
async def test_q02_a_question_that_is_redrawn_and_resized_is_one_wait(tmp_path: Path) -> None:
    """No reminders are sent."""
    async with open_stage(tmp_path, settings=settings(1.0)) as stage:
        program = await stage.program(
            "composer",
            profile="standin",
            ask_after_submit=50,
            dialog_redraw=200,
            dialog_closes_after=8_000,
        )
        events = stage.ctl.events()
        await program.pane.send("ask me", within_s=WITHIN_S)
        first = await escalation(events)
        for size in ((100, 30), (80, 24)):
            await resized(stage, program, *size)
        await program.truth.wait_for("dialog_closed", WITHIN_S)
        await until_state(program.pane, pg.State.READY)
        assert "rm -rf ./build" in "\n".join(first.rows)
        assert await all_escalations(events) == []


@pytest.mark.asyncio
async def test_q03_a_box_that_comes_and_goes_by_itself_calls_nobody(tmp_path: Path) -> None:
    """It does so for longer than a question may stand, and stands for less."""
    async with open_stage(tmp_path, settings=settings(2.5)) as stage:
        program = await stage.program(
            "composer",
            profile="standin",
            ask_after_submit=100,
            dialog_chain=6,
            dialog_gap=600,
            dialog_closes_after=150,
            work=300,
        )
        events = stage.ctl.events()
        await program.pane.send("a long turn", within_s=WITHIN_S)
        await program.truth.wait_for("dialog_closed", WITHIN_S, count=6)
        await until_state(program.pane, pg.State.READY)
        assert await all_escalations(events) == []


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.asyncio
async def test_q04_a_restart_finds_the_wait_and_calls_nobody_twice(
    tmp_path: Path, told: bool
) -> None:
    calls, journal = TruthLog(tmp_path / "calls.jsonl"), tmp_path / "journal.db"
    async with open_stage(tmp_path, settings=settings(AFTER_S)) as stage:
        program = await stage.program(
            "composer", profile="standin", ask_after_submit=50, dialog_redraw=0
        )
        await program.pane.send("ask me", within_s=WITHIN_S)
        await until_state(program.pane, pg.State.PROMPTING)
        words = child_words(stage.socket, journal, calls, program.pane.id)
        async with controller(words):  # killed at the end of this block
            if told:
                await calls.wait_for("call", WITHIN_S)
                await asyncio.sleep(0.5)  # until it has noted that
        async with pg.Controller.open(
            socket_path=stage.socket, journal=journal, settings=settings(AFTER_S), attach_only=True
        ) as again:
            events = again.events()
            pane = await again.adopt(program.pane.id, profile="standin")
            await until_state(pane, pg.State.PROMPTING)
            (prompt,) = again.prompts
            assert "rm -rf ./build" in "\n".join(prompt.rows)
            if not told:
                assert (await escalation(events)).question == prompt.question
            await asyncio.sleep(AFTER_S + 1.0)  # long enough for one too many
            assert await all_escalations(events) == []
        assert len(calls.events("call")) == int(told)

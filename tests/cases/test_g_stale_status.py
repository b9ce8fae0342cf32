"""G. A status that outlives its cause."""

import asyncio
import signal
from pathlib import Path

import pytest
from tests.journeys.questions import until_asked
from tests.journeys.staging import WITHIN_S, Program, Stage, open_stage, until_state

import panegate as pg
from panegate.session.claims import Standing

from .asking import heard, moves, next_event
from .conftest import ProfileWith
from .test_d_busy_idle import never

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

R, B, S, P = pg.State.READY, pg.State.BUSY, pg.State.SILENT, pg.State.PROMPTING
SOON_S = 5.0
"""Within so long the end of a question must be known."""


@pytest.mark.asyncio
async def test_g01_answered_questions_on_the_screen_are_over(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    own = "at_empty_row = false\nprompts = ['''> ''']"
    profile = str(profile_with("lines", also=own, timing={"settle_s": 0.3}))
    async with open_stage(tmp_path) as stage:
        program = await stage.program("yes-no", profile=profile, within_s=None, work=400)
        pane, events, asked = program.pane, stage.ctl.events(), []
        for number in range(1, 4):
            prompt = await until_asked(pane)
            assert "Allow? [y/n]" in prompt.question
            asked.append(prompt.id)
            receipt = await pane.answer(prompt.id, option="y", by="tester")
            assert receipt.fate is pg.Fate.LANDED, receipt.words
            assert await pane.wait({R}, within_s=SOON_S) is R
            assert pane.prompt is None
            if number < 3:
                await pane.send("next", within_s=WITHIN_S)
        assert "\n".join(pane.last_screen().rows).count("Allow? [y/n]: y") == 3
        assert [e["text"] for e in program.said("approved")] == ["y"] * 3
        await never(pane, P, B, S, for_s=1.0)
        closed = await heard(events, pg.PromptClosed)
        assert [(e.prompt_id, e.answered) for e in closed] == [(id_, True) for id_ in asked]


async def _ended(stage: Stage, program: Program, prompt_id: str, way: str) -> None:
    """Bring a question to its end."""
    match way:
        case "option":
            receipt = await program.pane.answer(prompt_id, option="1", by="tester")
            assert receipt.fate is pg.Fate.LANDED, receipt.words
        case "escape" | "interrupt":
            key = {"escape": "Escape", "interrupt": "C-c"}[way]
            stage.tmux("send-keys", "-t", program.pane.id, key)
        case "exit":
            program.signal(signal.SIGTERM)


@pytest.mark.parametrize("profile", ["standin", "generic"])
@pytest.mark.parametrize("way", ["option", "escape", "interrupt", "itself", "exit"])
@pytest.mark.asyncio
async def test_g02_a_question_ends_in_whatever_way_it_ends(
    tmp_path: Path, profile_with: ProfileWith, profile: str, way: str
) -> None:
    """Told apart: answered by us, over without us, or over because the program is gone."""
    soon = profile_with(profile, timing={"settle_s": 0.5})
    async with open_stage(tmp_path) as stage:
        program = await stage.program(
            "composer",
            profile=str(soon),
            ask_after_submit=100,
            dialog_closes_after=1600 if way == "itself" else 0,
            work=200,
        )
        pane, events = program.pane, stage.ctl.events()
        await pane.send("ask me", within_s=WITHIN_S)
        prompt = await until_asked(pane)
        await _ended(stage, program, prompt.id, way)
        await program.truth.wait_for("dialog_closed", WITHIN_S)
        async with asyncio.timeout(SOON_S):
            closed = await next_event(events, pg.PromptClosed)
        assert closed.prompt_id == prompt.id
        assert closed.answered is (way == "option")
        assert program.said("dialog_closed")[0]["by"] == way
        if way == "exit":
            await until_state(pane, pg.State.EXITED)
            assert pane.exit is not None
        else:
            await until_state(pane, R)
        assert pane.prompt is None


@pytest.mark.parametrize("profile", ["standin", "generic"])
@pytest.mark.asyncio
async def test_g03_a_question_that_a_person_answers_elsewhere_is_work_again(
    tmp_path: Path, profile_with: ProfileWith, profile: str
) -> None:
    """Nothing that was said about it while it stood keeps it waiting."""
    soon = profile_with(profile, timing={"settle_s": 0.5})
    async with open_stage(tmp_path) as stage:
        program = await stage.program(
            "composer",
            profile=str(soon),
            ask_after_submit=100,
            spinner=True,
            work=150,
            work_after_answer=1500,
        )
        pane, events = program.pane, stage.ctl.events()
        await pane.send("ask me", within_s=WITHIN_S)
        prompt = await until_asked(pane)
        pane.claim("waiting", source="hook", words="permission")
        assert pane.judgement.standing is Standing.WAITING
        stage.types(pane, "1")
        await program.truth.wait_for("approved", WITHIN_S)
        await until_state(pane, B)
        assert pane.prompt is None
        await until_state(pane, R)
        closed = await next_event(events, pg.PromptClosed)
        assert (closed.prompt_id, closed.answered) == (prompt.id, False)
        assert moves(pane)[-3:] == [P, B, R]
        assert await heard(events, pg.PromptOpened) == []

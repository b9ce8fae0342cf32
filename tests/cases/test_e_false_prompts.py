"""E. A question that is not one."""

import asyncio
from pathlib import Path

import attrs
import pytest
from tests.journeys.staging import WITHIN_S, Stage, open_stage, until_shown, until_state

import panegate as pg

from . import naive
from .asking import heard, moves
from .conftest import ProfileWith
from .test_d_busy_idle import never

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

PROFILES = ("standin", "generic")
R, B, S, P = pg.State.READY, pg.State.BUSY, pg.State.SILENT, pg.State.PROMPTING
ASKED = (pg.PromptOpened, pg.PromptChanged, pg.Escalated)
PROSE = "\n".join(
    [
        "There are three ways:",
        "1. Rename the column",
        "2. Keep both for a release",
        "3. Drop the old one now",
        "Do you want to keep both? I take the second way unless you say no.",
    ]
)


@pytest.mark.asyncio
async def test_e01_log_lines_that_end_like_questions_ask_nothing(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    """The pauses are longer than the time after which a quiet screen is believed."""
    profile = profile_with("generic", timing={"settle_s": 0.3})
    async with open_stage(tmp_path) as stage:
        events = stage.ctl.events()
        program = await stage.program("log-lines", profile=str(profile), every=800, within_s=None)
        await program.truth.wait_for("output_over", WITHIN_S)
        await until_state(program.pane, R)
        assert len(program.said("printed")) == 3
        assert set(moves(program.pane)) <= {B, S, R}
        assert moves(program.pane)[-1] is R
        assert await heard(events, *ASKED) == []


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.asyncio
async def test_e02_words_of_permission_in_a_footer_ask_nothing(
    tmp_path: Path, profile: str
) -> None:
    settings = pg.Settings(answers=pg.Answers.ALLOWED, escalate_after_s=0.3)
    async with open_stage(tmp_path, settings=settings) as stage:
        events = stage.ctl.events()
        footer = "permissions: bypass, Allow/Deny list of 3"
        program = await stage.program(
            "composer", profile=profile, footer=footer, footer_rewrite=400
        )
        assert program.pane.state is R
        await never(program.pane, B, S, P, for_s=1.5)
        assert moves(program.pane) == [R]
        assert program.truth.received_bytes() == b""
        assert await heard(events, *ASKED, pg.WriteFinished) == []


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.asyncio
async def test_e03_a_list_of_ways_in_an_answer_is_answered_by_nobody(
    tmp_path: Path, profile: str
) -> None:
    reply = "\n".join([*PROSE.split("\n")[:-1], "Shall I go on with it?"])
    settings = pg.Settings(answers=pg.Answers.ALLOWED, escalate_after_s=0.3)
    async with open_stage(tmp_path, settings=settings) as stage:
        program = await stage.program("composer", profile=profile, reply=[reply])
        events = stage.ctl.events()
        result = await program.pane.run("and now?", within_s=WITHIN_S, turn_within_s=WITHIN_S)
        assert result.state is R
        assert "Shall I go on with it?" in result.text
        n_bytes = len(program.truth.received_bytes())
        await never(program.pane, B, S, P, for_s=1.0)
        assert len(program.truth.received_bytes()) == n_bytes
        assert await heard(events, *ASKED) == []


def test_e03_no_setting_lets_a_controller_answer_by_itself() -> None:
    """A program that asks the same each time is started with its answer; nothing is typed."""
    assert {way.value for way in pg.Answers} == {"never", "cli", "allowed"}
    names = {field.name for field in attrs.fields(pg.Settings)}
    assert {name for name in names if "answer" in name or "approve" in name} == {"answers"}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.asyncio
async def test_e04_a_list_a_question_and_a_turning_spinner_are_work(
    tmp_path: Path, profile_with: ProfileWith, profile: str
) -> None:
    soon = str(profile_with(profile, timing={"settle_s": 0.5}))
    working = {"spinner": True, "work": 1500, "opening": PROSE}
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=soon, **working)
        events = stage.ctl.events()
        await program.pane.send("which way?", within_s=WITHIN_S)
        await program.truth.wait_for("turn_ended", WITHIN_S)
        await until_state(program.pane, R)
        assert moves(program.pane) == [R, B, R]
        assert await heard(events, *ASKED) == []


async def _at_rest(stage: Stage, pane: pg.Pane) -> tuple[list[str], list[str]]:
    """Return the rows that the controller works with, and those of tmux."""
    await until_state(pane, R)
    shown = stage.tmux("capture-pane", "-p", "-t", pane.id).rstrip("\n").split("\n")
    rows = [row.rstrip() for row in pane.last_screen().rows]
    while rows and not rows[-1]:
        rows.pop()
    return rows, [row.rstrip() for row in shown]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.asyncio
async def test_e05_the_screen_that_is_acted_on_is_that_of_the_terminal(
    tmp_path: Path, profile_with: ProfileWith, profile: str
) -> None:
    """The box is cleared in two writes; the first ends inside an escape sequence."""
    soon = str(profile_with(profile, timing={"settle_s": 0.5}))
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=soon, split_paint=200, work=100)
        texts = [f"submit {n} " + "long " * (n * 7) for n in range(1, 4)]
        for text in texts:
            receipt = await program.pane.send(text.strip(), within_s=WITHIN_S)
            assert receipt.fate is pg.Fate.LANDED, receipt.words
            ours, tmuxs = await _at_rest(stage, program.pane)
            assert ours == tmuxs
            assert program.pane.draft == ""
        assert program.truth.submits() == [text.strip() for text in texts]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.asyncio
async def test_e06_a_dim_suggestion_in_the_box_is_nobodys_draft(
    tmp_path: Path, profile: str
) -> None:
    hint = "fix the failing test in app.py"
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=profile, hint=hint)
        async with until_shown(program.pane, hint):
            pass
        assert (program.pane.state, program.pane.draft) == (R, "")
        receipt = await asyncio.wait_for(program.pane.send("hello", within_s=2.0), WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == ["hello"]
        drafted = await stage.program("composer", profile=profile, draft=hint)
        assert drafted.pane.draft == hint

        # who drops the attributes sees both alike
        [ghost, real] = [
            await naive.started(stage, "composer", hint=hint),
            await naive.started(stage, "composer", draft=hint),
        ]
        assert _box(ghost) == _box(real)


def _box(plain: naive.Naive) -> list[str]:
    return [row for row in plain.screen().split("\n") if "│ > " in row]

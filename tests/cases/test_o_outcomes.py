"""O. Why a session ended, which class an error is of, limits and clocks."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
from pathlib import Path

import attrs
import pytest
from tests.journeys.staging import WITHIN_S, Program, Stage, open_stage, until_state

import panegate as pg
from panegate.cli.outcome import exit_of_outcome
from panegate.session.session_record import Instant

from .conftest import ProfileWith

pytestmark = [pytest.mark.tmux, pytest.mark.slow]
K, A = pg.OutcomeKind, pg.Advice

# Error rows of a program that begins each of its rows with a sign.
FAULTS = """
[[faults]]
pattern = '''● (?:Session|Usage) limit reached.*'''
kind = "limited"
sample = "● Session limit reached, it resets at 5:10pm"
[[faults]]
pattern = '''● Your login has run out\\. .*'''
kind = "auth"
sample = "● Your login has run out. Run /login"
[[faults]]
pattern = '''● API error: .+'''
kind = "transport"
sample = "● API error: the link broke"
[[faults]]
pattern = '''● (?:Error|HTTP|Request failed:) 40[13]\\b.*'''
kind = "auth"
sample = "● Error 401 not logged in"
[[faults]]
pattern = '''● (?:Error|HTTP|Request failed:) 429\\b.*'''
kind = "limited"
sample = "● Error 429 too many"
[[faults]]
pattern = '''● (?:Error|HTTP|Request failed:) 5(?:03|29)\\b.*'''
kind = "overloaded"
sample = "● Error 529 overloaded"
[[faults]]
pattern = '''● (?:Error|HTTP|Request failed:) 50[02]\\b.*'''
kind = "server"
sample = "● Error 500 it broke"
"""


async def composer(stage: Stage, profile_with: ProfileWith, **options: object) -> Program:
    profile = str(profile_with("standin", also=FAULTS, timing={"settle_s": 0.4}))
    return await stage.program("composer", profile=profile, **options)  # type: ignore[arg-type]


async def turn(program: Program, text: str = "go on") -> pg.Outcome:
    result = await program.pane.run(text, within_s=WITHIN_S, turn_within_s=WITHIN_S)
    assert result.state is pg.State.READY
    return program.pane.outcome()


@pytest.mark.asyncio
async def test_o01_a_limit_that_ends_in_an_idle_box_is_no_success(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    text = "Session limit reached, it resets at 5:10pm"
    async with open_stage(tmp_path) as stage:
        program = await composer(stage, profile_with, reply=text, work=1000)
        outcome = await turn(program)
        assert (outcome.kind, outcome.advice) == (K.LIMITED, A.PAUSE)
        assert text in outcome.words
        assert outcome.reset is not None
        assert outcome.reset.words == "resets at 5:10pm"
        assert program.pane.state is pg.State.READY


@pytest.mark.asyncio
async def test_o02_a_quoted_or_stale_limit_sets_nothing_off(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    quote = 'They wrote:\n"Session limit reached, it resets at 5:10pm"\nand went on.'
    async with open_stage(tmp_path) as stage:
        quoting = await composer(stage, profile_with, reply=quote)
        outcome = await turn(quoting)
        assert (outcome.kind, outcome.fault) == (K.COMPLETED, None)

        # A row that stands there from before, while work goes on after it.
        banner = "● Session limit reached, it resets at 5:10pm"
        stale = await composer(stage, profile_with, banner=banner, work=1500)
        await stale.pane.send("go on", within_s=WITHIN_S)
        await until_state(stale.pane, pg.State.BUSY)
        assert stale.pane.outcome().kind is K.UNKNOWN
        await until_state(stale.pane, pg.State.READY)
        assert stale.pane.outcome().kind is K.COMPLETED
        for program in (quoting, stale):
            assert program.truth.submits() == ["go on"]


@pytest.mark.asyncio
async def test_o03_a_login_that_ran_out_is_said_and_never_success(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    text = "Your login has run out. Run /login"
    async with open_stage(tmp_path) as stage, stage.ctl.events() as events:
        program = await composer(stage, profile_with, reply=text, work=50)
        for message in ("first", "second"):
            outcome = await turn(program, message)
            assert (outcome.kind, outcome.advice) == (K.NEEDS_LOGIN, A.ESCALATE)
            assert text in outcome.words
        await program.pane.close()
        told = []
        async with asyncio.timeout(WITHIN_S):
            async for event in events:
                if isinstance(event, pg.OutcomeReached) and event.pane == program.pane.id:
                    told.append((event.kind, event.over))
                    if event.over:
                        break
        assert told == [(K.NEEDS_LOGIN, False), (K.KILLED, True)]
        assert program.truth.submits() == ["first", "second"]


@pytest.mark.asyncio
async def test_o04_a_broken_link_is_a_service_error_and_nobody_nudges(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    text = "API error: the link broke during the answer"
    async with open_stage(tmp_path) as stage:
        program = await composer(stage, profile_with, reply=text, work=600)
        outcome = await turn(program)
        assert (outcome.kind, outcome.advice) == (K.SERVICE_ERROR, A.RETRY_FREE)
        assert text in outcome.words
        assert program.pane.state is pg.State.READY
        assert program.truth.submits() == ["go on"]


@pytest.mark.asyncio
async def test_o05_each_number_has_its_class_and_code_has_none(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    wordings = ("Error {} it did not work", "HTTP {}", "Request failed: {} try later")
    numbers = {
        "401": pg.FaultKind.AUTH,
        "403": pg.FaultKind.AUTH,
        "429": pg.FaultKind.LIMITED,
        "500": pg.FaultKind.SERVER,
        "502": pg.FaultKind.SERVER,
        "503": pg.FaultKind.OVERLOADED,
        "529": pg.FaultKind.OVERLOADED,
    }
    rows = [(words.format(n), numbers[n]) for n in numbers for words in wordings]
    code = ["if status == 529:\nraise Overloaded(503)", "test_429_is_retried passed\nHTTP 500"]
    replies = [*code, *(text for text, _ in rows)]
    async with open_stage(tmp_path) as stage:
        program = await composer(stage, profile_with, reply=replies, work=20)
        for _ in code:
            assert (await turn(program)).kind is K.COMPLETED
        for text, kind in rows:
            outcome = await turn(program)
            assert outcome.fault is not None, text
            assert (outcome.fault.kind, outcome.fault.text) == (kind, f"● {text}")


@pytest.mark.asyncio
async def test_o06_a_tool_that_failed_is_no_limit_of_the_program(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    async with open_stage(tmp_path) as stage:
        program = await composer(
            stage,
            profile_with,
            banner="● Fetch\n  fetch failed: 429 from example.invalid",
            work=1500,
        )
        await program.pane.send("go on", within_s=WITHIN_S)
        await until_state(program.pane, pg.State.BUSY)
        assert program.pane.outcome().kind is K.UNKNOWN
        await until_state(program.pane, pg.State.READY)
        outcome = program.pane.outcome()
        assert (outcome.kind, outcome.facts.n_faults) == (K.COMPLETED, 0)
        os.kill(program.pane.target.pane_pid, 0)
        assert program.truth.received_bytes().count(b"\r") == 1


@pytest.mark.asyncio
async def test_o08_what_ran_out_is_named_with_its_value_and_the_time_it_took(
    tmp_path: Path,
) -> None:
    async with open_stage(tmp_path) as stage, stage.ctl.events() as events:
        limits = {"mono_s": 1.5, "wall_s": 60}
        pane = await stage.ctl.launch(["sleep", "1000"], within_s=None, limits=limits)
        with pytest.raises(pg.NotReady) as inner:
            await pane.wait({pg.State.READY}, within_s=0.3)
        assert "0.3 s" in str(inner.value)
        assert pane.outcome().limits_reached == ()  # that of the session is another one
        async with asyncio.timeout(WITHIN_S):
            async for event in events:
                if isinstance(event, pg.LimitReached):
                    break
        assert (event.limit, event.limit_s) == ("mono_s", 1.5)
        assert re.search(r"mono_s = 1\.5 is reached after [0-9.]+ s", event.words)
        assert re.search(r"mono_s = 1\.5 \([0-9.]+ s\)", pane.outcome().words)


@pytest.mark.asyncio
async def test_o09_a_timeout_has_a_status_of_its_own_and_keeps_what_was_said(
    tmp_path: Path,
) -> None:
    async with open_stage(tmp_path) as stage:
        argv = ["sh", "-c", "echo so far so good; sleep 1000"]
        limits = {"mono_s": 0.4}
        pane = await stage.ctl.launch(argv, within_s=None, profile="generic", limits=limits)
        async with stage.ctl.events(since=0) as events, asyncio.timeout(WITHIN_S):
            async for event in events:
                if isinstance(event, pg.OutcomeReached):
                    break
        assert pane.outcome().kind is K.TIMEOUT
        assert exit_of_outcome(pane.outcome().kind.value) == 24
        assert (await pane.read()).rows[0] == "so far so good"
    statuses = {kind: exit_of_outcome(kind.value) for kind in pg.OutcomeKind}
    assert statuses.pop(K.COMPLETED) == 0
    assert len(set(statuses.values())) == len(statuses)
    assert min(statuses.values()) > 20


@pytest.mark.asyncio
async def test_o10_a_clock_that_jumps_is_told_once_and_one_set_back_is_not(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        outcomes = stage.ctl.outcomes
        real, asleep_s, set_by_s = outcomes.clocks, 0.0, 0.0

        def clocks() -> Instant:
            now = real()
            boot_s = None if now.boot_s is None else now.boot_s + asleep_s
            wall_s = now.wall_s + asleep_s + set_by_s
            return attrs.evolve(now, wall_s=wall_s, boot_s=boot_s)

        outcomes.clocks = clocks
        limits = {"wall_s": 60, "mono_s": 60}
        bash = await stage.bash(limits=limits)

        async def seen() -> list[pg.LimitReached]:
            await bash.pane.run("true", within_s=WITHIN_S, turn_within_s=WITHIN_S)
            return [e for e in stage.ctl.bus.recent if isinstance(e, pg.LimitReached)]

        set_by_s = -3600.0
        assert await seen() == []
        set_by_s, asleep_s = 0.0, 7200.0
        for _ in range(2):
            [reached] = await seen()
            assert (reached.limit, reached.limit_s) == ("wall_s", 60)
            assert "clock jump of 7200 s" in reached.words
            assert reached.jump_s > 7000
        outcome = bash.pane.outcome()
        assert (outcome.kind, outcome.advice) == (K.SUSPENDED, A.RETRY_FREE)


@pytest.mark.parametrize("how", ["killed", "folder removed"])
@pytest.mark.asyncio
async def test_o11_a_lost_server_leaves_a_record_of_what_was_found(
    tmp_path: Path, how: str
) -> None:
    async with open_stage(tmp_path) as stage:
        pane = await stage.ctl.launch(["sleep", "1000"], within_s=None)
        await pane.read()
        async with stage.ctl.events() as events:
            if how == "killed":
                os.kill(stage.ctl.identity.pid, signal.SIGKILL)
            else:
                stage.socket.unlink()
                carrier = stage.ctl.link.carriers[pane.id]
                os.kill(carrier.transport.pid, signal.SIGTERM)  # type: ignore[attr-defined]
            async with asyncio.timeout(WITHIN_S):
                async for event in events:
                    if isinstance(event, pg.ServerLost):
                        break
        outcome = pane.outcome()
        found = outcome.facts.server
        assert outcome.kind is K.SERVER_LOST
        if how == "killed":
            assert (found.pid_alive, outcome.over) == (False, True)
        else:
            assert (found.pid_alive, found.socket_present, outcome.over) == (True, False, False)
            _make_the_socket_again(stage)
        assert found.since_answer_s is not None
        assert found.words
        assert f"pid {found.pid}" in outcome.evidence[0].words


def _make_the_socket_again(stage: Stage) -> None:
    os.kill(stage.ctl.identity.pid, signal.SIGUSR1)


@pytest.mark.asyncio
async def test_o12_a_wait_that_a_question_blocked_says_the_question(tmp_path: Path) -> None:
    script = tmp_path / "editor.sh"
    script.write_text('read x\nprintf "Keep changes? (y, n, !, q) "\nread answer\n')
    shell = shutil.which("sh") or "sh"
    async with open_stage(tmp_path) as stage:
        pane = await stage.ctl.launch([shell, str(script)], reads_lines=True, within_s=WITHIN_S)
        await pane.send("quit", within_s=WITHIN_S)
        await until_state(pane, pg.State.PROMPTING)
        with pytest.raises(pg.NotReady) as waited:
            await pane.wait({pg.State.EXITED}, within_s=0.3)
        assert waited.value.prompt is not None
        outcome = pane.outcome()
        assert (outcome.kind, outcome.advice) == (K.BLOCKED_ON_PROMPT, A.ESCALATE)
        assert outcome.prompt is not None
        assert "Keep changes? (y, n, !, q)" in outcome.prompt.question

"""What became of real programs: ended in every way there is, limited, at fault, and lost."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.cases.conftest import ProfileWith, profile_with
from tests.journeys.staging import WITHIN_S, Stage, open_stage, until_state

import panegate as pg
from panegate.session.outcome_facts import EndedBy, LimitName

pytestmark = [pytest.mark.tmux, pytest.mark.slow]
__all__ = ["profile_with"]

K, A = pg.OutcomeKind, pg.Advice
FAULTS = """
[[faults]]
pattern = '''● API error: .+'''
kind = "transport"
sample = "● API error: the link broke"
[[faults]]
pattern = '''● Session limit reached.*'''
kind = "limited"
sample = "● Session limit reached, it resets at 5:10pm"
"""


@asynccontextmanager
async def told(stage: Stage, pane: pg.Pane, *kinds: pg.OutcomeKind) -> AsyncIterator[None]:
    """Wait after the block until a verdict of one of these kinds is told for the pane."""
    events = stage.ctl.events(since=0)
    try:
        yield
        async with asyncio.timeout(WITHIN_S):
            async for event in events:
                ours = isinstance(event, pg.OutcomeReached) and event.pane == pane.id
                if ours and event.kind in kinds:
                    return
    finally:
        events.close()


async def shell(stage: Stage, line: str, **launch: object) -> pg.Pane:
    options: dict[str, object] = {"within_s": None, "profile": "generic", **launch}
    return await stage.ctl.launch(["sh", "-c", line], **options)  # type: ignore[arg-type]


@pytest.mark.asyncio
async def test_a_program_that_ends_says_how(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        lines = ("exit 0", "exit 3", "kill -SEGV $$")
        words = [tmp_path / f"go-{n}" for n in range(3)]
        for word in words:
            os.mkfifo(word)
        panes = [
            await shell(stage, f"read x < {word}; {line}")
            for word, line in zip(words, lines, strict=True)
        ]
        for pane, word in zip(panes, words, strict=True):
            async with told(stage, pane, K.COMPLETED, K.EXITED, K.CRASHED):
                await asyncio.to_thread(word.write_text, "go\n")
        found = {(o.kind, o.advice, o.over) for o in (pane.outcome() for pane in panes)}
        assert found == {
            (K.COMPLETED, A.NONE, True),
            (K.EXITED, A.RETRY_CHARGED, True),
            (K.CRASHED, A.RETRY_CHARGED, True),
        }
        statuses = {pane.outcome().facts.ending.status for pane in panes}  # type: ignore[union-attr]
        assert {0, 3} <= statuses


@pytest.mark.asyncio
async def test_who_ended_a_program_is_told(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        names = ("killed", "closed", "taken", "again")
        panes = {name: await shell(stage, "sleep 1000", name=name) for name in names}
        async with told(stage, panes["killed"], K.KILLED):
            os.kill(panes["killed"].target.pane_pid, signal.SIGKILL)
        async with told(stage, panes["closed"], K.KILLED):
            await panes["closed"].close()
        async with told(stage, panes["taken"], K.KILLED):
            stage.tmux("kill-session", "-t", "=taken")
        outcomes = {name: panes[name].outcome() for name in names}
        by = {name: o.facts.ending.by for name, o in outcomes.items() if o.facts.ending}
        assert by == {
            "killed": EndedBy.ANOTHER,
            "closed": EndedBy.US,
            "taken": EndedBy.ANOTHER,
        }
        assert "signal 9" in outcomes["killed"].words
        assert outcomes["closed"].advice is A.NONE
        assert outcomes["taken"].advice is A.ESCALATE
        assert (outcomes["again"].kind, outcomes["again"].over) == (K.UNKNOWN, False)

        before = panes["again"].session
        with pytest.raises(pg.LaunchFailed):
            await panes["again"].respawn(within_s=0.1)
        assert not panes["again"].outcome().over
        assert panes["again"].session is not before  # a new one, with its own clock


@pytest.mark.asyncio
async def test_a_program_left_at_its_question_is_blocked_whoever_ends_it(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        line = 'printf "Delete everything? [y/N] "; read x; exit 1'
        pane = await shell(stage, line, within_s=WITHIN_S)
        outcome = pane.outcome()
        assert (outcome.kind, outcome.advice, outcome.over) == (
            K.BLOCKED_ON_PROMPT,
            A.ESCALATE,
            False,
        )
        assert outcome.prompt is not None
        assert "Delete everything? [y/N]" in outcome.words
        async with told(stage, pane, K.BLOCKED_ON_PROMPT):
            await pane.close()
        outcome = pane.outcome()
        assert (outcome.kind, outcome.over, outcome.charged) == (K.BLOCKED_ON_PROMPT, True, False)

        answered = await shell(
            stage, line.replace("exit 1", "sleep 0.1; exit 4"), within_s=WITHIN_S
        )
        assert answered.prompt is not None
        async with told(stage, answered, K.EXITED):
            await answered.answer(answered.prompt.id, text="y", by="tester")
        assert answered.outcome().facts.prompt is None


@pytest.mark.asyncio
async def test_a_fault_stands_until_a_later_turn_is_done(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    profile = str(profile_with("standin", also=FAULTS, timing={"settle_s": 0.4}))
    replies = [
        "it said:\nAPI error: the link broke",
        "API error: the link broke during the answer",
        "Session limit reached, it resets at 5:10pm",
        "all is well",
    ]
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=profile, reply=replies)
        pane = program.pane

        async def turn() -> pg.Outcome:
            result = await pane.run("go on", within_s=WITHIN_S, turn_within_s=WITHIN_S)
            assert result.state is pg.State.READY
            return pane.outcome()

        quoted = await turn()
        assert (quoted.kind, quoted.fault) == (K.COMPLETED, None)
        broken = await turn()
        assert (broken.kind, broken.advice) == (K.SERVICE_ERROR, A.RETRY_CHARGED)
        assert broken.fault is not None
        assert broken.fault.text == "● API error: the link broke during the answer"
        assert broken.fault.turn == 2
        limited = await turn()
        assert (limited.kind, limited.advice) == (K.LIMITED, A.PAUSE)
        assert limited.reset is not None
        assert limited.reset.words == "resets at 5:10pm"
        assert limited.facts.n_faults == 2
        done = await turn()
        assert (done.kind, done.fault) == (K.COMPLETED, None)
        assert (done.facts.turns_begun, done.facts.turns_completed) == (4, 2)


@pytest.mark.asyncio
async def test_a_fault_that_scrolled_by_between_two_looks_is_read_from_the_history(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    profile = str(profile_with("bash", also=FAULTS))
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash(profile=profile)
        line = "seq 100; echo '● API error: the link broke'; seq 200; false"
        await bash.pane.run(line, within_s=WITHIN_S, turn_within_s=WITHIN_S)
        await stage.ctl.outcomes.caught_up(bash.pane)
        [fault] = bash.pane.outcome().facts.faults
        assert fault.text == "● API error: the link broke"
        assert bash.pane.outcome().kind is K.SERVICE_ERROR
        # the same rows are not read, nor counted, again
        await bash.pane.run("seq 100; false", within_s=WITHIN_S, turn_within_s=WITHIN_S)
        await stage.ctl.outcomes.caught_up(bash.pane)
        assert bash.pane.outcome().facts.n_faults == 1


@pytest.mark.asyncio
async def test_the_last_words_of_a_program_count(tmp_path: Path, profile_with: ProfileWith) -> None:
    """They are seen at the look that finds it dead, or have scrolled by before that."""
    profile = str(profile_with("generic", also=FAULTS))
    error = "● API error: the link broke"
    async with open_stage(tmp_path) as stage:
        # tmux up to 3.3a can drop the last output of a program that ends in the same instant
        for line in (f"echo '{error}'; sleep 0.2", f"echo '{error}'; seq 300; sleep 0.2"):
            pane = await shell(stage, line, profile=profile)
            async with told(stage, pane, K.EXITED):
                pass
            outcome = pane.outcome()
            assert outcome.fault is not None
            assert outcome.fault.text == error
            assert error in outcome.words


@pytest.mark.asyncio
async def test_a_limit_is_an_event_and_ends_nothing(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage, stage.ctl.events() as events:
        limits = {"mono_s": 0.6, "silence_s": 0.3}
        pane = await shell(stage, "sleep 1000", limits=limits)
        reached: list[pg.LimitReached] = []
        async with asyncio.timeout(WITHIN_S):
            async for event in events:
                if isinstance(event, pg.LimitReached):
                    reached.append(event)
                    if len(reached) == 2:
                        break
        assert [event.limit for event in reached] == ["silence_s", "mono_s"]
        assert all(event.elapsed_s >= event.limit_s for event in reached)
        assert all(event.limit in event.words for event in reached)
        outcome = pane.outcome()
        assert (outcome.kind, outcome.over) == (K.TIMEOUT, False)
        assert outcome.limits_reached == (LimitName.MONO, LimitName.SILENCE)
        os.kill(pane.target.pane_pid, 0)  # it lives
        assert pane.state is not pg.State.EXITED
        await pane.close()
        assert (pane.outcome().kind, pane.outcome().over) == (K.TIMEOUT, True)


@pytest.mark.asyncio
async def test_an_unknown_limit_is_refused_before_anything_starts(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        with pytest.raises(ValueError, match="no limit is called 'wall'"):
            await shell(stage, "sleep 1000", limits={"wall": 3})
        assert stage.ctl.panes == ()


@pytest.mark.parametrize("how", ["SIGKILL", "kill-server"])
@pytest.mark.asyncio
async def test_a_server_that_dies_is_the_reason_and_not_its_programs(
    tmp_path: Path, how: str
) -> None:
    async with open_stage(tmp_path) as stage:
        done = await shell(stage, "exit 3")
        await until_state(done, pg.State.EXITED)
        asking = await shell(stage, 'printf "Sure? [y/N] "; read x', within_s=WITHIN_S)
        working = await shell(stage, "sleep 1000")
        async with told(stage, asking, K.SERVER_LOST), told(stage, working, K.SERVER_LOST):
            if how == "SIGKILL":
                os.kill(stage.ctl.identity.pid, signal.SIGKILL)
            else:
                stage.tmux("kill-server")
        for pane in (asking, working):
            outcome = pane.outcome()
            assert (outcome.kind, outcome.advice, outcome.over) == (
                K.SERVER_LOST,
                A.RETRY_FREE,
                True,
            )
            assert outcome.facts.server.pid_alive is False
            assert outcome.facts.ending is not None
            assert outcome.facts.ending.by is EndedBy.UNKNOWN
        assert done.outcome().kind is K.EXITED  # it ended before


@pytest.mark.asyncio
async def test_a_server_that_cannot_be_reached_leaves_its_programs_unknown(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        pane = await shell(stage, "sleep 1000")
        carrier = stage.ctl.link.carriers[pane.id]
        moved = stage.socket.with_name("moved")
        stage.socket.rename(moved)
        try:
            async with stage.ctl.events() as events:
                os.kill(carrier.transport.pid, signal.SIGTERM)  # type: ignore[attr-defined]
                async with asyncio.timeout(WITHIN_S):
                    async for event in events:
                        if isinstance(event, pg.ServerLost):
                            break
            outcome = pane.outcome()
            assert (outcome.kind, outcome.advice, outcome.over) == (K.SERVER_LOST, A.PAUSE, False)
            server = outcome.facts.server
            assert (server.pid_alive, server.socket_present) == (True, False)
            assert "socket missing" in outcome.evidence[0].words
        finally:
            moved.rename(stage.socket)

"""L. What is left to look at when a program, or somebody, ends a session."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.journeys.staging import WITHIN_S, open_stage, until_state

import panegate as pg
from panegate.session.outcome_facts import EndedBy, ServerState

pytestmark = [pytest.mark.tmux, pytest.mark.slow]
K = pg.OutcomeKind


@pytest.mark.asyncio
async def test_l07_status_and_last_screen_outlive_the_only_program(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage, stage.ctl.events() as events:
        line = "echo 'cannot find module q'; exit 127"
        pane = await stage.ctl.launch(["sh", "-c", line], within_s=None)
        await until_state(pane, pg.State.EXITED)
        outcome = pane.outcome()
        assert (outcome.kind, outcome.over) == (K.EXITED, True)
        assert outcome.facts.ending is not None
        assert outcome.facts.ending.status == 127
        assert "status 127" in outcome.words
        assert pane.exit is not None
        assert pane.exit.rows[0] == "cannot find module q"
        # its end is not taken for one of tmux: the server serves on
        again = await stage.ctl.launch(["sh", "-c", "exit 0"], within_s=None)
        await until_state(again, pg.State.EXITED)
        assert stage.ctl.reachable
        probe = await stage.ctl.launch(["sleep", "1000"], within_s=None)
        async with asyncio.timeout(WITHIN_S):
            async for event in events:
                assert not isinstance(event, pg.ServerLost)
                if isinstance(event, pg.PaneOpened) and event.pane == probe.id:
                    break


@pytest.mark.asyncio
async def test_l08_a_session_ended_from_outside_is_told_apart_and_the_others_go_on(
    tmp_path: Path,
) -> None:
    async with open_stage(tmp_path) as stage, stage.ctl.events() as events:
        program = await stage.program("composer", launch={"name": "taken"}, work=60_000)
        other = await stage.program("composer", launch={"name": "other"})
        await program.pane.send("go on", within_s=WITHIN_S)
        await until_state(program.pane, pg.State.BUSY)
        stage.tmux("kill-session", "-t", "=taken")
        exits = []
        async with asyncio.timeout(WITHIN_S):
            async for event in events:
                if isinstance(event, pg.PaneExited):
                    exits.append(event.pane)
                if isinstance(event, pg.OutcomeReached) and event.over:
                    break
        assert exits == [program.pane.id]
        outcome = program.pane.outcome()
        assert outcome.kind is K.KILLED
        assert outcome.facts.ending is not None
        assert outcome.facts.ending.by is EndedBy.ANOTHER
        assert outcome.facts.ending.status is None
        assert outcome.facts.server.state is ServerState.REACHABLE
        assert "busy" in outcome.words
        assert (await other.pane.send("still there", within_s=WITHIN_S)).landed is True

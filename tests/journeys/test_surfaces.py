"""Whatever a write meets: the right hold, refusal or delivery, and not one byte where refused."""

import asyncio
from pathlib import Path

import pytest

import panegate as pg

from .staging import WITHIN_S, attempt, open_stage
from .surfaces import MESSAGE, SCENES

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.asyncio
async def test_nothing_is_written_where_it_is_not_wanted_and_the_message_once_it_is(
    tmp_path: Path, name: str
) -> None:
    async with open_stage(tmp_path) as stage:
        scene = await SCENES[name](stage)
        pane = scene.pane
        for intent, reason in scene.said.items():
            error = await attempt(pane, intent)
            assert (intent, error.reason) == (intent, reason), pane.explain().words
            assert (intent, isinstance(error, pg.NotReady)) == (intent, intent in scene.waits)
            assert str(error)
            assert error.screen is not None
        assert pane.queue == ()
        if scene.free is not None:
            waiting = pg.Intent.MESSAGE in scene.waits
            async with stage.ctl.events() as events:
                delivery = asyncio.create_task(pane.send(MESSAGE, within_s=WITHIN_S))
                if waiting:
                    await _until_held(events)
                else:
                    delivery.cancel()
                    await asyncio.wait([delivery])
                await scene.free()
                if not waiting:
                    delivery = asyncio.create_task(pane.send(MESSAGE, within_s=WITHIN_S))
                receipt = await delivery
            assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert await scene.received() == scene.expected


async def _until_held(events: pg.EventStream) -> None:
    async with asyncio.timeout(WITHIN_S):
        async for event in events:
            if isinstance(event, pg.WriteHeld):
                return

"""A pane that is closed settles everything that was asked of it, and nothing else."""

import asyncio
from pathlib import Path

import pytest

import panegate as pg

from .staging import WITHIN_S, open_stage, until_state

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


@pytest.mark.asyncio
async def test_closing_ends_waits_and_gives_waiting_writes_their_fate(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        pane = bash.pane
        receipt = await pane.send("sleep 1000", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        write = asyncio.create_task(pane.send("echo later", within_s=60))
        wait = asyncio.create_task(pane.wait({pg.State.READY}, within_s=60))
        async with asyncio.timeout(WITHIN_S):
            while not pane.queue:
                await pane._changed.wait()
            await pane.close()
            with pytest.raises(pg.Refused) as refused:
                await write
            assert refused.value.reason is pg.Reason.GONE_PANE
            with pytest.raises(pg.PanegateError, match="exited"):
                await wait
            assert pane.state is pg.State.EXITED
            for late in (pane.send("too late"), pane.keys("x"), pane.nudge("too late")):
                with pytest.raises(pg.Refused) as refused:
                    await late
                assert refused.value.reason is pg.Reason.GONE_PANE
            await pane.close()


@pytest.mark.asyncio
async def test_closing_ends_the_pane_and_not_what_a_person_put_beside_it(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        split = ("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", bash.pane.id, "cat")
        beside = (await asyncio.to_thread(stage.tmux, *split)).strip()
        await until_state(bash.pane, pg.State.READY)
        await bash.pane.close()
        left = (await asyncio.to_thread(stage.tmux, "list-panes", "-a", "-F", "#{pane_id}")).split()
        assert beside in left
        assert bash.pane.id not in left

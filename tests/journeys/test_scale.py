"""Two hundred panes, each with its own script; and silence that costs nothing."""

import asyncio
from typing import Any

import pytest

import panegate as pg
from panegate.panes.facts import ProbeLevel
from panegate.probes.levels import probe_level
from panegate.testing.servers import PrivateServer

pytestmark = [pytest.mark.tmux, pytest.mark.asyncio, pytest.mark.slow]

N_PANES = 200
KERNEL = probe_level() in (ProbeLevel.FULL, ProbeLevel.WCHAN)


async def start(ctl: pg.Controller, n: int) -> tuple[pg.Pane, pg.State]:
    """Start pane *n* on its script; return what it must come to."""
    bash = ["bash", "--norc"]
    match n % 4:
        case 0:
            return await ctl.launch(bash, name=f"p{n}", within_s=60), pg.State.READY
        case 1:
            pane = await ctl.launch(bash, name=f"p{n}", within_s=60)
            receipt = await pane.send("sleep 1000", within_s=60)
            assert receipt.landed is True, receipt.words
            return pane, pg.State.BUSY
        case 2:
            pane = await ctl.launch(bash, name=f"p{n}", within_s=60)
            receipt = await pane.send(f"read -p 'Name {n}? [y/n] ' x", within_s=60)
            assert receipt.landed is True, receipt.words
            return pane, pg.State.PROMPTING
        case _:
            trust = "" if KERNEL else "timing"
            pane = await ctl.launch(
                ["cat"], name=f"p{n}", profile="lines", trust=trust, within_s=60
            )
            return pane, pg.State.READY


class Iterations:
    """Counts how often the event loop goes round."""

    def __init__(self, loop: Any) -> None:
        self.count = 0
        selector = loop._selector
        inner = selector.select

        def select(timeout: float | None = None) -> Any:
            self.count += 1
            return inner(timeout)

        selector.select = select


@pytest.mark.timeout(240)
async def test_two_hundred_panes_are_each_in_their_own_state_and_cost_nothing(
    tmux_server: PrivateServer,
):
    settings = pg.Settings(hub_above=20)
    async with pg.Controller.open(socket_path=tmux_server.socket_path, settings=settings) as ctl:
        started = await asyncio.gather(*(start(ctl, n) for n in range(N_PANES)))
        for pane, wanted in started:
            await pane.wait({wanted}, within_s=60)
        assert len(ctl.link.clients) <= 22
        questions = {p.pane: p.question for p in ctl.prompts}
        for pane, wanted in started:
            assert pane.state is wanted
            if wanted is pg.State.PROMPTING:
                assert questions[pane.id].startswith(f"Name {pane.name[1:]}?")
        for pane, wanted in started:
            if wanted is pg.State.BUSY:
                await pane.close()
        idle = [pane for pane, wanted in started if wanted is not pg.State.BUSY]
        for pane in idle:
            await pane.wait({pg.State.READY, pg.State.PROMPTING}, within_s=60)
        await quiet(ctl)
        await pause(1.0)  # the debounced list after the closes
        looks = ctl.statistics()["looks"]
        iterations = Iterations(asyncio.get_running_loop())
        await pause(3.0)
        assert ctl.statistics()["looks"] == looks
        assert iterations.count <= 5


async def pause(seconds: float) -> None:
    """Let time pass with one timer and nothing else."""
    done = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(seconds, done.set_result, None)
    await done


async def quiet(ctl: pg.Controller) -> None:
    """Wait until the pump has no deadline: every pane has settled."""
    done = asyncio.get_running_loop().create_future()

    def settled() -> None:
        deadlines = [pane.tracker.deadline_s for pane in ctl.panes]
        if all(deadline is None for deadline in deadlines) and not done.done():
            done.set_result(None)

    ctl.bus.taps.append(lambda _event: settled())
    inner = ctl.engine.pump.on_settled

    def on_settled(tracker: Any) -> None:
        inner(tracker)
        settled()

    ctl.engine.pump.on_settled = on_settled
    settled()
    await asyncio.wait_for(done, 60)
    ctl.engine.pump.on_settled = inner

"""Programs launched and closed side by side, on a server that clients attach to meanwhile.

tmux up to 3.6b dies of a notification that meets a client which is still attaching. One of
them is sent a moment after the end of a session, when that session's own client has gone.
"""

import asyncio
from pathlib import Path

import pytest

import panegate as pg
from panegate_transports.process import ProcessTransport

from .staging import open_stage

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

N_PROGRAMS = 120
SIDE_BY_SIDE = 12


@pytest.mark.asyncio
async def test_nothing_attaches_until_the_client_of_an_ended_session_has_gone(
    tmp_path: Path,
) -> None:
    async with open_stage(tmp_path) as stage:
        await stage.ctl.launch(["sleep", "600"], profile="generic", within_s=None)
        for _ in range(5):
            pane = await stage.ctl.launch(["sleep", "600"], profile="generic", within_s=None)
            transport = stage.ctl.link.clients[pane.target.session_id].transport
            assert isinstance(transport, ProcessTransport)
            await pane.close()  # which holds the lock that every client takes to attach
            assert transport.returncode is not None


@pytest.mark.asyncio
async def test_launching_and_closing_side_by_side_leaves_the_server_alive(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        server = stage.ctl.identity
        numbers = iter(range(N_PROGRAMS))

        async def come_and_go() -> None:
            for _ in numbers:
                pane = await stage.ctl.launch(["sleep", "600"], profile="generic", within_s=None)
                await pane.close()

        async with asyncio.TaskGroup() as group:
            for _ in range(SIDE_BY_SIDE):
                group.create_task(come_and_go())
        assert stage.tmux("display-message", "-p", "#{pid}").strip() == str(server.pid)
        assert stage.ctl.panes == ()
        assert not any(isinstance(e, pg.ServerLost) for e in stage.ctl.bus.recent)

"""Who is in charge of a server, and who may work beside it."""

from pathlib import Path

import pytest

import panegate as pg
from panegate.testing.servers import PrivateServer

pytestmark = [pytest.mark.tmux, pytest.mark.asyncio]


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def test_one_controller_watches_a_whole_server(tmux_server: PrivateServer):
    path = tmux_server.socket_path
    async with pg.Controller.open(socket_path=path, watch="server", journal=":memory:"):
        with pytest.raises(pg.ServerHeld, match="in charge of the tmux server"):
            async with pg.Controller.open(socket_path=path, watch="server"):
                pass
    async with pg.Controller.open(socket_path=path, watch="server", journal=":memory:"):
        pass


async def test_others_work_beside_it(tmux_server: PrivateServer):
    path = tmux_server.socket_path
    async with pg.Controller.open(socket_path=path, watch="server"):
        async with pg.Controller.open(socket_path=path) as beside:
            pane = await beside.launch(["cat"], reads_lines=True)
            assert (await pane.send("hello")).fate is pg.Fate.LANDED
        async with pg.Controller.open(socket_path=path, watch="server", exclusive=False):
            pass


async def test_any_may_ask_for_it(tmux_server: PrivateServer):
    path = tmux_server.socket_path
    async with pg.Controller.open(socket_path=path, exclusive=True):
        with pytest.raises(pg.ServerHeld):
            async with pg.Controller.open(socket_path=path, watch="server"):
                pass


async def test_each_server_has_one(tmux_server: PrivateServer):
    path = tmux_server.socket_path
    with PrivateServer() as other:
        async with (
            pg.Controller.open(socket_path=path, watch="server"),
            pg.Controller.open(socket_path=other.socket_path, watch="server") as ctl,
        ):
            assert ctl.identity.pid == other.pid

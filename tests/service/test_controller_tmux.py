"""The controller on a real server: lifetimes, adopting, servers that die, who is who."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import libtmux
import pytest

import panegate as pg
from panegate.service.launching import Launching, ListedPane
from panegate.session.events import PaneExited, PaneOpened, ServerLost, StateChanged
from panegate.testing.servers import PrivateServer

pytestmark = [pytest.mark.tmux, pytest.mark.asyncio]
SETTINGS = pg.Settings(answers=pg.Answers.ALLOWED)


@asynccontextmanager
async def controller(server: PrivateServer, **more: object) -> AsyncIterator[pg.Controller]:
    known: dict[str, object] = {"settings": SETTINGS, **more}
    async with pg.Controller.open(socket_path=server.socket_path, **known) as ctl:
        yield ctl


async def bash(ctl: pg.Controller, name: str) -> pg.Pane:
    return await ctl.launch(["bash", "--norc"], name=name, within_s=20)


async def test_leaving_detaches_and_panes_live_on(tmux_server: PrivateServer):
    async with controller(tmux_server) as ctl:
        pane = await bash(ctl, "w1")
        pane_id = pane.id
    assert pane_id in tmux_server.run("list-panes", "-a", "-F", "#{pane_id}")
    assert tmux_server.run("list-clients", "-F", "#{client_pid}").strip() == ""


async def test_hosted_may_be_closed_from_another_task(tmux_server: PrivateServer):
    ctl = await pg.Controller.start(socket_path=tmux_server.socket_path, settings=SETTINGS)
    pane = await bash(ctl, "w1")
    assert (await pane.send("echo hi", within_s=20)).landed is True
    await asyncio.create_task(ctl.aclose())
    with pytest.raises(pg.PanegateError):
        await pane.send("echo hi")
    await ctl.aclose()


async def test_hosted_raises_at_its_start_what_is_wrong(tmux_server: PrivateServer):
    missing = f"{tmux_server.socket_path}-none"
    with pytest.raises(pg.ServerUnreachable):
        await pg.Controller.start(socket_path=missing, attach_only=True)


async def test_an_error_in_the_block_comes_out_as_itself(tmux_server: PrivateServer):
    with pytest.raises(KeyError):
        async with controller(tmux_server):
            raise KeyError("mine")


async def test_adopts_by_id_by_name_and_from_libtmux(tmux_server: PrivateServer):
    pane_id = tmux_server.start_program(["bash", "--norc"], name="theirs")
    server = libtmux.Server(socket_path=tmux_server.socket_path)
    async with controller(tmux_server) as ctl:
        pane = await ctl.adopt(pane_id)
        assert await ctl.adopt("theirs") is pane
        assert await ctl.adopt(server.panes.get(pane_id=pane_id)) is pane
        await pane.wait({pg.State.READY}, within_s=20)
        assert (await pane.run("echo $((6*7))", within_s=20)).text == "42"
        given = await anyio.to_thread.run_sync(lambda: pane.libtmux)
        assert given.pane_id == pane_id


async def test_an_adopted_pane_is_left_as_it_was(tmux_server: PrivateServer):
    tmux_server.start_program(["bash", "--norc"], name="theirs")
    shown = ("show-options", "-A", "-g"), ("show-options", "-w", "-A", "-t", "=theirs:")
    before = [tmux_server.run(*words) for words in shown]
    async with controller(tmux_server) as ctl:
        pane = await ctl.adopt("theirs")
        await pane.wait({pg.State.READY}, within_s=20)
    assert [tmux_server.run(*words) for words in shown] == before


async def test_a_prefix_of_a_name_is_not_that_name(tmux_server: PrivateServer):
    tmux_server.start_program(["cat"], name="reports")
    async with controller(tmux_server) as ctl:
        with pytest.raises(pg.NoSuchPane):
            await ctl.adopt("rep")


async def test_a_session_killed_from_outside_ends_only_its_pane(tmux_server: PrivateServer):
    async with controller(tmux_server) as ctl:
        one, two = await bash(ctl, "one"), await bash(ctl, "two")
        tmux_server.run("kill-session", "-t", "=one")
        await one.wait({pg.State.EXITED}, within_s=20)
        assert one.exit is not None
        assert one.exit.status is None
        assert (await two.send("echo hi", within_s=20)).landed is True


async def test_a_control_client_that_dies_is_replaced(tmux_server: PrivateServer):
    async with controller(tmux_server) as ctl:
        pane = await bash(ctl, "w1")
        carrier = ctl.link.carriers[pane.id]
        os.kill(carrier.transport.pid, signal.SIGTERM)
        await carrier.ended.wait()
        assert (await pane.send("echo hi", within_s=20)).landed is True
        assert ctl.link.carriers[pane.id] is not carrier


async def test_a_server_that_dies_is_said_and_its_programs_are_gone(tmux_server: PrivateServer):
    async with controller(tmux_server) as ctl:
        pane = await bash(ctl, "w1")
        events = ctl.events()
        os.kill(ctl.identity.pid, signal.SIGKILL)
        kinds: list[type] = []
        with anyio.fail_after(20):
            async for event in events:
                kinds.append(type(event))
                if {ServerLost, PaneExited} <= set(kinds):
                    break
        assert pane.state is pg.State.EXITED
        with pytest.raises(pg.Refused):
            await pane.send("echo hi", within_s=5)


async def test_a_new_servers_first_pane_is_not_the_old_one(tmux_server: PrivateServer):
    async with controller(tmux_server) as ctl:
        pane = await bash(ctl, "w1")
        os.kill(ctl.identity.pid, signal.SIGKILL)
        await pane.wait({pg.State.EXITED}, within_s=20)
        with PrivateServer() as other:
            assert other.socket_path != tmux_server.socket_path
        with pytest.raises(pg.Refused):
            await pane.send("rm -rf ./scratch", within_s=5)


async def test_events_come_in_order_with_numbers_and_are_replayed(tmux_server: PrivateServer):
    async with controller(tmux_server) as ctl:
        live = ctl.events()
        pane = await bash(ctl, "w1")
        await pane.send("echo hi", within_s=20)
        await pane.wait({pg.State.READY}, within_s=20)
        live.close()
        seen = [event async for event in live]
        assert [event.seq for event in seen] == list(range(1, len(seen) + 1))
        assert isinstance(seen[0], PaneOpened)
        states = [e.new for e in seen if isinstance(e, StateChanged)]
        assert states == [pg.State.READY, pg.State.BUSY, pg.State.READY]
        replayed = ctl.events(since=1)
        replayed.close()
        assert [e.seq async for e in replayed] == [e.seq for e in seen[1:]]


async def test_watching_the_whole_server_adopts_what_comes(tmux_server: PrivateServer):
    tmux_server.start_program(["bash", "--norc"], name="first")
    async with controller(tmux_server, watch="server") as ctl:
        assert [pane.name for pane in ctl.panes if pane.name == "first"] == ["first"]
        events = ctl.events()
        tmux_server.start_program(["bash", "--norc"], name="second")
        with anyio.fail_after(20):
            async for event in events:
                if isinstance(event, PaneOpened) and event.name == "second":
                    break
        await ctl.pane("second").wait({pg.State.READY}, within_s=20)


async def test_respawn_starts_the_same_program_again(tmux_server: PrivateServer):
    async with controller(tmux_server) as ctl:
        pane = await ctl.launch(
            ["bash", "--norc"], name="w1", env={"PG_MARK": "kept"}, retain=True, within_s=20
        )
        await pane.send("exit 3", within_s=20)
        await pane.wait({pg.State.EXITED}, within_s=20)
        assert pane.exit is not None
        assert pane.exit.status == 3
        await pane.respawn(within_s=20)
        assert (await pane.run("echo $PG_MARK", within_s=20)).text == "kept"


async def test_close_ends_the_program_and_leaves_nothing(tmux_server: PrivateServer):
    async with controller(tmux_server) as ctl:
        pane = await bash(ctl, "w1")
        await pane.close()
        assert ctl.panes == ()
        assert "w1" not in tmux_server.run("list-sessions", "-F", "#{session_name}")
        await pane.close()


async def test_a_broken_journal_refuses_before_anything_is_typed(tmux_server: PrivateServer):
    journal = pg.MemoryJournal()
    async with controller(tmux_server, journal=journal) as ctl:
        pane = await ctl.launch(["cat"], profile="lines", within_s=20, trust="timing")
        journal.broken = True
        with pytest.raises(pg.JournalError):
            await pane.send("hello", within_s=5)
        assert (await pane.read()).text == ""
        journal.broken = False


async def test_statistics_count_writes_by_fate_and_reason(tmux_server: PrivateServer):
    async with controller(tmux_server) as ctl:
        pane = await bash(ctl, "w1")
        await pane.send("echo hi", within_s=20)
        pane.hold("lunch")
        with pytest.raises(pg.NotReady):
            await pane.send("echo hi", within_s=0.2)
        counts = ctl.statistics()["writes"]
        assert counts["landed:none"] == 1
        assert counts["refused:held"] == 1


async def test_wait_any_returns_the_first(tmux_server: PrivateServer):
    async with controller(tmux_server) as ctl:
        slow, quick = await bash(ctl, "slow"), await bash(ctl, "quick")
        await slow.send("sleep 30", within_s=20)
        await quick.send("sleep 0.2", within_s=20)
        first = await ctl.wait_any([slow, quick], {pg.State.READY}, within_s=20)
        assert first is quick


async def test_run_tells_a_shells_exit_status(tmux_server: PrivateServer):
    async with controller(tmux_server) as ctl:
        pane = await bash(ctl, "w1")
        assert (await pane.run("(exit 42)", within_s=20)).status == 42
        done = await pane.run("echo out; false", within_s=20)
        assert (done.text, done.status, done.state) == ("out", 1, pg.State.READY)
        asked = await pane.run("read -p 'Name? ' x", within_s=20)
        assert (asked.status, asked.state) == (None, pg.State.PROMPTING)


@pytest.mark.parametrize("told", [[], ["ServerLost", "ServerBack"]], ids=["once", "for a while"])
async def test_a_server_that_could_not_be_asked_for_a_moment_is_written_to_again(
    tmux_server: PrivateServer, monkeypatch: pytest.MonkeyPatch, told: list[str]
):
    """A client may end while it is asked; what its loss put in doubt is so no longer."""
    ask, seen = Launching.list_panes, list[str]()
    failed, back = asyncio.Event(), asyncio.Event()

    def note(event: pg.Event) -> None:
        if isinstance(event, pg.ServerLost | pg.ServerBack):
            seen.append(type(event).__name__)
            if isinstance(event, pg.ServerBack):
                back.set()

    async def list_panes(self: Launching) -> list[ListedPane]:
        again = told and not seen
        if again or not failed.is_set():
            failed.set()
            raise pg.ServerUnreachable("the client ended")
        return await ask(self)

    async with controller(tmux_server) as ctl:
        one, two = await bash(ctl, "w1"), await bash(ctl, "w2")
        ctl.bus.taps.append(note)
        monkeypatch.setattr(Launching, "list_panes", list_panes)
        os.kill(ctl.link.carriers[two.id].transport.pid, signal.SIGTERM)  # type: ignore[attr-defined]
        await asyncio.wait_for(failed.wait(), 20)
        if told:
            await asyncio.wait_for(back.wait(), 20)
        assert (await two.send("echo hi", within_s=20)).landed is True
        assert (await one.send("echo hi", within_s=20)).landed is True
        assert seen == told

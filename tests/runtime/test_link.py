"""Who carries which pane: one client a session, then the hub."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import anyio
import attrs
import pytest

from panegate.errors import ServerUnreachable
from panegate.runtime.address import ServerAddress
from panegate.runtime.bringup import KEEP_ALIVE
from panegate.runtime.client import ControlClient
from panegate.runtime.link import ATTACH_WITHIN_S, ServerLink
from panegate.testing.scripted_tmux import ScriptedTmux
from panegate.wire.commands import command
from panegate_transports.memory import MemoryTransport, memory_pair

virtual = pytest.mark.asyncio(loop_factories=["virtual"])


@attrs.define
class Rig:
    """A link to a scripted server."""

    server: ScriptedTmux
    link: ServerLink
    ended: list[ControlClient]


@asynccontextmanager
async def linked(*, hub_above: int = 100) -> AsyncIterator[Rig]:
    """A link with the hub attached, so that nothing has to be started."""
    async with ScriptedTmux() as server, anyio.create_task_group() as tasks:
        ended: list[ControlClient] = []
        link = ServerLink(
            address=ServerAddress(),
            open_transport=server.open_transport,
            clock=asyncio.get_running_loop().time,
            tasks=tasks,
            on_event=lambda _client, _event, _at_s: None,
            on_batch=lambda _at_s: None,
            on_client_ended=ended.append,
            hub_above=hub_above,
        )
        link.facts = server.facts
        await link.any_client()
        yield Rig(server, link, ended)
        await link.aclose()
        tasks.cancel_scope.cancel()


@virtual
async def test_each_session_gets_one_client_whoever_asks() -> None:
    """Also when many ask at once."""
    async with linked() as rig:
        panes = [rig.server.add_pane() for _ in range(3)]
        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                for pane in panes:
                    tasks.start_soon(rig.link.carry, pane.target)
        assert sorted(rig.server.attached) == ["$1", "$2", "$3", f"={KEEP_ALIVE}"]
        carriers = [rig.link.carriers[pane.pane_id] for pane in panes]
        assert [c.connection.session_id for c in carriers] == ["$1", "$2", "$3"]


@virtual
async def test_windows_above_the_limit_are_linked_to_the_hub() -> None:
    """Only those that panegate made itself, and each once."""
    async with linked(hub_above=2) as rig:
        panes = [rig.server.add_pane() for _ in range(4)]
        for pane in (*panes, panes[3]):
            await rig.link.carry(pane.target, ours=True)
        assert rig.server.attached == [f"={KEEP_ALIVE}", "$1", "$2"]
        hub = rig.link.clients[KEEP_ALIVE]
        assert [rig.link.carriers[p.pane_id] is hub for p in panes] == [False, False, True, True]
        assert rig.server.linked == rig.link.linked == {"@3", "@4"}
        links = [line for line in rig.server.clients[0].lines if line.startswith(b"link-window")]
        assert len(links) == 2
        adopted = rig.server.add_pane()
        await rig.link.carry(adopted.target)
        assert rig.server.attached[-1] == "$5"
        assert rig.server.linked == {"@3", "@4"}


@virtual
async def test_a_window_that_cannot_be_linked_has_no_carrier() -> None:
    """It says tmux's words."""
    async with linked(hub_above=1) as rig:
        await rig.link.carry(rig.server.add_pane().target, ours=True)
        gone = rig.server.add_pane()
        del rig.server.panes[gone.pane_id]
        with pytest.raises(ServerUnreachable, match="cannot be linked: can't find window"):
            await rig.link.carry(gone.target, ours=True)
        assert gone.pane_id not in rig.link.carriers


@virtual
async def test_clients_attach_one_at_a_time() -> None:
    """A notification that meets a second one ends servers up to 3.6b."""
    async with linked() as rig:
        panes = [rig.server.add_pane() for _ in range(5)]
        now, most = 0, 0
        inner = rig.server.open_transport

        async def slow(argv: Sequence[str]) -> MemoryTransport:
            nonlocal now, most
            now += 1
            most = max(most, now)
            await anyio.sleep(0.5)
            now -= 1
            return await inner(argv)

        rig.link.open_transport = slow
        async with anyio.create_task_group() as tasks:
            for pane in panes:
                tasks.start_soon(rig.link.carry, pane.target)
        assert most == 1
        assert anyio.current_time() == pytest.approx(2.5)


@virtual
async def test_no_change_of_sessions_runs_while_a_client_attaches() -> None:
    """For the same reason."""
    async with linked() as rig:
        pane = rig.server.add_pane()
        done: list[str] = []
        inner = rig.server.open_transport

        async def slow(argv: Sequence[str]) -> MemoryTransport:
            await anyio.sleep(1)
            return await inner(argv)

        rig.link.open_transport = slow

        async def attach() -> None:
            await rig.link.carry(pane.target)
            done.append("attached")

        async def change() -> None:
            await rig.link.ask_alone(command("new-session", "-d", "-s", "x", "--", "sleep"))
            done.append("changed")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(attach)
            await anyio.sleep(0.1)
            tasks.start_soon(change)
            await anyio.sleep(0.1)
            assert len(rig.server.panes) == 1
        assert done == ["attached", "changed"]


@virtual
async def test_a_client_that_ends_is_removed_and_replaced_on_demand() -> None:
    """Its owner is told once; the session may get a client again."""
    async with linked(hub_above=1) as rig:
        pane = rig.server.add_pane()
        client = await rig.link.carry(pane.target, ours=True)
        await rig.server.clients[1].end("killed")
        await client.ended.wait()
        await anyio.sleep(1)
        assert rig.ended == [client]
        assert list(rig.link.clients) == [KEEP_ALIVE]
        again = await rig.link.carry(pane.target, ours=True)
        assert again is not client
        assert again.alive
        await rig.server.clients[1].end("killed")
        await again.ended.wait()
        await anyio.sleep(1)
        other = rig.server.add_pane()
        await rig.link.carry(other.target, ours=True)
        assert rig.server.attached[-1] == other.session_id
        assert rig.server.linked == set()  # a place below the limit was free again


@virtual
async def test_an_attach_that_fails_leaves_nothing_behind() -> None:
    """It says why, and the next try may succeed."""
    async with linked() as rig:
        pane = rig.server.add_pane()
        rig.server.on_attach = lambda _target: "server is too busy"
        with pytest.raises(ServerUnreachable, match="server is too busy"):
            await rig.link.carry(pane.target)
        assert pane.pane_id not in rig.link.carriers
        assert list(rig.link.clients) == [KEEP_ALIVE]
        rig.server.on_attach = None
        assert (await rig.link.carry(pane.target)).alive


@virtual
async def test_an_attach_that_is_never_answered_ends_in_time() -> None:
    """A wedged server must not hold its callers."""
    async with linked() as rig:
        pane = rig.server.add_pane()
        kept: list[MemoryTransport] = []

        async def silent(_argv: Sequence[str]) -> MemoryTransport:
            near, far = memory_pair()
            kept.append(far)
            return near

        rig.link.open_transport = silent
        began_s = anyio.current_time()
        with pytest.raises(ServerUnreachable, match="no answer to the attach"):
            await rig.link.carry(pane.target)
        assert anyio.current_time() - began_s == pytest.approx(ATTACH_WITHIN_S)


@virtual
async def test_a_client_of_another_server_is_closed() -> None:
    """Its pane ids would be taken for ours."""
    async with linked() as rig:
        pane = rig.server.add_pane()
        rig.server.facts = attrs.evolve(rig.server.facts, pid=9999)
        with pytest.raises(ServerUnreachable, match="another tmux server"):
            await rig.link.carry(pane.target)
        await anyio.sleep(1)
        assert len(rig.server.clients) == 1


@virtual
async def test_a_session_that_ends_is_waited_for_on_its_own_client() -> None:
    """The command goes over another client, and the ended one is removed."""
    async with linked() as rig:
        pane = rig.server.add_pane()
        client = await rig.link.carry(pane.target)
        own = rig.server.clients[1]

        def end(_client: object, line: bytes) -> None:
            if line.startswith(b"has-session"):
                asyncio.get_running_loop().call_later(0.5, own.far.cut, 0)

        rig.server.before_line = end
        began_s = anyio.current_time()
        line = command("kill-session", "-t", pane.session_id)
        answer = await rig.link.ask_alone(line, ends=pane.session_id)
        assert answer.ok
        assert client.ended.is_set()
        assert anyio.current_time() - began_s == pytest.approx(0.5)
        assert line in rig.server.clients[0].lines
        assert line not in own.lines


@virtual
async def test_closing_detaches_every_client_side_by_side() -> None:
    """Bounded, silent towards the owner, also with a server that answers nothing."""
    async with linked() as rig:
        for _ in range(3):
            await rig.link.carry(rig.server.add_pane().target)
        clients = list(rig.link.clients.values())
        rig.server.answering = False
        lost: list[bool] = []
        clients[1].request([b"list-sessions"], lambda answer: lost.append(answer.blocks is None))
        with anyio.fail_after(10):
            await rig.link.aclose()
            await anyio.sleep(1)
        assert all(client.ended.is_set() for client in clients)
        assert lost == [True]
        assert rig.ended == []
        assert rig.server.clients == []
        assert rig.link.carriers == {}


@virtual
async def test_dropping_a_client_frees_its_session_and_keeps_the_others() -> None:
    """And waits until the server has told all about the detach."""
    async with linked() as rig:
        panes = [rig.server.add_pane() for _ in range(2)]
        for pane in panes:
            await rig.link.carry(pane.target)
        await rig.link.drop("$1")
        assert sorted(rig.link.clients) == ["$2", KEEP_ALIVE]
        assert all(client.alive for client in rig.link.clients.values())
        await rig.link.drop("$1")
        await rig.link.carry(panes[0].target)
        assert rig.server.attached.count("$1") == 2

"""The service's socket: bounded for each client, and clear about what it does not do."""

import asyncio
import contextlib
import json
import os
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import attrs
import pytest

from panegate.errors import NoSuchPane, PanegateError, TransportBroken
from panegate.ids import PaneId
from panegate.service.bus import EventBus
from panegate.service.local import server as server_module
from panegate.service.local.client import LocalClient, connected
from panegate.service.local.dispatch import Dispatcher
from panegate.service.local.host import Caller
from panegate.service.local.messages import MAX_REQUEST_BYTES, Note
from panegate.service.local.server import LocalServer
from panegate.session.events import ServerBack, StateChanged
from panegate.terms import Grade, State

pytestmark = pytest.mark.asyncio

WITHIN_S = 20.0


@attrs.define(kw_only=True, eq=False)
class Scripted(Dispatcher):
    """Does what a test says; its events are those of a real bus."""

    begun: asyncio.Event = attrs.field(factory=asyncio.Event)
    given_up: asyncio.Event = attrs.field(factory=asyncio.Event)
    go_on: asyncio.Event = attrs.field(factory=asyncio.Event)
    n_calls: int = 0
    callers: list[Caller] = attrs.field(factory=list)

    async def call(self, method: str, params: Mapping[str, Any], caller: Caller) -> Any:
        self.n_calls += 1
        self.callers.append(caller)
        match method:
            case "echo":
                return dict(params)
            case "big":
                return "x" * 200_000
            case "refuse":
                raise NoSuchPane("none", fix="ls")
            case "break":
                raise RuntimeError("hunter2")
            case "block":
                self.begun.set()
                try:
                    await self.go_on.wait()
                except asyncio.CancelledError:
                    self.given_up.set()
                    raise
                return "done"
        return await super().call(method, params, caller)

    async def finish_writes(self) -> None:
        pass


@attrs.define
class Stage:
    """A server, its dispatcher, its bus."""

    server: LocalServer
    dispatcher: Scripted
    bus: EventBus

    def emit(self, count: int, pane: str = "%1") -> None:
        for _ in range(count):
            self.bus.emit(
                StateChanged(
                    pane=PaneId(pane),
                    old=State.BUSY,
                    new=State.READY,
                    grade=Grade.MARK,
                    words="w" * 200,
                    at_s=1.0,
                )
            )

    @contextlib.asynccontextmanager
    async def client(self) -> AsyncIterator[LocalClient]:
        async with asyncio.timeout(WITHIN_S), connected(self.server.path) as client:
            assert client is not None
            yield client

    @contextlib.asynccontextmanager
    async def raw(self) -> AsyncIterator["Raw"]:
        async with asyncio.timeout(WITHIN_S):
            reader, writer = await asyncio.open_unix_connection(self.server.path, limit=1 << 22)
            try:
                yield Raw(reader, writer)
            finally:
                writer.close()


@attrs.define
class Raw:
    """A client that sends what no good one would."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, line: bytes) -> None:
        self.writer.write(line + b"\n")
        await self.writer.drain()

    async def next(self) -> dict[str, Any]:
        return dict(json.loads(await self.reader.readline()))


@contextlib.asynccontextmanager
async def staged() -> AsyncIterator[Stage]:
    bus = EventBus()
    ctl = SimpleNamespace(
        bus=bus,
        check=lambda: None,
        settings=SimpleNamespace(event_buffer=1024),
        panes=(),
        failed=None,
        closed=False,
        reachable=True,
        journal=None,
    )
    dispatcher = Scripted(host=cast("Any", SimpleNamespace(ctl=ctl)))
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        server = LocalServer(dispatcher=dispatcher, path=Path(folder) / "s")
        async with anyio.create_task_group() as group:
            await group.start(server.run)
            try:
                yield Stage(server, dispatcher, bus)
            finally:
                server.stop()


async def test_the_socket_is_its_users_alone_and_goes_with_the_service() -> None:
    async with staged() as stage:
        assert stage.server.path.stat().st_mode & 0o777 == 0o600
    assert not stage.server.path.exists()


async def test_the_socket_of_a_dead_service_is_replaced() -> None:
    async with staged() as stage:
        with tempfile.TemporaryDirectory(prefix="pg-") as folder:
            dead = await anyio.create_unix_listener(Path(folder) / "s")
            await dead.aclose()
            assert (Path(folder) / "s").exists()
            async with connected(Path(folder) / "s") as client:
                assert client is None
            second = LocalServer(dispatcher=stage.dispatcher, path=Path(folder) / "s")
            async with anyio.create_task_group() as group:
                await group.start(second.run)
                async with connected(second.path) as client:
                    assert client is not None
                    assert await client.request("echo", a=1) == {"a": 1}
                second.stop()


async def test_another_user_is_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    async with staged() as stage:
        monkeypatch.setattr(server_module, "peer_uid", lambda _socket: os.getuid() + 1)
        async with stage.client() as client:
            with pytest.raises(TransportBroken):
                await client.request("echo")
        assert (stage.server.n_turned_away, stage.dispatcher.n_calls) == (1, 0)


async def test_a_slow_request_holds_up_no_other() -> None:
    async with staged() as stage, stage.client() as client:
        slow = asyncio.create_task(client.request("block"))
        await stage.dispatcher.begun.wait()
        assert await client.request("echo", a=1) == {"a": 1}
        stage.dispatcher.go_on.set()
        assert await slow == "done"


async def test_an_error_comes_as_what_it_is_and_a_bug_without_its_words() -> None:
    async with staged() as stage, stage.client() as client:
        with pytest.raises(NoSuchPane, match="none") as raised:
            await client.request("refuse")
        assert raised.value.fix == "ls"
        with pytest.raises(PanegateError, match="RuntimeError") as broken:
            await client.request("break")
        assert "hunter2" not in str(broken.value)
        with pytest.raises(PanegateError, match="there is no method 'nothing'; there are: hello"):
            await client.request("nothing")
        assert stage.dispatcher.n_failures == {"no_such_pane": 1, "internal": 1, "bad_params": 1}


async def test_what_is_no_request_gets_an_answer_and_the_connection_goes_on() -> None:
    async with staged() as stage, stage.raw() as raw:
        for line, code, number in (
            (b"nonsense", "bad_message", None),
            (b'{"v": 2, "id": 4, "method": "echo"}', "unsupported_version", 4),
            (b"x" * (MAX_REQUEST_BYTES + 1), "line_too_long", None),
        ):
            await raw.send(line)
            answer = await raw.next()
            assert (answer["error"]["code"], answer["id"]) == (code, number)
        await raw.send(b'{"v": 1, "id": 5, "method": "echo", "params": {"a": 1}}')
        assert await raw.next() == {"v": 1, "id": 5, "result": {"a": 1}}


async def test_an_id_that_is_in_use_is_refused() -> None:
    async with staged() as stage, stage.raw() as raw:
        await raw.send(b'{"v": 1, "id": 5, "method": "block"}')
        await raw.send(b'{"v": 1, "id": 5, "method": "echo"}')
        assert (await raw.next())["error"]["code"] == "bad_message"
        stage.dispatcher.go_on.set()
        assert (await raw.next())["result"] == "done"


async def test_too_many_requests_at_once_are_refused_by_name() -> None:
    async with staged() as stage, stage.raw() as raw:
        for number in range(70):
            await raw.send(b'{"v": 1, "id": %d, "method": "block"}' % number)
        codes = {(await raw.next())["error"]["code"] for _ in range(6)}
        assert codes == {"too_many_requests"}
        stage.dispatcher.go_on.set()
        assert [(await raw.next())["result"] for _ in range(64)] == ["done"] * 64


async def test_who_asks_is_what_the_client_said_once() -> None:
    async with staged() as stage, stage.client() as client:
        await client.request("echo")
        with contextlib.suppress(PanegateError):
            await client.request("hello", person=True, own_pane="%3")
        await client.request("echo")
        first, *_, last = stage.dispatcher.callers
        assert first == Caller()
        assert last == Caller(person=True, own_pane=PaneId("%3"))


async def test_a_client_that_is_cancelled_gives_its_request_up() -> None:
    async with staged() as stage, stage.client() as client:
        waiting = asyncio.create_task(client.request("block"))
        await stage.dispatcher.begun.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert stage.dispatcher.given_up.is_set()
        assert await client.request("echo") == {}


async def test_a_request_can_be_given_up_on_the_very_next_line() -> None:
    async with staged() as stage, stage.raw() as raw:
        await raw.send(
            b'{"v": 1, "id": 1, "method": "block"}\n'
            b'{"v": 1, "id": 2, "method": "cancel", "params": {"id": 1}}'
        )
        answers = {answer["id"]: answer for answer in [await raw.next(), await raw.next()]}
        assert answers[1]["error"]["code"] == "cancelled"
        assert answers[2]["result"] == {"cancelled": True}


async def test_a_client_that_goes_away_gives_its_requests_up() -> None:
    async with staged() as stage:
        async with stage.raw() as raw:
            await raw.send(b'{"v": 1, "id": 1, "method": "block"}')
            await stage.dispatcher.begun.wait()
        async with asyncio.timeout(WITHIN_S):
            await stage.dispatcher.given_up.wait()


async def test_a_service_that_ends_tells_who_waits() -> None:
    async with staged() as stage, stage.client() as client:
        waiting = asyncio.create_task(client.request("block"))
        await stage.dispatcher.begun.wait()
        stage.server.stop()
        with pytest.raises(TransportBroken, match="the service ends"):
            await waiting


async def test_a_service_that_is_gone_leaves_nobody_waiting() -> None:
    async with staged() as stage, stage.client() as client:
        await client.request("echo")
        stage.server.stop()
        with pytest.raises(TransportBroken):
            while True:
                await client.request("echo")


async def test_events_come_in_order_with_their_numbers() -> None:
    async with staged() as stage, stage.client() as client:
        notes: list[Note] = []
        arrived = asyncio.Event()

        def take(note: Note) -> None:
            notes.append(note)
            if len(notes) == 50:
                arrived.set()

        client.on_note = take
        await client.request("events")
        stage.emit(50)
        await arrived.wait()
        assert [note.event["seq"] for note in notes] == list(range(1, 51))


async def test_a_reader_that_comes_back_gets_what_it_missed() -> None:
    async with staged() as stage, stage.raw() as raw:
        stage.emit(10)
        await raw.send(b'{"v": 1, "id": 1, "method": "events", "params": {"since": 7}}')
        assert (await raw.next())["result"]["seq"] == 10
        assert [(await raw.next())["event"]["seq"] for _ in range(3)] == [8, 9, 10]


async def test_a_slow_reader_is_told_how_many_events_it_lost_and_slows_nobody() -> None:
    async with staged() as stage, stage.raw() as slow, stage.client() as quick:
        await slow.send(b'{"v": 1, "id": 1, "method": "events", "params": {"maxsize": 100}}')
        assert "result" in await slow.next()
        slow.writer.transport.pause_reading()  # type: ignore[attr-defined]
        for _ in range(200):
            stage.emit(100)
            await quick.request("echo")
        (subscription,) = (s for c in stage.server._clients for s in c._subscriptions.values())
        assert len(subscription.stream._waiting) <= 100
        slow.writer.transport.resume_reading()  # type: ignore[attr-defined]
        seen = lost = last = 0
        while last < 20_000:
            event = (await slow.next())["event"]
            if event["event"] == "Dropped":
                lost += event["count"]
            else:
                assert event["seq"] > last
                last, seen = event["seq"], seen + 1
        assert lost > 10_000
        assert seen + lost == 20_000


async def test_a_client_that_reads_no_answers_is_not_read_either() -> None:
    async with staged() as stage, stage.raw() as raw:
        raw.writer.transport.pause_reading()  # type: ignore[attr-defined]
        lines = b"".join(b'{"v": 1, "id": %d, "method": "big"}\n' % number for number in range(500))
        raw.writer.write(lines)
        async with stage.client() as quick:
            for _ in range(200):
                await quick.request("echo")
        n_big = stage.dispatcher.n_calls - 200
        assert n_big < 80  # some MB at the most; the rest is not even begun
        raw.writer.transport.resume_reading()  # type: ignore[attr-defined]
        answers = [await raw.next() for _ in range(500)]
        assert {len(answer["result"]) for answer in answers} == {200_000}


async def test_a_subscription_can_be_ended() -> None:
    async with staged() as stage, stage.raw() as raw:
        await raw.send(b'{"v": 1, "id": 1, "method": "events"}')
        await raw.next()
        await raw.send(b'{"v": 1, "id": 2, "method": "unsubscribe", "params": {"sub": 1}}')
        assert (await raw.next())["result"] == {"ended": True}
        assert stage.bus.taps == []
        stage.bus.emit(ServerBack(at_s=1.0))
        await raw.send(b'{"v": 1, "id": 3, "method": "echo"}')
        assert (await raw.next())["id"] == 3


async def test_a_client_that_goes_away_leaves_no_subscription() -> None:
    async with staged() as stage:
        async with stage.raw() as raw:
            await raw.send(b'{"v": 1, "id": 1, "method": "events"}')
            await raw.next()
            assert len(stage.bus.taps) == 1
        async with asyncio.timeout(WITHIN_S):
            while stage.server._clients:  # noqa: ASYNC110 (its task ends by itself)
                await asyncio.sleep(0)
        assert stage.bus.taps == []


@pytest.mark.parametrize(
    "params", [{"maxsize": 0}, {"maxsize": 10**9}, {"every": True, "pane": "%1"}, {"x": 1}]
)
async def test_a_subscription_that_cannot_be_is_refused(params: dict[str, object]) -> None:
    async with staged() as stage, stage.client() as client:
        with pytest.raises(PanegateError):
            await client.request("events", **params)
        assert stage.bus.taps == []

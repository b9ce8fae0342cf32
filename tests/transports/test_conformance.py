import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import pytest

from panegate_transports.base import ByteTransport, Chunk
from panegate_transports.conformance import (
    CHECKS,
    ECHO_PROGRAM,
    Check,
    check_transport,
    echo,
)
from panegate_transports.memory import memory_pair
from panegate_transports.process import ProcessTransport
from panegate_transports.ssh import open_ssh
from panegate_transports.tee import TeeTransport

Make = Callable[[Mapping[str, str]], AbstractAsyncContextManager[ByteTransport]]

each_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.strip("_"))


@contextlib.asynccontextmanager
async def closing(transport: ByteTransport) -> AsyncIterator[ByteTransport]:
    try:
        yield transport
    finally:
        await transport.aclose()


@contextlib.asynccontextmanager
async def process(_env: Mapping[str, str]) -> AsyncIterator[ByteTransport]:
    async with closing(await ProcessTransport.open(ECHO_PROGRAM)) as transport:
        yield transport


@contextlib.asynccontextmanager
async def ssh(env: Mapping[str, str]) -> AsyncIterator[ByteTransport]:
    async with closing(await open_ssh("host", ECHO_PROGRAM, env=env)) as transport:
        yield transport


@contextlib.asynccontextmanager
async def memory(_env: Mapping[str, str]) -> AsyncIterator[ByteTransport]:
    near, far = memory_pair(asyncio.get_running_loop().time)
    peer = asyncio.ensure_future(echo(far))
    async with closing(near):
        yield near
    await peer


@contextlib.asynccontextmanager
async def tee(env: Mapping[str, str]) -> AsyncIterator[ByteTransport]:
    async with memory(env) as inner:
        yield TeeTransport(inner, lambda _direction, _chunk: None)


@contextlib.asynccontextmanager
async def tee_of_process(env: Mapping[str, str]) -> AsyncIterator[ByteTransport]:
    async with process(env) as inner:
        yield TeeTransport(inner, lambda _direction, _chunk: None)


@each_check
@pytest.mark.parametrize("make", [process, ssh, memory, tee, tee_of_process])
@pytest.mark.asyncio
async def test_transport_keeps_its_contract(
    make: Make, check: Check, fake_ssh_env: Mapping[str, str]
) -> None:
    async with make(fake_ssh_env) as transport:
        assert isinstance(transport, ByteTransport)
        await check(transport)


@pytest.mark.asyncio(loop_factories=["virtual"])
async def test_memory_keeps_its_contract_in_virtual_time() -> None:
    await check_transport(lambda: memory({}))


class Faulty(TeeTransport):
    """Passes everything on; each subclass breaks one promise."""

    def __init__(self, inner: ByteTransport) -> None:
        super().__init__(inner, lambda _direction, _chunk: None)


class Reorders(Faulty):
    held = b""

    async def send(self, data: bytes) -> None:
        self.held, data = data, self.held
        await super().send(data)

    async def send_eof(self) -> None:
        await super().send(self.held)
        await super().send_eof()


class LosesOnCancel(Faulty):
    async def receive(self) -> Chunk:
        chunk = await super().receive()
        await asyncio.sleep(0)
        return chunk


class RepeatsItsStamp(Faulty):
    n = 0

    async def receive(self) -> Chunk:
        chunk = await super().receive()
        self.n += 1
        return Chunk(chunk.data, chunk.at_s - self.n)


class ReturnsEmptyAtTheEnd(Faulty):
    async def receive(self) -> Chunk:
        try:
            return await super().receive()
        except anyio.EndOfStream:
            return Chunk(b"", 0.0)


class LetsReceiversQueue(Faulty):
    def __init__(self, inner: ByteTransport) -> None:
        super().__init__(inner)
        self.lock = asyncio.Lock()

    async def receive(self) -> Chunk:
        async with self.lock:
            return await super().receive()


class ClosesTwice(Faulty):
    n = 0

    async def aclose(self) -> None:
        self.n += 1
        assert self.n == 1, "closed twice"
        await super().aclose()


class SendsAfterEof(Faulty):
    async def send_eof(self) -> None:
        pass


class Drops(Faulty):
    async def send(self, data: bytes) -> None:
        await super().send(data[: 1 << 20])


class SaysBrokenForClosed(Faulty):
    async def receive(self) -> Chunk:
        try:
            return await super().receive()
        except anyio.ClosedResourceError:
            raise anyio.BrokenResourceError from None


class WaitsInNowait(Faulty):
    def receive_nowait(self) -> Chunk:
        try:
            return super().receive_nowait()
        except anyio.WouldBlock:
            return Chunk(b"?", 0.0)


@pytest.mark.parametrize(
    ("faulty", "caught_by"),
    [
        (Reorders, "keeps_order_at_any_boundary"),
        (WaitsInNowait, "receives_what_has_arrived_without_waiting"),
        (SendsAfterEof, "half_closes"),
        (ReturnsEmptyAtTheEnd, "end_of_stream_stays"),
        (SaysBrokenForClosed, "closed_is_said"),
        (SaysBrokenForClosed, "closing_wakes_the_receiver"),
        (ClosesTwice, "closes_once"),
        (LetsReceiversQueue, "two_receivers_collide"),
        (Drops, "carries_big_data_both_ways"),
        (LosesOnCancel, "cancelled_receive_loses_nothing"),
        (RepeatsItsStamp, "stamps_do_not_go_back"),
    ],
)
@pytest.mark.asyncio(loop_factories=["virtual"])
async def test_check_catches_a_faulty_transport(faulty: Any, caught_by: str) -> None:
    (check,) = [check for check in CHECKS if check.__name__ == f"_{caught_by}"]
    with pytest.raises((AssertionError, TimeoutError)):
        async with asyncio.timeout(5), memory({}) as inner:
            await check(faulty(inner))


def test_every_check_has_a_faulty_transport() -> None:
    (marks,) = [
        mark
        for mark in test_check_catches_a_faulty_transport.pytestmark
        if mark.name == "parametrize"
    ]
    caught = {f"_{caught_by}" for _faulty, caught_by in marks.args[1]}
    assert caught == {check.__name__ for check in CHECKS}

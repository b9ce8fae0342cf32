"""What every transport must do, as checks that run on any of them.

A check gets a function that opens a transport to an *echo peer*: it sends back
every byte that it gets, in order; when its input ends it sends `FAREWELL` and
closes. `echo` is that peer for a transport with two ends in this process, and
`ECHO_PROGRAM` for one that starts programs.
"""

import asyncio
import contextlib
import random
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Final, TypeAlias

import anyio

from panegate_transports.base import ByteTransport

__all__ = [
    "CHECKS",
    "ECHO_PROGRAM",
    "FAREWELL",
    "Check",
    "MakePair",
    "check_transport",
    "echo",
]

MakePair: TypeAlias = Callable[[], AbstractAsyncContextManager[ByteTransport]]
"""Opens one transport to a fresh echo peer, and on exit closes both."""
Check: TypeAlias = Callable[[ByteTransport], Awaitable[None]]

FAREWELL: Final = b"\n<the end>\n"
ECHO_PROGRAM: Final = (
    sys.executable,
    "-I",
    "-S",
    "-c",
    "import os\n"
    "def put(data):\n"
    "    while data: data = data[os.write(1, data):]\n"
    "while data := os.read(0, 65536): put(data)\n"
    f"put({FAREWELL!r})\n",
)

_BIG_BYTES: Final = 4 << 20
_CHECK_WITHIN_S: Final = 30.0


async def check_transport(make_pair: MakePair) -> None:
    """Run every check of `CHECKS`, each on a transport of its own.

    Raises:
        AssertionError: The transport breaks its contract; the words say where.

    """
    for check in CHECKS:
        async with asyncio.timeout(_CHECK_WITHIN_S), make_pair() as transport:
            await check(transport)


async def echo(peer: ByteTransport) -> None:
    """Be the echo peer at *peer*, until its input ends or the other end closes."""
    with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        with contextlib.suppress(anyio.EndOfStream):
            while True:
                await peer.send((await peer.receive()).data)
        await peer.send(FAREWELL)
    await peer.aclose()


async def _keeps_order_at_any_boundary(transport: ByteTransport) -> None:
    parts = [b"", b"a", b"line\n", b"\0\xff\r\n", b"x" * 4096, b"y" * 65_537, b"end"]
    reading = asyncio.ensure_future(_receive_exactly(transport, sum(map(len, parts))))
    for number, part in enumerate(parts):
        if number % 2:
            await transport.send(part)
        else:
            await _send_nowait_or_wait(transport, part)
    _require(await reading == b"".join(parts), "bytes were lost, added or reordered")


async def _receives_what_has_arrived_without_waiting(transport: ByteTransport) -> None:
    await _expect(anyio.WouldBlock, transport.receive_nowait)
    await transport.send(b"now")
    got = await _receive_exactly(transport, 3)
    await _expect(anyio.WouldBlock, transport.receive_nowait)
    _require(got == b"now", "what was received is not what was sent")


async def _half_closes(transport: ByteTransport) -> None:
    await transport.send(b"last")
    await transport.send_eof()
    await transport.send_eof()
    await _expect(anyio.ClosedResourceError, lambda: transport.send_nowait(b"more"))
    await _expect_async(anyio.ClosedResourceError, lambda: transport.send(b"more"))
    got = await _receive_to_end(transport)
    _require(got == b"last" + FAREWELL, "what follows send_eof was not received")


async def _end_of_stream_stays(transport: ByteTransport) -> None:
    await transport.send_eof()
    await _receive_to_end(transport)
    for _ in range(2):
        await _expect_async(anyio.EndOfStream, transport.receive)
        await _expect(anyio.EndOfStream, transport.receive_nowait)


async def _closed_is_said(transport: ByteTransport) -> None:
    await transport.send(b"unread")
    await transport.aclose()
    await _expect_async(anyio.ClosedResourceError, transport.receive)
    await _expect(anyio.ClosedResourceError, transport.receive_nowait)
    await _expect_async(anyio.ClosedResourceError, lambda: transport.send(b"x"))
    await _expect(anyio.ClosedResourceError, lambda: transport.send_nowait(b"x"))
    await transport.send_eof()


async def _closing_wakes_the_receiver(transport: ByteTransport) -> None:
    waiting = asyncio.ensure_future(transport.receive())
    await asyncio.sleep(0)
    await transport.aclose()
    await _expect_async(anyio.ClosedResourceError, lambda: waiting)


async def _closes_once(transport: ByteTransport) -> None:
    await asyncio.gather(transport.aclose(), transport.aclose())
    await transport.aclose()


async def _two_receivers_collide(transport: ByteTransport) -> None:
    first = asyncio.ensure_future(transport.receive())
    await asyncio.sleep(0)
    await _expect_async(anyio.BusyResourceError, transport.receive)
    await transport.send(b"z")
    _require((await first).data == b"z", "the first receiver was disturbed")


async def _carries_big_data_both_ways(transport: ByteTransport) -> None:
    data = random.Random(1).randbytes(_BIG_BYTES)
    reading = asyncio.ensure_future(_receive_to_end(transport))
    await transport.send(data)
    await transport.send_eof()
    _require(await reading == data + FAREWELL, "big data was damaged")


async def _cancelled_receive_loses_nothing(transport: ByteTransport) -> None:
    sent = got = b""
    for number in range(200):
        waiting = asyncio.ensure_future(transport.receive())
        message = b"%d;" % number
        await transport.send(message)
        sent += message
        # Cancelled at every stage, from not begun to done.
        for _ in range(number % 10):
            await asyncio.sleep(0)
        waiting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            got += (await waiting).data
    got += await _receive_exactly(transport, len(sent) - len(got))
    _require(got == sent, "a cancelled receive took bytes with it")


async def _stamps_do_not_go_back(transport: ByteTransport) -> None:
    last_s = float("-inf")
    for _ in range(50):
        await transport.send(b"tick")
        left = 4
        while left:
            chunk = await transport.receive()
            _require(bool(chunk.data), "an empty chunk")
            _require(chunk.at_s >= last_s, "a stamp lies before an earlier one")
            last_s = chunk.at_s
            left -= len(chunk.data)


CHECKS: Final[tuple[Check, ...]] = (
    _keeps_order_at_any_boundary,
    _receives_what_has_arrived_without_waiting,
    _half_closes,
    _end_of_stream_stays,
    _closed_is_said,
    _closing_wakes_the_receiver,
    _closes_once,
    _two_receivers_collide,
    _carries_big_data_both_ways,
    _cancelled_receive_loses_nothing,
    _stamps_do_not_go_back,
)


async def _send_nowait_or_wait(transport: ByteTransport, data: bytes) -> None:
    try:
        transport.send_nowait(data)
    except anyio.WouldBlock:
        await transport.send(data)


async def _receive_exactly(transport: ByteTransport, n_bytes: int) -> bytes:
    got = bytearray()
    while len(got) < n_bytes:
        got += await _receive_some(transport)
    return bytes(got)


async def _receive_to_end(transport: ByteTransport) -> bytes:
    got = bytearray()
    with contextlib.suppress(anyio.EndOfStream):
        while True:
            got += await _receive_some(transport)
    return bytes(got)


async def _receive_some(transport: ByteTransport) -> bytes:
    chunk = await transport.receive()
    _require(bool(chunk.data), "an empty chunk")
    return chunk.data


async def _expect(error: type[Exception], call: Callable[[], object]) -> None:
    async def run() -> object:
        return call()

    await _expect_async(error, run)


async def _expect_async(error: type[Exception], call: Callable[[], Awaitable[object]]) -> None:
    try:
        result = await call()
    except error:
        return
    except Exception as exc:
        raise AssertionError(f"{exc!r} instead of {error.__name__}") from exc
    raise AssertionError(f"{result!r} instead of {error.__name__}")


def _require(holds: bool, words: str) -> None:
    if not holds:
        raise AssertionError(words)

import asyncio

import anyio
import pytest

from panegate_transports.base import Chunk
from panegate_transports.memory import MemoryTransport, memory_pair
from panegate_transports.recording import Direction
from panegate_transports.tee import TeeTransport

pytestmark = pytest.mark.asyncio(loop_factories=["virtual"])

IN, OUT = Direction.IN, Direction.OUT


class Recorder:
    def __init__(self, fail_at: int = -1) -> None:
        self.seen: list[tuple[Direction, bytes, float]] = []
        self.fail_at = fail_at

    def __call__(self, direction: Direction, chunk: Chunk) -> None:
        if len(self.seen) == self.fail_at:
            raise OSError("disk full")
        self.seen.append((direction, chunk.data, chunk.at_s))


def teed(recorder: Recorder) -> tuple[TeeTransport, MemoryTransport]:
    near, far = memory_pair(lambda: 1.0)
    return TeeTransport(near, recorder, clock=lambda: 2.0), far


async def test_both_directions_are_recorded_with_their_stamps() -> None:
    recorder = Recorder()
    tee, far = teed(recorder)
    await tee.send(b"a")
    tee.send_nowait(b"b")
    far.send_nowait(b"c")
    far.send_nowait(b"d")
    assert await tee.receive() == Chunk(b"c", 1.0)
    assert tee.receive_nowait() == Chunk(b"d", 1.0)
    assert recorder.seen == [(OUT, b"a", 2.0), (OUT, b"b", 2.0), (IN, b"c", 1.0), (IN, b"d", 1.0)]


async def test_what_is_sent_is_recorded_before_its_answer() -> None:
    recorder = Recorder()
    tee, far = teed(recorder)

    async def answer() -> None:
        await far.receive()
        await far.send(b"answer")

    answering = asyncio.ensure_future(answer())
    receiving = asyncio.ensure_future(tee.receive())
    await tee.send(b"question")
    await receiving
    await answering
    assert [data for _, data, _ in recorder.seen] == [b"question", b"answer"]


async def test_what_was_certainly_not_sent_is_not_recorded() -> None:
    recorder = Recorder()
    near, _far = memory_pair()
    tee = TeeTransport(near, recorder)
    near.stalled = True
    with pytest.raises(anyio.WouldBlock):
        tee.send_nowait(b"blocked")
    await tee.send_eof()
    with pytest.raises(anyio.ClosedResourceError):
        await tee.send(b"late")
    assert recorder.seen == []


async def test_send_after_closing_is_not_recorded() -> None:
    recorder = Recorder()
    tee, _far = teed(recorder)
    await tee.aclose()
    with pytest.raises(anyio.ClosedResourceError):
        await tee.send(b"late")
    assert recorder.seen == []


async def test_failing_recorder_is_reported_once_and_harms_nothing() -> None:
    errors: list[Exception] = []
    recorder = Recorder(fail_at=1)
    near, far = memory_pair()
    tee = TeeTransport(near, recorder, on_error=errors.append)
    for word in (b"a", b"b", b"c"):
        await tee.send(word)
        assert (await far.receive()).data == word
        far.send_nowait(word)
        assert (await tee.receive()).data == word
    assert [str(error) for error in errors] == ["disk full"]
    assert tee.failure is errors[0]
    assert len(recorder.seen) == 1


async def test_failing_error_report_harms_nothing_either() -> None:
    def on_error(_error: Exception) -> None:
        raise ZeroDivisionError

    near, far = memory_pair()
    tee = TeeTransport(near, Recorder(fail_at=0), on_error=on_error)
    await tee.send(b"a")
    assert (await far.receive()).data == b"a"

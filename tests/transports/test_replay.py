import asyncio
from collections.abc import Iterator

import anyio
import pytest

from panegate_transports.base import ByteTransport, Chunk
from panegate_transports.recording import BytesRecord, Direction, FactRecord, Record
from panegate_transports.replay import ReplayDifference, ReplayDiffers, ReplayTransport

pytestmark = pytest.mark.asyncio(loop_factories=["virtual"])


def record(direction: str, data: bytes, at_s: float = 0.0, client: str = "main") -> BytesRecord:
    return BytesRecord(direction=Direction(direction), at_s=at_s, client=client, data=data)


RECORDS: list[Record] = [
    record("in", b"hello", 1.0),
    FactRecord(at_s=1.1, name="exit", detail=None),
    record("out", b"list-", 1.2),
    record("in", b"foreign", 1.3, "other"),
    record("out", b"panes\n", 1.4),
    record("in", b"", 1.5),
    record("in", b"%0", 2.0),
    record("out", b"detach\n", 3.0),
]


async def test_recorded_chunks_come_with_their_stamps_and_then_the_end() -> None:
    replay = ReplayTransport(RECORDS, "main")
    assert isinstance(replay, ByteTransport)
    assert await replay.receive() == Chunk(b"hello", 1.0)
    assert replay.receive_nowait() == Chunk(b"%0", 2.0)
    for _ in range(2):
        with pytest.raises(anyio.EndOfStream):
            await replay.receive()


@pytest.mark.parametrize("cuts", [(24,), (3, 11, 12, 24)])
async def test_same_bytes_at_any_boundary_do_not_differ(cuts: tuple[int, ...]) -> None:
    replay = ReplayTransport(RECORDS, "main", strict=True)
    sent, start = b"list-panes\ndetach\n", 0
    for cut in cuts:
        await replay.send(sent[start:cut])
        start = cut
    assert replay.sent_bytes == len(sent)
    assert replay.rest() == b""
    assert await replay.receive() == Chunk(b"hello", 1.0)


async def test_strict_replay_raises_at_the_first_difference() -> None:
    replay = ReplayTransport(RECORDS, "main", strict=True)
    await replay.send(b"list-")
    with pytest.raises(ReplayDiffers, match="byte 9: sent b'z', recorded b's'") as caught:
        await replay.send(b"panez")
    assert caught.value.difference == ReplayDifference(offset=9, recorded=b"s", sent=b"z")


async def test_sending_more_than_was_recorded_differs() -> None:
    replay = ReplayTransport(RECORDS, "main", strict=True)
    with pytest.raises(ReplayDiffers) as caught:
        replay.send_nowait(b"list-panes\ndetach\nmore")
    assert caught.value.difference == ReplayDifference(offset=18, recorded=b"", sent=b"more")


async def test_lenient_replay_collects_the_differences() -> None:
    replay = ReplayTransport(RECORDS, "main")
    await replay.send(b"list-Panes\n")
    await replay.send(b"detach\n")
    await replay.send(b"x")
    assert replay.differences == (
        ReplayDifference(offset=5, recorded=b"panes\n", sent=b"Panes\n"),
        ReplayDifference(offset=18, recorded=b"", sent=b"x"),
    )


async def test_rest_is_what_was_not_sent() -> None:
    replay = ReplayTransport(RECORDS, "main")
    await replay.send(b"list-panes\n")
    assert replay.rest() == b"detach\n"


async def test_records_are_read_as_they_are_needed() -> None:
    n_read = 0

    def records() -> Iterator[Record]:
        nonlocal n_read
        for each in RECORDS:
            n_read += 1
            yield each

    replay = ReplayTransport(records(), "main")
    await replay.receive()
    assert n_read == 1
    await replay.send(b"list-")
    assert n_read == 3


async def test_closed_and_busy_are_said() -> None:
    replay = ReplayTransport(RECORDS, "main")
    first = asyncio.ensure_future(replay.receive())
    await asyncio.sleep(0)
    with pytest.raises(anyio.BusyResourceError):
        await replay.receive()
    assert (await first).data == b"hello"
    await replay.send_eof()
    with pytest.raises(anyio.ClosedResourceError):
        await replay.send(b"x")
    assert replay.receive_nowait().data == b"%0"
    await replay.aclose()
    await replay.aclose()
    with pytest.raises(anyio.ClosedResourceError):
        await replay.receive()
    with pytest.raises(anyio.ClosedResourceError):
        replay.receive_nowait()

import asyncio

import anyio
import pytest

from panegate_transports.memory import memory_pair

pytestmark = pytest.mark.asyncio(loop_factories=["virtual"])


async def test_stamp_is_the_clocks_at_the_send() -> None:
    now_s = 5.0
    a, b = memory_pair(lambda: now_s)
    a.send_nowait(b"x")
    now_s = 9.0
    b.send_nowait(b"y")
    assert b.receive_nowait().at_s == 5.0
    assert (await a.receive()).at_s == 9.0


async def test_each_send_is_one_chunk() -> None:
    a, b = memory_pair()
    await a.send(b"one")
    a.send_nowait(b"")
    a.send_nowait(b"two")
    assert b.backlog_bytes == 6
    assert [b.receive_nowait().data, b.receive_nowait().data] == [b"one", b"two"]


async def test_stalled_end_sends_nothing_until_released() -> None:
    a, b = memory_pair()
    a.stalled = True
    with pytest.raises(anyio.WouldBlock):
        a.send_nowait(b"no")
    sending = asyncio.ensure_future(a.send(b"later"))
    await asyncio.sleep(1)
    assert not sending.done()
    with pytest.raises(anyio.BusyResourceError):
        await a.send(b"two at once")
    b.send_nowait(b"the other way is free")
    a.stalled = False
    with pytest.raises(anyio.WouldBlock):
        a.send_nowait(b"must not overtake")
    await sending
    assert b.receive_nowait().data == b"later"
    with pytest.raises(anyio.WouldBlock):
        b.receive_nowait()


async def test_send_cancelled_in_a_stall_sent_nothing() -> None:
    a, b = memory_pair()
    a.stalled = True
    with anyio.move_on_after(1):
        await a.send(b"never")
    a.stalled = False
    await a.send(b"next")
    assert b.receive_nowait().data == b"next"


async def test_cut_ends_the_stream_in_mid_data() -> None:
    a, b = memory_pair()
    a.cut(7)
    await a.send(b"first")
    with pytest.raises(anyio.BrokenResourceError):
        await a.send(b"second")
    with pytest.raises(anyio.BrokenResourceError):
        a.send_nowait(b"third")
    assert (await b.receive()).data == b"first"
    assert (await b.receive()).data == b"se"
    with pytest.raises(anyio.EndOfStream):
        await b.receive()
    b.send_nowait(b"the other way is whole")
    assert a.receive_nowait().data == b"the other way is whole"


@pytest.mark.parametrize("n_bytes", [0, 3])
async def test_cut_at_a_boundary_ends_the_stream_without_another_send(n_bytes: int) -> None:
    a, b = memory_pair()
    receiving = asyncio.ensure_future(b.receive())
    await asyncio.sleep(0)
    a.cut(n_bytes)
    if n_bytes:
        await a.send(b"abc")
        assert (await receiving).data == b"abc"
        receiving = asyncio.ensure_future(b.receive())
    with pytest.raises(anyio.EndOfStream):
        await receiving


async def test_break_fails_both_ends_after_what_had_arrived() -> None:
    a, b = memory_pair()
    a.send_nowait(b"arrived")
    a.stalled = True
    sending = asyncio.ensure_future(a.send(b"waiting"))
    receiving = asyncio.ensure_future(a.receive())
    await asyncio.sleep(1)  # until both wait
    cause = ConnectionResetError("pulled")
    b.break_(cause)
    for task in (sending, receiving):
        with pytest.raises(anyio.BrokenResourceError) as caught:
            await task
        assert caught.value.__cause__ is cause
    assert (await b.receive()).data == b"arrived"
    for end in (a, b):
        with pytest.raises(anyio.BrokenResourceError):
            await end.receive()
        with pytest.raises(anyio.BrokenResourceError):
            end.send_nowait(b"x")


async def test_closed_peer_ends_the_stream_and_breaks_sends() -> None:
    a, b = memory_pair()
    a.send_nowait(b"unread")
    await b.aclose()
    with pytest.raises(anyio.EndOfStream):
        await a.receive()
    with pytest.raises(anyio.BrokenResourceError):
        await a.send(b"x")


async def test_closing_wakes_a_stalled_sender_at_either_end() -> None:
    for closed in (0, 1):
        pair = memory_pair()
        pair[0].stalled = True
        sending = asyncio.ensure_future(pair[0].send(b"x"))
        await asyncio.sleep(1)  # until it waits
        await pair[closed].aclose()
        with pytest.raises((anyio.ClosedResourceError, anyio.BrokenResourceError)):
            await sending


async def test_endless_sender_leaves_the_loop_to_others() -> None:
    a, b = memory_pair()

    async def flood() -> None:
        while True:
            await a.send(b"x")

    flooding = asyncio.ensure_future(flood())
    for _ in range(10):
        await b.receive()
    flooding.cancel()
    assert b.backlog_bytes < 10

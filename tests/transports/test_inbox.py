import asyncio
from collections.abc import Callable

import anyio
import pytest

from panegate_transports.inbox import Inbox

pytestmark = pytest.mark.asyncio(loop_factories=["virtual"])


class Loop:
    """Keeps the wake-ups that another thread would have scheduled."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], None]] = []

    def call_soon(self, callback: Callable[[], None]) -> None:
        self.calls.append(callback)


async def test_chunks_that_arrive_together_cost_one_wake_up() -> None:
    loop = Loop()
    inbox = Inbox(loop.call_soon)
    waiting = asyncio.ensure_future(inbox.get())
    await asyncio.sleep(0)
    for n in range(100):
        inbox.put(b"%d" % n, float(n))
    assert len(loop.calls) == 1
    loop.calls.pop()()
    assert (await waiting).data == b"0"
    for n in range(1, 100):
        assert inbox.get_nowait().at_s == float(n)


async def test_nobody_waiting_costs_no_wake_up() -> None:
    loop = Loop()
    inbox = Inbox(loop.call_soon)
    inbox.put(b"a", 0.0)
    inbox.end()
    assert loop.calls == []
    assert (await inbox.get()).data == b"a"
    with pytest.raises(anyio.EndOfStream):
        await inbox.get()


async def test_wake_up_is_scheduled_again_after_a_cancelled_wait() -> None:
    loop = Loop()
    inbox = Inbox(loop.call_soon)
    first = asyncio.ensure_future(inbox.get())
    await asyncio.sleep(0)
    inbox.put(b"a", 0.0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    loop.calls.pop()()
    assert (await inbox.get()).data == b"a"
    second = asyncio.ensure_future(inbox.get())
    await asyncio.sleep(0)
    inbox.put(b"b", 0.0)
    loop.calls.pop()()
    assert (await second).data == b"b"


async def test_chunk_taken_by_another_task_does_not_confuse_the_waiter() -> None:
    inbox = Inbox(lambda callback: callback())
    waiting = asyncio.ensure_future(inbox.get())
    await asyncio.sleep(0)
    inbox.put(b"a", 0.0)
    assert inbox.get_nowait().data == b"a"
    await asyncio.sleep(0)
    assert not waiting.done()
    inbox.put(b"b", 0.0)
    assert (await waiting).data == b"b"


async def test_backlog_counts_bytes_not_taken() -> None:
    inbox = Inbox(Loop().call_soon)
    inbox.put(b"abc", 0.0)
    inbox.put(b"de", 0.0)
    assert inbox.backlog_bytes == 5
    inbox.get_nowait()
    assert inbox.backlog_bytes == 2
    inbox.close()
    assert inbox.backlog_bytes == 0


async def test_failure_comes_after_what_had_arrived() -> None:
    inbox = Inbox(Loop().call_soon)
    inbox.put(b"a", 0.0)
    cause = OSError("gone")
    inbox.end(cause)
    assert (await inbox.get()).data == b"a"
    for _ in range(2):
        with pytest.raises(anyio.BrokenResourceError) as caught:
            await inbox.get()
        assert caught.value.__cause__ is cause


async def test_flood_leaves_the_loop_to_other_tasks() -> None:
    inbox = Inbox(Loop().call_soon)
    for _ in range(10):
        inbox.put(b"x", 0.0)
    ran = 0

    async def other() -> None:
        nonlocal ran
        while True:
            ran += 1
            await asyncio.sleep(0)

    task = asyncio.ensure_future(other())
    for _ in range(10):
        await inbox.get()
    task.cancel()
    assert ran >= 9


async def test_closed_loop_turns_the_inbox_into_a_drain() -> None:
    def closed(_callback: Callable[[], None]) -> None:
        raise RuntimeError("Event loop is closed")

    inbox = Inbox(closed)
    waiting = asyncio.ensure_future(inbox.get())
    await asyncio.sleep(0)
    for _ in range(3):
        inbox.put(b"x", 0.0)
    inbox.end()
    with pytest.raises(anyio.ClosedResourceError):
        inbox.get_nowait()
    waiting.cancel()


async def test_closing_wakes_the_receiver_without_help_from_the_filler() -> None:
    inbox = Inbox(Loop().call_soon)
    waiting = asyncio.ensure_future(inbox.get())
    await asyncio.sleep(0)
    inbox.close()
    with pytest.raises(anyio.ClosedResourceError):
        await waiting

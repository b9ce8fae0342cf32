"""Events are ordered and numbered; a slow reader is told what it missed."""

import anyio
import pytest

from panegate.service.bus import EventBus
from panegate.session.events import Dropped, Event, ServerBack

pytestmark = pytest.mark.asyncio(loop_factories=["virtual"])


def back(at_s: float) -> ServerBack:
    return ServerBack(at_s=at_s)


async def test_every_reader_sees_every_event_in_order():
    bus = EventBus()
    one, two = bus.stream(10), bus.stream(10)
    for n in range(3):
        bus.emit(back(float(n)))
    for stream in (one, two):
        stream.close()
        assert [event.seq async for event in stream] == [1, 2, 3]


async def test_registered_when_made_not_when_first_read():
    bus = EventBus()
    stream = bus.stream(10)
    bus.emit(back(1.0))
    assert (await anext(stream)).seq == 1


async def test_a_slow_reader_loses_the_oldest_and_is_told_how_many():
    bus = EventBus()
    stream = bus.stream(2)
    for n in range(5):
        bus.emit(back(float(n)))
    first = await anext(stream)
    assert isinstance(first, Dropped)
    assert first.count == 3
    assert [(await anext(stream)).seq for _ in range(2)] == [4, 5]


async def test_one_slow_reader_does_not_cost_the_others():
    bus = EventBus()
    bus.stream(1)
    quick = bus.stream(10)
    for n in range(5):
        bus.emit(back(float(n)))
    quick.close()
    assert [event.seq async for event in quick] == [1, 2, 3, 4, 5]


async def test_a_waiting_reader_is_woken_and_ends_with_the_bus():
    bus = EventBus()
    stream = bus.stream(10)
    seen: list[int] = []

    async def read() -> None:
        seen.extend([event.seq async for event in stream])

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        await anyio.lowlevel.checkpoint()
        bus.emit(back(1.0))
        await anyio.lowlevel.checkpoint()
        bus.close()
    assert seen == [1]


async def test_a_tap_sees_the_number():
    bus = EventBus()
    numbers: list[int] = []
    bus.taps.append(lambda event: numbers.append(event.seq))
    bus.emit(back(1.0))
    assert numbers == [1]


async def test_replayed_events_come_first():
    bus = EventBus()
    old = ServerBack(seq=7, at_s=0.0)
    stream = bus.stream(10, first=[old])
    bus.emit(back(1.0))
    assert (await anext(stream)) is old


async def test_what_is_older_than_memory_is_read_back_page_by_page():
    bus = EventBus()
    bus.last_seq = 6
    bus.emit(back(7.0))
    kept = [ServerBack(seq=n, at_s=0.0) for n in range(1, 8)]
    asked: list[int] = []

    async def page(since: int) -> list[Event]:
        asked.append(since)
        return [event for event in kept if event.seq > since][:2]

    stream = bus.stream(2, first=list(bus.recent), since=2, read_back=page)
    for n in range(8, 10):
        bus.emit(back(float(n)))
    stream.close()
    assert stream.take_nowait() is None  # what is older comes first
    assert [event.seq async for event in stream] == [3, 4, 5, 6, 7, 8, 9]
    assert asked == [2, 4, 6]


async def test_what_is_all_in_memory_is_not_read_back():
    bus = EventBus()
    for n in range(3):
        bus.emit(back(float(n)))

    async def page(since: int) -> list[Event]:
        raise AssertionError(since)

    stream = bus.stream(1, first=list(bus.recent)[1:], since=1, read_back=page)
    stream.close()
    assert [event.seq async for event in stream] == [2, 3]


async def test_kept_events_that_are_all_gone_end_the_reading_back():
    bus = EventBus()
    bus.last_seq = 100

    async def page(_since: int) -> list[Event]:
        return []

    stream = bus.stream(5, since=3, read_back=page)
    bus.emit(back(1.0))
    stream.close()
    assert [event.seq async for event in stream] == [101]

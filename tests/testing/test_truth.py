"""The truth log: complete, in order, and awaited without polling."""

import asyncio
import json
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from panegate.testing.programs._truth import TruthWriter, process_start
from panegate.testing.truth import TruthLog


@pytest.fixture
def log(tmp_path: Path) -> TruthLog:
    return TruthLog(tmp_path / "a folder é" / "truth.jsonl")


@pytest.fixture
def writer(log: TruthLog) -> TruthWriter:
    log.path.parent.mkdir()
    return TruthWriter(str(log.path))


def test_a_log_that_does_not_exist_yet_is_empty(tmp_path: Path) -> None:
    """The reader may come before the program."""
    log = TruthLog(tmp_path / "none.jsonl")
    assert log.events() == []
    assert log.submits() == []
    assert log.received_bytes() == b""


def test_events_come_back_in_order_with_monotonic_times(log: TruthLog, writer: TruthWriter) -> None:
    """Times are those of the test's own clock, so they can be compared."""
    before_s = time.monotonic()
    writer.log("first", n=1)
    writer.log("second", text="é\n漢")
    first, second = log.events()
    assert (first["event"], first["n"]) == ("first", 1)
    assert second["text"] == "é\n漢"
    assert before_s <= first["at"] <= second["at"] <= time.monotonic()
    assert log.events("second") == [second]


def test_received_bytes_are_those_of_all_reads(log: TruthLog, writer: TruthWriter) -> None:
    """Every byte value survives the log."""
    every = bytes(range(256))
    writer.log_bytes(every[:100])
    writer.log("submit", text="x")
    writer.log_bytes(every[100:])
    assert log.received_bytes() == every
    assert log.submits() == ["x"]


def test_half_a_line_is_not_an_event_yet(log: TruthLog, writer: TruthWriter) -> None:
    """A reader may look in the middle of an append on some file systems."""
    writer.log("whole")
    with log.path.open("ab") as file:
        file.write(b'{"at": 1.0, "event": "ha')
    assert [event["event"] for event in log.events()] == ["whole"]


def test_each_event_is_one_append(
    log: TruthLog, writer: TruthWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs that share a log must not tear each other's lines."""
    writes: list[bytes] = []
    real = os.write

    def write(fd: int, data: bytes) -> int:
        writes.append(data)
        return real(fd, data)

    monkeypatch.setattr(os, "write", write)
    writer.log("one", text="x" * 10_000)
    assert len(writes) == 1
    assert json.loads(writes[0])["event"] == "one"


@pytest.mark.asyncio
async def test_wait_for_returns_at_once_when_it_is_already_true(
    log: TruthLog, writer: TruthWriter
) -> None:
    """A wait that starts late must not wait for a second event."""
    writer.log("there")
    events = await log.wait_for("there", within_s=5)
    assert [event["event"] for event in events] == ["there"]


@pytest.mark.asyncio
async def test_wait_for_is_woken_by_each_append(log: TruthLog, writer: TruthWriter) -> None:
    """Every look is caused by an append: n events cost about n looks, whatever the time."""
    n_looks = 0

    def seen(events: list[dict[str, object]]) -> bool:
        nonlocal n_looks
        n_looks += 1
        return sum(event["event"] == "tick" for event in events) >= 3

    waiting = asyncio.ensure_future(log.wait_for(seen, within_s=10))
    for _ in range(3):
        await asyncio.sleep(0.01)
        writer.log("tick")
    assert len(await waiting) == 3
    assert n_looks <= 4


@pytest.mark.asyncio
async def test_no_wake_up_is_lost_between_looking_and_waiting(
    log: TruthLog, writer: TruthWriter
) -> None:
    """A thread appends as fast as it can while the wait starts."""
    for number in range(60):
        thread = threading.Thread(target=writer.log, args=(f"n{number}",))
        waiting = asyncio.ensure_future(log.wait_for(f"n{number}", within_s=10))
        thread.start()
        await waiting
        thread.join()


@pytest.mark.asyncio
async def test_two_readers_of_one_log_are_both_woken(log: TruthLog, writer: TruthWriter) -> None:
    """One reader's wake-up does not eat the other's."""
    other = TruthLog(log.path)
    waits = [asyncio.ensure_future(one.wait_for("late", within_s=10)) for one in (log, other, log)]
    await asyncio.sleep(0)
    await asyncio.to_thread(writer.log, "late")
    assert all(len(events) == 1 for events in await asyncio.gather(*waits))


@pytest.mark.asyncio
async def test_a_wait_in_vain_says_what_was_there(log: TruthLog, writer: TruthWriter) -> None:
    """The end of the log is what one needs to see in a failed test."""
    writer.log("something_else")
    with pytest.raises(TimeoutError, match="something_else"):
        await log.wait_for("never", within_s=0.01)
    with pytest.raises(TimeoutError, match="never did not come within"):
        log.wait_for_sync("never", within_s=0.01)


@pytest.mark.asyncio
async def test_a_wait_leaves_no_fifo_and_no_descriptor(log: TruthLog, writer: TruthWriter) -> None:
    """A test with thousands of waits must not run out of descriptors."""
    before = os.listdir("/dev/fd")
    writer.log("there")
    await log.wait_for("there", within_s=1)
    with pytest.raises(TimeoutError):
        await log.wait_for("never", within_s=0)
    log.wait_for_sync("there", within_s=1)
    assert os.listdir("/dev/fd") == before
    assert os.listdir(f"{log.path}.wake") == []


def test_a_writer_goes_on_when_a_reader_died(log: TruthLog, writer: TruthWriter) -> None:
    """A FIFO without a reader, or full to the brim, must not stop the program."""
    folder = Path(f"{log.path}.wake")
    folder.mkdir()
    os.mkfifo(folder / "dead")
    os.mkfifo(folder / "full")
    fd = os.open(folder / "full", os.O_RDWR | os.O_NONBLOCK)
    try:
        with pytest.raises(BlockingIOError):
            while True:
                os.write(fd, b"x" * 65536)
        with pytest.raises(BlockingIOError):
            while True:
                os.write(fd, b"x")
        writer.log("on")
    finally:
        os.close(fd)
    assert [event["event"] for event in log.events()] == ["on"]


def test_end_children_ends_the_logged_child_and_nobody_else(
    log: TruthLog, writer: TruthWriter
) -> None:
    """A pid that now belongs to another process is left alone."""
    mine = subprocess.Popen(["sleep", "100"])
    other = subprocess.Popen(["sleep", "100"])
    try:
        start = process_start(mine.pid)
        writer.log("child", pid=mine.pid, started=start)
        writer.log("child", pid=other.pid, started=12345)
        log.end_children()
        assert mine.wait(5) == -9
        assert other.poll() is None or start is None
    finally:
        for process in (mine, other):
            process.kill()
            process.wait()

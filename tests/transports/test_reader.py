import os
import queue
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from panegate_transports.reader import Reader, Source, shared_reader

WITHIN_S = 5.0


class Owner:
    """Keeps what a reader hands over; its queues are waited on, never polled."""

    def __init__(self) -> None:
        self.chunks: queue.Queue[tuple[bytes, float]] = queue.Queue()
        self.ends: queue.Queue[OSError | None] = queue.Queue()

    def attach(self, reader: Reader, fd: int) -> Source:
        return reader.attach(fd, lambda *chunk: self.chunks.put(chunk), self.ends.put)

    def next(self) -> tuple[bytes, float]:
        return self.chunks.get(timeout=WITHIN_S)

    def end(self) -> OSError | None:
        return self.ends.get(timeout=WITHIN_S)


@pytest.fixture
def reader() -> Iterator[Reader]:
    made = Reader()
    yield made
    thread = made._thread
    if thread is not None:
        thread.join(WITHIN_S)
    assert not made.running


def test_chunk_is_stamped_when_it_was_read(reader: Reader) -> None:
    owner, (read_fd, write_fd) = Owner(), os.pipe()
    owner.attach(reader, read_fd)
    before_s = time.monotonic()
    os.write(write_fd, b"hello")
    data, at_s = owner.next()
    assert data == b"hello"
    assert before_s <= at_s <= time.monotonic()
    os.close(write_fd)
    assert owner.end() is None


def test_one_thread_reads_all_and_ends_with_the_last(reader: Reader) -> None:
    assert not reader.running
    owners = [Owner() for _ in range(20)]
    write_fds = []
    for owner in owners:
        read_fd, write_fd = os.pipe()
        owner.attach(reader, read_fd)
        write_fds.append(write_fd)
    thread = reader._thread
    assert thread is not None
    assert thread.daemon
    for n, write_fd in enumerate(write_fds):
        os.write(write_fd, b"%d" % n)
    for n, owner in enumerate(owners):
        assert owner.next()[0] == b"%d" % n
    assert reader._thread is thread
    for owner, write_fd in zip(owners, write_fds, strict=True):
        assert reader.running
        os.close(write_fd)
        assert owner.end() is None
    thread.join(WITHIN_S)
    assert not thread.is_alive()
    assert not reader.running


def test_thread_starts_again_after_it_ended(reader: Reader) -> None:
    for _ in range(50):
        owner, (read_fd, write_fd) = Owner(), os.pipe()
        owner.attach(reader, read_fd)
        os.write(write_fd, b"x")
        assert owner.next()[0] == b"x"
        os.close(write_fd)
        assert owner.end() is None


def test_detached_descriptor_is_closed_and_its_owner_told_once(reader: Reader) -> None:
    owner, (read_fd, write_fd) = Owner(), os.pipe()
    source = owner.attach(reader, read_fd)
    reader.detach(source)
    reader.detach(source)
    assert owner.end() is None
    with pytest.raises(BrokenPipeError):
        os.write(write_fd, b"x")
    os.close(write_fd)
    reader.detach(source)
    assert owner.ends.empty()


def test_all_of_a_stream_is_read_before_its_end(reader: Reader) -> None:
    owner, (read_fd, write_fd) = Owner(), os.pipe()
    data = os.urandom(300_000)
    writer = threading.Thread(target=lambda: (_write_all(write_fd, data), os.close(write_fd)))
    owner.attach(reader, read_fd)
    writer.start()
    assert owner.end() is None
    writer.join()
    got = b"".join(owner.chunks.get_nowait()[0] for _ in range(owner.chunks.qsize()))
    assert got == data


def test_failed_read_is_told_to_the_owner(reader: Reader) -> None:
    owner, (terminal_fd, program_fd) = Owner(), os.openpty()
    owner.attach(reader, terminal_fd)
    os.close(program_fd)
    assert isinstance(owner.end(), OSError)


def test_what_cannot_be_waited_on_is_an_error_of_its_owner(reader: Reader) -> None:
    owner, other, (read_fd, write_fd) = Owner(), Owner(), os.pipe()
    other.attach(reader, read_fd)
    owner.attach(reader, os.open(__file__, os.O_RDONLY))
    if os.uname().sysname == "Linux":
        assert isinstance(owner.end(), PermissionError)
    os.write(write_fd, b"x")
    assert other.next()[0] == b"x"
    os.close(write_fd)
    assert other.end() is None


def test_thread_that_fails_leaves_no_owner_waiting(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashed: queue.Queue[object] = queue.Queue()
    monkeypatch.setattr(threading, "excepthook", lambda args: crashed.put(args.exc_value))
    other, late = Owner(), Owner()
    (other_fd, other_write_fd), (late_fd, late_write_fd), (read_fd, write_fd) = (
        os.pipe() for _ in range(3)
    )

    def deliver(_data: bytes, _at_s: float) -> None:
        late.attach(reader, late_fd)  # an order that the thread will not carry out
        raise ZeroDivisionError

    ended: queue.Queue[OSError | None] = queue.Queue()
    other.attach(reader, other_fd)
    reader.attach(read_fd, deliver, ended.put)
    os.write(write_fd, b"x")
    assert isinstance(ended.get(timeout=WITHIN_S), OSError)
    assert isinstance(other.end(), OSError)
    assert isinstance(late.end(), OSError)
    assert isinstance(crashed.get(timeout=WITHIN_S), ZeroDivisionError)
    for fd in (write_fd, other_write_fd, late_write_fd):
        os.close(fd)

    owner, (read_fd, write_fd) = Owner(), os.pipe()
    owner.attach(reader, read_fd)
    os.write(write_fd, b"alive")
    assert owner.next()[0] == b"alive"
    os.close(write_fd)
    assert owner.end() is None


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_forked_child_reads_for_itself_and_disturbs_no_parent(
    reader_ended: Callable[[], None],
) -> None:
    owner, (read_fd, write_fd) = Owner(), os.pipe()
    reader = shared_reader()
    owner.attach(reader, read_fd)
    os.write(write_fd, b"1")
    assert owner.next()[0] == b"1"
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(write_fd)
            child_owner, (child_fd, child_write_fd) = Owner(), os.pipe()
            assert shared_reader() is not reader
            child_owner.attach(shared_reader(), child_fd)
            os.write(child_write_fd, b"child")
            assert child_owner.next()[0] == b"child"
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert shared_reader() is reader
    os.write(write_fd, b"2")
    assert owner.next()[0] == b"2"
    os.close(write_fd)
    assert owner.end() is None
    reader_ended()


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]

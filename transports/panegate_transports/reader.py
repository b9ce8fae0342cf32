"""One thread reads every descriptor and stamps what it read.

Stamps taken in the event loop are wrong whenever the loop is late: output that
arrived in time looks like silence. So one daemon thread per process waits on all
descriptors, reads, stamps at once, and hands the bytes to their owner. It never
stops reading, whatever the owner does: a peer that nobody reads may block others.
"""

import contextlib
import os
import selectors
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

__all__ = ["READ_BYTES", "Reader", "Source", "shared_reader"]

READ_BYTES: Final = 65_536
"""Most bytes taken by one read; the default size of a Linux pipe."""


class Source:
    """One descriptor being read; the reader thread owns and closes it."""

    __slots__ = ("deliver", "ended", "fd")

    def __init__(
        self,
        fd: int,
        deliver: Callable[[bytes, float], None],
        ended: Callable[[OSError | None], None],
    ) -> None:
        self.fd = fd
        self.deliver = deliver
        self.ended = ended


class Reader:
    """Reads any number of descriptors in one daemon thread.

    The thread starts with the first descriptor and ends with the last one. All
    methods may be called from any thread. The selector and the descriptors are
    touched by the thread alone, so none is ever closed while it is being read.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._orders: deque[tuple[Source, bool]] = deque()
        self._sources: set[Source] = set()
        self._thread: threading.Thread | None = None
        self._wake_fds = (-1, -1)

    @property
    def running(self) -> bool:
        """Whether the thread is alive, which is while it has descriptors."""
        return self._thread is not None

    def attach(
        self,
        fd: int,
        deliver: Callable[[bytes, float], None],
        ended: Callable[[OSError | None], None],
    ) -> Source:
        """Read *fd* until it ends; the reader owns it from now on.

        Args:
            fd: A pipe, terminal or socket; it is made non-blocking.
            deliver: Called in the thread with non-empty bytes and the monotonic
                seconds at which the read returned. Must be quick and not raise.
            ended: Called in the thread, once, after *fd* was closed: with None
                at end of file or after `detach`, else with the error.

        """
        os.set_blocking(fd, False)
        source = Source(fd, deliver, ended)
        self._order(source, attach=True)
        return source

    def detach(self, source: Source) -> None:
        """Close *source* without reading on; does nothing if it has ended."""
        self._order(source, attach=False)

    def _order(self, source: Source, *, attach: bool) -> None:
        with self._lock:
            if self._thread is None:
                if not attach:
                    return
                self._start()
            self._orders.append((source, attach))
            with contextlib.suppress(BlockingIOError):  # full: it will wake anyway
                os.write(self._wake_fds[1], b"\0")

    def _start(self) -> None:
        wake_fds = os.pipe()
        for fd in wake_fds:
            os.set_blocking(fd, False)
        self._wake_fds = wake_fds
        self._thread = threading.Thread(
            target=self._run, args=wake_fds, name="panegate-transports-reader", daemon=True
        )
        self._thread.start()

    def _run(self, wake_fd: int, waker_fd: int) -> None:
        selector = selectors.DefaultSelector()
        try:
            selector.register(wake_fd, selectors.EVENT_READ)
            self._read_all(selector, wake_fd)
        except BaseException as exc:
            self._fail(selector, exc)
            raise
        finally:
            # Nobody knows these any more: the next thread has its own.
            selector.close()
            os.close(wake_fd)
            os.close(waker_fd)

    def _read_all(self, selector: selectors.BaseSelector, wake_fd: int) -> None:
        read, monotonic, select = os.read, time.monotonic, selector.select
        while True:
            look_up = False
            for key, _ in select():
                source: Source | None = key.data
                if source is None:  # the wake pipe
                    look_up = True
                    continue
                try:
                    data = read(source.fd, READ_BYTES)
                    at_s = monotonic()
                except BlockingIOError:
                    continue
                except OSError as exc:
                    self._end(selector, source, exc)
                    look_up = True
                    continue
                if data:
                    source.deliver(data, at_s)
                else:
                    self._end(selector, source, None)
                    look_up = True
            # Orders wait for the end of a batch: no event in it is stale then.
            if look_up and not self._obey(selector, wake_fd):
                return

    def _obey(self, selector: selectors.BaseSelector, wake_fd: int) -> bool:
        """Carry out the orders; return whether anything is left to read."""
        with contextlib.suppress(BlockingIOError):
            while os.read(wake_fd, 4096):
                pass
        while True:
            with self._lock:
                if not self._orders:
                    if self._sources:
                        return True
                    self._thread = None
                    return False
                source, attach = self._orders.popleft()
            if not attach:
                if source in self._sources:
                    self._end(selector, source, None)
                continue
            self._sources.add(source)
            try:
                selector.register(source.fd, selectors.EVENT_READ, source)
            except OSError as exc:  # such as EPERM for a regular file
                self._end(selector, source, exc)

    def _end(
        self, selector: selectors.BaseSelector, source: Source, failure: OSError | None
    ) -> None:
        with contextlib.suppress(KeyError):  # its registration may have failed
            selector.unregister(source.fd)
        self._sources.discard(source)
        os.close(source.fd)
        source.ended(failure)

    def _fail(self, selector: selectors.BaseSelector, cause: BaseException) -> None:
        """End every source, so that no owner waits for a thread that is gone."""
        with self._lock:
            self._thread = None
            self._sources.update(source for source, attach in self._orders if attach)
            self._orders.clear()
        failure = OSError(f"the reader thread failed: {cause!r}")
        for source in tuple(self._sources):
            self._end(selector, source, failure)

    def _forget(self) -> None:
        """Close what a forked child inherited; the parent's stay as they are."""
        fds = [source.fd for source in self._sources]
        if self._thread is not None:
            fds += self._wake_fds
        for fd in fds:
            with contextlib.suppress(OSError):
                os.close(fd)


_shared = Reader()


def shared_reader() -> Reader:
    """Return the reader of this process; a forked child gets one of its own."""
    return _shared


def _renew_after_fork() -> None:
    global _shared
    inherited, _shared = _shared, Reader()
    inherited._forget()


os.register_at_fork(after_in_child=_renew_after_fork)

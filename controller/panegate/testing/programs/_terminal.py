"""A stand-in's side of its terminal, and the small event loop it runs on.

Input is read with ``os.read`` after ``select``; everything timed is a timeout of that
same ``select``. Signals arrive through a pipe, so nothing is ever interrupted half way.
"""

import contextlib
import fcntl
import heapq
import itertools
import os
import select
import signal
import struct
import termios
import time
from collections.abc import Callable

from panegate.testing.programs._truth import TruthWriter, process_start

__all__ = ["Loop", "Terminal", "Timer", "run_loop", "start_child"]

_SIGNALS = (signal.SIGWINCH, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGCHLD)
_READ_SIZE = 65536


class Terminal:
    """Modes, size and output of the terminal on descriptors 0 and 1."""

    def __init__(self) -> None:
        self._first = termios.tcgetattr(0)

    def raw(self) -> None:
        """No echo, no lines, no signals from keys, CR stays CR; input is kept."""
        iflag, oflag, cflag, lflag, ispeed, ospeed, cc = termios.tcgetattr(0)
        iflag &= ~(termios.ICRNL | termios.INLCR | termios.IXON | termios.BRKINT | termios.ISTRIP)
        lflag &= ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
        cc[termios.VMIN], cc[termios.VTIME] = 1, 0
        self._set([iflag, oflag & ~termios.OPOST, cflag, lflag, ispeed, ospeed, cc])

    def cooked(self, *, echo: bool = True) -> None:
        """Lines with the kernel's echo (or without it, for secrets)."""
        iflag, oflag, cflag, lflag, ispeed, ospeed, cc = termios.tcgetattr(0)
        iflag |= termios.ICRNL | termios.IXON
        lflag |= termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN
        if not echo:
            lflag &= ~termios.ECHO
        self._set([iflag, oflag | termios.OPOST | termios.ONLCR, cflag, lflag, ispeed, ospeed, cc])

    def restore(self) -> None:
        """Put the modes back that were there at the start."""
        with contextlib.suppress(termios.error):
            self._set(self._first)

    def pending(self) -> int:
        """Return how many bytes wait unread in the terminal's queue."""
        try:
            answer = fcntl.ioctl(0, termios.FIONREAD, struct.pack("i", 0))
        except OSError:
            return 0
        return int(struct.unpack("i", answer)[0])

    def flush_input(self) -> int:
        """Throw away what waits unread; return how many bytes that was."""
        dropped = self.pending()
        termios.tcflush(0, termios.TCIFLUSH)
        return dropped

    def size(self) -> tuple[int, int]:
        """Return rows and columns."""
        try:
            columns, rows = os.get_terminal_size(1)
        except OSError:
            return 24, 80
        return (rows or 24), (columns or 80)

    def write(self, text: str | bytes) -> None:
        """Write all of it.

        Raises:
            OSError: The terminal is gone.

        """
        view = memoryview(text.encode("utf-8", "replace") if isinstance(text, str) else text)
        while view:
            try:
                view = view[os.write(1, view) :]
            except BlockingIOError:
                select.select([], [1], [])

    def _set(self, attributes: list[object]) -> None:
        termios.tcsetattr(0, termios.TCSANOW, attributes)  # type: ignore[arg-type]


class Timer:
    """One callback at one instant."""

    __slots__ = ("at_s", "callback")

    def __init__(self, at_s: float, callback: Callable[[], None]) -> None:
        self.at_s = at_s
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Keep it from firing; a fired or cancelled timer does not mind."""
        self.callback = None


class Loop:
    """Reads, fires timers and hands out signals until it is finished."""

    def __init__(self, terminal: Terminal, truth: TruthWriter) -> None:
        self.terminal = terminal
        self.truth = truth
        self.deaf = False
        """While true nothing is read."""
        self.read_size = _READ_SIZE
        self.read_every_s = 0.0
        """Seconds between two reads at least."""
        self.on_bytes: Callable[[bytes], None] | None = None
        """Takes what was read, already in the truth log; None: nothing is ever read."""
        self.on_resize: Callable[[], None] = lambda: None
        self.on_signal: Callable[[], None] = lambda: None
        """Called at SIGUSR1."""
        self.on_child: Callable[[], None] = lambda: None
        """Called at SIGCHLD."""
        self.children: list[int] = []
        """Ended with the program."""
        self.log_reads = True
        self._timers: list[tuple[float, int, Timer]] = []
        self._numbers = itertools.count()
        self._status: int | None = None
        self._read_after_s = 0.0
        self._wake, write_end = os.pipe()
        os.set_blocking(write_end, False)
        for number in _SIGNALS:
            signal.signal(number, lambda *_: None)
            signal.siginterrupt(number, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def call_after(self, after_s: float, callback: Callable[[], None]) -> Timer:
        """Call *callback* once, *after_s* seconds from now."""
        timer = Timer(time.monotonic() + after_s, callback)
        heapq.heappush(self._timers, (timer.at_s, next(self._numbers), timer))
        return timer

    def every(self, period_s: float, callback: Callable[[], None]) -> None:
        """Call *callback* every *period_s* seconds from now on."""
        if period_s > 0:

            def tick() -> None:
                callback()
                self.call_after(period_s, tick)

            self.call_after(period_s, tick)

    def finish(self, status: int) -> None:
        """End the loop after what is under way; the first status counts."""
        if self._status is None:
            self._status = status

    @property
    def is_finished(self) -> bool:
        """Tell whether `finish` was called."""
        return self._status is not None

    def run(self) -> int:
        """Run until `finish`; return its status."""
        self.log_size()
        while self._status is None:
            timeout = self._fire()
            if self._status is not None:
                break
            now_s = time.monotonic()
            descriptors = [self._wake]
            if self.on_bytes is not None and not self.deaf:
                if now_s >= self._read_after_s:
                    descriptors.append(0)
                else:
                    left_s = self._read_after_s - now_s
                    timeout = left_s if timeout is None else min(timeout, left_s)
            ready = select.select(descriptors, [], [], timeout)[0]
            if self._wake in ready:
                self._take_signals()
            elif 0 in ready:
                self._read()
        return self._status

    def log_size(self) -> None:
        """Log the terminal's size."""
        rows, columns = self.terminal.size()
        self.truth.log("size", rows=rows, columns=columns)

    def _fire(self) -> float | None:
        """Fire what is due; return the seconds to the next timer."""
        while self._timers and self._status is None:
            at_s, _, timer = self._timers[0]
            if timer.callback is None:
                heapq.heappop(self._timers)
                continue
            left_s = at_s - time.monotonic()
            if left_s > 0:
                return left_s
            heapq.heappop(self._timers)
            callback, timer.callback = timer.callback, None
            callback()
        return None

    def _read(self) -> None:
        try:
            data = os.read(0, self.read_size)
        except OSError:
            data = b""
        if not data:
            self.truth.log("hangup")
            self.finish(1)
            return
        self._read_after_s = time.monotonic() + self.read_every_s
        if self.log_reads:
            self.truth.log_bytes(data)
        if self.on_bytes is not None:
            self.on_bytes(data)

    def _take_signals(self) -> None:
        for number in os.read(self._wake, 4096):
            if number == signal.SIGWINCH:
                self.log_size()
                self.on_resize()
            elif number == signal.SIGUSR1:
                self.on_signal()
            elif number == signal.SIGCHLD:
                self.on_child()
            elif number in (signal.SIGTERM, signal.SIGHUP):
                self.truth.log("terminated", signal=int(number))
                self.finish(128 + number)


def start_child(argv: list[str], truth: TruthWriter) -> int:
    """Start a helper in a process group of its own, away from the terminal; log its pid."""
    pid = os.posix_spawnp(
        argv[0],
        argv,
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)],
        setpgroup=0,
        setsigdef=[signal.SIGHUP, signal.SIGTERM, signal.SIGWINCH, signal.SIGUSR1],
    )
    truth.log("child", pid=pid, started=process_start(pid), argv=argv)
    return pid


def run_loop(loop: Loop, *, at_end: Callable[[], None] = lambda: None) -> int:
    """Run *loop*, let the program say goodbye, restore the terminal, log the exit status."""
    try:
        status = loop.run()
        with contextlib.suppress(OSError):
            at_end()
    finally:
        loop.terminal.restore()
        for pid in loop.children:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
    loop.truth.log("exit", status=status)
    return status

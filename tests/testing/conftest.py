"""A raw terminal without tmux around one stand-in program."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from panegate.testing.programs import program_argv
from panegate.testing.truth import TruthEvent, TruthLog

_WITHIN_S = 10.0
_SEQUENCES = re.compile(rb"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9])")


class PtyProgram:
    """Runs a program on a pseudo terminal; a thread keeps the output drained."""

    def __init__(self, argv: list[str], log: TruthLog, *, rows: int, columns: int) -> None:
        self.log = log
        self.output = b""
        self._changed = threading.Condition()
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._wake, self._wake_end = os.pipe()
        self._drained = threading.Event()
        self._drained.set()
        self._closed = False
        self.process = subprocess.Popen(
            argv,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env={**os.environ, "TERM": "xterm-256color", "HOME": "/nonexistent"},
        )
        os.close(slave)
        self._thread = threading.Thread(target=self._drain)
        self._thread.start()

    def send(self, data: bytes | str) -> None:
        """Write to the program as one read would see it."""
        os.write(self._master, data.encode() if isinstance(data, str) else data)

    def wait(self, event: str | Callable[[list[TruthEvent]], object], count: int = 1) -> TruthEvent:
        """Wait for an event of the truth log; return the last one of that name."""
        events = self.log.wait_for_sync(event, _WITHIN_S, count=count)
        return [e for e in events if e["event"] == event][-1] if isinstance(event, str) else {}

    def wait_output(self, wanted: bytes | str) -> bytes:
        """Wait until the output has *wanted* in it; return all output so far."""
        wanted = wanted.encode() if isinstance(wanted, str) else wanted
        with self._changed:
            if not self._changed.wait_for(lambda: wanted in self.output, _WITHIN_S):
                raise TimeoutError(f"{wanted!r} is not in {self.output[-2000:]!r}")
            return self.output

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until *condition* holds; looked at after each output."""
        with self._changed:
            if not self._changed.wait_for(condition, _WITHIN_S):
                raise TimeoutError(f"it did not come true; the output is {self.output[-3000:]!r}")

    def stop_draining(self) -> None:
        """Let the terminal fill up."""
        self._drained.clear()
        os.write(self._wake_end, b"!")

    def go_on_draining(self) -> None:
        """Read the output again."""
        self._drained.set()
        os.write(self._wake_end, b"!")

    def text(self) -> str:
        """Return the output without escape sequences."""
        return _SEQUENCES.sub(b"", self.output).decode(errors="replace")

    def local_modes(self) -> int:
        """Return the terminal's local mode flags."""
        return int(termios.tcgetattr(self._master)[3])

    def resize(self, rows: int, columns: int) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait_exit(self) -> int:
        """Wait for the program to end; return its status."""
        return self.process.wait(_WITHIN_S)

    def names(self, *leave_out: str) -> list[str]:
        """Return the names of the events so far."""
        return [e["event"] for e in self.log.events() if e["event"] not in leave_out]

    def close(self) -> None:
        """End the program and everything here."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGCONT)
        self.process.terminate()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._closed = True
        self.go_on_draining()
        self._thread.join()
        for fd in (self._master, self._wake, self._wake_end):
            os.close(fd)
        self.log.end_children()

    def _drain(self) -> None:
        while not self._closed:
            wanted = [self._wake, self._master] if self._drained.is_set() else [self._wake]
            ready = select.select(wanted, [], [])[0]
            if self._wake in ready:
                os.read(self._wake, 1)
            elif self._master in ready:
                try:
                    data = os.read(self._master, 65536)
                except OSError:
                    return
                with self._changed:
                    self.output += data
                    self._changed.notify_all()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., PtyProgram]]:
    """Start stand-ins by name; ``rows`` and ``columns`` are the terminal's."""
    started: list[PtyProgram] = []

    def start(name: str, *, rows: int = 24, columns: int = 80, **options: object) -> PtyProgram:
        log = TruthLog(tmp_path / f"truth-{len(started)}.jsonl")
        argv = program_argv(name, log=log.path, **options)
        started.append(PtyProgram(argv, log, rows=rows, columns=columns))
        return started[-1]

    yield start
    for program in started:
        program.close()


@pytest.fixture
def composer(run: Callable[..., PtyProgram]) -> Callable[..., PtyProgram]:
    """Start a composer and wait until it reads keys."""

    def start(**options: object) -> PtyProgram:
        program = run("composer", **{"work": 20, **options})
        program.wait("ready_painted")
        return program

    return start

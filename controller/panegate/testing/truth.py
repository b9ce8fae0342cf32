"""The reading half of the truth log: what a stand-in program really received and did.

A stand-in appends each event before the byte that shows it reaches the terminal. So a
test can say what was true at an instant, whatever the screen looked like:

* ``at`` is `time.monotonic` of the program, comparable with the test's own clock;
* ``bytes`` events hold every byte in the order of the reads;
* ``dialog_opened`` stands in the log before the first byte of the dialog is written,
  ``dialog_painted`` after its last one.
"""

import asyncio
import contextlib
import itertools
import json
import os
import select
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from panegate.testing.programs._truth import process_start

__all__ = ["Predicate", "TruthEvent", "TruthLog"]

TruthEvent: TypeAlias = dict[str, Any]
"""One line of the log: ``at`` (seconds), ``event`` (its name) and fields of its own."""

Predicate: TypeAlias = Callable[[Sequence[TruthEvent]], object]
"""Told all events so far; something true ends the wait."""

_numbers = itertools.count()


class TruthLog:
    """The log of one stand-in program, which need not have started yet.

    Several readers, in any process, may look at or wait on one log.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._wake_folder = Path(f"{self.path}.wake")

    def events(self, *names: str) -> list[TruthEvent]:
        """Return the events so far, in order; only those called *names* if any are given."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return []
        complete = data[: data.rfind(b"\n") + 1]
        found: list[TruthEvent] = [json.loads(line) for line in complete.splitlines()]
        return [e for e in found if e["event"] in names] if names else found

    def submits(self) -> list[str]:
        """Return the texts that were submitted, in order."""
        return [str(event["text"]) for event in self.events("submit")]

    def received_bytes(self) -> bytes:
        """Return every byte the program read, in order (nothing of secrets)."""
        return b"".join(bytes.fromhex(str(event["hex"])) for event in self.events("bytes"))

    async def wait_for(
        self, predicate: Predicate | str, within_s: float, *, count: int = 1
    ) -> list[TruthEvent]:
        """Wait until the events so far satisfy *predicate*, and return them all.

        Args:
            predicate: Called with all events; or the name of an event to wait for.
            within_s: Seconds to wait at most.
            count: With a name: how many events of that name are waited for.

        Raises:
            TimeoutError: It did not come true in time; the message has the log's end.

        Needs an event loop that watches descriptors, so not the virtual one.
        """
        wanted = _predicate(predicate, count)
        loop = asyncio.get_running_loop()
        with self._woken() as fd:
            woken = asyncio.Event()

            def on_wake() -> None:
                _drain(fd)
                woken.set()

            loop.add_reader(fd, on_wake)
            try:
                async with asyncio.timeout(within_s):
                    while not wanted(events := self.events()):
                        await woken.wait()
                        woken.clear()
                    return events
            except TimeoutError:
                raise TimeoutError(self._describe(predicate, within_s)) from None
            finally:
                loop.remove_reader(fd)

    def wait_for_sync(
        self, predicate: Predicate | str, within_s: float, *, count: int = 1
    ) -> list[TruthEvent]:
        """Do what `wait_for` does, blocking the calling thread."""
        wanted = _predicate(predicate, count)
        deadline_s = time.monotonic() + within_s
        with self._woken() as fd:
            while not wanted(events := self.events()):
                left_s = deadline_s - time.monotonic()
                if left_s <= 0 or not select.select([fd], [], [], left_s)[0]:
                    if wanted(events := self.events()):
                        break
                    raise TimeoutError(self._describe(predicate, within_s))
                _drain(fd)
            return events

    def end_children(self) -> None:
        """End the helper processes that the log names and that still live."""
        for event in self.events("child"):
            pid, started = event["pid"], event.get("started")
            if isinstance(pid, int) and pid > 1 and process_start(pid) == started:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    @contextlib.contextmanager
    def _woken(self) -> Iterator[int]:
        """Give a descriptor that turns readable after each new event."""
        self._wake_folder.mkdir(mode=0o700, exist_ok=True)
        fifo = self._wake_folder / f"{os.getpid()}-{next(_numbers)}"
        os.mkfifo(fifo, 0o600)
        # Read and write: our own end keeps it open, so a writer never meets "no reader".
        fd = os.open(fifo, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            yield fd
        finally:
            fifo.unlink(missing_ok=True)
            os.close(fd)

    def _describe(self, predicate: Predicate | str, within_s: float) -> str:
        wanted = predicate if isinstance(predicate, str) else "the condition"
        tail = "\n".join(f"  {event}" for event in self.events()[-12:]) or "  (empty)"
        return f"{wanted} did not come within {within_s} s; the log {self.path} ends with:\n{tail}"


def _predicate(predicate: Predicate | str, count: int) -> Predicate:
    if not isinstance(predicate, str):
        return predicate
    return lambda events: sum(e["event"] == predicate for e in events) >= count


def _drain(fd: int) -> None:
    with contextlib.suppress(BlockingIOError):
        while os.read(fd, 4096):
            pass

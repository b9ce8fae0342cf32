"""A composer's turns: how long it works, what moves meanwhile, and how it ends."""

import argparse
import contextlib
import os
import signal
import time
from collections.abc import Callable

from panegate.testing.programs._terminal import Loop, Timer, start_child

__all__ = ["Turns"]

_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class Turns:
    """At most one turn, which may be paused by a dialog."""

    def __init__(
        self,
        options: argparse.Namespace,
        loop: Loop,
        *,
        paint: Callable[[], None],
        say: Callable[[str], None],
        ended: Callable[[], None],
    ) -> None:
        self._options, self._loop, self._truth = options, loop, loop.truth
        self._paint, self._say, self._ended = paint, say, ended
        self._end: Timer | None = None
        self._left_s = 0.0
        self._began_s = 0.0
        self._n_turns = 0
        self._n_words = 0
        self._child = 0
        self.open = False
        """A turn is under way or paused."""
        self.paused = False

    def start_schedule(self) -> None:
        """Arm what moves during turns."""
        if self._options.spinner:
            self._loop.every(self._options.spinner_every, self._spin)
        if self._options.stream > 0:
            self._loop.every(self._options.stream, self._stream)

    def begin(self, work_s: float) -> None:
        """Begin a turn of *work_s* seconds."""
        self.open, self.paused = True, False
        self._began_s, self._n_words = time.monotonic(), 0
        self._truth.log("turn_began")
        if self._options.work_child:
            self._child = start_child(["sleep", "100000"], self._truth)
        self._end = self._loop.call_after(work_s, self._finish)

    def pause(self) -> None:
        """Stop the clock of the turn, if there is one."""
        if self.open and not self.paused and self._end is not None:
            self._left_s = max(0.0, self._end.at_s - time.monotonic())
            self._end.cancel()
            self.paused = True

    def resume(self, work_s: float = 0.0) -> None:
        """Go on with a paused turn; at least *work_s* more."""
        if self.open and self.paused:
            self.paused = False
            self._end = self._loop.call_after(max(self._left_s, work_s), self._finish)

    def cut(self) -> None:
        """End the turn now, without its reply."""
        if self.open:
            self._close(cut=True)

    @property
    def row(self) -> str:
        """The row that shows the turn; empty without one."""
        if not self.open or not self._options.busy_row:
            return ""
        if not self._options.spinner:
            return str(self._options.busy_row)
        elapsed_s = time.monotonic() - self._began_s
        glyph = _SPINNER[int(elapsed_s / self._options.spinner_every) % len(_SPINNER)]
        return f"{glyph} Working… ({elapsed_s:.0f}s · esc to interrupt)"

    def _finish(self) -> None:
        replies = self._options.reply
        reply = replies[self._n_turns % len(replies)]
        self._n_turns += 1
        if reply:
            first, *more = reply.split("\n")
            self._say(f"● {first}")
            for line in more:
                self._say(f"  {line}")
        self._close(cut=False)

    def _close(self, *, cut: bool) -> None:
        self.open = self.paused = False
        if self._end is not None:
            self._end.cancel()
        if self._child:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGKILL)
                os.waitpid(self._child, 0)
            self._child = 0
        self._truth.log("turn_ended", cut=cut)
        self._ended()

    def _spin(self) -> None:
        if self.open and not self.paused:
            self._paint()

    def _stream(self) -> None:
        if self.open and not self.paused:
            words = self._options.reply[self._n_turns % len(self._options.reply)].split() or ["…"]
            self._say(f"  {words[self._n_words % len(words)]}")
            self._n_words += 1
            self._paint()

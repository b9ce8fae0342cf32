"""An asyncio loop that never waits: its clock jumps to the next timer.

A test that sleeps for an hour of virtual time takes microseconds, and what it
measures with `anyio.current_time` or ``loop.time()`` is exact. It suits code whose
only peers are other tasks and in-memory streams; with real descriptors, threads or
processes the clock would run ahead of them.
"""

import asyncio
import selectors

__all__ = ["VirtualLoop"]


class _JumpingSelector(selectors.DefaultSelector):
    """Looks at its descriptors without waiting; idle time is added to the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready:
            return ready
        if timeout is None:
            msg = "every task waits and no timer is set: nothing can ever happen again"
            raise RuntimeError(msg)
        self.now_s += max(0.0, timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop with a virtual monotonic clock that starts at zero seconds.

    When nothing is ready to run, the clock jumps to the earliest timer. When there is
    no timer either, the run ends with `RuntimeError` instead of hanging.
    """

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return virtual monotonic seconds."""
        return self._jumping.now_s

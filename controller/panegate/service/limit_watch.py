"""Limits of sessions: a timer for each session that has any, and an event for each reached."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from panegate.session.events import LimitReached
from panegate.session.limits import LimitBook

if TYPE_CHECKING:
    from panegate.ids import PaneId
    from panegate.session.session_record import Instant, SessionRecord

__all__ = ["LimitWatch"]


@attrs.define(kw_only=True, eq=False)
class LimitWatch:
    """Watches the limits of one session; reaching one ends nothing."""

    pane_id: PaneId
    record: SessionRecord
    clocks: Callable[[], Instant]
    on_reached: Callable[[LimitReached], None]
    book: LimitBook = attrs.field(factory=LimitBook, init=False)
    _timer: asyncio.TimerHandle | None = attrs.field(default=None, init=False)
    _timer_at_s: float = attrs.field(default=0.0, init=False)
    _closed: bool = attrs.field(default=False, init=False)

    def check(self) -> None:
        """Tell what is reached, and set the timer to what may be reached next."""
        if self._closed or self.record.over:
            return
        now = self.clocks()
        clocks = now.since(self.record.started)
        for reached in self.book.reached(self.record, now):
            self.on_reached(
                LimitReached(
                    pane=self.pane_id,
                    limit=reached.name.value,
                    limit_s=reached.limit_s,
                    elapsed_s=reached.elapsed_s,
                    jump_s=clocks.jump_s,
                    words=reached.words,
                    at_s=now.mono_s,
                )
            )
        self._arm(now)

    def close(self) -> None:
        """Stop watching."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, now: Instant) -> None:
        due_s = self.book.due_s(self.record, now)
        if due_s is None or (self._timer is not None and self._timer_at_s <= due_s):
            return  # one that fires early sets itself again
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer_at_s = due_s
        self._timer = loop.call_at(loop.time() + max(0.0, due_s - now.mono_s), self._fire)

    def _fire(self) -> None:
        self._timer = None
        self.check()

"""The one place where panes meet a clock.

Values come in from clients, probes and callers; they are applied at once; then every
pane that was touched is settled: its looks and guarded actions go out, its events are
given on, its deadline goes into the heap. One timer is armed for the earliest of all.
"""

import asyncio
from collections.abc import Callable

import attrs

from panegate.gate.stages import Action
from panegate.ids import PaneId
from panegate.panes.machine import LookCause
from panegate.panes.registry import DeadlineRegistry
from panegate.screen.profile import Profile
from panegate.session.events import PaneEvent
from panegate.session.inputs import Advance, Input, Opened, apply, open_tracker
from panegate.session.tracker import PaneTracker

__all__ = [
    "LATE_S",
    "Pump",
    "Recorder",
]

LATE_S = 0.02
"""A wake-up later than this proves no quiet until the reader thread had its turn."""
_READER_TURN_S = 0.005
_MAX_TURNS = 3

Recorder = Callable[[Input], None]


@attrs.define(kw_only=True, eq=False)
class Pump:
    """Feeds all panes of one server."""

    clock: Callable[[], float]
    on_look: Callable[[PaneTracker, LookCause], None]
    on_action: Callable[[PaneTracker, Action], None]
    on_event: Callable[[PaneEvent], None]
    on_settled: Callable[[PaneTracker], None]
    drain: Callable[[], None]
    """Handles everything that clients have received; called before deadlines fire."""
    on_failure: Callable[[Exception], None]
    """Told what went wrong in a timer: the loop itself would only log it."""
    recorder: Recorder | None = None
    trackers: dict[PaneId, PaneTracker] = attrs.field(factory=dict, init=False)
    wakeups: int = attrs.field(default=0, init=False)
    """Timer wake-ups so far."""
    _deadlines: DeadlineRegistry = attrs.field(factory=DeadlineRegistry, init=False)
    _alarms: dict[str, Callable[[], None]] = attrs.field(factory=dict, init=False)
    _dirty: dict[PaneId, None] = attrs.field(factory=dict, init=False)
    _timer: asyncio.TimerHandle | None = attrs.field(default=None, init=False)
    _timer_at_s: float = attrs.field(default=0.0, init=False)
    _settling: bool = attrs.field(default=False, init=False)
    _turns: dict[PaneId, int] = attrs.field(factory=dict, init=False)
    _closed: bool = attrs.field(default=False, init=False)

    def open(self, opened: Opened, profile: Profile) -> PaneTracker:
        """Watch a pane from now on."""
        tracker = open_tracker(opened, profile)
        self.trackers[opened.pane_id] = tracker
        if self.recorder is not None:
            self.recorder(opened)  # which may ask for the tracker's profile
        self._dirty[opened.pane_id] = None
        return tracker

    def forget(self, pane_id: PaneId) -> None:
        """Stop watching a pane."""
        self.trackers.pop(pane_id, None)
        self._deadlines.set(pane_id, None)
        self._dirty.pop(pane_id, None)

    def feed(self, item: Input) -> bool:
        """Apply one value to its pane; the caller settles afterwards."""
        tracker = self.trackers.get(item.pane_id)
        if tracker is None:
            return True
        if self.recorder is not None:
            self.recorder(item)
        self._dirty[item.pane_id] = None
        return apply(tracker, item)

    def put(self, item: Input) -> bool:
        """Apply one value and settle."""
        said = self.feed(item)
        self.settle()
        return said

    def settle(self) -> None:
        """Carry out what the touched panes want, until nothing more is wanted."""
        if self._settling or self._closed:
            return
        self._settling = True
        try:
            while self._dirty:
                pane_id = next(iter(self._dirty))
                del self._dirty[pane_id]
                tracker = self.trackers.get(pane_id)
                if tracker is None:
                    continue
                for action in tracker.take_actions():
                    self.on_action(tracker, action)
                cause = tracker.take_look()
                if cause is not None:
                    self.on_look(tracker, cause)
                for event in tracker.take_events():
                    self.on_event(event)
                self._deadlines.set(pane_id, tracker.deadline_s)
                self.on_settled(tracker)
        finally:
            self._settling = False
        self._arm()

    def set_alarm(self, name: str, deadline_s: float | None, ring: Callable[[], None]) -> None:
        """Have *ring* called once at a time, by the timer of all panes; None: not at all.

        Args:
            name: Of the deadline; another one of this name is replaced. No pane's id.
            deadline_s: Monotonic seconds.
            ring: Must not wait.

        """
        if deadline_s is None:
            self._alarms.pop(name, None)
        else:
            self._alarms[name] = ring
        self._deadlines.set(PaneId(name), deadline_s)
        if not self._settling and not self._closed:
            self._arm()

    def close(self) -> None:
        """Stop the timer for good."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        earliest_s = self._deadlines.earliest_s
        if earliest_s is None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            return
        if self._timer is not None:
            if self._timer_at_s <= earliest_s:
                return  # fires early and re-arms itself
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer_at_s = earliest_s
        delay_s = max(0.0, earliest_s - self.clock())
        self._timer = loop.call_at(loop.time() + delay_s, self._fire)

    def _fire(self) -> None:
        self._timer = None
        try:
            self._wake()
        except Exception as error:
            self.on_failure(error)

    def _wake(self) -> None:
        self.wakeups += 1
        self._settling = True  # what is drained is settled together with what is due
        try:
            self.drain()
        finally:
            self._settling = False
        now_s = self.clock()
        for deadline_s, pane_id in self._deadlines.due(now_s):
            if (ring := self._alarms.pop(pane_id, None)) is not None:
                ring()
                continue
            turns = self._turns.get(pane_id, 0)
            if now_s - deadline_s > LATE_S and turns < _MAX_TURNS:
                self._turns[pane_id] = turns + 1
                self._deadlines.set(pane_id, now_s + _READER_TURN_S)
                continue
            self._turns.pop(pane_id, None)
            self.feed(Advance(pane_id, now_s))
        self.settle()

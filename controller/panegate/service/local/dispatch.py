"""One way in for every transport: a method by its name, and the events of a controller."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import attrs

from panegate.errors import PanegateError, Refused
from panegate.ids import PaneId
from panegate.runtime.logs import get_logger
from panegate.service.bus import EventStream
from panegate.service.local.failures import failure_of
from panegate.service.local.host import Caller, Host, pane_of
from panegate.service.local.methods import METHODS
from panegate.service.local.values import (
    BadParams,
    PaneView,
    event_of,
    params_from,
    plain,
    view_of,
)
from panegate.service.pane import Pane
from panegate.session.events import Event, PaneOpened, PromptOpened

__all__ = ["Dispatcher", "EventsParams", "Subscription"]

_log = get_logger()
_MAX_BUFFER: Final = 100_000


@attrs.frozen(kw_only=True)
class EventsParams:
    """Which events, and how many wait for a slow reader before it loses the oldest.

    Of a pane, and of every pane, the events that made what is now come first, unnumbered.
    """

    pane: str | None = None
    """Of one pane alone, which is then watched."""
    every: bool = False
    """Watch every pane of the server, also those opened later, while this lasts."""
    since: int | None = None
    """Those after this number first, as far as they are kept."""
    views: bool = False
    """With what the pane is now, in each note."""
    maxsize: int | None = None


@attrs.define(eq=False, kw_only=True)
class Subscription:
    """One reader's events, bounded; made by `Dispatcher.subscribe`, ended by `close`."""

    host: Host
    stream: EventStream
    pane: PaneId | None = None
    views: bool = False
    panes: tuple[PaneView, ...] = ()
    """What is watched at the beginning."""
    seq: int = 0
    """Number of the last event before it."""
    woken: Callable[[], None] = lambda: None
    """Called when something has arrived."""
    ended: Callable[[], None] = lambda: None
    n_dropped: int = 0
    _first: deque[Event] = attrs.field(factory=deque, init=False)

    def tap(self, event: Event) -> None:
        """Take an event of the bus; never blocks."""
        if self.pane is None or getattr(event, "pane", self.pane) == self.pane:
            self.stream.put(event)
            self.woken()

    def begin_with(self, events: Iterable[Event]) -> None:
        """Give *events* before all others."""
        self._first.extend(events)

    def take(self) -> tuple[dict[str, Any], dict[str, Any] | None] | None:
        """Return the next event and its pane's view as plain values, None where none waits."""
        event = self._first.popleft() if self._first else self.stream.take_nowait()
        if event is None:
            return None
        self.n_dropped += getattr(event, "count", 0)
        return event_of(event), self._view(event) if self.views else None

    def _view(self, event: Event) -> dict[str, Any] | None:
        pane_id = getattr(event, "pane", None)
        found = next((p for p in self.host.ctl.panes if p.id == pane_id), None)
        view: dict[str, Any] | None = (
            plain(view_of(found, explained=True)) if found is not None else None
        )
        return view

    def close(self) -> None:
        """End it. Idempotent."""
        taps = self.host.ctl.bus.taps
        if self.tap in taps:
            taps.remove(self.tap)
            self.ended()


@attrs.define(eq=False, kw_only=True)
class Dispatcher:
    """Calls methods for callers, and counts."""

    host: Host
    n_requests: dict[str, int] = attrs.field(factory=dict, init=False)
    """By method."""
    n_failures: dict[str, int] = attrs.field(factory=dict, init=False)
    """By code, and refusals by ``code:reason``."""
    _n_every: int = attrs.field(default=0, init=False)
    _watched: str | frozenset[str] | None = attrs.field(default=None, init=False)

    async def call(self, method: str, params: Mapping[str, Any], caller: Caller) -> Any:
        """Carry out a method and return its result as plain values.

        Raises:
            PanegateError: It was not done; see `failure` for what callers are told.
            ValueError: The method or its parameters are wrong.

        """
        row = METHODS.get(method)
        self._count(self.n_requests, method if row is not None else "?")
        if row is None:
            msg = f"there is no method {method[:40]!r}; there are: {', '.join(METHODS)}"
            raise BadParams(msg)
        self.host.ctl.check()
        result = await row.call(self.host, caller, params_from(params, row.params))
        return plain(result)

    def failure(self, error: Exception) -> dict[str, Any]:
        """Return what a caller is told of an error, and count it. Nothing of a secret is in it."""
        if isinstance(error, PanegateError):
            out = failure_of(error)
        elif isinstance(error, BadParams):
            out = {"code": "bad_params", "message": str(error), "fix": ""}
        elif isinstance(error, ValueError):
            out = {"code": "bad_value", "message": str(error), "fix": ""}
        else:
            _log.error("request.failed", words=repr(error))
            words = f"the service failed: {type(error).__name__}"
            out = {"code": "internal", "message": words, "fix": "its log says more"}
        self._count(self.n_failures, out["code"])
        if isinstance(error, Refused):
            self._count(self.n_failures, f"{out['code']}:{error.reason.value}")
        return out

    async def subscribe(self, params: Mapping[str, Any]) -> Subscription:
        """Begin to listen, from the call on.

        Raises:
            NoSuchPane: The pane is not there.
            ValueError: The parameters are wrong.

        """
        wanted = params_from(params, EventsParams)
        ctl = self.host.ctl
        ctl.check()
        size = ctl.settings.event_buffer if wanted.maxsize is None else wanted.maxsize
        if not 1 <= size <= _MAX_BUFFER:
            raise BadParams(f"maxsize: expected 1 to {_MAX_BUFFER}")
        if wanted.every and wanted.pane is not None:
            raise BadParams("events are of one pane or of every pane")
        found = Subscription(host=self.host, stream=EventStream(ctl.bus, size), views=wanted.views)
        if wanted.pane is not None:
            pane = await pane_of(self.host, wanted.pane)
            found.pane = pane.id
        for event in ctl.bus.recent:
            if wanted.since is not None and event.seq > wanted.since:
                found.tap(event)
        found.seq = ctl.bus.last_seq
        ctl.bus.taps.append(found.tap)
        if wanted.every:
            try:
                await self._watch_every(found)
            except BaseException:
                found.close()
                raise
        present = [p for p in ctl.panes if wanted.every or p.id == found.pane]
        found.panes = tuple(view_of(pane, explained=True) for pane in present)
        if wanted.since is None and not wanted.views:
            found.begin_with(event for pane in present for event in _present(pane))
        return found

    async def _watch_every(self, found: Subscription) -> None:
        """Watch the whole server while anybody wants to hear of it."""
        ctl = self.host.ctl
        if self._n_every == 0:
            self._watched, ctl.watch = ctl.watch, "server"
        self._n_every += 1
        found.ended = self._watch_less
        await ctl.launching.watch_existing()

    def _watch_less(self) -> None:
        self._n_every -= 1
        if self._n_every == 0 and self._watched is not None:
            self.host.ctl.watch, self._watched = self._watched, None

    async def finish_writes(self) -> None:
        """Take back what has not begun, and wait until all that has begun has its fate."""
        ctl = self.host.ctl
        changed = asyncio.Event()

        def tap(_event: Event) -> None:
            changed.set()

        ctl.bus.taps.append(tap)
        try:
            for pane in ctl.panes:
                for write_id in pane.queue:
                    await pane.withdraw(write_id)
            while any(pane.queue for pane in ctl.panes):
                changed.clear()
                await changed.wait()
        finally:
            ctl.bus.taps.remove(tap)

    def statistics(self) -> dict[str, Any]:
        """Return counts: requests by method, failures by code and reason."""
        return {"requests": dict(self.n_requests), "failures": dict(self.n_failures)}

    @staticmethod
    def _count(counts: dict[str, int], key: str) -> None:
        counts[key] = counts.get(key, 0) + 1


def _present(pane: Pane) -> Iterator[Event]:
    """Return what has made a pane what it is."""
    now_s = pane.ctl.clock()
    yield PaneOpened(pane=pane.id, name=pane.name, profile=pane.profile.name, at_s=now_s)
    if pane.tracker.history:
        yield pane.tracker.history[-1]
    if pane.prompt is not None:
        yield PromptOpened(pane=pane.id, prompt=pane.prompt, at_s=pane.prompt.since)

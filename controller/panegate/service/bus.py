"""The event stream: ordered, numbered, bounded for each reader."""

from collections import deque
from collections.abc import Callable
from types import TracebackType

import anyio
import attrs

from panegate.session.events import Dropped, Event

__all__ = ["EventBus", "EventStream"]


@attrs.define(eq=False)
class EventStream:
    """One reader's view of the events; an async iterator.

    Registered when it is made. A reader that falls behind by more than ``maxsize`` events
    loses the oldest and is told so by one `Dropped` in their place.
    """

    _bus: "EventBus"
    maxsize: int
    _waiting: deque[Event] = attrs.field(factory=deque, init=False)
    _dropped: int = attrs.field(default=0, init=False)
    _dropped_at_s: float = attrs.field(default=0.0, init=False)
    _arrived: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    _closed: bool = attrs.field(default=False, init=False)

    def put(self, event: Event) -> None:
        """Take an event; never blocks."""
        if len(self._waiting) >= self.maxsize:
            self._dropped_at_s = self._waiting.popleft().at_s
            self._dropped += 1
        self._waiting.append(event)
        self._arrived.set()

    def close(self) -> None:
        """End the iteration; what has arrived is still given. Idempotent."""
        self._closed = True
        self._bus.remove(self)
        self._arrived.set()

    async def aclose(self) -> None:
        """End the iteration."""
        self.close()

    def __aiter__(self) -> "EventStream":
        return self

    async def __anext__(self) -> Event:
        while True:
            if self._dropped:
                count, self._dropped = self._dropped, 0
                return Dropped(count=count, at_s=self._dropped_at_s)
            if self._waiting:
                return self._waiting.popleft()
            if self._closed:
                raise StopAsyncIteration
            self._arrived = anyio.Event()
            await self._arrived.wait()

    async def __aenter__(self) -> "EventStream":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


@attrs.define(eq=False)
class EventBus:
    """Numbers events and gives them to every reader."""

    last_seq: int = attrs.field(default=0, init=False)
    dropped: int = attrs.field(default=0, init=False)
    taps: list[Callable[[Event], None]] = attrs.field(factory=list, init=False)
    """Called for each event before any reader; must not block."""
    recent: deque[Event] = attrs.field(factory=lambda: deque(maxlen=10_000), init=False)
    """The last events, oldest first, for readers that come back."""
    _streams: list[EventStream] = attrs.field(factory=list, init=False)

    def emit(self, event: Event) -> Event:
        """Number an event and give it to all."""
        self.last_seq += 1
        numbered: Event = attrs.evolve(event, seq=self.last_seq)
        self.recent.append(numbered)
        for tap in self.taps:
            tap(numbered)
        for stream in self._streams:
            stream.put(numbered)
        return numbered

    def stream(self, maxsize: int, *, first: list[Event] | None = None) -> EventStream:
        """Register a reader; it sees *first*, then everything from now on."""
        stream = EventStream(self, maxsize)
        for event in first or ():
            stream.put(event)
        self._streams.append(stream)
        return stream

    def remove(self, stream: EventStream) -> None:
        """Forget a reader."""
        if stream in self._streams:
            self._streams.remove(stream)

    def close(self) -> None:
        """End all readers."""
        for stream in list(self._streams):
            stream.close()

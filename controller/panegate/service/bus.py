"""The event stream: ordered, numbered, bounded for each reader."""

from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType

import anyio
import attrs

from panegate.session.events import Dropped, Event

__all__ = ["EventBus", "EventStream", "ReadBack"]

ReadBack = Callable[[int], Awaitable[list[Event]]]
"""Returns the next kept events above a number, oldest first; none when there are no more."""


@attrs.define(eq=False)
class EventStream:
    """One reader's view of the events; an async iterator.

    Registered when it is made. A reader that falls behind by more than ``maxsize`` events
    loses the oldest and is told so by one `Dropped` in their place.
    """

    _bus: "EventBus"
    maxsize: int
    _first: list[Event] = attrs.field(factory=list)
    """What has been, as far as it is in memory; given before what comes."""
    _read_back: ReadBack | None = None
    """Gives what is older than that, page by page."""
    _since: int = 0
    _until: int = 0
    """The first number that is not read back."""
    _page: deque[Event] = attrs.field(factory=deque, init=False)
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
            while self._read_back is not None and not self._page:
                await self._turn_back(self._read_back)
            event = self.take_nowait()
            if event is not None:
                return event
            if self._closed:
                raise StopAsyncIteration
            self._arrived = anyio.Event()
            await self._arrived.wait()

    def take_nowait(self) -> Event | None:
        """Return the next event, None where none has arrived."""
        if self._page or self._read_back is not None:
            return self._page.popleft() if self._page else None
        if self._first:
            self._page.extend(self._first)
            self._first = []
            return self._page.popleft()
        if self._dropped:
            count, self._dropped = self._dropped, 0
            return Dropped(count=count, at_s=self._dropped_at_s)
        return self._waiting.popleft() if self._waiting else None

    async def _turn_back(self, read_back: ReadBack) -> None:
        found = await read_back(self._since)
        older = [event for event in found if event.seq < self._until]
        self._page.extend(older)
        if found:
            self._since = found[-1].seq
        if not found or len(older) < len(found):
            self._read_back = None

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

    def stream(
        self,
        maxsize: int,
        *,
        first: list[Event] | None = None,
        since: int = 0,
        read_back: ReadBack | None = None,
    ) -> EventStream:
        """Register a reader; it sees what has been, then everything from now on.

        Args:
            maxsize: Events kept for it before it sees `Dropped`; what has been comes on top.
            first: What has been and is still in memory.
            since: With *read_back*: what is older than *first*, after this number, comes before.
            read_back: Gives it.

        """
        oldest = self.recent[0].seq if self.recent else self.last_seq + 1
        older = read_back if since + 1 < oldest else None
        stream = EventStream(self, maxsize, list(first or ()), older, since, oldest)
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

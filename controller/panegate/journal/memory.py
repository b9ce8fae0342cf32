"""A journal that lives as long as its process."""

from collections import deque

import attrs

from panegate.errors import JournalError
from panegate.gate.receipt import Receipt
from panegate.journal.base import WriteRow
from panegate.session.events import Event

__all__ = ["MemoryJournal"]


@attrs.define(kw_only=True)
class MemoryJournal:
    """Keeps the last writes and events in memory; bounded, oldest dropped first."""

    max_writes: int = 10_000
    max_events: int = 10_000
    rows: dict[str, WriteRow] = attrs.field(factory=dict, init=False)
    receipts: dict[str, Receipt] = attrs.field(factory=dict, init=False)
    broken: bool = attrs.field(default=False, init=False)
    """Set by tests: every call fails, as on a full disk."""
    _events: deque[Event] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._events = deque(maxlen=self.max_events)

    async def begin(self, row: WriteRow) -> None:
        """Keep *row*."""
        self._check()
        self.rows[row.write_id] = row
        while len(self.rows) > self.max_writes:
            oldest = next(iter(self.rows))
            del self.rows[oldest]
            self.receipts.pop(oldest, None)

    async def finish(self, receipt: Receipt) -> None:
        """Keep the fate of a write."""
        self._check()
        self.receipts[receipt.write_id] = receipt

    async def receipt(self, write_id: str) -> Receipt | None:
        """Return the receipt of a finished write."""
        return self.receipts.get(write_id)

    async def append(self, event: Event) -> None:
        """Keep an event."""
        self._check()
        self._events.append(event)

    async def events(self, since: int) -> list[Event]:
        """Return kept events above *since*."""
        return [event for event in self._events if event.seq > since]

    async def aclose(self) -> None:
        """Nothing to flush."""

    def _check(self) -> None:
        if self.broken:
            raise JournalError("the journal cannot be written", fix="free space or choose another")

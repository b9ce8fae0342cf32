"""A journal that lives as long as its process."""

import secrets
from collections import deque

import attrs

from panegate.errors import JournalError
from panegate.gate.receipt import Receipt
from panegate.gate.stages import Stage
from panegate.ids import PaneId
from panegate.journal.base import KeptWrite, PaneRow, Record, WriteRow
from panegate.session.events import Event

__all__ = ["MemoryJournal"]


@attrs.define(kw_only=True)
class MemoryJournal:
    """Keeps the last writes and events in memory; bounded, oldest dropped first."""

    max_writes: int = 10_000
    max_events: int = 10_000
    rows: dict[str, WriteRow] = attrs.field(factory=dict, init=False)
    receipts: dict[str, Receipt] = attrs.field(factory=dict, init=False)
    stages: dict[str, Stage] = attrs.field(factory=dict, init=False)
    broken: bool = attrs.field(default=False, init=False)
    """Set by tests: every call fails, as on a full disk."""
    key: bytes = attrs.field(factory=lambda: secrets.token_bytes(16), init=False, repr=False)
    """Key of the digests of texts."""
    _events: deque[Event] = attrs.field(init=False)
    _panes: dict[tuple[str, PaneId, int], PaneRow] = attrs.field(factory=dict, init=False)
    _records: dict[tuple[str, str, PaneId, str], Record] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self._events = deque(maxlen=self.max_events)

    async def begin(self, row: WriteRow) -> KeptWrite | None:
        """Keep *row*, or return what is kept under its id."""
        self._check()
        if row.write_id in self.rows:
            return await self.kept(row.write_id)
        self.rows[row.write_id] = row
        self.stages[row.write_id] = Stage.WAITING
        while len(self.rows) > self.max_writes:
            oldest = next(iter(self.rows))
            for kept in (self.rows, self.receipts, self.stages):
                kept.pop(oldest, None)
        return None

    async def stage(self, write_id: str, stage: Stage, before: tuple[str, ...] = ()) -> None:
        """Keep how far a write has come."""
        self._check()
        if write_id in self.rows:
            self.stages[write_id] = stage

    async def finish(self, receipt: Receipt) -> None:
        """Keep the fate of a write; the first one counts."""
        self._check()
        self.receipts.setdefault(receipt.write_id, receipt)
        self.stages[receipt.write_id] = Stage.DONE

    async def kept(self, write_id: str) -> KeptWrite | None:
        """Return a write."""
        row = self.rows.get(write_id)
        if row is None:
            return None
        receipt = self.receipts.get(write_id)
        return KeptWrite(row=row, stage=self.stages[write_id], receipt=receipt)

    async def receipt(self, write_id: str) -> Receipt | None:
        """Return the receipt of a finished write."""
        return self.receipts.get(write_id)

    async def append(self, event: Event) -> None:
        """Keep an event."""
        self._check()
        self._events.append(event)

    async def events(self, since: int, limit: int = 10_000) -> list[Event]:
        """Return kept events above *since*."""
        return [event for event in self._events if event.seq > since][:limit]

    async def last_seq(self) -> int:
        """Return 0: no events are older than the process."""
        return self._events[-1].seq if self._events else 0

    async def orphans(self) -> list[KeptWrite]:
        """Return nothing: what a dead process knew is gone."""
        return []

    async def dead_clients(self) -> list[tuple[int, str]]:
        """Return nothing: what a dead process knew is gone."""
        return []

    async def open_pane(self, row: PaneRow) -> None:
        """Keep what a pane was launched or adopted with."""
        self._panes[row.server, row.pane, row.pane_pid] = row

    async def pane(self, server: str, pane: PaneId, pane_pid: int) -> PaneRow | None:
        """Return what is kept of a pane."""
        return self._panes.get((server, pane, pane_pid))

    async def record(self, record: Record) -> None:
        """Keep a record."""
        self._check()
        key = (record.kind, record.server, record.pane, record.key)
        self._records.pop(key, None)
        self._records[key] = record

    async def records(self, kind: str, server: str, pane: PaneId | None = None) -> list[Record]:
        """Return records of a server, oldest first."""
        return [
            record
            for record in self._records.values()
            if (record.kind, record.server) == (kind, server) and pane in (None, record.pane)
        ]

    async def note_client(self, pid: int) -> None:
        """Nothing: a process that crashed has no journal here."""

    async def aclose(self) -> None:
        """Nothing to flush."""

    def _check(self) -> None:
        if self.broken:
            raise JournalError("the journal cannot be written", fix="free space or choose another")

"""What a journal promises: a write is in it before its first byte leaves."""

from typing import Protocol

import attrs

from panegate.gate.receipt import Receipt
from panegate.ids import PaneId
from panegate.session.events import Event
from panegate.terms import Intent

__all__ = ["Journal", "WriteRow"]


@attrs.frozen(kw_only=True)
class WriteRow:
    """A write as it is known before it begins; a secret's text never stands here."""

    write_id: str
    pane: PaneId
    server: str
    """Identity of the server: pid, start time and socket."""
    intent: Intent
    text: str | None
    """None where the text is a secret."""
    text_digest: str
    by: str
    at_utc: str
    """ISO 8601, UTC."""


class Journal(Protocol):
    """Keeps writes, receipts and events. Every method may raise `JournalError`."""

    async def begin(self, row: WriteRow) -> None:
        """Keep *row*; when this returns it survives a crash of the controller."""
        ...

    async def finish(self, receipt: Receipt) -> None:
        """Keep the fate of a write."""
        ...

    async def receipt(self, write_id: str) -> Receipt | None:
        """Return the receipt of a finished write, None when there is none."""
        ...

    async def append(self, event: Event) -> None:
        """Keep an event of the stream."""
        ...

    async def events(self, since: int) -> list[Event]:
        """Return the kept events with a sequence number above *since*, oldest first."""
        ...

    async def aclose(self) -> None:
        """Flush and close. Idempotent."""
        ...

"""Rows, receipts and journals for tests."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from panegate.gate.receipt import Proof, Receipt
from panegate.ids import PaneId
from panegate.journal.base import WriteRow
from panegate.journal.sqlite import SqliteJournal
from panegate.journal.store import JournalOptions, utc_now
from panegate.terms import Fate, Grade, Intent, Reason, State

__all__ = ["NOW", "SOCKET", "opened", "receipt", "row"]

SOCKET = "/run/s"
NOW = utc_now()


def row(write_id: str, **fields: Any) -> WriteRow:
    known: dict[str, Any] = {
        "write_id": write_id,
        "pane": PaneId("%1"),
        "server": f"1:2:{SOCKET}",
        "intent": Intent.MESSAGE,
        "text": "hi",
        "text_digest": "d",
        "by": "",
        "at_utc": NOW,
        "pane_pid": 7,
        "pane_name": "w1",
    }
    return WriteRow(**{**known, **fields})


def receipt(write_id: str, fate: Fate = Fate.LANDED, **fields: Any) -> Receipt:
    known: dict[str, Any] = {
        "write_id": write_id,
        "pane": PaneId("%1"),
        "intent": Intent.MESSAGE,
        "fate": fate,
        "reason": Reason.NONE,
        "n_bytes": 2,
        "text_digest": "d",
        "state_before": State.READY,
        "state_after": State.BUSY,
        "before": ("$ ", ""),
        "after": ("$ hi", "hi"),
        "changed": True,
        "landed": True,
        "proof": Proof(Grade.MARK, "it began"),
        "attempts": 1,
        "ms": {"total": 12.5, "typed": 1.25},
        "words": "Landed: it began.",
    }
    return Receipt(**{**known, **fields})


@contextlib.asynccontextmanager
async def opened(path: Path, **options: Any) -> AsyncIterator[SqliteJournal]:
    """Open a journal; closed at the end."""
    journal = await SqliteJournal.open(
        path,
        socket=options.pop("socket", SOCKET),
        on_aside=options.pop("on_aside", lambda _path: None),
        options=JournalOptions(**options),
    )
    try:
        yield journal
    finally:
        await journal.aclose()

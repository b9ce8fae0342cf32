"""The in-memory journal keeps what it promises, bounded."""

import pytest

from panegate.errors import JournalError
from panegate.gate.receipt import Receipt
from panegate.ids import PaneId
from panegate.journal.base import WriteRow
from panegate.journal.memory import MemoryJournal
from panegate.session.events import ServerBack
from panegate.terms import Fate, Intent, Reason, State

pytestmark = pytest.mark.asyncio(loop_factories=["virtual"])


def row(write_id: str) -> WriteRow:
    return WriteRow(
        write_id=write_id,
        pane=PaneId("%1"),
        server="1:2:/s",
        intent=Intent.MESSAGE,
        text="hi",
        text_digest="",
        by="",
        at_utc="2026-01-01T00:00:00+00:00",
    )


def receipt(write_id: str) -> Receipt:
    return Receipt(
        write_id=write_id,
        pane=PaneId("%1"),
        intent=Intent.MESSAGE,
        fate=Fate.LANDED,
        reason=Reason.NONE,
        n_bytes=2,
        text_digest="",
        state_before=State.READY,
        state_after=State.BUSY,
    )


async def test_a_write_without_a_fate_has_no_receipt():
    journal = MemoryJournal()
    await journal.begin(row("a"))
    assert await journal.receipt("a") is None
    await journal.finish(receipt("a"))
    found = await journal.receipt("a")
    assert found is not None
    assert found.fate is Fate.LANDED


async def test_the_oldest_writes_are_dropped_first():
    journal = MemoryJournal(max_writes=2)
    for name in "abc":
        await journal.begin(row(name))
        await journal.finish(receipt(name))
    assert await journal.receipt("a") is None
    assert await journal.receipt("c") is not None


async def test_events_after_a_number():
    journal = MemoryJournal()
    for n in range(1, 4):
        await journal.append(ServerBack(seq=n, at_s=float(n)))
    assert [e.seq for e in await journal.events(1)] == [2, 3]


async def test_a_broken_journal_says_so():
    journal = MemoryJournal()
    journal.broken = True
    with pytest.raises(JournalError):
        await journal.begin(row("a"))

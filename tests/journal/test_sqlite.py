"""The SQLite journal: what is in it after it was closed, and after it was not."""

import asyncio
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import attrs
import pytest
from tests.journal.making import NOW, SOCKET, opened, receipt, row

from panegate.gate.stages import Stage
from panegate.ids import PaneId
from panegate.journal.base import PaneRow, Record
from panegate.journal.sqlite import RESERVED
from panegate.journal.store import Sync, TextKept
from panegate.panes.facts import OptionReading
from panegate.session.events import (
    Event,
    PaneExited,
    Prompt,
    PromptOpened,
    ServerBack,
    StateChanged,
    WriteFinished,
)
from panegate.terms import Fate, Grade, PromptKind, State

pytestmark = pytest.mark.asyncio


def query(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(sql).fetchall()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal.db"


async def test_a_write_is_there_for_others_once_begin_has_returned(path: Path):
    async with opened(path) as journal:
        assert await journal.begin(row("a")) is None
        assert query(path, "SELECT write_id, text, stage, fate FROM writes") == [
            ("a", "hi", "waiting", None)
        ]


async def test_a_receipt_comes_back_whole_from_a_later_controller(path: Path):
    said = receipt("a")
    async with opened(path) as journal:
        await journal.begin(row("a"))
        await journal.stage("a", Stage.TYPING, ("$ ",))
        assert (await journal.kept("a")).before == ("$ ",)
        await journal.finish(said)
    async with opened(path) as later:
        assert await later.receipt("a") == said
        assert await later.receipt("b") is None
        kept = await later.kept("a")
        assert (kept.row, kept.stage) == (row("a"), Stage.DONE)
        assert kept.run.pid == os.getpid()


async def test_the_first_fate_counts(path: Path):
    async with opened(path) as journal:
        await journal.begin(row("a"))
        await journal.finish(receipt("a"))
        await journal.finish(receipt("a", Fate.UNKNOWN))
        await journal.stage("a", Stage.TYPING)
        kept = await journal.kept("a")
        assert (kept.receipt.fate, kept.stage) == (Fate.LANDED, Stage.DONE)


async def test_a_repeated_id_changes_nothing_and_gives_the_first_write(path: Path):
    async with opened(path) as journal, opened(path) as other:
        assert await journal.begin(row("a", text="one")) is None
        again = await other.begin(row("a", text="two"))
        assert again.row.text == "one"
        assert again.receipt is None
        assert query(path, "SELECT count(*) FROM writes") == [(1,)]


async def test_the_file_and_its_folder_are_the_users_alone(path: Path):
    kept = os.umask(0)
    try:
        async with opened(path) as journal:
            await journal.begin(row("a"))
            modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()}
            assert set(modes.values()) == {0o600}
            assert {"journal.db", "journal.db-wal"} <= set(modes)
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    finally:
        os.umask(kept)


async def test_a_file_that_others_could_read_is_closed_to_them(path: Path):
    async with opened(path):
        pass
    os.chmod(path, 0o644)
    async with opened(path):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


@pytest.mark.parametrize(("sync", "number"), [(Sync.NORMAL, 1), (Sync.FULL, 2)])
async def test_the_wait_for_the_disk_is_a_choice(path: Path, sync: Sync, number: int):
    found: list[int] = []
    async with opened(path, sync=sync) as journal:

        def look(db: sqlite3.Connection) -> None:
            found.append(db.execute("PRAGMA synchronous").fetchone()[0])
            found.append(db.execute("PRAGMA journal_mode").fetchone()[0])

        await journal._writer.submit(look)
    assert found == [number, "wal"]


async def test_what_waits_together_is_committed_together(path: Path):
    async with opened(path) as journal:
        before = journal._writer.commits
        await asyncio.gather(*(journal.begin(row(f"w{n}")) for n in range(200)))
        assert journal._writer.commits - before < 60
        assert query(path, "SELECT count(*) FROM writes") == [(200,)]


async def test_the_log_beside_the_file_does_not_grow_for_ever(path: Path):
    async with opened(path) as journal:
        for n in range(1500):
            await journal.begin(row(f"w{n}", text="x" * 4000))
        assert os.stat(f"{path}-wal").st_size < 20_000_000  # of 33 MB that were written


async def test_old_rows_go_when_the_journal_is_opened(path: Path):
    async with opened(path) as journal:
        old = row("a", at_utc="2020-01-01T00:00:00.000+00:00")
        await journal.begin(old)
        await journal.finish(receipt("a"))
    async with opened(path) as later:
        await later.begin(row("b"))
    async with opened(path) as third:
        assert await third.kept("a") is None
        assert await third.kept("b") is not None


async def test_digests_alone_where_texts_are_not_wanted(path: Path):
    async with opened(path, text=TextKept.DIGEST) as journal:
        await journal.begin(row("a", text="a private word"))
        await journal.stage("a", Stage.TYPING, ("$ a private word",))
        said = receipt("a", left_behind="a private word", after=("$ a private word",))
        await journal.finish(said)
        finished = WriteFinished(
            pane=PaneId("%1"), receipt=said, submitted_text="a private word", seq=1, at_s=1.0
        )
        await journal.append(finished)
    for name in os.listdir(path.parent):
        assert b"private" not in (path.parent / name).read_bytes()
    async with opened(path) as later:
        assert (await later.kept("a")).row.text_digest == "d"
        assert (await later.receipt("a")).words == "Landed: it began."


async def test_digests_of_all_controllers_have_the_same_key(path: Path):
    async with opened(path) as one:
        pass
    async with opened(path) as two:
        assert one.key == two.key
    async with opened(path.with_name("other.db")) as three:
        assert three.key != one.key


EVENTS: list[Event] = [
    ServerBack(at_s=1.0),
    StateChanged(
        pane=PaneId("%1"),
        old=State.READY,
        new=State.BUSY,
        grade=Grade.MARK,
        words="it began",
        at_s=2.0,
    ),
    PromptOpened(
        pane=PaneId("%1"),
        prompt=Prompt(
            id="%1.1.ab",
            pane=PaneId("%1"),
            episode=1,
            kind=PromptKind.MENU,
            question="Which?",
            options=(OptionReading(key="1", label="one", highlighted=True),),
            rows=("Which?", "1. one"),
        ),
        at_s=3.0,
    ),
    PaneExited(pane=PaneId("%1"), status=None, signal=9, words="killed", rows=("a", ""), at_s=4.0),
    WriteFinished(pane=PaneId("%1"), receipt=receipt("a"), at_s=5.0),
]


async def test_events_come_back_as_they_were_in_order(path: Path):
    async with opened(path) as journal:
        last = await journal.last_seq()
        numbered = [_numbered(event, last + n) for n, event in enumerate(EVENTS, 1)]
        for event in numbered:
            await journal.append(event)
    async with opened(path) as later:
        assert await later.events(last) == numbered
        assert await later.events(last + 3) == numbered[3:]
        assert await later.events(last, limit=2) == numbered[:2]
    async with opened(path, socket="/run/other") as elsewhere:
        assert await elsewhere.events(0) == []


def _numbered(event: Event, seq: int) -> Event:
    return attrs.evolve(event, seq=seq)


async def test_events_of_a_kind_that_is_not_known_are_left_out(path: Path):
    async with opened(path) as journal:
        await journal.append(ServerBack(seq=1, at_s=1.0))
        await journal.append(ServerBack(seq=2, at_s=1.0))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE events SET kind = 'OfTomorrow' WHERE seq = 1")
    async with opened(path) as later:
        assert [event.seq for event in await later.events(0)] == [2]


async def test_times_of_an_earlier_boot_are_told_in_this_ones_clock(path: Path):
    loop = asyncio.get_running_loop()
    async with opened(path) as journal:
        await journal.append(ServerBack(seq=1, at_s=loop.time() - 100))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE events SET boot = 'another', at_s = 5e9")
    async with opened(path) as later:
        (event,) = await later.events(0)
        assert loop.time() - event.at_s == pytest.approx(100, abs=5)


async def test_numbers_go_on_where_a_closed_controller_ended(path: Path):
    async with opened(path) as journal:
        last = await journal.last_seq()
        await journal.append(ServerBack(seq=last + 1, at_s=1.0))
    async with opened(path) as later:
        assert await later.last_seq() == last + 1


async def test_no_number_is_given_twice_after_a_crash(path: Path):
    """What was told to readers may not have reached the file: its numbers are not used again."""
    async with opened(path) as crashed:
        last = await crashed.last_seq()
        async with opened(path) as later:
            assert await later.last_seq() >= last + RESERVED


async def test_no_number_is_given_twice_after_a_long_life(path: Path):
    async with opened(path) as crashed:
        last = await crashed.last_seq()
        for n in range(RESERVED + 10):
            await crashed.append(ServerBack(seq=last + n + 1, at_s=1.0))
        await crashed.begin(row("a"))  # behind them
        async with opened(path) as later:
            assert await later.last_seq() >= last + RESERVED + 10


async def test_a_pane_is_known_by_its_server_and_process(path: Path):
    server = f"1:2:{SOCKET}"
    launched = PaneRow(
        server=server,
        pane=PaneId("%1"),
        pane_pid=7,
        name="w1",
        profile="bash",
        at_utc=NOW,
        launch={"argv": ["bash"]},
        traits={"where": "x"},
    )
    async with opened(path) as journal:
        await journal.open_pane(launched)
        await journal.open_pane(attrs.evolve(launched, launch=None, name="mine"))
    async with opened(path) as later:
        found = await later.pane(server, PaneId("%1"), 7)
        assert found == attrs.evolve(launched, name="mine")
        assert await later.pane("9:9:/run/s", PaneId("%1"), 7) is None
        assert await later.pane(server, PaneId("%1"), 8) is None


async def test_the_last_record_of_a_key_counts(path: Path):
    def record(key: str, n: int, pane: str = "%1") -> Record:
        return Record(
            kind="nudge",
            server="s",
            pane=PaneId(pane),
            key=key,
            value={"n": n},
            at_utc=f"{NOW}{n}",
        )

    async with opened(path) as journal:
        for item in (record("a", 1), record("b", 2), record("a", 3), record("a", 4, "%2")):
            await journal.record(item)
    async with opened(path) as later:
        assert [r.value["n"] for r in await later.records("nudge", "s")] == [2, 3, 4]
        assert [r.value["n"] for r in await later.records("nudge", "s", PaneId("%2"))] == [4]
        assert await later.records("claim", "s") == []


async def test_a_dead_controllers_write_is_taken_over_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with opened(path) as dead, opened(path) as one, opened(path) as two:
        await dead.begin(row("a"))
        await dead.stage("a", Stage.TYPING, ("$ ",))
        await one.begin(row("b"))
        assert await two.orphans() == []
        monkeypatch.setattr("panegate.journal.claiming.is_running", lambda *_, **__: False)
        monkeypatch.setattr(one, "me", attrs.evolve(one.me, started="now"))
        (found,) = [k for k in await one.orphans() if k.row.write_id == "a"]
        assert (found.stage, found.before, found.run.run) == (Stage.TYPING, ("$ ",), dead.me.run)
        assert [k.row.write_id for k in await one.orphans()] == []


async def test_the_end_of_a_write_is_kept_with_its_fate_or_not_at_all(path: Path):
    """Else a crash between the two would have the next controller tell another fate."""
    async with opened(path) as journal:
        await journal.begin(row("a"))
        await journal.append(
            WriteFinished(pane=PaneId("%1"), receipt=receipt("a"), seq=1, at_s=1.0)
        )
        await journal.begin(row("b"))  # behind it
        assert query(path, "SELECT write_id, fate FROM writes") == [("a", "landed"), ("b", None)]
        assert (await journal.receipt("a")) == receipt("a")

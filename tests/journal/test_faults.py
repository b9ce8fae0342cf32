"""Full, locked, read-only and broken files: writes are refused with the reason, reads go on."""

import asyncio
import contextlib
import os
import resource
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.journal.making import opened, receipt, row

from panegate.errors import JournalError
from panegate.journal.store import JournalOptions, set_aside
from panegate.session.events import ServerBack

pytestmark = pytest.mark.asyncio


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, 1 MB small; only root can have one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    argv = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(argv, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def remount(folder: Path, how: str) -> None:
    """Make a file system read-only (``ro``) or not (``rw``)."""
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Leave no room on a file system; return the file to remove."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    return filler


@contextlib.contextmanager
def small_files() -> Iterator[None]:
    """Let no file of this process grow: as a full disk, for those who are not root."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_full_disk_refuses_writes_and_reads_go_on(disk: Path):
    async with opened(disk / "journal.db") as journal:
        await journal.begin(row("a"))
        filler = fill(disk)
        with pytest.raises(JournalError, match="the disk is full") as caught:
            await journal.begin(row("b", text="x" * 100_000))
        assert caught.value.fix == "free some space"
        assert journal.problem is not None
        assert (await journal.kept("a")).row.text == "hi"
        assert await journal.kept("b") is None
        filler.unlink()
        assert await journal.begin(row("b")) is None
        assert journal.problem is None


async def test_a_fate_that_found_no_room_is_kept_with_the_next_write(disk: Path):
    async with opened(disk / "journal.db") as journal:
        await journal.begin(row("a"))
        filler = fill(disk)
        large = receipt("a", words="x" * 100_000)
        with pytest.raises(JournalError, match="full"):
            await journal.finish(large)
        filler.unlink()
        await journal.begin(row("b"))
        assert await journal.receipt("a") == large


async def test_files_that_may_not_grow_are_a_full_disk(path: Path):
    async with opened(path) as journal:
        await journal.begin(row("a"))
        with small_files(), pytest.raises(JournalError, match="cannot be written"):
            await journal.begin(row("b"))
        assert await journal.begin(row("b")) is None
        assert (await journal.kept("a")).row.text == "hi"


async def test_a_read_only_file_refuses_writes_and_is_read(disk: Path):
    async with opened(disk / "journal.db") as journal:
        await journal.begin(row("a"))
    remount(disk, "ro")
    async with opened(disk / "journal.db") as journal:
        with pytest.raises(JournalError, match="read-only"):
            await journal.begin(row("b"))
        assert (await journal.kept("a")).row.text == "hi"
        remount(disk, "rw")
        assert await journal.begin(row("b")) is None


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("")
    async with opened(tmp_path / "file" / "journal.db") as journal:
        with pytest.raises(JournalError, match=r"file/journal\.db cannot be written"):
            await journal.begin(row("a"))
        with pytest.raises(JournalError, match="cannot be read"):
            await journal.kept("a")
        await journal.note_client(os.getpid())
    assert (tmp_path / "file").read_text() == ""


async def test_a_file_that_somebody_holds_refuses_writes_and_is_read(path: Path):
    async with opened(path, busy_s=0.05) as journal:
        await journal.begin(row("a"))
        with closing(sqlite3.connect(path, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            with pytest.raises(JournalError, match="another process holds it locked"):
                await journal.begin(row("b"))
            assert (await journal.kept("a")).row.text == "hi"
            holder.execute("ROLLBACK")
        assert await journal.begin(row("b")) is None


async def test_a_short_hold_is_waited_for(path: Path):
    async with opened(path, busy_s=20.0) as journal:
        with closing(sqlite3.connect(path, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            beginning = asyncio.ensure_future(journal.begin(row("a")))
            await asyncio.wait([beginning], timeout=0.1)
            assert not beginning.done()
            holder.execute("ROLLBACK")
            assert await beginning is None


def damaged(folder: Path) -> list[Path]:
    return sorted(folder.glob("journal.damaged-*.db"))


def _garbage(path: Path) -> None:
    path.write_bytes(b"not a journal at all " * 500)


async def test_a_file_that_is_none_is_set_aside_and_named(path: Path):
    _garbage(path)
    told: list[Path] = []
    async with opened(path, on_aside=told.append) as journal:
        assert await journal.begin(row("a")) is None
        (aside,) = damaged(path.parent)
        assert told == [aside]
        assert aside.read_bytes().startswith(b"not a journal")
        assert (await journal.kept("a")).row.text == "hi"


def spoil(path: Path) -> None:
    """Overwrite all but the first page of a journal, and the log beside it."""
    for tail, start in (("", 4096), ("-wal", 0)):
        file = Path(f"{path}{tail}")
        if file.exists():
            with file.open("r+b") as stream:
                stream.seek(start)
                stream.write(b"\xff" * max(0, file.stat().st_size - start))


async def test_a_file_that_breaks_under_way_refuses_that_write_alone(path: Path):
    async with opened(path) as journal:
        for n in range(50):
            await journal.begin(row(f"a{n}"))
    spoil(path)
    told: list[Path] = []
    async with opened(path, on_aside=told.append) as journal:
        with contextlib.suppress(JournalError):  # the opening may have met the damage already
            await journal.begin(row("b"))
        assert await journal.begin(row("c")) is None
        assert told == damaged(path.parent)
        assert len(told) == 1
        assert (await journal.kept("c")).row.text == "hi"


async def test_the_words_name_the_file_that_was_set_aside(path: Path):
    async with opened(path) as journal:
        await journal.begin(row("a"))

        def broken(_db: sqlite3.Connection) -> None:
            spoil(path)
            error = sqlite3.DatabaseError("malformed")
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error

        with pytest.raises(JournalError) as caught:
            await journal._writer.submit(broken)
        (aside,) = damaged(path.parent)
        assert str(aside) in str(caught.value)
        assert await journal.begin(row("b")) is None


async def test_a_healthy_file_is_never_set_aside(path: Path):
    """Another process may have been first: then what stands there is new."""
    async with opened(path) as journal:
        await journal.begin(row("a"))
        assert await asyncio.to_thread(set_aside, path, JournalOptions()) is None
        assert damaged(path.parent) == []
        assert (await journal.kept("a")).row.text == "hi"


async def test_another_programs_database_is_left_alone(path: Path):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE things (a)")
    async with opened(path) as journal:
        with pytest.raises(JournalError, match="a database of another program"):
            await journal.begin(row("a"))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("things",)]
    assert damaged(path.parent) == []


async def test_a_newer_journal_is_left_alone(path: Path):
    async with opened(path):
        pass
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")
    async with opened(path) as journal:
        with pytest.raises(JournalError, match="a newer panegate"):
            await journal.begin(row("a"))
    assert damaged(path.parent) == []


async def test_many_may_make_the_file_at_once(path: Path):
    async def one(number: int) -> None:
        async with opened(path) as journal:
            assert await journal.begin(row(f"w{number}")) is None

    await asyncio.gather(*(one(n) for n in range(8)))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM writes").fetchone() == (8,)


async def test_events_that_find_no_room_are_counted_and_nobody_waits(path: Path):
    async with opened(path, busy_s=0.05) as journal:
        with closing(sqlite3.connect(path, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            for n in range(5):
                await asyncio.wait_for(journal.append(ServerBack(seq=n, at_s=0.0)), 0.01)
            with pytest.raises(JournalError):
                await journal.begin(row("a"))
            holder.execute("ROLLBACK")
        await journal.begin(row("b"))
        assert journal.dropped == 5


async def test_events_that_wait_for_the_disk_are_bounded(
    path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("panegate.journal.writer.MAX_WAITING", 10)
    async with opened(path, busy_s=20.0) as journal:
        with closing(sqlite3.connect(path, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            for n in range(1, 101):
                await journal.append(ServerBack(seq=n, at_s=0.0))
            assert 80 <= journal.dropped <= 90
            holder.execute("ROLLBACK")
        await journal.begin(row("a"))
        found = await journal.events(0)
        assert len(found) == 100 - journal.dropped

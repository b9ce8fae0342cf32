"""What is old goes, the oldest of too much goes, and a write without a fate stays."""

import datetime
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from panegate.journal.retention import forget_old
from panegate.journal.store import JournalOptions, connect

NOW = datetime.datetime.now(datetime.UTC)


def ago(days: float) -> str:
    return (NOW - datetime.timedelta(days=days)).isoformat(timespec="milliseconds")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = connect(tmp_path / "journal.db", JournalOptions())
    yield connection
    connection.close()


def write(db: sqlite3.Connection, write_id: str, days: float, fate: str | None = "landed") -> None:
    db.execute(
        "INSERT INTO writes (write_id, run, server, pane, pane_pid, pane_name, intent, text,"
        " text_digest, by_whom, at_utc, stage, fate)"
        " VALUES (?, 'r', 's', '%1', 1, '', 'message', ?, '', '', ?, 'done', ?)",
        (write_id, "x" * 500, ago(days), fate),
    )


def event(db: sqlite3.Connection, seq: int, days: float) -> None:
    db.execute(
        "INSERT INTO events (stream, seq, kind, at_s, at_utc, boot, data)"
        " VALUES ('s', ?, 'ServerBack', 0, ?, 'b', ?)",
        (seq, ago(days), "y" * 500),
    )


def ids(db: sqlite3.Connection) -> list[str]:
    return [row[0] for row in db.execute("SELECT write_id FROM writes ORDER BY n")]


def test_the_old_goes_and_the_young_stays(db: sqlite3.Connection):
    for name, days in (("old", 31), ("young", 29)):
        write(db, name, days)
        db.execute(
            "INSERT INTO panes VALUES (?, '%1', 1, '', '', NULL, '{}', ?)", (name, ago(days))
        )
        db.execute("INSERT INTO records VALUES ('k', ?, '%1', '', '{}', ?)", (name, ago(days)))
    event(db, 1, 31)
    event(db, 2, 29)
    assert forget_old(db, JournalOptions(keep_days=30)) == 4
    assert ids(db) == ["young"]
    assert db.execute("SELECT seq FROM events").fetchall() == [(2,)]
    assert db.execute("SELECT server FROM panes").fetchall() == [("young",)]
    assert db.execute("SELECT server FROM records").fetchall() == [("young",)]


def test_a_write_without_a_fate_is_never_too_old(db: sqlite3.Connection):
    write(db, "open", 1000, fate=None)
    run = ("r", 1, "", "", "", "", "", ago(1000), ago(999))
    db.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", run)
    forget_old(db, JournalOptions(keep_days=1, max_bytes=1))
    assert ids(db) == ["open"]
    assert db.execute("SELECT count(*) FROM runs").fetchone() == (1,)


def test_too_much_loses_its_oldest_events_first_then_writes(db: sqlite3.Connection):
    db.execute("BEGIN")
    for n in range(600):
        event(db, n, 3 - n / 1000)
        write(db, f"w{n}", 3 - n / 1000)
    db.execute("COMMIT")
    forget_old(db, JournalOptions(max_bytes=600_000))
    left = [seq for (seq,) in db.execute("SELECT seq FROM events ORDER BY seq")]
    assert left == list(range(600 - len(left), 600))
    assert 0 < len(left) < 600
    assert len(ids(db)) == 600
    forget_old(db, JournalOptions(max_bytes=250_000))
    assert db.execute("SELECT count(*) FROM events").fetchone() == (0,)
    kept = ids(db)
    assert kept == [f"w{n}" for n in range(600 - len(kept), 600)]
    assert 0 < len(kept) < 600


def test_room_that_was_freed_is_given_back(db: sqlite3.Connection, tmp_path: Path):
    db.execute("BEGIN")
    for n in range(500):
        event(db, n, 31)
    db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(truncate)").fetchall()
    before = (tmp_path / "journal.db").stat().st_size
    forget_old(db, JournalOptions(keep_days=30))
    db.execute("PRAGMA wal_checkpoint(truncate)").fetchall()
    assert (tmp_path / "journal.db").stat().st_size < before / 4

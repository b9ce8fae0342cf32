"""Files of older versions are brought up to date, all of it or nothing."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from panegate.journal.schema import (
    APPLICATION_ID,
    STEPS,
    ForeignFileError,
    NewerFileError,
    migrate,
)

NEXT = "ALTER TABLE writes ADD COLUMN colour TEXT;\nUPDATE writes SET colour = 'red';\n"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "j.db", isolation_level=None)) as connection:
        yield connection


def pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def test_a_new_file_has_the_newest_version_and_our_mark(db: sqlite3.Connection):
    migrate(db)
    assert pragma(db, "user_version") == len(STEPS)
    assert pragma(db, "application_id") == APPLICATION_ID


def test_an_older_file_keeps_its_rows(db: sqlite3.Connection):
    migrate(db)
    db.execute(
        "INSERT INTO writes (write_id, run, server, pane, pane_pid, pane_name, intent,"
        " text_digest, by_whom, at_utc, stage) VALUES ('a','r','s','p',1,'','message','','','','')"
    )
    migrate(db, (*STEPS, NEXT))
    assert pragma(db, "user_version") == len(STEPS) + 1
    assert db.execute("SELECT write_id, colour FROM writes").fetchall() == [("a", "red")]


def test_a_step_that_fails_changes_nothing(db: sqlite3.Connection):
    migrate(db)
    with pytest.raises(sqlite3.OperationalError):
        migrate(db, (*STEPS, f"{NEXT}SELECT nonsense;\n"))
    assert pragma(db, "user_version") == len(STEPS)
    columns = [row[1] for row in db.execute("PRAGMA table_info(writes)")]
    assert "colour" not in columns


def test_nothing_is_done_twice(db: sqlite3.Connection):
    migrate(db)
    key = db.execute("SELECT value FROM meta").fetchall()
    migrate(db)
    assert db.execute("SELECT value FROM meta").fetchall() == key


@pytest.mark.parametrize(
    "sql", ["CREATE TABLE things (a)", "PRAGMA user_version = 1", "PRAGMA application_id = 5"]
)
def test_another_programs_file_is_refused(db: sqlite3.Connection, sql: str):
    db.execute(sql)
    with pytest.raises(ForeignFileError):
        migrate(db)


def test_a_newer_file_is_refused(db: sqlite3.Connection):
    migrate(db, (*STEPS, NEXT))
    with pytest.raises(NewerFileError):
        migrate(db)

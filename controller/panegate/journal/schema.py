"""The tables, by version; a file of an older version is brought up to date when it is opened."""

import sqlite3
from collections.abc import Sequence
from typing import Final

__all__ = ["APPLICATION_ID", "STEPS", "ForeignFileError", "NewerFileError", "migrate"]

APPLICATION_ID: Final = 0x70676A72
"""Marks a file as a journal: no other program's database is ever taken for one."""

_V1: Final = """\
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO meta VALUES ('key', randomblob(16));

CREATE TABLE runs (
    run TEXT PRIMARY KEY, pid INTEGER NOT NULL, started TEXT NOT NULL, boot TEXT NOT NULL,
    host TEXT NOT NULL, program TEXT NOT NULL, socket TEXT NOT NULL,
    opened_utc TEXT NOT NULL, closed_utc TEXT
) WITHOUT ROWID;

CREATE TABLE clients (
    run TEXT NOT NULL, pid INTEGER NOT NULL, started TEXT NOT NULL,
    PRIMARY KEY (run, pid, started)
) WITHOUT ROWID;

CREATE TABLE panes (
    server TEXT NOT NULL, pane TEXT NOT NULL, pane_pid INTEGER NOT NULL, name TEXT NOT NULL,
    profile TEXT NOT NULL, launch TEXT, traits TEXT NOT NULL, at_utc TEXT NOT NULL,
    PRIMARY KEY (server, pane, pane_pid)
) WITHOUT ROWID;

CREATE TABLE writes (
    n INTEGER PRIMARY KEY AUTOINCREMENT, write_id TEXT NOT NULL UNIQUE, run TEXT NOT NULL,
    server TEXT NOT NULL, pane TEXT NOT NULL, pane_pid INTEGER NOT NULL, pane_name TEXT NOT NULL,
    intent TEXT NOT NULL, text TEXT, text_digest TEXT NOT NULL, by_whom TEXT NOT NULL,
    at_utc TEXT NOT NULL, stage TEXT NOT NULL, before TEXT, fate TEXT, reason TEXT,
    ended_utc TEXT, receipt TEXT
);
CREATE INDEX writes_open ON writes (run) WHERE fate IS NULL;
CREATE INDEX writes_pane ON writes (pane, n);
CREATE INDEX writes_at ON writes (at_utc);

CREATE TABLE streams (
    stream TEXT PRIMARY KEY, reserved INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE events (
    n INTEGER PRIMARY KEY, stream TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL,
    pane TEXT, at_s REAL NOT NULL, at_utc TEXT NOT NULL, boot TEXT NOT NULL, data TEXT NOT NULL,
    UNIQUE (stream, seq)
);
CREATE INDEX events_at ON events (at_utc);

CREATE TABLE records (
    kind TEXT NOT NULL, server TEXT NOT NULL, pane TEXT NOT NULL, key TEXT NOT NULL,
    value TEXT NOT NULL, at_utc TEXT NOT NULL,
    PRIMARY KEY (kind, server, pane, key)
) WITHOUT ROWID;
"""

STEPS: Final[tuple[str, ...]] = (_V1,)
"""One script a version, in order; a step that was released is never changed again."""


class ForeignFileError(Exception):
    """The file is a database of another program."""


class NewerFileError(Exception):
    """The file was written by a newer version."""


def migrate(db: sqlite3.Connection, steps: Sequence[str] = STEPS) -> None:
    """Bring a file to the newest version, all of it or nothing.

    Raises:
        ForeignFileError: It is not a journal.
        NewerFileError: It is one of a later version.
        sqlite3.Error: It cannot be written, or is damaged.

    """
    if _version(db, len(steps)) == len(steps):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        for number in range(_version(db, len(steps)), len(steps)):  # another process may be first
            for statement in _statements(steps[number]):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {number + 1}")
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _version(db: sqlite3.Connection, newest: int) -> int:
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    application = int(db.execute("PRAGMA application_id").fetchone()[0])
    if application != APPLICATION_ID:
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version or application or tables:
            raise ForeignFileError
    if version > newest:
        raise NewerFileError
    return version


def _statements(script: str) -> list[str]:
    return [part.strip() for part in script.split(";\n") if part.strip()]

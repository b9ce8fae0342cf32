"""What is old goes, in small steps; a write without a fate stays."""

import datetime
import sqlite3
from typing import Final

from panegate.journal.store import JournalOptions

__all__ = ["forget_old"]

_STEP: Final = 2_000
_MAX_STEPS: Final = 50
_BY_AGE: Final = (
    "DELETE FROM events WHERE n IN (SELECT n FROM events WHERE at_utc < ? LIMIT ?)",
    "DELETE FROM writes WHERE n IN"
    " (SELECT n FROM writes WHERE at_utc < ? AND fate IS NOT NULL LIMIT ?)",
    "DELETE FROM records WHERE (kind, server, pane, key) IN"
    " (SELECT kind, server, pane, key FROM records WHERE at_utc < ? LIMIT ?)",
    "DELETE FROM panes WHERE (server, pane, pane_pid) IN"
    " (SELECT server, pane, pane_pid FROM panes WHERE at_utc < ? LIMIT ?)",
    "DELETE FROM runs WHERE run IN (SELECT run FROM runs WHERE closed_utc < ? AND run NOT IN"
    " (SELECT run FROM writes WHERE fate IS NULL) LIMIT ?)",
)
_OLDEST: Final = (
    "DELETE FROM events WHERE n IN (SELECT n FROM events ORDER BY n LIMIT ?)",
    "DELETE FROM writes WHERE n IN"
    " (SELECT n FROM writes WHERE fate IS NOT NULL ORDER BY n LIMIT ?)",
)


def forget_old(db: sqlite3.Connection, options: JournalOptions) -> int:
    """Remove what is too old, then the oldest while the file is too large.

    Returns:
        How many rows were removed.

    Raises:
        sqlite3.Error: The file cannot be written.

    """
    now = datetime.datetime.now(datetime.UTC)
    before = (now - datetime.timedelta(days=options.keep_days)).isoformat(timespec="milliseconds")
    removed = 0
    for statement in _BY_AGE:
        for _ in range(_MAX_STEPS):
            n_rows = db.execute(statement, (before, _STEP)).rowcount
            removed += n_rows
            if n_rows < _STEP:
                break
    for _ in range(_MAX_STEPS):
        if _used_bytes(db) <= options.max_bytes:
            break
        # a tenth of the events at a time, then of the writes, which are worth more
        n_rows = 0
        for statement, table in zip(_OLDEST, ("events", "writes"), strict=True):
            share = max(20, db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] // 10)
            n_rows = db.execute(statement, (min(share, _STEP),)).rowcount
            if n_rows:
                break
        if not n_rows:
            break
        removed += n_rows
    if removed:
        # `execute` would take one step of it, which frees one page
        db.executescript("PRAGMA incremental_vacuum(2000)")
    return removed


def _used_bytes(db: sqlite3.Connection) -> int:
    pages, free, size = (
        int(db.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size

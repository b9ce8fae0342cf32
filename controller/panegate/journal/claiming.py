"""What a controller that is gone has left: writes without a fate, and its control clients."""

import sqlite3

from panegate.journal.base import KeptWrite, Run
from panegate.journal.processes import is_running
from panegate.journal.rows import SELECT_WRITES, find_run, write_from

__all__ = ["claim_orphans", "dead_clients"]


def claim_orphans(db: sqlite3.Connection, me: Run) -> list[KeptWrite]:
    """Give the writes without a fate of dead controllers to *me*, and return them as they were.

    Inside one transaction, so each goes to one controller alone.
    """
    found: list[KeptWrite] = []
    for run in _runs_of(db, "SELECT DISTINCT run FROM writes WHERE fate IS NULL", me):
        rows = db.execute(
            f"{SELECT_WRITES} WHERE fate IS NULL AND run = ? ORDER BY n", (run,)
        ).fetchall()
        found += [write_from(db, row) for row in rows]
        db.execute("UPDATE writes SET run = ? WHERE fate IS NULL AND run = ?", (me.run, run))
    return found


def dead_clients(db: sqlite3.Connection, me: Run) -> list[tuple[int, str]]:
    """Return pid and start of the clients of dead controllers, and forget them."""
    found: list[tuple[int, str]] = []
    for run in _runs_of(db, "SELECT DISTINCT run FROM clients", me):
        rows = db.execute("SELECT pid, started FROM clients WHERE run = ?", (run,)).fetchall()
        found += [(int(pid), str(started)) for pid, started in rows]
        db.execute("DELETE FROM clients WHERE run = ?", (run,))
    return found


def _runs_of(db: sqlite3.Connection, query: str, me: Run) -> list[str]:
    """Return which of the runs that *query* finds are dead."""
    dead = []
    for (run,) in db.execute(query).fetchall():
        known = find_run(db, run)
        if run != me.run and (known is None or not _lives(known)):
            dead.append(str(run))
    return dead


def _lives(run: Run) -> bool:
    if run.closed_utc is not None:
        return False
    return is_running(run.pid, run.started, boot=run.boot, host=run.host)

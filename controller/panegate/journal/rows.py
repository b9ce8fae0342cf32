"""Rows of the tables as values."""

import contextlib
import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from panegate.gate.receipt import Receipt
from panegate.gate.stages import Stage
from panegate.ids import PaneId
from panegate.journal.base import KeptWrite, Run, WriteRow
from panegate.journal.codec import receipt_from, value_from
from panegate.terms import Intent

__all__ = ["SELECT_WRITES", "find_run", "find_write", "run_from", "write_from"]

SELECT_WRITES: Final = (
    "SELECT write_id, pane, server, intent, text, text_digest, by_whom, at_utc, pane_pid,"
    " pane_name, stage, before, receipt, run FROM writes"
)
"""What `write_from` takes; a condition goes behind it."""
_SELECT_RUN: Final = (
    "SELECT run, pid, started, boot, host, program, socket, opened_utc, closed_utc FROM runs"
)


def find_write(db: sqlite3.Connection, write_id: str) -> KeptWrite | None:
    """Return a write by its id."""
    row = db.execute(f"{SELECT_WRITES} WHERE write_id = ?", (write_id,)).fetchone()
    return None if row is None else write_from(db, row)


def find_run(db: sqlite3.Connection, run: str) -> Run | None:
    """Return the life of a controller."""
    row = db.execute(f"{_SELECT_RUN} WHERE run = ?", (run,)).fetchone()
    return None if row is None else run_from(row)


def run_from(row: Sequence[Any]) -> Run:
    """Return a row of ``runs`` as a value."""
    return Run(
        run=row[0],
        pid=row[1],
        started=row[2],
        boot=row[3],
        host=row[4],
        program=row[5],
        socket=row[6],
        opened_utc=row[7],
        closed_utc=row[8],
    )


def write_from(db: sqlite3.Connection, row: Sequence[Any]) -> KeptWrite:
    """Return a row of ``writes`` as a value."""
    receipt: Receipt | None = None
    if row[12] is not None:
        with contextlib.suppress(ValueError):  # of a newer version; the row tells the rest
            receipt = receipt_from(row[12])
    return KeptWrite(
        row=WriteRow(
            write_id=row[0],
            pane=PaneId(row[1]),
            server=row[2],
            intent=Intent(row[3]),
            text=row[4],
            text_digest=row[5],
            by=row[6],
            at_utc=row[7],
            pane_pid=row[8],
            pane_name=row[9],
        ),
        stage=Stage(row[10]),
        before=tuple(value_from(row[11]) or ()),
        receipt=receipt,
        run=find_run(db, row[13]),
    )

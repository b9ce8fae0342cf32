"""The journal that survives: SQLite, written by one thread, read by others as it is."""

import asyncio
import contextlib
import datetime
import os
import secrets
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self, TypeVar

import attrs

from panegate.errors import JournalError
from panegate.gate.receipt import Receipt
from panegate.gate.stages import Stage
from panegate.ids import PaneId
from panegate.journal import processes
from panegate.journal.base import KeptWrite, PaneRow, Record, Run, WriteRow
from panegate.journal.claiming import claim_orphans, dead_clients
from panegate.journal.codec import event_from, event_to, json_of, receipt_to, value_from
from panegate.journal.rows import find_write
from panegate.journal.store import (
    JournalOptions,
    TextKept,
    connect_readonly,
    journal_error,
    utc_now,
)
from panegate.journal.writer import JournalWriter, Work
from panegate.session.events import Event, WriteFinished

__all__ = ["RESERVED", "SqliteJournal"]

_T = TypeVar("_T")

RESERVED: Final = 10_000
"""Numbers of events that are set aside at once: none is given twice, even after a crash."""


@attrs.define(kw_only=True, eq=False)
class SqliteJournal:
    """A `Journal` in a file that several processes may share.

    Opening never fails: a file that cannot be written refuses writes one by one, with the
    reason, and takes them again once it can be. Belongs to the loop that `open` ran in.
    """

    path: Path
    options: JournalOptions
    socket: str
    """The tmux server's; events are numbered for each socket."""
    me: Run
    on_aside: Callable[[Path], None] = lambda _path: None
    """Told of a damaged file that was put aside."""
    _writer: JournalWriter = attrs.field(init=False)
    _key: bytes = attrs.field(factory=lambda: secrets.token_bytes(16), init=False)
    _reserved: int = attrs.field(default=0, init=False)
    _last_seq: int = attrs.field(default=0, init=False)
    _closed: bool = attrs.field(default=False, init=False)

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        socket: str,
        options: JournalOptions | None = None,
        on_aside: Callable[[Path], None] = lambda _path: None,
    ) -> Self:
        """Open the journal in *path*, made if it is not there."""
        pid = os.getpid()
        me = Run(
            run=secrets.token_hex(8),
            pid=pid,
            started=processes.process_start(pid),
            boot=processes.boot_id(),
            host=processes.host_name(),
            program=processes.program_words(),
            socket=socket,
            opened_utc=utc_now(),
        )
        options = options or JournalOptions()
        journal = cls(path=path, options=options, socket=socket, me=me, on_aside=on_aside)
        journal._writer = JournalWriter(
            path=path, options=options, prepare=journal._prepare, on_aside=on_aside
        )
        journal._writer.start()
        with contextlib.suppress(JournalError):
            await journal._writer.submit(lambda _db: None)
        return journal

    @property
    def key(self) -> bytes:
        """Key of the digests of texts."""
        return self._key

    @property
    def problem(self) -> JournalError | None:
        """Why nothing can be written at the moment; None while all is well."""
        return self._writer.problem

    @property
    def dropped(self) -> int:
        """Events that could not be kept."""
        return self._writer.dropped

    # --- writes ---------------------------------------------------------------------

    async def begin(self, row: WriteRow) -> KeptWrite | None:
        """Keep *row*; see `Journal.begin`."""
        text = row.text if self.options.text is TextKept.FULL else None
        values = (
            row.write_id,
            self.me.run,
            row.server,
            row.pane,
            row.pane_pid,
            row.pane_name,
            row.intent.value,
            text,
            row.text_digest,
            row.by,
            row.at_utc,
            Stage.WAITING.value,
        )

        def work(db: sqlite3.Connection) -> KeptWrite | None:
            marks = ", ".join("?" * len(values))
            done = db.execute(
                "INSERT INTO writes (write_id, run, server, pane, pane_pid, pane_name, intent,"
                f" text, text_digest, by_whom, at_utc, stage) VALUES ({marks})"
                " ON CONFLICT (write_id) DO NOTHING",
                values,
            )
            return None if done.rowcount else find_write(db, row.write_id)

        found: KeptWrite | None = await self._writer.submit(work)
        return found

    async def stage(self, write_id: str, stage: Stage, before: tuple[str, ...] = ()) -> None:
        """Keep how far a write has come."""
        kept = before if self.options.text is TextKept.FULL else ()
        rows = json_of(list(kept)) if kept else None

        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "UPDATE writes SET stage = ?, before = coalesce(?, before)"
                " WHERE write_id = ? AND fate IS NULL",
                (stage.value, rows, write_id),
            )

        await self._writer.submit(work)

    async def finish(self, receipt: Receipt) -> None:
        """Keep the fate of a write; where that fails now it goes with the next commit."""
        await self._writer.submit(self._finishing(receipt), owed=True)

    def _finishing(self, receipt: Receipt) -> Work:
        """Return the work that keeps a fate; the first one counts."""
        if self.options.text is TextKept.DIGEST:
            receipt = attrs.evolve(receipt, before=(), after=(), left_behind="")
        values = (
            Stage.DONE.value,
            receipt.fate.value,
            receipt.reason.value,
            utc_now(),
            receipt_to(receipt),
            receipt.write_id,
        )

        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "UPDATE writes SET stage = ?, fate = ?, reason = ?, ended_utc = ?, receipt = ?"
                " WHERE write_id = ? AND fate IS NULL",
                values,
            )

        return work

    async def kept(self, write_id: str) -> KeptWrite | None:
        """Return a write, None when there is none."""
        return await self._read(lambda db: find_write(db, write_id))

    async def receipt(self, write_id: str) -> Receipt | None:
        """Return the receipt of a finished write."""
        found = await self.kept(write_id)
        return found.receipt if found is not None else None

    # --- events ---------------------------------------------------------------------

    async def append(self, event: Event) -> None:
        """Queue an event; nobody waits. A write's end is kept with its fate, or neither is."""
        finishing = self._finishing(event.receipt) if isinstance(event, WriteFinished) else None
        if self.options.text is TextKept.DIGEST and isinstance(event, WriteFinished):
            bare = attrs.evolve(event.receipt, before=(), after=(), left_behind="")
            event = attrs.evolve(event, receipt=bare, submitted_text="")
        kind, data = event_to(event)
        seq, at_s, at_utc = event.seq, event.at_s, _utc_of(event.at_s)
        pane, stream, boot = getattr(event, "pane", None), self.socket, self.me.boot
        self._last_seq = max(self._last_seq, seq)
        reserve = seq > self._reserved - RESERVED // 2
        if reserve:
            self._reserved = seq + RESERVED
        reserved = self._reserved

        def work(db: sqlite3.Connection) -> None:
            if finishing is not None:
                finishing(db)
            db.execute(
                "INSERT OR IGNORE INTO events (stream, seq, kind, pane, at_s, at_utc, boot, data)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (stream, seq, kind, pane, at_s, at_utc, boot, data),
            )
            if reserve:
                db.execute(
                    "UPDATE streams SET reserved = max(reserved, ?) WHERE stream = ?",
                    (reserved, stream),
                )

        self._writer.post(work)

    async def events(self, since: int, limit: int = 10_000) -> list[Event]:
        """Return kept events of this server above *since*, of earlier controllers, too.

        Their ``at_s`` is in this process's clock, also where the system was started since.
        """

        def work(db: sqlite3.Connection) -> list[Event]:
            rows = db.execute(
                "SELECT seq, kind, data, at_s, at_utc, boot FROM events"
                " WHERE stream = ? AND seq > ? ORDER BY seq LIMIT ?",
                (self.socket, since, limit),
            )
            found = []
            for seq, kind, data, at_s, at_utc, boot in rows:
                here_s = at_s if boot == self.me.boot else _monotonic_of(at_utc)
                event = event_from(kind, data, seq=seq, at_s=here_s)
                if event is not None:
                    found.append(event)
            return found

        return await self._read(work)

    async def last_seq(self) -> int:
        """Set numbers aside for this controller and return the one before its first."""
        stream = self.socket

        def work(db: sqlite3.Connection) -> int:
            row = db.execute("SELECT reserved FROM streams WHERE stream = ?", (stream,)).fetchone()
            last = int(row[0]) if row is not None else 0
            db.execute("INSERT OR REPLACE INTO streams VALUES (?, ?)", (stream, last + RESERVED))
            return last

        last: int = await self._writer.submit(work)
        self._last_seq, self._reserved = last, last + RESERVED
        return last

    # --- after a crash --------------------------------------------------------------

    async def orphans(self) -> list[KeptWrite]:
        """Take over the writes without a fate of controllers that are gone."""
        found: list[KeptWrite] = await self._writer.submit(lambda db: claim_orphans(db, self.me))
        return found

    async def dead_clients(self) -> list[tuple[int, str]]:
        """Return pid and start of the control clients of dead controllers, once."""
        found: list[tuple[int, str]] = await self._writer.submit(
            lambda db: dead_clients(db, self.me)
        )
        return found

    async def note_client(self, pid: int) -> None:
        """Keep the process of a control client of ours."""
        started = processes.process_start(pid)
        self._writer.post(
            lambda db: db.execute(
                "INSERT OR IGNORE INTO clients VALUES (?, ?, ?)", (self.me.run, pid, started)
            )
        )

    # --- panes and records ----------------------------------------------------------

    async def open_pane(self, row: PaneRow) -> None:
        """Keep what a pane was launched or adopted with; the launch is not forgotten."""
        launch = json_of(row.launch) if row.launch is not None else None
        values = (row.server, row.pane, row.pane_pid, row.name, row.profile, launch)
        traits = json_of(row.traits)

        def work(db: sqlite3.Connection) -> None:
            db.execute(
                "INSERT INTO panes VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (server, pane, pane_pid) DO UPDATE SET name = excluded.name,"
                " profile = excluded.profile, launch = coalesce(excluded.launch, launch),"
                " traits = excluded.traits, at_utc = excluded.at_utc",
                (*values, traits, row.at_utc),
            )

        self._writer.post(work)

    async def pane(self, server: str, pane: PaneId, pane_pid: int) -> PaneRow | None:
        """Return what is kept of a pane."""

        def work(db: sqlite3.Connection) -> PaneRow | None:
            row = db.execute(
                "SELECT name, profile, at_utc, launch, traits FROM panes"
                " WHERE server = ? AND pane = ? AND pane_pid = ?",
                (server, pane, pane_pid),
            ).fetchone()
            if row is None:
                return None
            return PaneRow(
                server=server,
                pane=pane,
                pane_pid=pane_pid,
                name=row[0],
                profile=row[1],
                at_utc=row[2],
                launch=value_from(row[3]),
                traits=value_from(row[4]) or {},
            )

        return await self._read(work)

    async def record(self, record: Record) -> None:
        """Keep a record; when this returns it survives a crash."""
        values = (record.kind, record.server, record.pane, record.key)
        rest = (json_of(record.value), record.at_utc)

        def work(db: sqlite3.Connection) -> None:
            db.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?)", values + rest)

        await self._writer.submit(work)

    async def records(self, kind: str, server: str, pane: PaneId | None = None) -> list[Record]:
        """Return records of a server, oldest first."""

        def work(db: sqlite3.Connection) -> list[Record]:
            rows = db.execute(
                "SELECT pane, key, value, at_utc FROM records WHERE kind = ? AND server = ?"
                " AND (? IS NULL OR pane = ?) ORDER BY at_utc",
                (kind, server, pane, pane),
            )
            return [
                Record(
                    kind=kind,
                    server=server,
                    pane=PaneId(row[0]),
                    key=row[1],
                    value=value_from(row[2]) or {},
                    at_utc=row[3],
                )
                for row in rows
            ]

        return await self._read(work)

    async def aclose(self) -> None:
        """Write what waits, say that this controller ended in order, and close."""
        if self._closed:
            return
        self._closed = True
        run, stream = self.me.run, self.socket
        last, reserved = self._last_seq, self._reserved

        def work(db: sqlite3.Connection) -> None:
            db.execute("UPDATE runs SET closed_utc = ? WHERE run = ?", (utc_now(), run))
            db.execute("DELETE FROM clients WHERE run = ?", (run,))
            db.execute(
                "UPDATE streams SET reserved = ? WHERE stream = ? AND reserved = ?",
                (last, stream, reserved),
            )

        self._writer.post(work)
        await self._writer.aclose()

    # --- inside ---------------------------------------------------------------------

    def _prepare(self, db: sqlite3.Connection) -> None:
        """Say in a file that was just opened who writes to it."""
        self._key = bytes(db.execute("SELECT value FROM meta WHERE name = 'key'").fetchone()[0])
        me = self.me
        db.execute(
            "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)",
            (me.run, me.pid, me.started, me.boot, me.host, me.program, me.socket, me.opened_utc),
        )
        if self._reserved:
            db.execute(
                "INSERT INTO streams VALUES (?, ?) ON CONFLICT (stream) DO UPDATE"
                " SET reserved = max(reserved, excluded.reserved)",
                (self.socket, self._reserved),
            )

    async def _read(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        def read() -> _T:
            with contextlib.closing(connect_readonly(self.path)) as db:
                return work(db)

        try:
            return await asyncio.to_thread(read)
        except sqlite3.Error as error:
            said = str(journal_error(self.path, error)).replace("written", "read", 1)
            raise JournalError(said, fix="panegate doctor says more") from error


def _utc_of(at_s: float) -> str:
    at = time.time() - (time.monotonic() - at_s)
    return datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat(timespec="milliseconds")


def _monotonic_of(at_utc: str) -> float:
    ago_s = time.time() - datetime.datetime.fromisoformat(at_utc).timestamp()
    return time.monotonic() - ago_s

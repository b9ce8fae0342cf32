"""The one thread that writes the journal: what waits together is committed together."""

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import attrs

from panegate.errors import JournalError
from panegate.journal.retention import forget_old
from panegate.journal.store import JournalOptions, connect, is_damage, journal_error, set_aside

__all__ = ["MAX_WAITING", "JournalWriter", "Work"]

Work = Callable[[sqlite3.Connection], Any]

MAX_WAITING: Final = 20_000
"""Events that wait for the disk; beyond, they are counted and not kept."""
_MAX_BATCH: Final = 512
_CHECKPOINT_COMMITS: Final = 200
_RETENTION_COMMITS: Final = 2_000
_MAX_OWED: Final = 10_000


@attrs.frozen(eq=False)
class _Job:
    work: Work
    future: "asyncio.Future[Any] | None" = None
    owed: bool = False
    """A fate: where it cannot be written now it goes with a later commit."""


@attrs.define(kw_only=True, eq=False)
class JournalWriter:
    """Commits work in a thread of its own; belongs to the loop that `start` ran in."""

    path: Path
    options: JournalOptions
    prepare: Work
    """Run in the first transaction of each connection."""
    on_aside: Callable[[Path], None] = lambda _path: None
    """Told, in the loop, of a damaged file that was put aside."""
    problem: JournalError | None = attrs.field(default=None, init=False)
    """Why the last commit failed; None while all is well."""
    dropped: int = attrs.field(default=0, init=False)
    """Events that were not kept."""
    commits: int = attrs.field(default=0, init=False)
    _queue: "queue.SimpleQueue[_Job | None]" = attrs.field(factory=queue.SimpleQueue, init=False)
    _owed: deque[_Job] = attrs.field(factory=lambda: deque(maxlen=_MAX_OWED), init=False)
    _db: sqlite3.Connection | None = attrs.field(default=None, init=False)
    _loop: asyncio.AbstractEventLoop | None = attrs.field(default=None, init=False)
    _thread: threading.Thread | None = attrs.field(default=None, init=False)
    _closed: bool = attrs.field(default=False, init=False)
    _forget_at: int = attrs.field(default=1, init=False)
    _checkpointed_at: int = attrs.field(default=0, init=False)

    def start(self) -> None:
        """Start the thread; the file is opened by its first work."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="panegate-journal", daemon=True)
        self._thread.start()

    def submit(self, work: Work, *, owed: bool = False) -> "asyncio.Future[Any]":
        """Queue work now; the future is done once it is committed, or could not be.

        Its error is a `JournalError`.
        """
        assert self._loop is not None
        future: asyncio.Future[Any] = self._loop.create_future()
        # whoever gave up waiting does not want to hear of an error
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        if self._closed:
            future.set_exception(JournalError("the journal is closed"))
        else:
            self._queue.put(_Job(work, future, owed))
        return future

    def post(self, work: Work) -> None:
        """Queue work that nobody waits for; bounded."""
        if self._closed or self._queue.qsize() >= MAX_WAITING:
            self.dropped += 1
            return
        self._queue.put(_Job(work))

    async def aclose(self) -> None:
        """Commit what waits and end the thread. Idempotent."""
        thread = self._thread
        if thread is None:
            return
        if not self._closed:
            self._closed = True
            self._queue.put(None)
        await asyncio.to_thread(thread.join)

    # --- in the thread --------------------------------------------------------------

    def _run(self) -> None:
        while True:
            batch: list[_Job] = []
            job = self._queue.get()
            while job is not None:
                batch.append(job)
                if len(batch) >= _MAX_BATCH or self._queue.empty():
                    break
                job = self._queue.get()
            if batch or self._owed:
                self._commit(batch)
            if job is None:
                break
        self._close()

    def _commit(self, batch: list[_Job]) -> None:
        jobs = [*self._owed, *batch]
        try:
            db = self._connected()
            db.execute("BEGIN IMMEDIATE")
            results = [job.work(db) for job in jobs]
            db.execute("COMMIT")
        except Exception as error:  # a value that cannot be kept must not end the thread
            self._failed(batch, error)
            return
        self.problem = None
        self._owed.clear()
        self.commits += 1
        self._tell([(job, result, None) for job, result in zip(jobs, results, strict=True)])
        self._tidy(db, idle=self._queue.empty())

    def _connected(self) -> sqlite3.Connection:
        if self._db is None:
            db = connect(self.path, self.options)
            try:
                db.execute("BEGIN IMMEDIATE")
                self.prepare(db)
                db.execute("COMMIT")
            except BaseException:
                db.close()
                raise
            self._db = db
        return self._db

    def _failed(self, batch: list[_Job], error: Exception) -> None:
        """Nothing of the batch was kept: whoever waits is told, fates go with a later one."""
        self._close()  # the next one opens the file anew
        said = journal_error(self.path, error)
        if is_damage(error):
            with contextlib.suppress(OSError):
                aside = set_aside(self.path, self.options)
                if aside is not None:
                    fix = "it is kept there; the next write goes to a new one"
                    msg = f"the journal was damaged and is now {aside}"
                    said = JournalError(msg, fix=fix)
                    self._call(self.on_aside, aside)
        self.problem = said
        self.dropped += sum(1 for job in batch if job.future is None)
        self._owed.extend(attrs.evolve(job, future=None) for job in batch if job.owed)
        self._tell([(job, None, said) for job in batch])

    def _tell(self, done: list[tuple[_Job, Any, JournalError | None]]) -> None:
        waiting = [(job.future, r, e) for job, r, e in done if job.future is not None]
        if waiting:
            self._call(_resolve, waiting)

    def _call(self, function: Callable[[Any], None], argument: Any) -> None:
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # the loop is over; nobody waits
            self._loop.call_soon_threadsafe(function, argument)

    def _tidy(self, db: sqlite3.Connection, *, idle: bool) -> None:
        """Let old rows go and the log go into the file; between commits, best while none waits."""
        n_log = self.commits - self._checkpointed_at
        try:
            if idle and self.commits >= self._forget_at:
                self._forget_at = self.commits + _RETENTION_COMMITS
                forget_old(db, self.options)
            if n_log >= _CHECKPOINT_COMMITS * (1 if idle else 3):
                self._checkpointed_at = self.commits
                db.execute("PRAGMA wal_checkpoint(passive)").fetchall()
        except sqlite3.Error:
            if db.in_transaction:
                db.execute("ROLLBACK")

    def _close(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            with contextlib.suppress(sqlite3.Error):
                if db.in_transaction:
                    db.execute("ROLLBACK")
            with contextlib.suppress(sqlite3.Error):
                db.close()


def _resolve(
    waiting: "list[tuple[asyncio.Future[Any], Any, JournalError | None]]",
) -> None:
    for future, result, error in waiting:
        if future.done():
            continue
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)

"""The journal read as it is, by those who do not write it: no controller, no tmux."""

import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import attrs

from panegate.errors import JournalError
from panegate.journal.base import KeptWrite
from panegate.journal.rows import SELECT_WRITES, write_from
from panegate.journal.store import connect_readonly, journal_error
from panegate.terms import Fate, Intent, Reason

__all__ = ["JournalReader", "LogQuery", "LoggedWrite", "damaged_files"]


@attrs.frozen(kw_only=True)
class LogQuery:
    """Which writes are wanted; what is None does not matter."""

    pane: str | None = None
    """Pane id or name."""
    sockets: tuple[str, ...] = ()
    """Of the tmux server, under all its names; () for all servers."""
    since_utc: str | None = None
    fate: Fate | None = None
    unfinished: bool = False
    """Only those without a fate."""
    reason: Reason | None = None
    intent: Intent | None = None
    limit: int = 50
    """The last so many."""


@attrs.frozen(kw_only=True)
class LoggedWrite:
    """A write in the log."""

    number: int
    """Place in the journal, rising."""
    kept: KeptWrite
    fate: Fate | None
    reason: Reason | None
    ended_utc: str | None


def damaged_files(path: Path) -> list[Path]:
    """Return the damaged journals that were set aside beside *path*, oldest first."""
    return sorted(path.parent.glob(f"{path.stem}.damaged-*{path.suffix}"))


class JournalReader:
    """A reader of one file; a context manager. Every method may raise `JournalError`."""

    def __init__(self, path: Path) -> None:
        """Open the file.

        Raises:
            JournalError: There is none, or it cannot be read.

        """
        self.path = path
        if not path.exists():
            msg = f"there is no journal at {path} yet"
            raise JournalError(msg, fix="the first command that writes makes it")
        try:
            self._db = connect_readonly(path)
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def writes(self, query: LogQuery) -> list[LoggedWrite]:
        """Return the last writes that are wanted, oldest first."""
        where, values = _conditions(query)
        rows = self._all(f"{where} ORDER BY n DESC LIMIT ?", (*values, query.limit))
        return rows[::-1]

    def after(self, number: int, unfinished: frozenset[int], query: LogQuery) -> list[LoggedWrite]:
        """Return the wanted writes that are newer than *number* or were *unfinished*."""
        where, values = _conditions(query)
        marks = ", ".join("?" * len(unfinished))
        newer = f"{where} AND (n > ? OR n IN ({marks})) ORDER BY n"
        return self._all(newer, (*values, number, *unfinished))

    def changes(self) -> int:
        """Return a number that is another one once another process has written."""
        try:
            return int(self._db.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def close(self) -> None:
        """Close the file. Idempotent."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _all(self, where: str, values: tuple[Any, ...]) -> list[LoggedWrite]:
        columns = SELECT_WRITES.replace(" FROM", ", n, fate, reason, ended_utc FROM")
        try:
            found = self._db.execute(f"{columns} WHERE {where}", values).fetchall()
            return [self._logged(row) for row in found]
        except (sqlite3.Error, ValueError) as error:
            raise self._failure(error) from error

    def _logged(self, row: tuple[Any, ...]) -> LoggedWrite:
        number, fate, reason, ended_utc = row[-4:]
        return LoggedWrite(
            number=number,
            kept=write_from(self._db, row),
            fate=Fate(fate) if fate is not None else None,
            reason=Reason(reason) if reason is not None else None,
            ended_utc=ended_utc,
        )

    def _failure(self, error: Exception) -> JournalError:
        said = str(journal_error(self.path, error)).replace("written", "read", 1)
        return JournalError(said, fix="panegate doctor says more")


def _conditions(query: LogQuery) -> tuple[str, tuple[Any, ...]]:
    """Return a condition and its values; whatever is not wanted is left out."""
    parts: list[tuple[str, tuple[Any, ...]]] = [("1", ())]
    if query.pane is not None:
        parts.append(("(pane = ? OR pane_name = ?)", (query.pane, query.pane)))
    if query.sockets:
        # behind the pid and the start of the server
        tail = "substr(server, instr(server, ':') + 1)"
        socket = f"substr({tail}, instr({tail}, ':') + 1)"
        marks = ", ".join("?" * len(query.sockets))
        parts.append((f"{socket} IN ({marks})", query.sockets))
    if query.since_utc is not None:
        parts.append(("at_utc >= ?", (query.since_utc,)))
    if query.unfinished:
        parts.append(("fate IS NULL", ()))
    for column, value in (("fate", query.fate), ("reason", query.reason), ("intent", query.intent)):
        if value is not None:
            parts.append((f"{column} = ?", (value.value,)))
    return " AND ".join(part for part, _ in parts), tuple(v for _, vs in parts for v in vs)

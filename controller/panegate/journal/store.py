"""The journal's file: where it is, how it is opened, what is said when it fails."""

import contextlib
import datetime
import enum
import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs
import platformdirs

from panegate.errors import JournalError
from panegate.journal.schema import ForeignFileError, NewerFileError, migrate

__all__ = [
    "JournalOptions",
    "Sync",
    "TextKept",
    "connect",
    "connect_readonly",
    "default_path",
    "is_damage",
    "journal_error",
    "set_aside",
    "state_folder",
    "utc_now",
]

_NAME: Final = "journal.db"
_DAMAGE: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_FULL: Final = frozenset({sqlite3.SQLITE_FULL})
_LOCKED: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_READ_ONLY: Final = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
)


class Sync(enum.Enum):
    """What a write's row survives before its first byte leaves."""

    NORMAL = "normal"
    """A crash of the controller (kill -9)."""
    FULL = "full"
    """Also a loss of power: every commit waits for the disk."""


class TextKept(enum.Enum):
    """What is kept of messages."""

    FULL = "full"
    DIGEST = "digest"
    """A keyed digest alone; neither texts nor the screens that show them."""


@attrs.frozen(kw_only=True)
class JournalOptions:
    """How a journal is kept."""

    sync: Sync = Sync.NORMAL
    text: TextKept = TextKept.FULL
    keep_days: float = 30.0
    """Older writes, events and records are removed."""
    max_bytes: int = 256 * 1024 * 1024
    """Above this size the oldest are removed, too."""
    busy_s: float = 2.0
    """How long another process may hold the file before a write is refused."""


def state_folder() -> Path:
    """Return the user's state directory for panegate."""
    return Path(platformdirs.user_state_dir("panegate", appauthor=False))


def default_path() -> Path:
    """Return where the journal is unless the caller says otherwise."""
    return state_folder() / _NAME


def utc_now() -> str:
    """Return the wall time now, ISO 8601."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def connect(path: Path, options: JournalOptions, *, alone: bool = False) -> sqlite3.Connection:
    """Open the file for the writer, made and brought up to date as needed.

    Args:
        path: The file.
        options: How it is kept.
        alone: The caller holds the lock beside the file already.

    Raises:
        OSError: Its folder or the file cannot be made.
        sqlite3.Error: It cannot be opened.
        JournalError: It is no journal, or one of a newer version.

    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        if os.fstat(handle).st_mode & 0o077:
            os.fchmod(handle, 0o600)
    finally:
        os.close(handle)
    db = sqlite3.connect(path, timeout=options.busy_s, isolation_level=None)
    try:
        db.execute("PRAGMA temp_store = memory")
        if not db.execute("PRAGMA schema_version").fetchone()[0]:
            _make(db, path, alone=alone)
        db.execute(f"PRAGMA synchronous = {options.sync.value}")
        db.execute("PRAGMA wal_autocheckpoint = 0")  # the writer does it when nobody waits
        db.execute("PRAGMA journal_size_limit = 16777216")
        _migrated(db, path)
    except BaseException:
        db.close()
        raise
    return db


def connect_readonly(path: Path, *, busy_s: float = 2.0) -> sqlite3.Connection:
    """Open the file for a reader, which changes nothing.

    Raises:
        sqlite3.Error: There is none, or it cannot be read.

    """
    uri = path.absolute().as_uri()
    db = sqlite3.connect(f"{uri}?mode=ro", uri=True, timeout=busy_s, isolation_level=None)
    try:
        db.execute("PRAGMA query_only = on")
        db.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        db.close()
        # a folder that cannot be written to has no room for the index of the log beside it
        db = sqlite3.connect(f"{uri}?mode=ro&immutable=1", uri=True, isolation_level=None)
    return db


def _make(db: sqlite3.Connection, path: Path, *, alone: bool) -> None:
    """Make the tables of a new file; one process at a time, or SQLite turns some away."""
    with contextlib.nullcontext() if alone else _alone(path):
        db.execute("PRAGMA auto_vacuum = incremental")
        db.execute("PRAGMA journal_mode = wal")
        _migrated(db, path)


def _migrated(db: sqlite3.Connection, path: Path) -> None:
    try:
        migrate(db)
    except ForeignFileError:
        msg = f"{path} is a database of another program"
        raise JournalError(msg, fix="name another file for the journal") from None
    except NewerFileError:
        msg = f"the journal {path} was written by a newer panegate"
        raise JournalError(msg, fix="use that one, or name another file") from None


def is_damage(error: BaseException) -> bool:
    """Tell whether the file itself is broken."""
    return isinstance(error, sqlite3.Error) and _code(error) in _DAMAGE


def journal_error(path: Path, error: BaseException) -> JournalError:
    """Return what is told to callers for what SQLite or the system said."""
    if isinstance(error, JournalError):
        return error
    code = _code(error) if isinstance(error, sqlite3.Error) else None
    number = error.errno if isinstance(error, OSError) else None
    lead = f"the journal {path} cannot be written"
    if code in _FULL or number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return JournalError(f"{lead}: the disk is full", fix="free some space")
    if code in _LOCKED:
        fix = "end the process that holds it: panegate itself never holds it for long"
        return JournalError(f"{lead}: another process holds it locked", fix=fix)
    if code in _READ_ONLY or number in (errno.EACCES, errno.EROFS, errno.EPERM):
        fix = "make the file and its folder writable, or set journal.path"
        return JournalError(f"{lead}: it is read-only ({error})", fix=fix)
    return JournalError(f"{lead}: {error}", fix="panegate doctor says more")


def _code(error: sqlite3.Error) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let one process at a time make a new file, or put a damaged one aside."""
    handle = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def set_aside(path: Path, options: JournalOptions) -> Path | None:
    """Move a damaged file out of the way; returns its new path, None where it is not damaged.

    Another process may have done it already: then the file there is a new one and stays.

    Raises:
        OSError: It cannot be moved.

    """
    with _alone(path):
        try:
            with contextlib.closing(connect(path, options, alone=True)) as db:
                if db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok":
                    return None
        except sqlite3.Error as error:
            if not is_damage(error):
                return None
        except (JournalError, OSError):
            return None
        stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%S.%f")[:-3]
        aside = path.with_name(f"{path.stem}.damaged-{stamp}Z{path.suffix}")
        os.rename(path, aside)
        for tail in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.rename(f"{path}{tail}", f"{aside}{tail}")
        return aside

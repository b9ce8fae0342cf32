"""What the doctor says of the journal, and of who is in charge of a server."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from panegate.cli.doctor_checks import Check, Health
from panegate.errors import PanegateError
from panegate.journal.lock import holder_of, lock_path
from panegate.journal.reading import JournalReader, LogQuery, damaged_files
from panegate.journal.store import connect, is_damage, journal_error
from panegate.service.journals import journal_options, journal_path
from panegate.service.settings import Settings, load_settings

__all__ = ["check_charge", "check_journal"]


def check_journal() -> list[Check]:
    """Check that the journal can be read and written, and that nobody else can read it."""
    try:
        settings = load_settings()
    except PanegateError:
        return []  # said already
    path = journal_path(settings)
    if path is None:
        words = "it is kept in memory: a crash loses it"
        return [Check("journal", Health.NOTE, words, "set journal.path to a file")]
    aside = [
        Check("journal", Health.NOTE, f"a damaged one was set aside: {p}", "read it, or remove it")
        for p in damaged_files(path)
    ]
    if not path.exists():
        return [Check("journal", Health.GOOD, f"there is no {path} yet"), *aside]
    return [_condition(path, settings), *aside]


def _condition(path: Path, settings: Settings) -> Check:
    try:
        with contextlib.closing(connect(path, journal_options(settings))) as db:
            db.execute("BEGIN IMMEDIATE")
            db.execute("ROLLBACK")
            said = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        with JournalReader(path) as reader:
            unfinished = len(reader.writes(LogQuery(unfinished=True, limit=1_000_000)))
    except Exception as error:  # whatever it is, it is the finding
        said = journal_error(path, error)
        fix = "the next write sets it aside" if is_damage(error) else said.fix
        return Check("journal", Health.BROKEN, str(said), fix)
    if said != "ok":
        return Check("journal", Health.BROKEN, f"{path}: {said}", "move it away")
    mode = stat.S_IMODE(path.parent.stat().st_mode)
    if mode & 0o077 and path.parent.stat().st_uid == os.getuid():
        words = f"others may enter {path.parent} (mode {mode:04o})"
        return Check("journal", Health.NOTE, words, f"chmod 700 {path.parent}")
    size_mb = path.stat().st_size / 1024 / 1024
    open_words = f", {unfinished} writes without a fate" if unfinished else ""
    return Check("journal", Health.GOOD, f"{path} is sound: {size_mb:.1f} MB{open_words}")


def check_charge(socket: str) -> Check:
    """Say who is in charge of the tmux server behind *socket*."""
    found = holder_of(lock_path(socket))
    if found is None:
        return Check("charge", Health.GOOD, "no controller is in charge of the server")
    words = f"pid {found.pid} ({found.program}) is in charge of the server since {found.since_utc}"
    return Check("charge", Health.GOOD, words)

"""Which journal a controller keeps."""

from pathlib import Path

from panegate.journal.base import Journal
from panegate.journal.memory import MemoryJournal
from panegate.journal.sqlite import SqliteJournal
from panegate.journal.store import JournalOptions, default_path
from panegate.runtime.logs import get_logger
from panegate.service.settings import Settings

__all__ = ["IN_MEMORY", "journal_options", "journal_path", "open_journal"]

IN_MEMORY = ":memory:"

_log = get_logger()


def journal_path(settings: Settings) -> Path | None:
    """Return where the settings have the journal; None keeps it in memory."""
    return _path(settings.journal_path) if settings.journal_path else default_path()


def journal_options(settings: Settings) -> JournalOptions:
    """Return how the settings have it kept."""
    return JournalOptions(
        sync=settings.journal_sync,
        text=settings.journal_text,
        keep_days=settings.journal_keep_days,
        max_bytes=settings.journal_max_mb * 1024 * 1024,
    )


async def open_journal(
    journal: Journal | Path | str | None, settings: Settings, *, socket: str
) -> Journal:
    """Open what the caller named; see `panegate.Controller.open`."""
    if journal is not None and not isinstance(journal, str | Path):
        return journal
    path = journal_path(settings) if journal is None else _path(str(journal))
    if path is None:
        return MemoryJournal()
    return await SqliteJournal.open(
        path, socket=socket, options=journal_options(settings), on_aside=_say_aside
    )


def _path(named: str) -> Path | None:
    return None if named == IN_MEMORY else Path(named).expanduser()


def _say_aside(aside: Path) -> None:
    _log.error(
        "journal.set_aside", path=str(aside), words="the journal was damaged; a new one is begun"
    )

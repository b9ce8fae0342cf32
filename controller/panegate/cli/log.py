"""The journal, for people and as JSON lines: works with no tmux server running."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import anyio
import attrs
import click

from panegate.cli.command_line import CommandLine, command, within_option
from panegate.cli.documents import plain
from panegate.cli.exits import Exit
from panegate.errors import JournalError
from panegate.journal.base import Run
from panegate.journal.processes import is_running
from panegate.journal.reading import JournalReader, LoggedWrite, LogQuery, damaged_files
from panegate.probes.transcripts.changes import FileChanges
from panegate.runtime.address import ServerAddress
from panegate.service.journals import journal_path
from panegate.service.settings import load_settings
from panegate.terms import Fate, Intent, Reason

__all__ = ["since_utc", "write_document", "write_words"]

_COLOURS: Final = {
    Fate.LANDED: "green",
    Fate.NOT_LANDED: "red",
    Fate.UNKNOWN: "yellow",
    Fate.REFUSED: "cyan",
    Fate.WITHDRAWN: "bright_black",
}
_UNFINISHED: Final = "unfinished"
_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_LOOK_S: Final = 1.0
_MAX_TEXT: Final = 60
_NO_LIMIT: Final = 2**62


@command("log")
@within_option("With --follow: stop after this long; never by default.")
@click.option("--since", metavar="WHEN", help="A time (ISO 8601) or how long ago (90s, 10m, 2d).")
@click.option("--fate", type=click.Choice([*(f.value for f in Fate), _UNFINISHED]))
@click.option("--reason", type=click.Choice([r.value for r in Reason]), metavar="REASON")
@click.option("--intent", type=click.Choice([i.value for i in Intent]))
@click.option(
    "--limit", type=click.IntRange(0, 10**9), help="The last so many; 50, with --json all."
)
@click.option("-f", "--follow", is_flag=True, help="Go on with each write that ends.")
@click.option("--file", type=click.Path(dir_okay=False, path_type=Path), help="Another journal.")
@click.argument("pane", metavar="[PANE]", required=False)
def log(
    line: CommandLine,
    pane: str | None,
    since: str | None,
    fate: str | None,
    reason: str | None,
    intent: str | None,
    limit: int | None,
    follow: bool,
    file: Path | None,
    within_s: float | None,
) -> int:
    """Print the journal: what was written, and what became of it.

    Of all panes, or of one, by its id or name; of all tmux servers, unless one is named. With
    --json one object a line, with the whole receipt and its screens.
    """
    path = file or journal_path(load_settings())
    if path is None:
        raise JournalError("the journal is kept in memory", fix="set journal.path to a file")
    wanted = LogQuery(
        pane=pane,
        sockets=_sockets(line),
        since_utc=since_utc(since) if since is not None else None,
        fate=Fate(fate) if fate not in (None, _UNFINISHED) else None,
        unfinished=fate == _UNFINISHED,
        reason=Reason(reason) if reason is not None else None,
        intent=Intent(intent) if intent is not None else None,
        limit=limit if limit is not None else _NO_LIMIT if line.json else 50,
    )
    for damaged in damaged_files(path):
        line.note(f"A damaged journal was set aside: {damaged}")
    with JournalReader(path) as reader:
        following = _Following.begun(line, reader, wanted)
        found = reader.writes(wanted)
        _say(line, found)
        if follow:
            following.said.update(w.number for w in found if w.fate is not None)
            line.run(following.run(within_s))
    return Exit.DONE


def since_utc(text: str, now: datetime.datetime | None = None) -> str:
    """Return an instant as the journal writes it.

    Args:
        text: ISO 8601 (local time unless it says otherwise), or a number of seconds ago, or
            one of another unit: ``s m h d``.
        now: The instant that is counted from.

    Raises:
        click.UsageError: It is neither.

    """
    now = now or datetime.datetime.now(datetime.UTC)
    if ago := re.fullmatch(r"(\d{1,9})([smhd]?)", text):
        at = now - datetime.timedelta(seconds=int(ago[1]) * _UNITS[ago[2]])
    else:
        try:
            at = datetime.datetime.fromisoformat(text).astimezone(datetime.UTC)
        except ValueError:
            msg = f"not a time: {text!r} (such as 10m, 2d or 2026-01-31T12:00)"
            raise click.UsageError(msg) from None
    return at.isoformat(timespec="milliseconds")


def write_document(write: LoggedWrite) -> dict[str, Any]:
    """Return one write as ``--json`` prints it."""
    kept = write.kept
    fields = plain(kept.row)
    return {
        "write": {
            "number": write.number,
            **fields,
            "stage": kept.stage.value,
            "fate": write.fate.value if write.fate is not None else None,
            "reason": write.reason.value if write.reason is not None else None,
            "ended_utc": write.ended_utc,
            "controller": plain(kept.run),
            "receipt": plain(kept.receipt),
        }
    }


def write_words(write: LoggedWrite) -> str:
    """Return one write for people: when, where, what, its fate, and why."""
    row, receipt = write.kept.row, write.kept.receipt
    at = datetime.datetime.fromisoformat(row.at_utc).astimezone()
    when = click.style(at.strftime("%Y-%m-%d %H:%M:%S"), dim=True)
    where = f"{row.pane_name} {row.pane}" if row.pane_name else row.pane
    fate = write.fate.value if write.fate is not None else _UNFINISHED
    fate = click.style(f"{fate:<10}", fg=_COLOURS.get(write.fate) if write.fate else "magenta")
    text = "(not kept)" if row.text is None else _short(row.text)
    by = f" by {row.by}" if row.by else ""
    said = receipt.words if receipt is not None else _why_unfinished(write.kept.run)
    return f"{when}  {where:<12}  {row.intent.value:<9}  {fate}  {text}{by}\n    {said}"


def _why_unfinished(run: Run | None) -> str:
    if run is None:
        return "It has no fate yet."
    lives = run.closed_utc is None and is_running(
        run.pid, run.started, boot=run.boot, host=run.host
    )
    if lives:
        return f"Under way in pid {run.pid} ({run.program})."
    return f"Its controller (pid {run.pid}) has ended; the next one says what became of it."


def _sockets(line: CommandLine) -> tuple[str, ...]:
    """Return the names of the socket of the server that is named; () where none is."""
    if line.ssh is not None:
        raise click.UsageError("the journal is on this host; name the pane, or --since")
    if line.socket_name is None and line.socket_path is None:
        return ()
    named = {k: v for k, v in line.server.items() if k != "ssh"}
    socket = ServerAddress(**named).socket
    return tuple({str(socket), os.path.abspath(socket), os.path.realpath(socket)})


def _say(line: CommandLine, writes: Iterable[LoggedWrite]) -> None:
    for write in writes:
        line.say(write_document(write), write_words(write))


@attrs.define(kw_only=True)
class _Following:
    """Prints each write that gets its fate from now on."""

    line: CommandLine
    reader: JournalReader
    wanted: LogQuery
    last: int
    """Number of the last write that has been looked at."""
    unfinished: frozenset[int]
    said: set[int] = attrs.field(factory=set)
    """Numbers of those that were printed with their fate already."""

    @classmethod
    def begun(cls, line: CommandLine, reader: JournalReader, wanted: LogQuery) -> _Following:
        """Return one that begins at what the journal holds now."""
        any_fate = attrs.evolve(wanted, fate=None, reason=None, limit=_NO_LIMIT)
        found = reader.writes(attrs.evolve(any_fate, unfinished=True))
        last = max((write.number for write in reader.writes(LogQuery(limit=1))), default=0)
        return cls(
            line=line,
            reader=reader,
            wanted=wanted,
            last=last,
            unfinished=frozenset(write.number for write in found),
        )

    async def run(self, within_s: float | None) -> None:
        """Go on until the time is over."""
        changed = anyio.Event()

        def wake() -> None:
            changed.set()

        changes = FileChanges()
        told = all([changes.watch(f"{self.reader.path}{tail}", wake) for tail in ("", "-wal")])
        # where the system tells of no change, SQLite's own counter is asked at a named interval
        look_s = None if told else _LOOK_S
        with contextlib.closing(changes), anyio.move_on_after(within_s):
            while True:
                seen = self.reader.changes()
                self._print_new()
                while self.reader.changes() == seen:
                    with anyio.move_on_after(look_s):
                        await changed.wait()
                    changed = anyio.Event()

    def _print_new(self) -> None:
        any_fate = attrs.evolve(self.wanted, fate=None, reason=None, unfinished=False)
        rows = self.reader.after(self.last, self.unfinished, any_fate)
        _say(self.line, [write for write in rows if self._is_wanted(write)])
        self.last = max([self.last, *(write.number for write in rows)])
        self.unfinished = frozenset(write.number for write in rows if write.fate is None)

    def _is_wanted(self, write: LoggedWrite) -> bool:
        if write.fate is None or write.number in self.said or self.wanted.unfinished:
            return False
        return (self.wanted.fate or write.fate, self.wanted.reason or write.reason) == (
            write.fate,
            write.reason,
        )


def _short(text: str) -> str:
    """Return a text for one line: what is not printable is written out."""
    shown = repr(text)
    return shown if len(shown) <= _MAX_TEXT else f"{shown[: _MAX_TEXT - 1]}…"

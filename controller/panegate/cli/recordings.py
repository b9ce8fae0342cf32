"""A server's panes recorded, and a recording run through the engine again."""

from __future__ import annotations

import contextlib
import datetime
import os
from pathlib import Path
from typing import Any

import anyio
import click

import panegate
from panegate.cli.command_line import CommandLine, command, within_option
from panegate.cli.documents import plain
from panegate.cli.exits import Exit
from panegate.cli.opening import opened_here
from panegate.cli.remembering import CliController
from panegate.cli.words import state_words
from panegate.errors import PanegateError
from panegate.runtime.recording import Recording, RecordingWriter
from panegate.service.settings import load_settings
from panegate.session.events import (
    PaneEvent,
    PaneExited,
    PaneOpened,
    PromptChanged,
    PromptOpened,
    ServerBack,
    ServerLost,
    StateChanged,
    WriteFinished,
)
from panegate.session.replaying import Replay
from panegate_transports.recording import RecordingError, RecordingHeader

__all__ = ["record", "replay"]


@command("record")
@within_option("Stop after this long; at Ctrl-C by default.")
@click.option("--force", is_flag=True, help="Write over FILE.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def record(line: CommandLine, file: Path, force: bool, within_s: float | None) -> int:
    """Record everything that decides about a server's panes.

    Output, looks, probes, clocks and replies of every pane, also of those opened later.
    The file holds what the screens showed: it is made readable for you alone.
    """

    async def work() -> int:
        stream = _create(file, force=force)
        writer: RecordingWriter | None = None
        try:
            with stream:
                writer = RecordingWriter(stream, await _header(line))
                async with opened_here(line, watch="server", recorder=writer) as ctl:
                    line.note(f"Recording {ctl.link.address.words} to {file}.")
                    await _until(line, ctl, within_s)
        finally:
            if writer is not None and not line.json:
                line.note(f"{writer.n_facts} facts are in {file}.")
        line.say({"recording": {"path": str(file), "facts": writer.n_facts}}, "")
        return Exit.DONE

    return line.run(work())


def _create(file: Path, *, force: bool) -> Any:
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if force else os.O_EXCL)
    try:
        return os.fdopen(os.open(file, flags, 0o600), "wb")
    except FileExistsError:
        raise PanegateError(f"{file} exists", fix="choose another name, or --force") from None
    except OSError as error:
        raise PanegateError(f"{file} cannot be written: {error.strerror}") from error


async def _header(line: CommandLine) -> RecordingHeader:
    async with opened_here(line) as ctl:
        version = str(ctl.link.server.version)
    settings = load_settings()
    return RecordingHeader(
        tmux_version=version,
        width=settings.columns,
        height=settings.rows,
        started_utc=datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
        extra={"panegate": panegate.__version__},
    )


async def _until(line: CommandLine, ctl: CliController, within_s: float | None) -> None:
    """Return when the time is over; say which panes come and go."""
    with anyio.move_on_after(within_s), contextlib.closing(ctl.events()) as events:
        for pane in ctl.panes:
            line.note(f"{pane.name} ({pane.id}) is recorded.")
        async for event in events:
            match event:
                case PaneOpened():
                    line.note(f"{event.name} ({event.pane}) is recorded.")
                case PaneExited():
                    line.note(f"{event.pane} has ended: {event.words}.")
                case ServerLost():
                    line.note(f"The server is lost: {event.words}.")
                case ServerBack():
                    line.note("The server answers again.")


@command("replay")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def replay(line: CommandLine, file: Path) -> int:
    """Run the engine over a recording.

    Prints the events it leads to: the same every time, with no tmux and no clock.
    """
    n_facts = n_events = 0
    run = Replay()
    started_s: float | None = None
    try:
        with file.open("rb") as stream:
            recording = Recording(stream)
            for given in recording:
                n_facts += 1
                started_s = given.item.at_s if started_s is None else started_s
                for event in run.feed(given):
                    n_events += 1
                    document = {"event": type(event).__name__, **plain(event)}
                    line.say(document, _words(event, started_s))
    except RecordingError as error:
        raise PanegateError(f"{file}: {error}", fix="record it anew") from error
    if not line.json:
        torn = f"; line {recording.torn_line} is torn" if recording.torn_line else ""
        line.note(f"{n_facts} facts, {n_events} events{torn}.")
    return Exit.DONE


def _words(event: PaneEvent, started_s: float) -> str:
    lead = f"{event.at_s - started_s:9.3f}  {event.pane:<5} "
    match event:
        case StateChanged():
            return lead + f"{event.old.value} -> {state_words(event.new)}: {event.words}"
        case PromptOpened() | PromptChanged():
            return lead + f"asks: {event.prompt.question}"
        case WriteFinished():
            return lead + f"{event.receipt.intent.value}: {event.receipt.words}"
    return lead + type(event).__name__

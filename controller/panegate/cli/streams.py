"""Everything live: the event stream and a table that follows it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

import anyio
import click

from panegate.cli.command_line import CommandLine, command, within_option
from panegate.cli.documents import event_document, pane_document
from panegate.cli.exits import Exit
from panegate.cli.opening import opened
from panegate.cli.panes import pane_table
from panegate.cli.quantities import seconds
from panegate.cli.remembering import CliController
from panegate.cli.remote import AnyController, AnyPane, RemoteController
from panegate.cli.words import event_words
from panegate.runtime.bringup import KEEP_ALIVE
from panegate.session.events import (
    Escalated,
    Event,
    PaneExited,
    PaneOpened,
    PromptChanged,
    PromptClosed,
    ServerLost,
    StateChanged,
)

__all__ = ["events", "watch"]

_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"


@command("events")
@within_option("Stop after this long; never by default.")
@click.argument("pane", metavar="[PANE]", required=False)
def events(line: CommandLine, pane: str | None, within_s: float | None) -> int:
    """Print events as they happen.

    Of one pane, until its program ends, or of every pane of the server, also those that are
    opened later. With --json one object a line.
    """

    async def work() -> int:
        async with opened(line, watch="launched" if pane else "server") as ctl:
            _call_people(line, ctl)
            with closing(ctl.events()) as stream, anyio.move_on_after(within_s):
                wanted = (await ctl.adopt(pane)).id if pane else None
                async for event in stream:
                    if wanted is None or getattr(event, "pane", wanted) == wanted:
                        _say(line, ctl, event)
                    if isinstance(event, PaneExited) and event.pane == wanted:
                        break
            return _end(ctl)

    return line.run(work())


def _say(line: CommandLine, ctl: AnyController, event: Event) -> None:
    names = {str(pane.id): pane.name for pane in ctl.panes}
    if isinstance(event, PaneOpened):
        names[event.pane] = event.name
    if names.get(getattr(event, "pane", "")) != KEEP_ALIVE:
        line.say(event_document(event), event_words(event, names, server=line.server_words))


@command("watch")
@within_option("Stop after this long; never by default.")
@click.option(
    "--escalate-after",
    "after_s",
    callback=seconds,
    metavar="S",
    help="Call a person about a question that stands so long; default from the settings.",
)
def watch(line: CommandLine, within_s: float | None, after_s: float | None) -> int:
    """Show all panes and their states live; call people.

    They are called about questions that nobody answers, as the settings say.

    On a terminal a table that is redrawn when something happens; to a pipe, and with
    --json, one line for each change.
    """

    async def work() -> int:
        live = sys.stdout.isatty() and not line.json
        async with opened(line, watch="server", views=True) as ctl:
            _call_people(line, ctl, after_s)
            calls: dict[str, str] = {}
            with closing(ctl.events()) as stream, anyio.move_on_after(within_s), _screen(live):
                for pane in _shown(ctl):
                    _say_pane(line, pane, live=live)
                _draw(ctl, live=live)
                async for event in stream:
                    _note_call(line, ctl, calls, event, live=live)
                    _draw(ctl, live=live, calls=calls)
                    found = next((p for p in _shown(ctl) if p.id == _changed(event)), None)
                    if found is not None:
                        _say_pane(line, found, live=live, event=event)
                    elif isinstance(event, ServerLost):
                        line.note(f"The server is lost: {event.words}.")
            return _end(ctl)

    return line.run(work())


def _call_people(line: CommandLine, ctl: AnyController, after_s: float | None = None) -> None:
    """Have a controller of ours call people; a service does so by itself."""
    if isinstance(ctl, CliController):
        ctl.people.activate(after_s)
    elif after_s is not None:
        line.note("The service calls people, by its own setting escalate_after_s.")


def _note_call(
    line: CommandLine, ctl: AnyController, calls: dict[str, str], event: Event, *, live: bool
) -> None:
    """Say that a person is needed; on a terminal for as long as that is so."""
    if isinstance(event, Escalated):
        calls[event.pane] = event.words
        if not live:
            _say(line, ctl, event)
    elif isinstance(event, PromptClosed | PromptChanged | PaneExited):
        calls.pop(event.pane, None)


def _end(ctl: AnyController) -> Exit:
    """Return the status of a stream that ended by itself.

    Raises:
        TransportBroken: The service went away.

    """
    if isinstance(ctl, RemoteController) and ctl.client.lost is not None:
        raise ctl.client.lost
    return Exit.DONE if ctl.reachable else Exit.UNREACHABLE


def _shown(ctl: AnyController) -> list[AnyPane]:
    return [pane for pane in ctl.panes if pane.name != KEEP_ALIVE]


def _changed(event: Event) -> str | None:
    return getattr(event, "pane", None)


def _say_pane(line: CommandLine, pane: AnyPane, *, live: bool, event: Event | None = None) -> None:
    if live or not (event is None or line.json or isinstance(event, StateChanged)):
        return
    why = f"  {event.words}" if isinstance(event, StateChanged) else ""
    words = f"{pane.id:<5} {pane.name:<16} {pane.profile.name:<10} {pane.state.value:<10}{why}"
    line.say({"pane": pane_document(pane)}, words.rstrip())


def _draw(ctl: AnyController, *, live: bool, calls: Mapping[str, str] | None = None) -> None:
    if live:
        table = pane_table(_shown(ctl)) or "no panes"
        needed = "".join(f"\n{click.style(words, fg='red')}" for words in (calls or {}).values())
        click.echo(f"\x1b[H\x1b[J{table}\n{needed}\n(Ctrl-C ends this; the programs live on)")


@contextmanager
def _screen(live: bool) -> Iterator[None]:
    """Use the terminal's other screen, and give the first one back."""
    if live:
        click.echo(_ENTER, nl=False)
    try:
        yield
    finally:
        if live:
            click.echo(_LEAVE, nl=False)

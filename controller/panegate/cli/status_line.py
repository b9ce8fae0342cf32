"""One line on standard error that says what is waited for, while it is waited for."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import click

from panegate.cli.command_line import CommandLine
from panegate.cli.remote import AnyController, AnyPane
from panegate.cli.words import clock_words, state_words
from panegate.service.controller import Controller
from panegate.session.events import Event, StateChanged, WriteHeld

__all__ = ["StatusLine", "waiting"]

_CLEAR = "\r\x1b[K"


class StatusLine:
    """Draws over itself; draws nothing where nobody watches."""

    def __init__(self, stream: TextIO | None) -> None:
        """Make a line.

        Args:
            stream: A terminal, or None.

        """
        self._stream = stream
        self._shown = False

    def show(self, words: str) -> None:
        """Replace the line."""
        if self._stream is None:
            return
        width = shutil.get_terminal_size().columns - 1
        plain = click.unstyle(words)
        text = words if len(plain) <= width else plain[: width - 1] + "…"
        self._stream.write(_CLEAR + text)
        self._stream.flush()
        self._shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self._stream is not None and self._shown:
            self._stream.write(_CLEAR)
            self._stream.flush()
            self._shown = False


@contextmanager
def waiting(
    line: CommandLine, ctl: AnyController | Controller, pane: AnyPane | None, what: str
) -> Iterator[None]:
    """Show what a pane does while *what* is waited for; redrawn by events, never by a clock.

    Args:
        line: Says whether a person watches.
        ctl: Whose events to show.
        pane: Which pane; None for the first that is opened.
        what: Such as ``ready``.

    """
    status = StatusLine(sys.stderr if line.is_live else None)

    def tap(event: Event) -> None:
        if pane is not None and getattr(event, "pane", pane.id) != pane.id:
            return
        if isinstance(event, StateChanged):
            since = clock_words(event.at_s)
            words = f"{state_words(event.new)} since {since}: {event.words}"
        elif isinstance(event, WriteHeld):
            words = event.words
        else:
            return
        status.show(f"waiting for {what} · {words}")

    first = f" · {pane.name} is {state_words(pane.state)}" if pane is not None else ""
    status.show(f"waiting for {what}{first}")
    ctl.bus.taps.append(tap)
    try:
        yield
    finally:
        ctl.bus.taps.remove(tap)
        status.clear()

"""The line that says what is waited for."""

import io
import time

import click
import pytest

from panegate.cli.command_line import CommandLine
from panegate.cli.status_line import StatusLine, waiting
from panegate.service.bus import EventBus
from panegate.session.events import StateChanged, WriteHeld
from panegate.terms import Grade, Reason, State


class Watcher:
    """As much of a controller as the line looks at."""

    def __init__(self) -> None:
        self.bus = EventBus()


def changed(pane: str = "%1") -> StateChanged:
    return StateChanged(
        pane=pane,
        old=State.BOOTING,
        new=State.BUSY,
        grade=Grade.MARK,
        words="it works",
        at_s=time.monotonic(),
    )


def test_a_line_replaces_the_one_before_and_goes_away():
    stream = io.StringIO()
    line = StatusLine(stream)
    line.show("one")
    line.show("two")
    line.clear()
    line.clear()
    assert stream.getvalue() == "\r\x1b[Kone\r\x1b[Ktwo\r\x1b[K"


def test_a_line_is_never_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "20")
    stream = io.StringIO()
    StatusLine(stream).show(click.style("x" * 30, fg="red"))
    assert stream.getvalue() == "\r\x1b[K" + "x" * 18 + "…"


def test_nothing_is_drawn_where_nobody_watches():
    line = StatusLine(None)
    line.show("one")
    line.clear()


@pytest.mark.parametrize("json", [True, False])
def test_only_a_person_at_a_terminal_is_shown_events(json: bool, monkeypatch: pytest.MonkeyPatch):
    stream = io.StringIO()
    stream.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("COLUMNS", "200")
    watcher = Watcher()
    with waiting(CommandLine(json=json), watcher, None, "ready"):  # type: ignore[arg-type]
        watcher.bus.emit(changed())
        held = WriteHeld(pane="%1", write_id="w", reason=Reason.BUSY, words="it waits.", at_s=0.0)
        watcher.bus.emit(held)
    shown = click.unstyle(stream.getvalue())
    if json:
        assert shown == ""
    else:
        assert "waiting for ready · busy since " in shown
        assert shown.endswith("waiting for ready · it waits.\r")
    assert watcher.bus.taps == []

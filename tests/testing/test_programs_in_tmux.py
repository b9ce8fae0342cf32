"""Stand-ins in a real tmux: the screen shows what the truth log says."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from panegate.testing.programs import program_argv
from panegate.testing.servers import PrivateServer
from panegate.testing.truth import TruthLog

pytestmark = pytest.mark.tmux

_WITHIN_S = 10.0


class Pane:
    """One stand-in in a pane."""

    def __init__(self, server: PrivateServer, pane_id: str, log: TruthLog) -> None:
        self.server, self.pane_id, self.log = server, pane_id, log

    def keys(self, *keys: str) -> None:
        self.server.run("send-keys", "-t", self.pane_id, *keys)

    def text(self, text: str) -> None:
        self.server.run("send-keys", "-t", self.pane_id, "-l", "--", text)

    def paste(self, text: str) -> None:
        self.server.run("load-buffer", "-b", "b", "-", stdin=text)
        self.server.run("paste-buffer", "-p", "-d", "-b", "b", "-t", self.pane_id)

    def wait(self, event: str, count: int = 1) -> dict[str, Any]:
        self.log.wait_for_sync(event, _WITHIN_S, count=count)
        return self.log.events(event)[-1]

    def format(self, text: str) -> str:
        return self.server.run("display-message", "-p", "-t", self.pane_id, text).strip()

    def rows(self) -> list[str]:
        return self.server.capture(self.pane_id)


@pytest.fixture
def start(tmux_server: PrivateServer, tmp_path: Path) -> Iterator[Callable[..., Pane]]:
    logs: list[TruthLog] = []

    def begin(name: str = "composer", *, columns: int = 80, rows: int = 24, **options: Any) -> Pane:
        logs.append(TruthLog(tmp_path / f"truth-{len(logs)}"))
        argv = program_argv(name, log=logs[-1].path, **options)
        pane_id = tmux_server.start_program(argv, columns=columns, rows=rows)
        pane = Pane(tmux_server, pane_id, logs[-1])
        if name == "composer" and "trust_first" not in options:
            pane.wait("ready_painted")
        return pane

    yield begin
    for log in logs:
        log.end_children()


def _shown(pane: Pane, wanted: str) -> list[str]:
    """Return the rows once tmux has read *wanted*: the log only says that it was written."""
    for _ in range(200):
        rows = pane.rows()
        if any(wanted in row for row in rows):
            return rows
    raise AssertionError(f"{wanted!r} is not in:\n" + "\n".join(pane.rows()))


@pytest.mark.parametrize(
    ("layout", "columns", "wanted"),
    [
        ("box", 40, ["│ > one two three                      │"]),
        ("plain", 40, ["> one two three"]),
        ("branch", 40, ["~/work/app (main) > one two three", "  enter sends · ? for shortcuts"]),
        ("narrow", 14, ["│ > one two  │", "│   three    │"]),
    ],
)
@pytest.mark.parametrize("inline", [False, True])
def test_typed_text_stands_where_the_layout_puts_it(
    start: Callable[..., Pane], layout: str, columns: int, wanted: list[str], inline: bool
) -> None:
    """B05, I07: four layouts, alternate screen and main screen, the cursor behind the text."""
    pane = start(layout=layout, columns=columns, inline=inline)
    pane.text("one two three")
    pane.wait("bytes")
    rows = _shown(pane, "three")
    at = next(n for n, row in enumerate(rows) if row == wanted[0])
    assert rows[at : at + len(wanted)] == wanted
    assert pane.format("#{alternate_on}#{cursor_flag}") == f"{0 if inline else 1}1"
    x, y = (int(n) for n in pane.format("#{cursor_x} #{cursor_y}").split())
    assert rows[y][:x].endswith("three")


def test_a_multi_line_paste_is_one_submit(start: Callable[..., Pane]) -> None:
    """I01: through tmux's own bracketed paste."""
    pane = start()
    text = "one\n\n  three; $HOME 漢é\nfive"
    pane.paste(text)
    pane.wait("paste")
    pane.keys("Enter")
    assert pane.wait("submit")["text"] == text
    _shown(pane, "> one")


def test_a_draft_is_not_a_hint(start: Callable[..., Pane]) -> None:
    """E06: the hint is dim and gone at the first key."""
    pane = start(hint="Try this", cursor="hidden")
    rows = pane.server.run("capture-pane", "-p", "-e", "-t", pane.pane_id)
    assert re.search(r"\x1b\[7mT", rows)
    assert re.search(r"2m(\x1b\[[0-9]+m)*ry this", rows)
    pane.text("x")
    pane.wait("bytes")
    assert not any("Try this" in row for row in _shown(pane, "> x"))


@pytest.mark.parametrize(
    ("cursor", "flag", "corner"), [("shown", 1, 0), ("hidden", 0, 0), ("parked", 0, 1)]
)
def test_the_hardware_cursor_is_where_it_was_asked_for(
    start: Callable[..., Pane], cursor: str, flag: int, corner: int
) -> None:
    """Programs differ in what the cursor means."""
    pane = start(cursor=cursor)
    place = pane.format("#{cursor_flag} #{cursor_x} #{cursor_y}")
    assert place == (f"{flag} 0 23" if corner else f"{flag} 4 20")


def test_a_dialog_takes_the_place_of_the_box(start: Callable[..., Pane]) -> None:
    """C01: the Enter of a message approves it."""
    pane = start(dialog_on_signal=True, dialog_commands=["rm -rf ./scratch"], titles=True)
    assert pane.format("#{pane_title}") == "◇ Ready (work)"
    os.kill(int(pane.format("#{pane_pid}")), signal.SIGUSR1)
    pane.wait("dialog_painted")
    rows = _shown(pane, " ❯ 1. Yes")
    assert "   rm -rf ./scratch" in rows
    assert not any(row.startswith("│ >") for row in rows)
    assert pane.format("#{cursor_flag} #{pane_title}") == "0 ✋ Action Required (work)"
    pane.text("no, stop")
    pane.keys("Enter")
    pane.wait("approved")


def test_a_box_may_use_the_top_of_the_screen_only(start: Callable[..., Pane]) -> None:
    """D08: the tail is blank."""
    pane = start(top=True)
    rows = pane.rows()
    assert rows[1].startswith("│ >")
    assert not any(rows[6:])


def test_the_transcript_scrolls_above_an_inline_box(start: Callable[..., Pane]) -> None:
    """Old text goes to the history, the box stays at the end."""
    pane = start(inline=True, rows=12, work=1)
    for number in range(1, 7):
        pane.text(f"message {number}")
        pane.keys("Enter")
        pane.wait("submit", number)
        pane.wait("ready_painted", number + 1)
    rows = _shown(pane, "> message 6")
    assert [row for row in rows if row][-1] == "  standing by"
    assert not any("message 1" in row for row in rows)
    history = pane.server.capture(pane.pane_id, "-S", "-")
    assert sum(row.startswith("> message") for row in history) == 6
    assert sum(row.startswith("│ >") for row in history) == 1


def test_a_resized_pane_is_repainted(start: Callable[..., Pane]) -> None:
    """D07: and the log has the new size."""
    pane = start()
    pane.server.run("resize-window", "-t", pane.pane_id, "-x", "50", "-y", "20")
    pane.log.wait_for_sync(
        lambda events: any((e.get("rows"), e.get("columns")) == (20, 50) for e in events), _WITHIN_S
    )
    assert "╭" + "─" * 48 + "╮" in _shown(pane, "─" * 48 + "╮")


def test_the_shell_is_the_foreground_program_after_its_agent(start: Callable[..., Pane]) -> None:
    """C09: the pane lives on, the program is gone."""
    pane = start("shell-then-agent", agent_options="--exit-after=1 --work=1")
    pane.wait("ready_painted")
    assert pane.format("#{alternate_on}") == "1"
    assert pane.format("#{pane_current_command}") != "bash"
    pane.text("bye")
    pane.keys("Enter")
    pane.wait("exit")
    _shown(pane, "$")
    assert pane.format("#{pane_current_command} #{alternate_on}") == "bash 0"


def test_a_secret_is_neither_on_the_screen_nor_in_the_log(start: Callable[..., Pane]) -> None:
    """C10: echo is off."""
    pane = start("hidden-input", then="lines")
    pane.wait("dialog_painted")
    _shown(pane, "[sudo] password for u:")
    pane.text("hunter2")
    pane.keys("Enter")
    assert pane.wait("secret")["event"]
    pane.wait("state")
    assert "hunter2" not in "\n".join(pane.rows())
    assert "hunter2" not in pane.log.path.read_text()


def test_a_full_row_keeps_a_cell_for_the_cursor(start: Callable[..., Pane]) -> None:
    """A text that ends at the edge makes no empty row: that would look like a line break."""
    pane = start(columns=40)
    pane.text("x" * 33)
    pane.wait("bytes")
    rows = _shown(pane, "x" * 33)
    assert "│ > " + "x" * 33 + "  │" in rows
    assert pane.format("#{cursor_x}") == "37"
    pane.text("y")
    assert "│   y" + " " * 33 + " │" in _shown(pane, "│   y")


def test_a_tall_question_leaves_nothing_behind_in_the_main_screen(
    start: Callable[..., Pane],
) -> None:
    """The rows it had below the box are cleared."""
    pane = start(inline=True, dialog_on_signal=True)
    os.kill(int(pane.format("#{pane_pid}")), signal.SIGUSR1)
    pane.wait("dialog_painted")
    _shown(pane, "Esc to cancel")
    pane.keys("Escape")
    pane.wait("ready_painted", 2)
    rows = _shown(pane, "standing by")
    assert not any("Do you want" in row or "1. Yes" in row or "Esc to" in row for row in rows)


@pytest.mark.parametrize(("how", "below"), [("queue", False), ("keep", True)])
def test_queued_text_stands_above_or_below_the_box(
    start: Callable[..., Pane], how: str, below: bool
) -> None:
    """H02: below it looks like unsent text."""
    pane = start(busy_enter=how, work=60_000)
    for text in ("one", "two"):
        pane.text(text)
        pane.keys("Enter")
    pane.wait("queued")
    rows = _shown(pane, "queued: two")
    box = next(n for n, row in enumerate(rows) if row.startswith("│ >"))
    assert (rows.index("  queued: two") > box) is below
    assert ("two" in rows[box]) is below

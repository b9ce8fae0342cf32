"""The shipped files against the programs themselves, in real tmux panes."""

import os
import re
import select
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from panegate import profiles
from panegate.screen.profile import Profile
from panegate.testing.servers import PrivateServer, require_program

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

_WITHIN_S = 20.0
_CYCLE = re.compile(rb"\x1b\[\?2004([hl])")
_STARTER = 'read -r _; exec "$@"'


class Program(NamedTuple):
    """A program as it is started here, and what to say to it."""

    argv: tuple[str, ...]
    open_line: str
    """Leaves a statement open."""
    two_lines: str
    """Shows 4242 and 2525."""
    cycles: bool = True
    """?2004 goes off and on again around a command."""


SHELL_LINES = "echo $((6*707))\necho $((5*505))"
PYTHON_LINES = "print(6*707)\nprint(5*505)"
PROGRAMS = {
    "bash": Program(("bash", "--norc", "--noprofile"), "if true; then", SHELL_LINES),
    "sh": Program(("dash",), "if true; then", SHELL_LINES, cycles=False),
    "zsh": Program(("zsh", "-f"), "if true; then", SHELL_LINES),
    "fish": Program(("fish",), "if true", "math 6 x 707\nmath 5 x 505"),
    "python": Program(
        (sys.executable, "-q"), "(", PYTHON_LINES, cycles=sys.version_info >= (3, 13)
    ),
    "ipython": Program(("ipython", "--no-banner"), "(", PYTHON_LINES),
    "node": Program(("node",), "{", "6*707\n5*505", cycles=False),
    "sqlite3": Program(("sqlite3",), "select (", "select 6*707;\nselect 5*505;"),
    "gdb": Program(("gdb", "-q", "-nx"), "python", "print 6*707\nprint 5*505"),
}
MULTI_LINE = [n for n, p in PROGRAMS.items() if p.cycles and profiles.load(n).submit.multi_line]


class LivePane:
    """One program in a pane; every wait is for its output, with a deadline."""

    def __init__(self, server: PrivateServer, argv: Sequence[str], folder: Path) -> None:
        self._server = server
        env = {
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / "xdg"),
            "XDG_DATA_HOME": str(folder / "xdg"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
        }
        # The pipe is in place before the program starts: no byte is missed.
        vector = ["sh", "-c", _STARTER, "sh", *argv]
        self._pane = server.start_program(vector, columns=100, cwd=folder, env=env)
        fifo = folder / "output"
        os.mkfifo(fifo)
        self._fd = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
        server.run("pipe-pane", "-t", self._pane, f"exec cat > '{fifo}'")
        self.output = b""
        self.keys("Enter")

    def close(self) -> None:
        os.close(self._fd)

    def keys(self, *names: str) -> None:
        self._server.run("send-keys", "-t", self._pane, *names)

    def paste(self, text: str) -> None:
        """Type *text*, bracketed if the program asks for it."""
        self._server.run("load-buffer", "-b", "t", "-", stdin=text)
        self._server.run("paste-buffer", "-d", "-p", "-r", "-b", "t", "-t", self._pane)

    def line(self, text: str) -> None:
        self.paste(text)
        self.keys("Enter")

    def press_until(self, wanted: Callable[[str], bool], *names: str) -> None:
        """Press keys once and wait until the cursor's row is as wanted.

        They are pressed again only where they did nothing at all: fish 3.6 misses a C-c
        that comes while it paints.
        """
        before = self.cursor_row()
        for _ in range(5):
            self.keys(*names)
            if self._comes(lambda: wanted(self.cursor_row()[0]), within_s=2.0):
                return
            if self.cursor_row() != before:
                break
        pytest.fail(f"{names} leave {self.cursor_row()[0]!r}")

    def cursor_row(self) -> tuple[str, str]:
        """Return the cursor's row up to the cursor, and the rest of it."""
        place = self._server.run(
            "display-message", "-p", "-t", self._pane, "#{cursor_x} #{cursor_y}"
        )
        x, y = map(int, place.split())
        row = self._server.capture(self._pane, "-N")[y]
        return row[:x].ljust(x), row[x:].rstrip()

    def wait_row(self, wanted: Callable[[str], bool]) -> str:
        """Wait until the cursor's row, up to the cursor, is as wanted; return it."""
        row = ""

        def check() -> bool:
            nonlocal row
            row = self.cursor_row()[0]
            return wanted(row)

        self._wait(check, lambda: f"last row {row!r}")
        return row

    def command(self) -> str:
        """Return what tmux says is the foreground command."""
        return self._server.run(
            "display-message", "-p", "-t", self._pane, "#{pane_current_command}"
        ).strip()

    def wait_shown(self, text: bytes) -> None:
        """Wait until *text* was put out."""
        self._wait(lambda: text in self.output, lambda: f"{text!r} is not shown")

    def wait_cycle(self, marks: str) -> None:
        """Wait until the ?2004 marks of all output are just *marks* (``h``, ``l``)."""
        self._wait(lambda: self.cycle == marks, lambda: f"marks {self.cycle!r}, not {marks!r}")

    @property
    def cycle(self) -> str:
        return b"".join(_CYCLE.findall(self.output)).decode()

    def _wait(self, wanted: Callable[[], bool], words: Callable[[], str]) -> None:
        if not self._comes(wanted, within_s=_WITHIN_S):
            pytest.fail(f"not within {_WITHIN_S} s: {words()}; output {self.output[-400:]!r}")

    def _comes(self, wanted: Callable[[], bool], *, within_s: float) -> bool:
        until_s = time.monotonic() + within_s
        while not wanted():
            left_s = until_s - time.monotonic()
            if left_s <= 0 or not select.select([self._fd], [], [], left_s)[0]:
                return wanted()
            self.output += os.read(self._fd, 1 << 16)
        return True


@pytest.fixture
def start(tmux_server: PrivateServer, tmp_path: Path) -> Iterator[Callable[[str], LivePane]]:
    """Return a function that starts the program of a profile and waits for its prompt."""
    panes: list[LivePane] = []

    def start_program(name: str) -> LivePane:
        program = PROGRAMS[name]
        require_program(program.argv[0])
        panes.append(LivePane(tmux_server, program.argv, tmp_path))
        panes[-1].wait_row(at_prompt(profiles.load(name)))
        return panes[-1]

    yield start_program
    for pane in panes:
        pane.close()


def at_prompt(profile: Profile) -> Callable[[str], bool]:
    return lambda row: any(pattern.fullmatch(row) for pattern in profile.prompts)


def at_continuation(profile: Profile) -> Callable[[str], bool]:
    return lambda row: any(pattern.match(row) for pattern in profile.continuations)


def ends_with(text: str) -> Callable[[str], bool]:
    return lambda row: row.endswith(text)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_profile_is_found_and_its_commands_fit_what_tmux_shows(
    name: str, start: Callable[[str], LivePane]
) -> None:
    pane = start(name)
    assert profiles.for_command(PROGRAMS[name].argv).name == name
    assert pane.command() in profiles.load(name).commands


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_command_brings_the_prompt_back_with_the_marks_the_profile_says(
    name: str, start: Callable[[str], LivePane]
) -> None:
    program, profile = PROGRAMS[name], profiles.load(name)
    pane = start(name)
    line = program.two_lines.split("\n")[0]
    pane.line(line)
    pane.wait_shown(b"4242")
    pane.wait_row(at_prompt(profile))
    pane.wait_cycle("hlh" if program.cycles else "")
    assert not profile.prompt_cycle or program.cycles


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_open_statement_shows_a_continuation_and_the_interrupt_leaves_it(
    name: str, start: Callable[[str], LivePane]
) -> None:
    profile = profiles.load(name)
    pane = start(name)
    pane.line(PROGRAMS[name].open_line)
    row = pane.wait_row(at_continuation(profile))
    assert not at_prompt(profile)(row)
    if name != "sqlite3":  # its prompt must not be interrupted
        pane.press_until(at_prompt(profile), profile.interrupt)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_clear_keys_empty_the_line_and_run_nothing(
    name: str, start: Callable[[str], LivePane]
) -> None:
    profile = profiles.load(name)
    pane = start(name)
    pane.paste("12345 gone")
    pane.wait_row(ends_with("12345 gone"))
    if name != "sh":  # without a line editor the cursor stays at the end
        pane.keys("Left")
    pane.press_until(at_prompt(profile), *profile.clear)
    assert "gone" not in pane.cursor_row()[1]


@pytest.mark.parametrize("name", MULTI_LINE)
def test_the_clear_keys_empty_all_of_several_lines(
    name: str, start: Callable[[str], LivePane]
) -> None:
    pane = start(name)
    pane.paste("one\ntwo\nthree")
    pane.wait_row(ends_with("three"))
    pane.press_until(at_prompt(profiles.load(name)), *profiles.load(name).clear)


@pytest.mark.parametrize("name", MULTI_LINE)
def test_pasted_lines_run_as_one_message(name: str, start: Callable[[str], LivePane]) -> None:
    program, profile = PROGRAMS[name], profiles.load(name)
    pane = start(name)
    pane.paste(program.two_lines)
    pane.wait_row(ends_with(program.two_lines.split("\n")[1]))
    pane.keys("Enter")
    if profile.submit.line_break:
        empty = re.compile(rf"(?:{profile.continuations[0].pattern}) *")
        pane.wait_row(lambda row: bool(empty.fullmatch(row)) or b"2525" in pane.output)
        if b"2525" not in pane.output:
            pane.keys("Enter")
    pane.wait_shown(b"2525")
    pane.wait_row(at_prompt(profile))
    pane.wait_cycle("hlh")

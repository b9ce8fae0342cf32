"""A painted pane in a real tmux, a control client on it, and every byte it is sent.

The program in the pane paints what the test says, echoes nothing, and hands each byte of
its input to the test. That a write was refused is proved by what arrives *next*.
"""

import itertools
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Final

import attrs

from panegate.gate.guard import (
    Guard,
    GuardReply,
    GuardResult,
    explain_command,
    guard_for,
    guarded_line,
    parse_explanation,
    parse_guarded,
)
from panegate.gate.keystrokes import Typing, type_commands
from panegate.gate.text import TypingMethod
from panegate.ids import PaneId
from panegate.panes.facts import Look, PaneFields
from panegate.testing.servers import PrivateServer
from panegate.wire.commands import command
from panegate.wire.events import Block
from panegate.wire.look import look_commands, parse_look
from panegate.wire.payload import unescape
from panegate.wire.version import Version

WITHIN_S: Final = 10.0
PASTE_FLAG_SINCE: Final = Version.parse("3.7")
VETO: Final = "Do you want"
WRITTEN: Final = GuardReply(GuardResult.WRITTEN)
REFUSED: Final = GuardReply(GuardResult.REFUSED)
COMPOSER: Final = 8
SCREEN_ROWS: Final = (
    "header one",
    "header two",
    "",
    "log alpha",
    "log beta",
    "log gamma",
    "log delta",
    "┌─ box 日本 ─┐ 100% #{pane_id}, }",
    "> ",
    "  the second row of it",
    "status one",
    "status two",
    "status three",
    "status four",
)
PROGRAM: Final = """
import os, select, signal, subprocess, sys, tty
paints, log = (os.open(name, os.O_RDWR) for name in sys.argv[1:3])
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
tty.setraw(0)
os.write(log, b"<up>")
child = None
while True:
    ready = select.select([paints] + [0] * (child is None), [], [])[0]
    if paints in ready:
        chunk = os.read(paints, 65536)
        if chunk == b"!exit":
            sys.exit()
        if chunk == b"!child":
            child = subprocess.Popen(["sleep", "600"], process_group=0)
            os.tcsetpgrp(0, child.pid)
            os.write(log, b"<child>")
        elif chunk == b"!self":
            os.tcsetpgrp(0, os.getpgrp())
            child.kill(); child.wait(); child = None
        else:
            os.write(1, chunk)
    if 0 in ready:
        os.write(log, os.read(0, 65536))
"""


def screen(rows: tuple[str, ...] = SCREEN_ROWS, cursor: tuple[int, int] = (COMPOSER, 2)) -> bytes:
    painted = "".join(f"\x1b[{n};1H{row}" for n, row in enumerate(rows, 1))
    return f"\x1b[2J{painted}\x1b[{cursor[0] + 1};{cursor[1] + 1}H".encode()


def row(n: int, text: str) -> bytes:
    """Paint one row, from 0, and put the cursor back."""
    return f"\x1b7\x1b[{n + 1};1H\x1b[2K{text}\x1b8".encode()


def guard_of(look: Look, drop: frozenset[str] = frozenset(), *, absent: bool = False) -> Guard:
    """The guard of the painted screen.

    Without the term that most changes of a screen would break: each of the others is tried alone.
    """
    drop = drop if absent else drop | {"absent"}
    return guard_for(
        look,
        composer_row=COMPOSER,
        composer_last_row=COMPOSER + 1,
        vetoes=[VETO],
        drop=drop,
    )


class Client:
    """A control client that is read and written synchronously."""

    def __init__(self, server: PrivateServer, session: str) -> None:
        argv = server.command("-N", "-C", "attach-session", "-E", "-f", "ignore-size")
        self._process = subprocess.Popen(
            [*argv, "-t", f"={session}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=server.client_env,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._unread = b""
        self._serial = itertools.count()
        self.printed: dict[str, bytes] = {}
        while not self.line().startswith(b"%session-changed"):
            pass

    def line(self) -> bytes:
        """Return the next line; EOFError when the server is gone."""
        while b"\n" not in self._unread:
            ready, _, _ = select.select([self._stdout], [], [], WITHIN_S)
            assert ready, "tmux says nothing"
            chunk = os.read(self._stdout.fileno(), 65536)
            if not chunk:
                raise EOFError
            self._unread += chunk
        line, _, self._unread = self._unread.partition(b"\n")
        if line.startswith(b"%output "):
            _, pane, payload = line.split(b" ", 2)
            name = pane.decode()
            self.printed[name] = self.printed.get(name, b"") + unescape(payload)
        return line

    def ask(self, *lines: bytes) -> list[Block]:
        """Send lines in one write and return the blocks of their commands."""
        last = b"end%d" % next(self._serial)
        self._stdin.write(
            b"".join(line + b"\n" for line in (*lines, b"display-message -p " + last))
        )
        self._stdin.flush()
        blocks: list[Block] = []
        begun, body = b"", list[bytes]()
        while True:
            line = self.line()
            if not begun:
                begun = line[7:] if line.startswith(b"%begin ") else b""
                body = []
            elif line in (b"%end " + begun, b"%error " + begun):
                if body == [last]:
                    return blocks
                ok, (_, number, flags) = line.startswith(b"%end"), map(int, begun.split())
                blocks.append(Block(ok=ok, flags=flags, number=number, lines=tuple(body)))
                begun = b""
            else:
                body.append(line)

    def close(self) -> None:
        with self._stdout, self._stdin:
            self._stdin.close()
            while os.read(self._stdout.fileno(), 65536):
                pass
        self._process.wait(WITHIN_S)


class Pipe:
    """A FIFO that never blocks its opener and never ends."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = path
        self._fd = os.open(path, os.O_RDWR)
        self._unread = b""

    def write(self, data: bytes) -> None:
        os.write(self._fd, data)

    def read(self, n_bytes: int) -> bytes:
        """Return exactly so many bytes, or what came within the time."""
        while len(self._unread) < n_bytes:
            if not select.select([self._fd], [], [], WITHIN_S)[0]:
                break
            self._unread += os.read(self._fd, 65536)
        data, self._unread = self._unread[:n_bytes], self._unread[n_bytes:]
        return data

    def close(self) -> None:
        os.close(self._fd)


class Lab:
    """One painted pane, a client that watches it, and a second program beside it."""

    def __init__(self, server: PrivateServer, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.version = Version.parse(server.version)
        self._program = folder / "program.py"
        self._program.write_text(PROGRAM)
        self._serial = itertools.count(1)
        self._pipes: list[Pipe] = []
        self.argv, self.paints, self.log = self._pipes_of_a_program()
        self.pane = PaneId(server.start_program(self.argv, name="one", columns=60, rows=20))
        self.client = Client(server, "one")
        assert self.log.read(4) == b"<up>"

    def _pipes_of_a_program(self) -> tuple[list[str], Pipe, Pipe]:
        n = next(self._serial)
        pipes = [self.pipe(f"paints{n}"), self.pipe(f"log{n}")]
        return [sys.executable, str(self._program), *(str(p.path) for p in pipes)], *pipes

    def pipe(self, name: str) -> Pipe:
        self._pipes.append(Pipe(self.folder / name))
        return self._pipes[-1]

    def close(self) -> None:
        self.client.close()
        for pipe in self._pipes:
            pipe.close()

    def run(self, name: str, *args: str) -> list[Block]:
        blocks = self.client.ask(command(name, *args))
        assert all(block.ok for block in blocks), blocks
        return blocks

    def paint(self, chunk: bytes) -> None:
        before = len(self.client.printed.get(self.pane, b""))
        self.paints.write(chunk)
        while chunk not in self.client.printed.get(self.pane, b"")[before:]:
            self.client.line()

    def look(self, pane: PaneId | None = None) -> Look:
        pane = pane or self.pane
        blocks = self.client.ask(look_commands(pane, self.version, "look"))
        seen = parse_look(blocks, pane_id=pane, version=self.version)
        assert seen is not None
        names = [f.name for f in attrs.fields(PaneFields) if hasattr(seen, f.name)]
        fields = PaneFields(**{name: getattr(seen, name) for name in names})
        return Look(fields=fields, rows=seen.rows, kernel=None, asked_at_s=0.0, at_s=0.0)

    def typing(self, text: str, method: TypingMethod = TypingMethod.PASTE) -> Typing:
        needs = self.version >= PASTE_FLAG_SINCE
        return type_commands(self.pane, text, method, buffer_name="text", paste_needs_s=needs)

    def write(self, guard: Guard, typing: Typing) -> GuardReply:
        nonce = f"K{next(self._serial)}"
        otherwise = typing.otherwise
        line = guarded_line(guard.pane_id, guard, typing.commands, nonce=nonce, otherwise=otherwise)
        blocks = self.client.ask(*typing.before, line)
        return parse_guarded([(b.ok, b.lines) for b in blocks], nonce, n_before=len(typing.before))

    def failing(self, guard: Guard) -> tuple[str, ...] | None:
        nonce = f"E{next(self._serial)}"
        blocks = self.client.ask(explain_command(guard, nonce=nonce))
        return parse_explanation([(b.ok, b.lines) for b in blocks], guard, nonce=nonce)

    def split(self) -> Pipe:
        """Put a second program beside the first and return what it is sent."""
        argv, _, log = self._pipes_of_a_program()
        self.run("split-window", "-d", "-h", "-t", self.pane, "--", *argv)
        assert log.read(4) == b"<up>"
        return log

"""A tmux server that is a script: it speaks control mode over memory, in virtual time.

It answers what panegate itself sends and refuses the rest. Programs are functions from the
bytes they get to what they paint; nothing here reads a screen or parses output, so a test
never compares a parser with itself.
"""

import asyncio
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Self

import anyio
import attrs

from panegate.ids import PaneId, SessionId, WindowId
from panegate.runtime.bringup import KEEP_ALIVE, ServerFacts
from panegate.runtime.link import Target
from panegate.testing.scripted_formats import UnknownFormat, expand, is_true
from panegate.testing.scripted_words import key_bytes, parse_line, split_flags
from panegate.wire.version import Version
from panegate_transports.memory import MemoryTransport, memory_pair

__all__ = ["Paint", "Program", "ScriptedClient", "ScriptedPane", "ScriptedTmux"]

_STEP_S: Final = 1e-6
"""No two paints share an instant."""
_DOES_NOTHING: Final = frozenset({"set-option", "resize-window", "run-shell"})


@attrs.frozen(kw_only=True)
class Paint:
    """One step of a program: what it writes, and how its pane looks after that."""

    output: bytes | None = None
    """None repaints the whole screen, if there are rows."""
    rows: Sequence[str] | None = None
    """All rows from the top, one cell a character, SGR allowed; None leaves them."""
    cursor: tuple[int, int] | None = None
    """Row and column from 0; by default behind the last of ``rows``."""
    fields: Mapping[str, str] = attrs.field(factory=dict)
    """Other tmux variables that change, such as ``pane_title``."""
    after_s: float = 0.0
    """Seconds after the step before it."""


Program = Callable[[bytes], Iterable[Paint]]
"""Called with the bytes of each write; a generator may keep its state in a closure."""


class _CommandFailed(Exception):
    """What tmux says in an ``%error`` block."""


@attrs.define(kw_only=True, eq=False)
class ScriptedPane:
    """One pane, alone in its window and session."""

    pane_id: PaneId
    window_id: WindowId
    session_id: SessionId
    session_name: str
    program: Program
    fields: dict[str, str]
    """The values of tmux's variables; change them as the test needs."""
    rows: list[str] = attrs.field(factory=list)
    received: list[bytes] = attrs.field(factory=list)
    """The truth: each write the program got, in order."""
    busy_until_s: float = 0.0

    @property
    def target(self) -> Target:
        """Where it lives, for `panegate.runtime.link.ServerLink.carry`."""
        return Target(
            session_id=self.session_id,
            window_id=self.window_id,
            pane_id=self.pane_id,
            pane_pid=int(self.fields["pane_pid"]),
        )

    def values(self) -> dict[str, str]:
        """Return all variables, with those that follow from the rows and the ids."""
        y, x = int(self.fields["cursor_y"]), int(self.fields["cursor_x"])
        row = self.rows[y] if y < len(self.rows) else ""
        return {
            "cursor_character": row[x] if x < len(row) else " ",
            **self.fields,
            "pane_id": self.pane_id,
            "window_id": self.window_id,
            "session_id": self.session_id,
            "session_name": self.session_name,
        }

    def captured(self) -> list[str]:
        """Return the visible rows, padded to the width."""
        width, height = int(self.fields["pane_width"]), int(self.fields["pane_height"])
        rows = [*self.rows, *([""] * height)][:height]
        return [row.ljust(width) for row in rows]


@attrs.define(kw_only=True, eq=False)
class ScriptedClient:
    """The server's end of one control client."""

    near: MemoryTransport
    """The controller's end: stall, cut or break it here."""
    far: MemoryTransport
    session_id: SessionId
    lines: list[bytes] = attrs.field(factory=list)
    """Command lines as they came."""
    paused: set[PaneId] = attrs.field(factory=set)
    waiting: deque[bytes] = attrs.field(factory=deque)
    """Lines that are not answered yet; see `ScriptedTmux.answering`."""

    def write(self, *lines: bytes) -> None:
        """Write lines as they are, in one piece: any notification a test needs."""
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            self.far.send_nowait(b"".join(line + b"\n" for line in lines))

    async def end(self, reason: str = "") -> None:
        """Say ``%exit`` and close."""
        self.write(f"%exit {reason}".rstrip().encode())
        await self.far.aclose()


class ScriptedTmux:
    """A server for `panegate.runtime.link.ServerLink` and its like.

    Use it as an asynchronous context manager and give `open_transport` to what is tested.
    """

    def __init__(self, *, version: str = "3.3a") -> None:
        """Make a server with the keep-alive session only.

        Args:
            version: Decides how looks and buffers are answered.

        """
        self.facts = ServerFacts(
            pid=4711, start_time=1700000000, socket="/scripted", version=Version.parse(version)
        )
        self.panes: dict[PaneId, ScriptedPane] = {}
        self.clients: list[ScriptedClient] = []
        """Attached now, oldest first."""
        self.attached: list[str] = []
        """The target of each attach so far."""
        self.linked: set[WindowId] = set()
        """Windows that the keep-alive session shows, too."""
        self.before_line: Callable[[ScriptedClient, bytes], None] | None = None
        """Called before each command line runs: what it paints is older than the line."""
        self.on_attach: Callable[[str], str | None] | None = None
        """Returns tmux's words to refuse an attach with."""
        self.new_program: Callable[[Sequence[str]], Program] | None = None
        """Makes the programs of ``new-session`` and ``respawn-pane`` from their words."""
        self.unknown: list[str] = []
        """Commands and formats that were refused for not being understood."""
        self._answering = True
        self._buffers: dict[str, bytes] = {}
        self._n_blocks = 0
        self._n_panes = 0
        self._steps: list[asyncio.TimerHandle] = []
        self._readers: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        """Return the server itself."""
        return self

    async def __aexit__(self, *exc: object) -> None:
        """End all clients and programs."""
        for step in self._steps:
            step.cancel()
        for reader in self._readers:
            reader.cancel()
        for client in list(self.clients):
            await client.far.aclose()
        await asyncio.gather(*self._readers, return_exceptions=True)

    @property
    def answering(self) -> bool:
        """While False command lines are taken and kept, as by a server that is wedged."""
        return self._answering

    @answering.setter
    def answering(self, answering: bool) -> None:
        self._answering = answering
        for client in list(self.clients):
            self._answer(client)

    def add_pane(
        self,
        program: Program = lambda _data: (),
        *,
        name: str = "",
        rows: Sequence[str] = (),
        columns: int = 80,
        lines: int = 24,
        fields: Mapping[str, str] | None = None,
    ) -> ScriptedPane:
        """Add a pane with a window and a session of its own.

        Args:
            program: Gets what is written into the pane.
            name: Of the session.
            rows: What is painted at first; the cursor stands behind the last.
            columns: Width in cells.
            lines: Height in cells.
            fields: Variables that differ from those of an idle ``bash``.

        """
        self._n_panes += 1
        n = self._n_panes
        known = dict.fromkeys(
            ("pane_dead", "pane_in_mode", "pane_input_off", "pane_synchronized", "alternate_on"),
            "0",
        )
        known |= {
            "cursor_flag": "1",
            "history_size": "0",
            "history_limit": "2000",
            "pane_pid": str(1000 + n),
        }
        known |= {"cursor_x": "0", "cursor_y": "0", "pane_current_command": "bash"}
        known |= {"pane_width": str(columns), "pane_height": str(lines), "pane_title": "scripted"}
        known |= {"pane_tty": f"/dev/pts/{n}"}
        pane = ScriptedPane(
            pane_id=PaneId(f"%{n}"),
            window_id=WindowId(f"@{n}"),
            session_id=SessionId(f"${n}"),
            session_name=name or f"scripted-{n}",
            program=program,
            fields=known,
        )
        self.panes[pane.pane_id] = pane
        self.paint(pane, Paint(rows=rows, fields=fields or {}))
        return pane

    def paint(self, pane: ScriptedPane, paint: Paint) -> None:
        """Carry out one step of a program now, whatever it is doing else."""
        output = paint.output
        if paint.rows is not None:
            pane.rows = list(paint.rows)
        place = paint.cursor
        if place is None and paint.rows:
            place = (len(paint.rows) - 1, len(paint.rows[-1]))
        if place is not None:
            pane.fields |= {"cursor_y": str(place[0]), "cursor_x": str(place[1])}
        pane.fields.update(paint.fields)
        if output is None and paint.rows is not None:
            y, x = place or (0, 0)
            body = "\r\n".join(paint.rows)
            output = f"\x1b[H\x1b[2J{body}\x1b[{y + 1};{x + 1}H".encode()
        if output:
            shown = re.sub(rb"[\x00-\x1f\\]", lambda found: b"\\%03o" % found[0][0], output)
            for client in self._showing(pane):
                if pane.pane_id not in client.paused:
                    client.write(f"%extended-output {pane.pane_id} 0 : ".encode() + shown)

    def feed(self, pane: ScriptedPane, data: bytes) -> None:
        """Give bytes to the program of a pane; its steps follow in order, in time."""
        pane.received.append(data)
        loop = asyncio.get_running_loop()
        for step in pane.program(data):
            pane.busy_until_s = max(loop.time(), pane.busy_until_s + _STEP_S) + step.after_s
            self._steps.append(loop.call_at(pane.busy_until_s, self._step, pane, step))
            self._steps = [handle for handle in self._steps if handle.when() >= loop.time()]

    def _step(self, pane: ScriptedPane, step: Paint) -> None:
        if self.panes.get(pane.pane_id) is pane:
            self.paint(pane, step)

    async def open_transport(self, argv: Sequence[str]) -> MemoryTransport:
        """Attach the control client of this command line; an ``OpenTransport``."""
        wanted = argv[list(argv).index("-t") + 1]
        self.attached.append(wanted)
        near, far = memory_pair(asyncio.get_running_loop().time)
        session = self._session(wanted)
        refusal = self.on_attach(wanted) if self.on_attach is not None else None
        client = ScriptedClient(near=near, far=far, session_id=session or SessionId("$0"))
        if session is None or refusal is not None:
            words = f"can't find session: {wanted}" if refusal is None else refusal
            self._block(client, [words.encode()], False, 0)
            await client.end()
            return near
        self.clients.append(client)
        self._block(client, [], True, 0)
        name = next((p.session_name for p in self.panes.values() if p.session_id == session), "")
        client.write(f"%session-changed {session} {name or KEEP_ALIVE}".encode())
        reader = asyncio.get_running_loop().create_task(self._read(client))
        self._readers.add(reader)
        reader.add_done_callback(self._readers.discard)
        return near

    async def _read(self, client: ScriptedClient) -> None:
        rest = b""
        with suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            while True:
                *lines, rest = (rest + (await client.far.receive()).data).split(b"\n")
                client.lines += lines
                client.waiting += lines
                self._answer(client)
        if client in self.clients:
            self.clients.remove(client)
        await client.far.aclose()

    def _answer(self, client: ScriptedClient) -> None:
        while self._answering and client.waiting:
            line = client.waiting.popleft()
            if self.before_line is not None:
                self.before_line(client, line)
            self._run(client, line)

    def _run(self, client: ScriptedClient, line: bytes) -> None:
        """Run the commands of one line; the first that fails ends it."""
        try:
            commands = parse_line(line)
        except ValueError as error:
            self.unknown.append(line.decode("ascii", "replace"))
            self._block(client, [str(error).encode()], False, 1)
            return
        for words in commands:
            name, flags, rest = split_flags(words)
            try:
                rows, then = self._command(client, name, flags, rest)
            except _CommandFailed as failure:
                self._block(client, [str(failure).encode()], False, 1)
                return
            self._block(client, rows, True, 1)
            if then:
                self._run(client, then)

    def _block(self, client: ScriptedClient, rows: Iterable[bytes], ok: bool, flags: int) -> None:
        self._n_blocks += 1
        triple = b"%d %d %d" % (self.facts.start_time, self._n_blocks, flags)
        client.write(b"%begin " + triple, *rows, (b"%end " if ok else b"%error ") + triple)

    def _command(
        self, client: ScriptedClient, name: str, flags: Mapping[str, bytes], rest: list[bytes]
    ) -> tuple[list[bytes], bytes]:
        """Return the rows of a command's block and a command line that it runs."""
        where = flags.get("-t", b"").decode()
        buffer = flags.get("-b", b"").decode()
        if name in _DOES_NOTHING:
            return [], b""
        if name == "display-message" and "-p" in flags and len(rest) == 1:
            return [self._expanded(rest[0], self._find(where))], b""
        if name == "if-shell" and "-F" in flags and len(rest) == 3:
            held = is_true(self._expanded(rest[0], self._pane(where)).decode())
            return [], rest[1] if held else rest[2]
        if name == "list-panes" and "-F" in flags:
            panes = [*self.panes.values()] if "-a" in flags else [self._pane(where)]
            only = flags.get("-f", b"1")
            shown = [p for p in panes if is_true(self._expanded(only, p).decode())]
            return [self._expanded(flags["-F"], pane) for pane in shown], b""
        if name == "capture-pane":
            text = "\n".join(self._pane(where).captured()).encode()
            if "-p" in flags:
                return text.split(b"\n"), b""
            self._buffers[buffer] = text
            return [], b""
        if name == "set-buffer":
            self._buffers[buffer] = rest[0]
            return [], b""
        if name in ("show-buffer", "delete-buffer", "paste-buffer"):
            if buffer not in self._buffers:
                raise _CommandFailed(f"no buffer {buffer}")
            return self._with_buffer(name, flags, where, buffer), b""
        if name == "send-keys":
            try:
                self._write(self._pane(where), key_bytes(flags, rest))
            except ValueError as error:
                raise _CommandFailed(str(error)) from None
            return [], b""
        if name == "refresh-client" and "-A" in flags:
            pane_id, _, verb = flags["-A"].decode().partition(":")
            return self._flow(client, self._pane(pane_id).pane_id, verb), b""
        return self._structure(name, flags, rest, where), b""

    def _with_buffer(
        self, name: str, flags: Mapping[str, bytes], where: str, buffer: str
    ) -> list[bytes]:
        data = self._buffers[buffer]
        if name == "show-buffer":
            if self.facts.version.buffer_escapes:
                data = data.replace(b"\\", b"\\\\").replace(b"\x1b", b"\\033")
                data = re.sub(rb"\$(?=[A-Za-z_{])", rb"\\$", data)
            return data.split(b"\n")
        if name == "paste-buffer":
            data = data.replace(b"\n", b"\r")
            if "-p" in flags:
                data = b"\x1b[200~" + data + b"\x1b[201~"
            self._write(self._pane(where), data)
        if name == "delete-buffer" or "-d" in flags:
            del self._buffers[buffer]
        return []

    def _structure(
        self, name: str, flags: Mapping[str, bytes], rest: list[bytes], where: str
    ) -> list[bytes]:
        """Carry out a command about sessions and windows."""
        if name == "has-session" and self._session(where) is not None:
            return []
        if name == "new-session":
            title = flags["-s"].decode()
            if any(p.session_name == title for p in self.panes.values()):
                raise _CommandFailed(f"duplicate session: {title}")
            columns, lines = int(flags.get("-x", b"80")), int(flags.get("-y", b"24"))
            pane = self.add_pane(self._made(rest), name=title, columns=columns, lines=lines)
            self._tell(b"%sessions-changed")
            return [self._expanded(flags["-F"], pane)] if "-P" in flags else []
        if name == "respawn-pane":
            pane = self._pane(where)
            pane.program = self._made(rest)
            pane.fields["pane_pid"] = str(int(pane.fields["pane_pid"]) + 1000)
            self.paint(pane, Paint(rows=(), fields={"pane_dead": "0"}))
            return []
        if name in ("kill-window", "kill-session", "kill-pane"):
            found = [p for p in self.panes.values() if where in _names(p)]
            for pane in found:
                del self.panes[pane.pane_id]
                self._tell(f"%unlinked-window-close {pane.window_id}".encode())
            if found:
                return []
        if name in ("link-window", "unlink-window"):
            window = (flags.get("-s") or flags["-t"]).decode().rpartition(":")[2]
            if any(p.window_id == window for p in self.panes.values()):
                (self.linked.add if name[0] == "l" else self.linked.discard)(WindowId(window))
                return []
        known = ("has-session", "kill-window", "kill-session", "kill-pane", "link-window")
        if name in known or name == "unlink-window":
            raise _CommandFailed(f"can't find {name.partition('-')[2]}: {where}")
        self.unknown.append(name)
        raise _CommandFailed(f"unknown command: {name}")

    def _flow(self, client: ScriptedClient, pane_id: PaneId, verb: str) -> list[bytes]:
        note = f"%{verb} {pane_id}".encode()
        if verb not in ("pause", "continue") or (verb == "pause") == (pane_id in client.paused):
            return []
        (client.paused.add if verb == "pause" else client.paused.discard)(pane_id)
        if self.facts.version.pause_in_block:
            return [note]
        client.write(note)
        return []

    def _made(self, words: list[bytes]) -> Program:
        if self.new_program is None:
            return lambda _data: ()
        return self.new_program([word.decode() for word in words])

    def _write(self, pane: ScriptedPane, data: bytes) -> None:
        if not is_true(pane.fields["pane_dead"]) and not is_true(pane.fields["pane_input_off"]):
            self.feed(pane, data)

    def _tell(self, line: bytes) -> None:
        for client in self.clients:
            client.write(line)

    def _showing(self, pane: ScriptedPane) -> list[ScriptedClient]:
        shown = {pane.session_id} | ({"$0"} if pane.window_id in self.linked else set())
        return [client for client in self.clients if client.session_id in shown]

    def _session(self, wanted: str) -> SessionId | None:
        if wanted in (f"={KEEP_ALIVE}", "$0"):
            return SessionId("$0")
        found = (p.session_id for p in self.panes.values() if wanted in _names(p))
        return next(found, None)

    def _find(self, where: str) -> ScriptedPane | None:
        return next((p for p in self.panes.values() if where in _names(p)), None)

    def _pane(self, where: str) -> ScriptedPane:
        pane = self._find(where)
        if pane is None:
            raise _CommandFailed(f"can't find pane: {where}")
        return pane

    def _expanded(self, text: bytes, pane: ScriptedPane | None) -> bytes:
        values = pane.values() if pane is not None else {}
        server = {"pid": str(self.facts.pid), "start_time": str(self.facts.start_time)}
        rows = pane.captured() if pane is not None else []
        try:
            return expand(text.decode(), {**values, **server}, rows).encode()
        except UnknownFormat as error:
            self.unknown.append(str(error))
            return b""


def _names(pane: ScriptedPane) -> tuple[str, ...]:
    return (pane.pane_id, pane.window_id, pane.session_id, f"={pane.session_name}")

"""The scripted server: it answers as tmux does, in virtual time."""

import anyio
import pytest

from panegate.gate.guard import guard_for, guarded_line
from panegate.gate.keystrokes import byte_commands, key_commands, type_commands
from panegate.gate.text import TypingMethod
from panegate.panes.facts import Look, PaneFields
from panegate.testing.scripted_tmux import Paint, ScriptedPane, ScriptedTmux
from panegate.testing.scripted_words import key_bytes, parse_line, split_flags
from panegate.wire.commands import command, sequence
from panegate.wire.connection import Connection
from panegate.wire.events import Attached, AttachFailed, Continue, Event, Exit, Output, Pause, Reply
from panegate.wire.look import look_commands, parse_look
from panegate.wire.version import Version
from panegate_transports.memory import MemoryTransport

virtual = pytest.mark.asyncio(loop_factories=["virtual"])


class Peer:
    """A control client by hand."""

    def __init__(self, transport: MemoryTransport) -> None:
        self.transport = transport
        self.connection = Connection()
        self.n = 0

    async def read(self, within_s: float = 1.0) -> list[Event]:
        events: list[Event] = []
        with anyio.move_on_after(within_s):
            while True:
                chunk = await self.transport.receive()
                events += self.connection.receive_data(chunk.data)
        return events

    async def ask(self, *lines: bytes) -> Reply:
        self.n += 1
        _, data = self.connection.request(lines, nonce=b"N%d" % self.n)
        self.transport.send_nowait(data)
        replies = [event for event in await self.read() if isinstance(event, Reply)]
        assert len(replies) == 1
        return replies[0]


async def attach(server: ScriptedTmux, target: str = "$1") -> Peer:
    peer = Peer(await server.open_transport(["tmux", "attach-session", "-t", target]))
    events = await peer.read()
    assert any(isinstance(event, Attached) for event in events), events
    return peer


def echo(data: bytes) -> list[Paint]:
    return [Paint(output=data, rows=["$ " + data.decode()], after_s=0.25)]


@virtual
async def test_an_attach_joins_the_session_it_names() -> None:
    """By id and by exact name; the keep-alive session is always there."""
    async with ScriptedTmux() as server:
        server.add_pane(name="work")
        for target in ("$1", "=work", "=panegate"):
            peer = await attach(server, target)
            assert peer.connection.session_id == ("$0" if target == "=panegate" else "$1")


@virtual
async def test_an_attach_to_nothing_fails_in_tmuxs_words() -> None:
    """As `can't find session` of tmux: an error block, then the end."""
    async with ScriptedTmux() as server:
        peer = Peer(await server.open_transport(["tmux", "-t", "=none"]))
        with pytest.raises(anyio.EndOfStream):
            while True:
                events = peer.connection.receive_data((await peer.transport.receive()).data)
                assert events == [AttachFailed("can't find session: =none")] or isinstance(
                    events[0], Exit
                )


@virtual
@pytest.mark.parametrize("version", ["3.2a", "3.3a", "3.4", "3.5a", "3.6"])
async def test_a_look_reads_rows_and_fields_in_the_form_of_each_version(version: str) -> None:
    r"""Backslash, ``$x`` and SGR survive the escapes of ``show-buffer``."""
    known = Version.parse(version)
    async with ScriptedTmux(version=version) as server:
        rows = [r"a\033b $HOME", "\x1b[1m> \x1b[m"]
        pane = server.add_pane(rows=rows, columns=20, lines=3, fields={"pane_title": "x y"})
        peer = await attach(server)
        reply = await peer.ask(look_commands(pane.pane_id, known, "b1"))
        look = parse_look(reply.blocks, pane_id=pane.pane_id, version=known)
        assert look is not None
        assert [row.decode().rstrip() for row in look.rows] == [rows[0], "\x1b[1m> \x1b[m", ""]
        assert (look.title, look.width, look.height, look.cursor_y) == ("x y", 20, 3, 1)
        del server.panes[pane.pane_id]
        reply = await peer.ask(look_commands(pane.pane_id, known, "b1"))
        assert parse_look(reply.blocks, pane_id=pane.pane_id, version=known) is None


@virtual
async def test_a_program_gets_exact_bytes_and_paints_in_its_own_time() -> None:
    """Text, bytes, keys and both kinds of paste, each as one write."""
    async with ScriptedTmux() as server:
        pane = server.add_pane(echo)
        peer = await attach(server)
        pane_id = pane.pane_id
        typed = [
            *type_commands(pane_id, "a;b\\", TypingMethod.TYPE, buffer_name="b").commands,
            *byte_commands(pane_id, b"\r").commands,
            *key_commands(pane_id, ["C-c", "Up", " ", "x"]).commands,
        ]
        pasted = type_commands(pane_id, "l1\nl2", TypingMethod.PASTE, buffer_name="b")
        began_s = anyio.current_time()
        await peer.ask(*typed, *pasted.before, *pasted.commands)
        assert pane.received == [b"a;b\\", b"\r", b"\x03\x1b[A x", b"\x1b[200~l1\rl2\x1b[201~"]
        assert anyio.current_time() - began_s == pytest.approx(1.0)
        _, data = peer.connection.request(
            [command("send-keys", "-t", "%1", "-l", "--", "z\\\x07")], nonce=b"last"
        )
        peer.transport.send_nowait(data)
        events = await peer.read()
        assert [e.payload for e in events if isinstance(e, Output)][-1] == rb"z\134\007"


@virtual
async def test_steps_of_later_input_follow_those_of_earlier() -> None:
    """A program is one process: it does not paint out of order."""
    painted: list[tuple[str, float]] = []

    async with ScriptedTmux() as server:

        def slow(data: bytes) -> list[Paint]:
            return [Paint(rows=[data.decode()], after_s=1.0 if data == b"1" else 0.1)]

        pane = server.add_pane(slow)
        peer = await attach(server)
        server.feed(pane, b"1")
        server.feed(pane, b"2")
        with anyio.move_on_after(5):
            while True:
                chunk = await peer.transport.receive()
                painted.append((pane.rows[0], round(chunk.at_s - 1.0, 3)))
    assert painted == [("1", 1.0), ("2", 1.1)]


def guarded(pane: ScriptedPane) -> bytes:
    values = pane.values()
    fields = PaneFields(
        pane_id=pane.pane_id,
        pane_pid=int(values["pane_pid"]),
        width=int(values["pane_width"]),
        height=int(values["pane_height"]),
        cursor_x=int(values["cursor_x"]),
        cursor_y=int(values["cursor_y"]),
        cursor_shown=True,
        cursor_character=values["cursor_character"],
        command=values["pane_current_command"],
        title=values["pane_title"],
    )
    rows = tuple(row.encode() for row in pane.captured())
    guard = guard_for(Look(fields=fields, rows=rows, kernel=None, asked_at_s=0, at_s=0))
    typing = type_commands(pane.pane_id, "hi", TypingMethod.TYPE, buffer_name="b")
    return guarded_line(pane.pane_id, guard, typing.commands, nonce="G")


@virtual
async def test_a_guarded_line_writes_only_while_its_guard_holds() -> None:
    """The guard is compared when the line runs, not when it was built."""
    async with ScriptedTmux() as server:
        pane = server.add_pane(rows=["welcome", "$ "])
        peer = await attach(server)
        line = guarded(pane)
        reply = await peer.ask(line)
        assert [block.lines for block in reply.blocks] == [(), (), (b"G:1",)]
        assert pane.received == [b"hi"]
        server.before_line = lambda _client, run: (
            server.paint(pane, Paint(rows=["welcome", "Allow? [y/n]"])) if run == line else None
        )
        reply = await peer.ask(line)
        assert [block.lines for block in reply.blocks] == [(), (b"G:0",)]
        assert pane.received == [b"hi"]
        assert server.unknown == []


@virtual
async def test_a_condition_that_is_not_understood_refuses_and_is_noted() -> None:
    """To guess would prove nothing about real tmux."""
    async with ScriptedTmux() as server:
        pane = server.add_pane()
        peer = await attach(server)
        then, other = (
            command("send-keys", "-t", "%1", "-H", "0d"),
            command("display-message", "-p", "no"),
        )
        line = command("if-shell", "-F", "-t", "%1", "#{||:1,1}", then, other)
        reply = await peer.ask(line)
        assert reply.blocks[-1].lines == (b"no",)
        assert pane.received == []
        assert len(server.unknown) == 1


@virtual
async def test_a_command_that_fails_ends_its_line_and_not_the_next() -> None:
    """As in tmux."""
    async with ScriptedTmux() as server:
        server.add_pane()
        peer = await attach(server)
        fails = sequence(command("capture-pane", "-p", "-t", "%9"), command("list-sessions"))
        reply = await peer.ask(
            fails, command("no-such-command"), b"it's", b"display-message -p yes"
        )
        assert [block.ok for block in reply.blocks] == [False, False, False, True]
        assert reply.blocks[0].lines == (b"can't find pane: %9",)
        assert server.unknown == ["no-such-command", "it's"]


@virtual
async def test_a_paused_pane_says_nothing_until_it_is_continued() -> None:
    """What it paints meanwhile is lost, as in tmux."""
    async with ScriptedTmux(version="3.7") as server:
        pane = server.add_pane()
        peer = await attach(server)
        seen: list[Event] = []
        for verb in ("pause", "continue"):
            line = command("refresh-client", "-A", f"%1:{verb}")
            _, data = peer.connection.request([line], nonce=verb.encode(), rows_are_data=False)
            peer.transport.send_nowait(data)
            await anyio.sleep(0.01)
            server.paint(pane, Paint(output=verb.encode()))
        seen = [e for e in await peer.read() if isinstance(e, Output | Pause | Continue)]
        assert seen == [
            Pause(pane.pane_id),
            Continue(pane.pane_id),
            Output(pane.pane_id, b"continue", 0),
        ]


@virtual
async def test_sessions_are_made_listed_linked_and_ended() -> None:
    """Enough of a server for what launches a program."""
    async with ScriptedTmux() as server:
        server.new_program = lambda words: lambda _data: [Paint(rows=[words[-1]])]
        peer = await attach(server, "=panegate")
        make = command(
            "new-session",
            "-d",
            "-P",
            "-F",
            "#{session_id} #{pane_id}",
            "-s",
            "job",
            "-x",
            "40",
            "-y",
            "5",
            "--",
            "prog",
            "arg",
        )
        reply = await peer.ask(make)
        assert reply.blocks[0].lines == (b"$1 %1",)
        assert not (await peer.ask(make)).blocks[0].ok
        listed = command("list-panes", "-a", "-F", "#{pane_id} #{pane_width} #{session_name}")
        assert (await peer.ask(listed)).blocks[0].lines == (b"%1 40 job",)
        await peer.ask(command("link-window", "-d", "-s", "@1", "-t", "=panegate:"))
        server.feed(server.panes[next(iter(server.panes))], b"x")
        assert any(isinstance(event, Output) for event in await peer.read())
        before = await peer.ask(command("display-message", "-p", "-t", "%1", "#{pane_pid}"))
        respawn = command("respawn-pane", "-k", "-t", "%1", "-c", "/", "-e", "A=b", "--", "prog")
        after = await peer.ask(respawn, command("display-message", "-p", "-t", "%1", "#{pane_pid}"))
        assert before.blocks[0].lines != after.blocks[1].lines
        await peer.ask(command("kill-window", "-t", "@1"))
        reply = await peer.ask(command("has-session", "-t", "$1"))
        assert not reply.blocks[0].ok
        assert server.panes == {}


def test_words_are_read_back_as_they_were_quoted() -> None:
    """All bytes but NUL, through two levels of quotes."""
    data = bytes(range(1, 256))
    inner = sequence(command("set-buffer", "-b", "n", "--", data), command("send-keys", "-l", "-"))
    [[_, _, nested]] = parse_line(command("if-shell", "-F", inner))
    [first, second] = parse_line(nested)
    assert split_flags(first) == ("set-buffer", {"-b": b"n"}, [data])
    assert second[0] == b"send-keys"


@pytest.mark.parametrize("line", [b"a ; ", b"'x'", b"a $b", b"#"])
def test_a_line_that_panegate_never_writes_is_no_command(line: bytes) -> None:
    """The parser knows its own limits."""
    with pytest.raises(ValueError, match="parse error"):
        parse_line(line)


def test_a_key_that_is_not_known_is_an_error() -> None:
    """And not text, which old tmux makes of it."""
    with pytest.raises(ValueError, match="unknown key"):
        key_bytes({}, [b"Hyper"])

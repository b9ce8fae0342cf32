"""Looks: the command line, its reply, and a real tmux."""

import re
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.errors import RemoteProtocolError
from panegate.ids import PaneId
from panegate.testing.servers import PrivateServer
from panegate.wire.commands import command
from panegate.wire.events import Block
from panegate.wire.look import (
    LookReply,
    capture_commands,
    fields_commands,
    look_commands,
    parse_look,
)
from panegate.wire.version import Version

P3 = PaneId("%3")
OLD, MIDDLE, NEW = Version.parse("3.3a"), Version.parse("3.5a"), Version.parse("3.6")
NUMBERS = b"%3 4711 0   0 0 0 0 5 1 1 200 2000 80 2"


def blocks_of(version: Version, **changes: Any) -> list[Block]:
    """Return the reply to a look at an 80x2 pane."""
    parts: dict[str, tuple[bytes, ...]] = {
        "numbers": (NUMBERS,),
        "character": (b"x",),
        "mode": (b"",),
        "command": (b"bash",),
        "tty": (b"/dev/pts/3",),
        "title": (b"a title",),
        "capture": (b"\x1b[31mred  ", b"$ x"),
    }
    parts |= changes
    capture = parts.pop("capture")
    if version.capture_leaks:
        if version.buffer_escapes:
            capture = tuple(row.replace(b"\x1b", rb"\033") for row in capture)
        captured: list[tuple[bytes, ...]] = [(), (*capture, b""), ()]
    else:
        captured = [capture]
    rows = [*parts.values(), *captured]
    return [Block(ok=True, flags=1, number=n, lines=lines) for n, lines in enumerate(rows)]


def failed(words: bytes) -> Block:
    return Block(ok=False, flags=1, number=99, lines=(words,))


def look(version: Version = NEW, **changes: Any) -> LookReply | None:
    return parse_look(blocks_of(version, **changes), pane_id=P3, version=version)


@pytest.mark.parametrize("version", [OLD, MIDDLE, NEW], ids=str)
def test_a_look_is_read(version: Version) -> None:
    assert look(version) == LookReply(
        pane_id=P3,
        pane_pid=4711,
        dead=False,
        dead_status=None,
        dead_signal=None,
        in_mode=False,
        mode="",
        input_off=False,
        synchronized=False,
        alternate_on=False,
        cursor_x=5,
        cursor_y=1,
        cursor_shown=True,
        cursor_character="x",
        history_size=200,
        history_limit=2000,
        width=80,
        height=2,
        command="bash",
        title="a title",
        tty="/dev/pts/3",
        rows=(b"\x1b[31mred  ", b"$ x"),
    )


def test_every_number_has_its_own_field() -> None:
    found = look(numbers=(b"%3 7 1 2 9 1 1 1 1 10 11 0 12 14 13 2",), mode=(b"copy-mode",))
    assert found is not None
    assert (found.pane_pid, found.dead, found.dead_status, found.dead_signal) == (7, True, 2, 9)
    assert (found.in_mode, found.mode, found.input_off, found.synchronized) == (
        True,
        "copy-mode",
        True,
        True,
    )
    assert (found.alternate_on, found.cursor_x, found.cursor_y) == (True, 10, 11)
    assert (found.cursor_shown, found.history_size, found.width) == (False, 12, 13)
    assert found.history_limit == 14


def test_an_exit_status_of_zero_is_not_an_absent_one() -> None:
    found = look(numbers=(b"%3  1 0  0 0 0 0 0 0 1 0 2000 80 2",))
    assert found is not None
    assert (found.dead_status, found.dead_signal, found.pane_pid) == (0, None, 0)


def test_texts_keep_whatever_a_program_put_in_them() -> None:
    found = look(
        title=(b"a b,c;#{pane_id} %3 4711 0", b"second"),
        command=(b"x y", b"%3 1 0 0"),
        character=(b"\xe6\x97\xa5",),
        mode=(b"\xff",),
    )
    assert found is not None
    assert found.title == "a b,c;#{pane_id} %3 4711 0\nsecond"
    assert found.command == "x y\n%3 1 0 0"
    assert found.cursor_character == "日"
    assert found.mode == "\ufffd"


def test_history_stands_above_the_visible_rows() -> None:
    rows = (b"h1", b"h2", b"v1", b"")
    for version in (OLD, NEW):
        blocks = blocks_of(version, capture=rows)
        found = parse_look(blocks, pane_id=P3, version=version, history=2)
        assert found is not None
        assert (found.history_rows, found.rows) == ((b"h1", b"h2"), (b"v1", b""))
    few = NUMBERS.replace(b" 200 ", b" 1 ")
    blocks = blocks_of(NEW, capture=rows[1:], numbers=(few,))
    found = parse_look(blocks, pane_id=P3, version=NEW, history=50)
    assert found is not None
    assert found.history_rows == (b"h2",)


@pytest.mark.parametrize("version", [OLD, NEW], ids=str)
def test_a_missing_pane_is_none(version: Version) -> None:
    nothing = (b" " * 15,)
    blocks = blocks_of(version, numbers=nothing, title=(b"",))[:6]
    error = failed(b"can't find pane: %3")
    assert parse_look([*blocks, error], pane_id=P3, version=version) is None
    assert parse_look([error], pane_id=P3, version=version) is None
    assert parse_look(blocks, pane_id=P3, version=version) is None
    ended_between = [*blocks_of(version)[:6], error]
    assert parse_look(ended_between, pane_id=P3, version=version) is None


@pytest.mark.parametrize(
    "blocks",
    [
        [],
        blocks_of(NEW)[:-1],
        [*blocks_of(NEW), *blocks_of(NEW)],
        [*blocks_of(NEW)[:6], failed(b"no space")],
        [failed(b"can't find pane: %4")],
        blocks_of(NEW, numbers=()),
        blocks_of(NEW, numbers=(NUMBERS, b"")),
        blocks_of(NEW, numbers=(NUMBERS.replace(b"%3", b"%4"),)),
        blocks_of(NEW, numbers=(NUMBERS + b" 1",)),
        blocks_of(NEW, numbers=(NUMBERS.replace(b"80", b"8x"),)),
        blocks_of(NEW, numbers=(NUMBERS.replace(b"80", b"-1"),)),
        blocks_of(NEW, capture=(b"one row",)),
        blocks_of(NEW, capture=(b"1", b"2", b"3")),
        blocks_of(NEW, capture=(b"1", b"2", b"", b"")),
    ],
)
def test_what_is_no_look_is_an_error_and_never_a_guess(blocks: list[Block]) -> None:
    with pytest.raises(RemoteProtocolError, match="the look at %3"):
        parse_look(blocks, pane_id=P3, version=NEW)


@given(
    st.lists(
        st.builds(
            lambda ok, lines: Block(ok=ok, flags=1, number=1, lines=tuple(lines)),
            st.booleans(),
            st.lists(st.sampled_from([NUMBERS, b"", b" ", b"x", b"\xff"]) | st.binary(max_size=20)),
        ),
        max_size=10,
    ),
    st.sampled_from([OLD, NEW]),
)
def test_no_reply_raises_anything_else(blocks: list[Block], version: Version) -> None:
    try:
        parse_look(blocks, pane_id=P3, version=version)
    except RemoteProtocolError:
        pass


def test_captures_avoid_the_leak_where_there_is_one() -> None:
    assert capture_commands(P3, NEW, "b1") == (
        command("capture-pane", "-p", "-e", "-N", "-t", "%3"),
    )
    assert capture_commands(P3, MIDDLE, "b1", history=50) == (
        command("capture-pane", "-e", "-N", "-b", "b1", "-t", "%3", "-S", "-50"),
        command("show-buffer", "-b", "b1"),
        command("delete-buffer", "-b", "b1"),
    )


@pytest.mark.parametrize("name", ["", "-x", "a b", "a\n", "é", "a" * 65])
def test_a_buffer_name_is_not_text(name: str) -> None:
    with pytest.raises(ValueError, match="not a buffer name"):
        look_commands(P3, NEW, name)


def test_history_is_not_negative() -> None:
    with pytest.raises(ValueError, match="-1"):
        look_commands(P3, NEW, "b", history=-1)


def test_a_look_is_one_line_with_the_title_last_of_the_fields() -> None:
    line = look_commands(P3, OLD, "b")
    assert b"\n" not in line
    assert line.startswith(b" ; ".join(fields_commands(P3)))
    assert b"pane_title" in fields_commands(P3)[-1]


# Against a real tmux.

PAINTER = r"""
import sys, time
title = "\x1b]2;ti,t}le; #{pane_id} #(date) %H | é\x07"
sys.stdin.readline()
sys.stdout.write(
    title
    + "\x1b[2J\x1b[H\x1b[1;31mbold red\x1b[0m plain\r\n"
    + "日本語 wide 😀|\r\n"
    + "%end 1 2 1\r\n%exit\r\nback\\slash $HOME ${x} \\033[0m   \r\n"
    + "> \x1b[?25l日\x1b[2D"
    + title
)
sys.stdout.flush()
time.sleep(1000)
"""


def ask_look(client: Any, pane_id: str, *, history: int = 0) -> LookReply | None:
    line = look_commands(PaneId(pane_id), client.version, "look1", history=history)
    reply = client.ask(line)
    return parse_look(
        reply.blocks, pane_id=PaneId(pane_id), version=client.version, history=history
    )


@pytest.mark.tmux
def test_a_live_pane_is_read_as_it_is(
    tmux_server: PrivateServer, attach: Callable[[str], Any]
) -> None:
    """Wide characters, a title full of format syntax, rows that look like protocol."""
    pane_id = tmux_server.start_program(
        [sys.executable, "-c", PAINTER],
        name="s",
        columns=40,
        rows=8,
    )
    client = attach("s")
    client.ask(command("send-keys", "-t", pane_id, "Enter"))
    client.read_until(lambda: client.output(pane_id).count(b"ti,t}le") == 2)
    found = ask_look(client, pane_id)
    assert found is not None
    assert (found.width, found.height, len(found.rows)) == (40, 8, 8)
    assert found.title == "ti,t}le; #{pane_id} #(date) %H | é"
    assert (found.cursor_x, found.cursor_y, found.cursor_shown) == (2, 5, False)
    assert found.cursor_character == "日"
    assert found.command.startswith("python")
    assert found.tty.startswith("/dev/")
    assert (found.dead, found.in_mode, found.alternate_on) == (False, False, False)
    assert found.pane_pid > 1
    assert found.rows[0].startswith(b"\x1b[1m\x1b[31mbold red\x1b[0m")
    assert re.sub(rb"\x1b\[[0-9;]*m", b"", found.rows[0]) == b"bold red plain"
    assert found.rows[1] == "日本語 wide 😀|".encode()
    assert found.rows[2:5] == (b"%end 1 2 1", b"%exit", b"back\\slash $HOME ${x} \\033[0m   ")
    assert found.rows[5] == "> 日".encode()
    assert found.rows[6:] == (b"", b"")
    assert tmux_server.run("list-buffers") == ""


@pytest.mark.tmux
def test_modes_and_options_of_a_pane_show(
    tmux_server: PrivateServer, attach: Callable[[str], Any]
) -> None:
    pane_id = tmux_server.start_program(["cat"], name="s")
    client = attach("s")
    client.ask(
        command("copy-mode", "-t", pane_id),
        command("select-pane", "-d", "-t", pane_id),
        command("set-option", "-w", "-t", pane_id, "synchronize-panes", "on"),
    )
    found = ask_look(client, pane_id)
    assert found is not None
    assert (found.in_mode, found.mode) == (True, "copy-mode")
    assert (found.input_off, found.synchronized) == (True, True)


@pytest.mark.tmux
def test_history_rows_are_read(tmux_server: PrivateServer, attach: Callable[[str], Any]) -> None:
    program = "read x; seq 1 50; echo -n END; exec cat"
    pane_id = tmux_server.start_program(["sh", "-c", program], name="s", rows=10)
    client = attach("s")
    client.ask(command("send-keys", "-t", pane_id, "Enter"))
    client.read_until(lambda: b"END" in client.output(pane_id))
    found = ask_look(client, pane_id, history=5)
    assert found is not None
    assert found.history_rows == (b"37", b"38", b"39", b"40", b"41")
    assert found.rows == (*(b"%d" % n for n in range(42, 51)), b"END")
    everything = ask_look(client, pane_id, history=10_000)
    assert everything is not None
    assert len(everything.history_rows) == everything.history_size == 42
    assert everything.history_rows[1] == b"1"


@pytest.mark.tmux
@pytest.mark.parametrize(("program", "status"), [("exit 7", 7), ("exit 0", 0)])
def test_a_dead_pane_keeps_its_screen_and_says_its_status(
    tmux_server: PrivateServer, attach: Callable[[str], Any], program: str, status: int
) -> None:
    tmux_server.start_program(["cat"], name="s")
    client = attach("s")
    pane_id = tmux_server.start_program(
        ["sh", "-c", f"echo; echo; echo last words; read x; {program}"],
        name="d",
        remain_on_exit=True,
    )
    alive = ask_look(client, pane_id)
    assert alive is not None
    assert not alive.dead
    tmux_server.run("send-keys", "-t", pane_id, "Enter")
    client.read_until_dead(pane_id)
    found = ask_look(client, pane_id)
    assert found is not None
    assert (found.dead, found.dead_status, found.dead_signal) == (True, status, None)
    # tmux scrolls by one row for a line of its own.
    assert found.rows.index(b"last words") == 1
    assert found.rows[-1].startswith(b"Pane is dead")
    assert len(found.rows) == found.height


@pytest.mark.tmux
def test_a_missing_pane_is_found_missing(
    tmux_server: PrivateServer, attach: Callable[[str], Any]
) -> None:
    tmux_server.start_program(["cat"], name="s")
    client = attach("s")
    assert ask_look(client, "%99") is None
    pane_id = tmux_server.start_program(["cat"], name="d")
    assert ask_look(client, pane_id) is not None
    client.ask(command("kill-pane", "-t", pane_id))
    assert ask_look(client, pane_id) is None

"""Real streams of seven tmux versions, against golden events and by hand.

``PANEGATE_WRITE_GOLDEN=1 pytest tests/wire/test_transcripts.py`` writes the golden files
anew from what the code does now; read the difference before keeping it.
"""

import hashlib
import itertools
import json
import os
import random
import re
from pathlib import Path

import attrs
import pytest

from panegate.ids import PaneId, SessionId, WindowId
from panegate.wire.connection import Connection
from panegate.wire.events import (
    Attached,
    AttachFailed,
    Block,
    ConfigError,
    Continue,
    Event,
    Exit,
    LayoutChange,
    Message,
    Output,
    PaneModeChanged,
    PasteBufferChanged,
    Pause,
    Reply,
    RequestLost,
    SessionChanged,
    StrayBlock,
    StrayLine,
    SubscriptionChanged,
    UnknownNotification,
    UnlinkedWindowAdd,
    WindowAdd,
    WindowClose,
)
from panegate.wire.payload import unescape, unescape_buffer
from panegate.wire.states import ConnectionState
from panegate.wire.version import Version

TRANSCRIPTS = Path(__file__).parents[1] / "data" / "transcripts"
VERSIONS = ["3.2a", "3.3a", "3.4", "3.5a", "3.6b", "3.7c", "master"]
FILES = sorted(path.relative_to(TRANSCRIPTS) for path in TRANSCRIPTS.glob("*/*.bin"))
P0, S0, W0 = PaneId("%0"), SessionId("$0"), WindowId("@0")

# Cut out of the middle of a stream: no attach at their start.
TAILS = {"pause_automatic", "too_far_behind"}


def load(version: str, name: str) -> bytes:
    return (TRANSCRIPTS / version / f"{name}.bin").read_bytes()


def run(stream: bytes, *, cuts: list[int] | None = None) -> list[Event]:
    connection = Connection()
    events: list[Event] = []
    for start, end in itertools.pairwise([0, *(cuts or []), len(stream)]):
        events += connection.receive_data(stream[start:end])
    return joined(events)


def joined(events: list[Event]) -> list[Event]:
    """Join output as one big chunk would, so that cuts do not show."""
    out: list[Event] = []
    runs: dict[PaneId, Output] = {}
    for event in events:
        if isinstance(event, Output):
            before = runs.get(event.pane_id, Output(event.pane_id, b""))
            ages = [a for a in (before.age_ms, event.age_ms) if a is not None]
            payload = before.payload + event.payload
            runs[event.pane_id] = Output(event.pane_id, payload, max(ages, default=None))
        else:
            out += [*runs.values(), event]
            runs.clear()
    return [*out, *runs.values()]


def rows(stream: bytes) -> list[tuple[bytes, ...]]:
    """Return the rows of all blocks in order, without any request known."""
    return [e.block.lines for e in run(stream) if isinstance(e, StrayBlock)]


def attached(stream: bytes) -> tuple[Connection, bytes]:
    """Return a connection that has just attached, and the rest of the stream."""
    connection = Connection()
    head = re.match(rb".*?\n%session-changed [^\n]*\n", stream, re.DOTALL)
    assert head is not None
    connection.receive_data(head[0])
    assert connection.state is ConnectionState.ATTACHED
    return connection, stream[head.end() :]


def replies(version: str, name: str) -> dict[bytes, Reply]:
    """Feed a transcript with its own nonces registered; return replies by nonce.

    The programs that made them wrote ``display-message -p Z<digits>Z`` behind each request.
    """
    stream = load(version, name)
    connection, rest = attached(stream)
    nonces = re.findall(rb"^(Z\d+Z)$", stream, re.MULTILINE)
    by_id = {connection.request([b"x"], nonce=n)[0]: n for n in nonces}
    events = connection.receive_data(rest)
    return {by_id[e.request_id]: e for e in events if isinstance(e, Reply)}


# Golden files.


def summary(event: Event | Block) -> list[object]:
    """Say an event in short: its name and its fields, long bytes by size and digest."""

    def short(value: object) -> object:
        if isinstance(value, bytes):
            text = value.decode("latin-1")
            digest = hashlib.sha256(value).hexdigest()[:12]
            return text if len(text) <= 100 else f"<{len(text)} bytes {digest}>"
        if isinstance(value, tuple):
            if len(value) > 10:
                whole = b"\n".join(value)
                return f"<{len(value)} rows {hashlib.sha256(whole).hexdigest()[:12]}>"
            return [short(item) for item in value]
        return summary(value) if isinstance(value, Block) else value

    values = (getattr(event, field.name) for field in attrs.fields(type(event)))
    return [type(event).__name__, *map(short, values)]


def golden_text(version: str) -> str:
    """Return the golden file of a version: one line an event."""
    parts = []
    for path in FILES:
        if path.parts[0] == version:
            lines = [json.dumps(summary(e)) for e in run(load(version, path.stem))]
            parts.append(f'"{path.stem}": [\n' + ",\n".join(lines) + "\n]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


@pytest.mark.parametrize("version", VERSIONS)
def test_every_transcript_gives_its_golden_events(version: str) -> None:
    path = TRANSCRIPTS / f"{version}.json"
    text = golden_text(version)
    if os.environ.get("PANEGATE_WRITE_GOLDEN") == "1":
        path.write_text(text)
    golden = json.loads(path.read_text())
    found = json.loads(text)
    assert golden.keys() == found.keys()
    for name in golden:
        assert found[name] == golden[name], name


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=str)
def test_cuts_do_not_matter(path: Path) -> None:
    stream = (TRANSCRIPTS / path).read_bytes()
    expected = run(stream)
    rng = random.Random(str(path))
    for _ in range(3):
        n_cuts = min(len(stream), rng.choice((1, 5, 60)))
        assert run(stream, cuts=sorted(rng.sample(range(len(stream)), n_cuts))) == expected
    if len(stream) < 20_000 or path.parts[0] == "3.3a":
        assert run(stream, cuts=list(range(1, len(stream)))) == expected


@pytest.mark.parametrize("path", FILES, ids=str)
def test_every_line_is_understood(path: Path) -> None:
    """No notification of any version is unknown, and only known raw lines are stray."""
    events = run((TRANSCRIPTS / path).read_bytes())
    stray = {e.line for e in events if isinstance(e, StrayLine)}
    raw = {b"out", b"out2", b"'exit 3' returned 3", b"-: Bad file descriptor", b"VALUE"}
    if path.stem not in TAILS | {"misc", "subscriptions", "framing"}:
        assert stray == set()
    assert not any(isinstance(e, UnknownNotification) for e in events)
    if path.stem not in TAILS:
        assert not any(isinstance(e, AttachFailed) for e in events)
        assert sum(isinstance(e, Attached) for e in events) == 1
    if path.stem == "framing":
        assert stray <= raw | {b"Bad file descriptor: -"}


# By hand.


@pytest.mark.parametrize("version", VERSIONS)
def test_framing(version: str) -> None:
    events = run(load(version, "framing"))
    blocks = [e.block for e in events if isinstance(e, StrayBlock)]
    assert events[:2] == [SessionChanged(S0, "s"), Attached(S0, "s")]
    assert [(b.ok, b.lines) for b in blocks[:12]] == [
        (True, (b"hello",)),
        (True, (b"a",)),
        (True, (b"b",)),
        (True, (b"a",)),  # a failing command behind ";" ends the line ...
        (False, (b"can't find pane: %99",)),
        (False, (b"parse error: unknown command: nosuch",)),
        (True, (b"unterminated",)),
        (False, (b"parse error: syntax error",)),
        (False, (b"parse error: syntax error",)),
        (False, (b"parse error: syntax error",)),
        (True, (b"",)),  # an empty row is a row
        (True, (b"a", b"b")),
    ]
    assert [b.lines for b in blocks if b.flags == 0] == [(b"hooked",)]
    stray = [e.line for e in events if isinstance(e, StrayLine)]
    bad = b"-: Bad file descriptor"
    if version in ("3.6b", "3.7c", "master"):
        bad = b"Bad file descriptor: -"
    assert bad in stray
    run_shell = version not in ("3.3a", "3.4")
    assert (b"out2" in stray) is run_shell
    assert (PaneModeChanged(P0) in events[: events.index(StrayLine(bad))]) is not run_shell
    # Rows of a block may be anything, so they are data without a request that says otherwise.
    assert ((b"%pause %0",) in [b.lines for b in blocks]) is (version != "master")
    assert (Pause(P0) in events) is (version == "master")
    assert events[-1] == Exit("")


@pytest.mark.parametrize("version", VERSIONS)
def test_lines_that_look_like_protocol_inside_a_capture_are_data(version: str) -> None:
    found = list(replies(version, "spoof").values())
    capture = found[-3].blocks[-1]
    assert capture.lines[:5] == (
        b"%end 1 2 1",
        b"%error 1 2 1",
        b"%exit",
        b"%output %0 fake",
        "café 😀".encode(),
    )
    assert len(capture.lines) == (23 if version == "3.2a" else 24)  # -y is not obeyed there
    assert capture.ok
    buffer = found[-2].blocks[-1]
    data = [unescape_buffer(line, Version.parse(version)) for line in buffer.lines]
    assert data == [b"a\tb\\c\x1b[1md\x01e", "café\x7f".encode()]
    assert found[-1].blocks[-1].lines == (b"title",)
    events = run(load(version, "spoof"))
    assert not any(isinstance(e, Exit | Output) for e in events)
    assert (PasteBufferChanged("q") in events) is Version.parse(version).pushes_messages


@pytest.mark.parametrize("version", VERSIONS)
def test_misc(version: str) -> None:
    stream = load(version, "misc")
    blocks = rows(stream)
    assert [lines for lines in blocks if lines and lines[0].startswith(b"AFTER")] == [
        (b"AFTER",),
        (b"AFTER2",),
        (b"AFTER3",),
    ]
    assert (b"nul",) in blocks
    assert (b"partial",) in blocks
    crlf = rb"crlf\r" if Version.parse(version).reply_escapes else b"crlf\r"
    assert (crlf,) in blocks
    events = run(stream)
    pushed = Message(b"pushed text") in events
    assert pushed is Version.parse(version).pushes_messages
    in_block = Version.parse(version).pause_in_block
    assert ((b"%pause %0",) in blocks, Pause(P0) in events) == (in_block, not in_block)


@pytest.mark.parametrize("version", VERSIONS)
def test_own_pause_and_continue_are_events_when_the_request_says_so(version: str) -> None:
    """Inside the block or behind it, by version: the caller sees the same."""
    connection, rest = attached(load(version, "pause_manual"))
    connection.request([b"refresh-client"], nonce=b"never", rows_are_data=False)
    events = joined(connection.receive_data(rest))
    told = [e for e in events if isinstance(e, Pause | Continue)]
    assert told == [Pause(PaneId("%1")), Continue(PaneId("%1"))]
    paused = events[events.index(told[0]) : events.index(told[1])]
    assert {e.pane_id for e in paused if isinstance(e, Output)} == {P0}  # the other pane


@pytest.mark.parametrize("version", VERSIONS)
def test_automatic_pause_stands_between_old_and_new_output(version: str) -> None:
    events = run(load(version, "pause_automatic"))
    kinds = [type(e) for e in events if isinstance(e, Output | Pause)]
    assert kinds == [Output, Pause, Output]
    first = next(e for e in events if isinstance(e, Output))
    assert first.age_ms is not None


@pytest.mark.parametrize("version", VERSIONS)
def test_guarded_writes_answer_with_their_outcome(version: str) -> None:
    blocks = rows(load(version, "guard"))
    assert [lines[0] for lines in blocks if lines and lines[0].startswith(b"G")] == [
        b"G0:1",
        b"G1:0",
        b"G2:1",
        b"G3:0",
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_config_errors(version: str) -> None:
    events = run(load(version, "config_error"))
    if Version.parse(version).config_error_opens_mode:
        assert events[0] == WindowAdd(W0)
        assert PaneModeChanged(P0) in events
    else:
        words = "/home/user/conf/d/bad.conf:3: unknown command: bogus"
        assert events[0] == ConfigError(words)
    assert Attached(S0, "s") in events


@pytest.mark.parametrize("version", VERSIONS)
def test_subscriptions(version: str) -> None:
    events = run(load(version, "subscriptions"))
    found = [e for e in events if isinstance(e, SubscriptionChanged)]
    assert found[0].name == "all"
    assert found[0].session_id == S0
    assert (found[0].window_id, found[0].window_index, found[0].pane_id) == (None, None, None)
    assert found[0].value == b"s=%0/bash t=%1/bash "
    values = [e.value for e in found if e.name == "cmd" and e.pane_id == P0]
    assert values[:3] == [b"bash|0|0|vm", b"sleep|0|0|vm", b"bash|0|0|vm"]
    window = next(e for e in found if e.name == "win")
    assert (window.window_id, window.window_index, window.pane_id) == (W0, 0, None)
    stray = [e for e in events if isinstance(e, StrayLine)]
    assert len(stray) == 1  # the rest of the one value with a newline


@pytest.mark.parametrize("version", VERSIONS)
def test_how_streams_end(version: str) -> None:
    no_exit = {
        "exit_sigkill_to_the_client",
        "exit_kill_session_with_detach_on_destroy_off",
        "exit_kill_session_flag_no_detach_on_destroy",
    }
    names = [p.stem for p in FILES if p.parts[0] == version and p.stem.startswith("exit_")]
    assert len(names) >= 16
    for name in names:
        connection = Connection()
        stream = load(version, name)
        events = connection.receive_data(stream)
        attached = any(isinstance(e, Attached) for e in events)
        assert attached, name
        exits = [e for e in events if isinstance(e, Exit)]
        if name in no_exit or (version, name) == ("3.2a", "exit_sighup_to_the_client"):
            assert exits == []
            assert connection.state is ConnectionState.ATTACHED
            request_id, _ = connection.request([b"x"], nonce=b"N1")
            lost = RequestLost(request_id=request_id, blocks=(), hook_blocks=())
            assert connection.receive_eof() == [lost]
        else:
            crashed = name == "exit_sigkill_to_the_server"
            assert exits == [Exit("server exited unexpectedly" if crashed else "")], name
            assert events[-1] == exits[0]
            assert connection.receive_eof() == []
        assert connection.state is ConnectionState.EXITED


@pytest.mark.parametrize("version", ["3.3a", "3.7c"])
def test_a_client_too_far_behind_is_told_so(version: str) -> None:
    events = Connection().receive_data(load(version, "too_far_behind"))
    assert Exit("too far behind") in events


@pytest.mark.parametrize("version", VERSIONS)
def test_plain_and_extended_output_carry_the_same_bytes(version: str) -> None:
    """All of the burst arrives, in order, with and without ages."""
    for name in ("escape_bytes", "extended_output"):
        outputs = [e for e in run(load(version, name)) if isinstance(e, Output)]
        data = b"".join(unescape(e.payload) for e in outputs if e.pane_id == P0)
        assert b"S:\xf0\x9f\x98\x80:T\r\n" in data
        assert b"I:\xff\xfe\xc3(\xe2\x82:J\r\n" in data
        assert data.count(b"x") >= 100_000
        assert all((e.age_ms is None) is (name == "escape_bytes") for e in outputs)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_output_of_a_busy_pane_beside_another_is_whole_and_in_order(version: str) -> None:
    """The pane counts its lines; the other one floods between them."""
    events = run(load(version, "interleave"))
    numbers = [int(n) for n in re.findall(rb"<(\d{8})>", _output_of(events, P0))]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert len(numbers) > 100
    assert len(_output_of(events, PaneId("%1"))) > 100_000


def _output_of(events: list[Event], pane_id: PaneId) -> bytes:
    return unescape(
        b"".join(e.payload for e in events if isinstance(e, Output) and e.pane_id == pane_id)
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_structure_events(version: str) -> None:
    events = run(load(version, "events"))
    assert WindowAdd(WindowId("@2")) in events
    assert UnlinkedWindowAdd(WindowId("@3")) in events
    # Moving a window within its session: added, then closed, and it lives.
    at = events.index(WindowClose(WindowId("@2")))
    assert events[at - 1] == WindowAdd(WindowId("@2"))
    layouts = [e for e in events if isinstance(e, LayoutChange)]
    assert {e.flags for e in layouts} >= {"*", "*Z", ""}
    assert any(e.layout != e.visible_layout for e in layouts)
    died = Message(b"died %8 5") in events
    assert died is Version.parse(version).pushes_messages


@pytest.mark.parametrize("version", VERSIONS)
def test_nonces_pair_every_request_with_its_blocks(version: str) -> None:
    for name in ("scope", "subscriptions", "spoof"):
        found = replies(version, name)
        assert len(found) == len(set(re.findall(rb"^(Z\d+Z)$", load(version, name), re.MULTILINE)))
        assert all(len(reply.blocks) >= 1 for reply in found.values()), name

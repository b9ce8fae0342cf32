"""The connection: attaching, blocks, floods, endings, limits."""

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panegate.errors import LocalProtocolError, RemoteProtocolError
from panegate.ids import PaneId, SessionId
from panegate.wire.connection import Connection
from panegate.wire.events import (
    Attached,
    AttachFailed,
    Block,
    Continue,
    Event,
    Exit,
    Message,
    Output,
    PaneModeChanged,
    Pause,
    Reply,
    RequestLost,
    SessionChanged,
    SessionsChanged,
    StrayBlock,
    StrayLine,
    UnknownNotification,
)
from panegate.wire.states import ConnectionState

S0 = SessionId("$0")
P0, P1 = PaneId("%0"), PaneId("%1")
ATTACH = b"%begin 1 10 0\n%end 1 10 0\n%session-changed $0 s\n"
_numbers = itertools.count(100)


def block(*lines: bytes, end: bytes = b"end", flags: int = 1) -> bytes:
    triple = b"1796071294 %d %d" % (next(_numbers), flags)
    return b"".join(x + b"\n" for x in (b"%begin " + triple, *lines, b"%" + end + b" " + triple))


def attached() -> Connection:
    connection = Connection()
    assert connection.receive_data(ATTACH) == [SessionChanged(S0, "s"), Attached(S0, "s")]
    return connection


def reply_rows(event: Event) -> list[tuple[bytes, ...]]:
    assert isinstance(event, Reply)
    return [b.lines for b in event.blocks]


# Attaching.


def test_nothing_may_be_sent_before_block_and_session() -> None:
    connection = Connection()
    for piece, state in (
        (b"", ConnectionState.ATTACHING),
        (b"%session-changed $0 s\n", ConnectionState.ATTACHING),
        (block(b"early", flags=1), ConnectionState.ATTACHING),
        (b"%begin 1 10 0\n", ConnectionState.ATTACHING),
        (b"%end 1 10 0\n", ConnectionState.JOINING),
        (b"%window-add @1\n%sessions-changed\n", ConnectionState.JOINING),
        (block(b"of a hook", flags=0), ConnectionState.JOINING),
        (block(b"of a hook", flags=0, end=b"error"), ConnectionState.JOINING),
    ):
        connection.receive_data(piece)
        assert connection.state is state
        with pytest.raises(LocalProtocolError, match=state.value):
            connection.request([b"a"], nonce=b"N1")
    connection.receive_data(b"%session-changed $0 s\n")
    assert connection.state is ConnectionState.ATTACHED
    assert connection.session_id == S0
    connection.request([b"a"], nonce=b"N1")


def test_a_failed_attach_says_why_and_ends() -> None:
    connection = Connection()
    stream = block(b"can't find session: nosuch", flags=0, end=b"error") + b"%exit\n"
    failed = AttachFailed("can't find session: nosuch")
    assert connection.receive_data(stream) == [failed, Exit("")]
    assert connection.state is ConnectionState.EXITED
    assert connection.receive_eof() == []


@pytest.mark.parametrize("start", [b"", b"%begin 1 10 0\n", b"%begin 1 10 0\n%end 1 10 0\n"])
def test_a_stream_that_ends_early_is_a_failed_attach(start: bytes) -> None:
    connection = Connection()
    connection.receive_data(start)
    assert connection.receive_eof() == [AttachFailed("")]
    assert connection.receive_eof() == []
    assert connection.state is ConnectionState.EXITED


def test_exit_before_the_attach_is_done_is_a_failed_attach() -> None:
    connection = Connection()
    assert connection.receive_data(b"%exit server exited\n") == [
        Exit("server exited"),
        AttachFailed("server exited"),
    ]


def test_a_session_changed_within_the_attach_block_counts() -> None:
    """Builds that write notifications inside blocks must not wait for ever."""
    events = Connection().receive_data(block(b"%session-changed $0 s", flags=0))
    assert events == [SessionChanged(S0, "s"), Attached(S0, "s")]


def test_what_the_attach_block_printed_is_not_lost() -> None:
    events = Connection().receive_data(b"%begin 1 10 0\nhello\n%end 1 10 0\n")
    assert events == [StrayBlock(Block(ok=True, flags=0, number=10, lines=(b"hello",)))]


def test_a_later_session_change_is_followed() -> None:
    connection = attached()
    moved = SessionChanged(SessionId("$7"), "other one")
    assert connection.receive_data(b"%session-changed $7 other one\n") == [moved]
    assert connection.session_id == "$7"


def test_a_hook_that_fails_while_joining_is_no_failed_attach() -> None:
    connection = Connection()
    connection.receive_data(b"%begin 1 10 0\n%end 1 10 0\n")
    failed = Block(ok=False, flags=0, number=11, lines=(b"no",))
    stream = b"%begin 1 11 0\nno\n%error 1 11 0\n"
    assert connection.receive_data(stream) == [StrayBlock(failed)]
    assert connection.state is ConnectionState.JOINING


def test_an_unreadable_stream_before_the_attach_is_a_failed_attach() -> None:
    connection = Connection(max_line_bytes=10)
    with pytest.raises(RemoteProtocolError):
        connection.receive_data(b"x" * 11)
    assert connection.receive_eof() == [AttachFailed("")]


# Blocks.


def test_a_block_closes_only_on_its_own_triple() -> None:
    rows = (
        b"%end 1 2 1",
        b"%error 1 2 1",
        b"%begin 1 2 1",
        b"%exit",
        b"%output %0 fake",
        b"%session-changed $9 fake",
        b"%end 1796071294 0 1",
        b" %end",
        b"%end",
        b"",
    )
    connection = attached()
    connection.request([b"capture-pane -p"], nonce=b"N1")
    [event] = connection.receive_data(block(*rows) + block(b"N1"))
    assert reply_rows(event) == [rows]
    assert connection.session_id == S0


def test_requests_in_flight_are_answered_in_order() -> None:
    connection = attached()
    ids = [connection.request([b"a"], nonce=b"N%d" % n)[0] for n in range(3)]
    assert connection.n_outstanding == 3
    stream = b"".join(block(b"row %d" % n) + block(b"N%d" % n) for n in range(3))
    events = connection.receive_data(stream)
    assert [e.request_id for e in events if isinstance(e, Reply)] == ids
    assert [reply_rows(e) for e in events] == [[(b"row %d" % n,)] for n in range(3)]
    assert connection.n_outstanding == 0


def test_output_between_blocks_keeps_its_place() -> None:
    connection = attached()
    connection.request([b"a"], nonce=b"N1")
    stream = b"%output %0 a\n" + block(b"N1") + b"%output %0 b\n"
    first, reply, last = connection.receive_data(stream)
    assert (first, last) == (Output(P0, b"a"), Output(P0, b"b"))
    assert isinstance(reply, Reply)


@pytest.mark.parametrize("rows_are_data", [True, False])
def test_notifications_inside_a_block(rows_are_data: bool) -> None:
    """They stay rows; they are events only if no pane's text can be among the rows."""
    rows = (b"%pause %0", b"%message hi", b"%continue %0", b"%output %0 x", b"%exit", b"%odd", b"x")
    connection = attached()
    connection.request([b"a"], nonce=b"N1", rows_are_data=rows_are_data)
    *events, reply = connection.receive_data(block(*rows) + block(b"N1"))
    reported = [Pause(P0), Message(b"hi"), Continue(P0), Output(P0, b"x")]
    assert events == ([] if rows_are_data else reported)
    assert reply_rows(reply) == [rows]
    assert connection.state is ConnectionState.ATTACHED


def test_notifications_inside_the_sentinels_block_are_reported() -> None:
    """Development builds put anything there; the reply must not be missed."""
    connection = attached()
    connection.request([b"a"], nonce=b"N1")
    rows = (b"%output %0 x", b"%session-changed $1 t", b"N1")
    *events, reply = connection.receive_data(block(b"%3", b"row") + block(*rows))
    assert events == [Output(P0, b"x"), SessionChanged(SessionId("$1"), "t")]
    assert reply_rows(reply) == [(b"%3", b"row")]


def test_text_after_an_error_block_is_stray() -> None:
    """One old build writes the words behind %error; the next reply must be right."""
    connection = attached()
    connection.request([b"nosuch"], nonce=b"N1")
    connection.request([b"a"], nonce=b"N2")
    stream = block(end=b"error") + b"unknown command: nosuch\n" + block(b"N1")
    stray, first, second = connection.receive_data(stream + block(b"ok") + block(b"N2"))
    assert stray == StrayLine(b"unknown command: nosuch")
    assert isinstance(first, Reply)
    assert [(b.ok, b.lines) for b in first.blocks] == [(False, ())]
    assert reply_rows(second) == [(b"ok",)]


def test_a_malformed_begin_opens_nothing() -> None:
    connection = attached()
    lines = [b"%begin", b"%begin 1 2", b"%begin a 2 1", b"%begin 1 2 1 ", b"%end 1 2 1"]
    events = connection.receive_data(b"\n".join(lines) + b"\n%sessions-changed\n")
    assert events == [*map(UnknownNotification, lines), SessionsChanged()]


def test_a_withdrawn_request_leaves_the_next_one_in_step() -> None:
    connection = attached()
    first, _ = connection.request([b"a"], nonce=b"N1")
    second, _ = connection.request([b"b"], nonce=b"N2")
    connection.withdraw(first)
    [event] = connection.receive_data(block(b"row") + block(b"N2"))
    assert isinstance(event, Reply)
    assert event.request_id == second


# Output.


def test_output_of_one_chunk_is_one_event_a_pane() -> None:
    stream = (
        b"%output %0 a\n%output %1 x\n%output %0 b\\015\n%output %0 \n%output %1 y\n"
        b"%pane-mode-changed %0\n%output %0 c\n"
    )
    assert attached().receive_data(stream) == [
        Output(P0, b"ab\\015"),
        Output(P1, b"xy"),
        PaneModeChanged(P0),
        Output(P0, b"c"),
    ]


def test_the_age_of_joined_output_is_its_greatest() -> None:
    stream = (
        b"%extended-output %0 3 : a\n%extended-output %0 12 : b : c\n"
        b"%extended-output %0 0 : d\n%output %0 e\n%extended-output %1 0 later : f\n"
    )
    assert attached().receive_data(stream) == [Output(P0, b"ab : cde", 12), Output(P1, b"f", 0)]


def test_malformed_output_is_reported_and_breaks_nothing() -> None:
    bad = [b"%output %0", b"%output %x y", b"%extended-output %0 1 y", b"%output %12345678901 y"]
    stream = b"%output %0 a\n" + b"\n".join(bad) + b"\n%output %0 b\n"
    assert attached().receive_data(stream) == [
        Output(P0, b"a"),
        *map(UnknownNotification, bad),
        Output(P0, b"b"),
    ]


def test_what_is_remembered_of_output_lines_is_bounded() -> None:
    connection = attached()
    for n in range(9000):
        [event] = connection.receive_data(b"%%extended-output %%%d %d : x\n" % (n % 7, n))
        assert event == Output(PaneId(f"%{n % 7}"), b"x", n)
    assert len(connection._prefixes) <= 4096


@pytest.mark.slow
def test_a_flood_costs_little_more_than_splitting_it() -> None:
    """20 MB/s must stay far below a quarter of a core; splitting alone makes gigabytes/s."""
    line = b"%extended-output %0 0 : " + (b"x" * 78 + b"\\015\\012") * 34 + b"\n"
    chunk = line * 24
    connection = attached()

    def cost_s(feed: object) -> float:
        began_s = time.process_time()
        for _ in range(400):
            feed(chunk)  # type: ignore[operator]
        return time.process_time() - began_s

    split_s = min(cost_s(lambda data: data.split(b"\n")) for _ in range(3))
    parse_s = min(cost_s(connection.receive_data) for _ in range(3))
    assert parse_s < 12 * split_s
    assert len(chunk) * 400 / parse_s > 80e6  # 20 MB/s for a quarter of a core


# Endings and limits.


def test_exit_loses_what_is_outstanding_and_nothing_follows_it() -> None:
    connection = attached()
    first, _ = connection.request([b"kill-server"], nonce=b"N1")
    second, _ = connection.request([b"a"], nonce=b"N2")
    done = Block(ok=True, flags=1, number=77, lines=())
    events = connection.receive_data(
        b"%begin 1 77 1\n%end 1 77 1\n%exit too far behind\n%output %0 x\n%exit\n%begin 1 2 1\n"
    )
    assert events == [
        Exit("too far behind"),
        RequestLost(request_id=first, blocks=(done,), hook_blocks=()),
        RequestLost(request_id=second, blocks=(), hook_blocks=()),
        *map(StrayLine, (b"%output %0 x", b"%exit", b"%begin 1 2 1")),
    ]
    assert connection.state is ConnectionState.EXITED
    assert connection.receive_data(b"%output %0 y\n") == [StrayLine(b"%output %0 y")]
    assert connection.receive_eof() == []
    with pytest.raises(LocalProtocolError):
        connection.request([b"a"], nonce=b"N3")


def test_a_stream_that_just_ends_loses_what_is_outstanding() -> None:
    connection = attached()
    request_id, _ = connection.request([b"a"], nonce=b"N1")
    connection.receive_data(b"%begin 1 77 1\nhalf a reply\n%ex")
    lost = RequestLost(request_id=request_id, blocks=(), hook_blocks=())
    assert connection.receive_eof() == [lost]
    assert connection.receive_eof() == []
    with pytest.raises(LocalProtocolError, match="after the end"):
        connection.receive_data(b"x\n")


def test_a_cut_last_line_is_reported_as_stray() -> None:
    connection = attached()
    connection.receive_data(b"%output %0 hal")
    assert connection.receive_eof() == [StrayLine(b"%output %0 hal")]


@pytest.mark.parametrize("flood", [b"x" * 101, b"%begin 1 5 1\n" + b"row\n" * 60])
def test_over_a_limit_the_connection_is_over_and_nothing_before_is_lost(flood: bytes) -> None:
    connection = Connection(max_line_bytes=100, max_block_bytes=200)
    connection.receive_data(ATTACH)
    request_id, _ = connection.request([b"a"], nonce=b"N1")
    lost = RequestLost(request_id=request_id, blocks=(), hook_blocks=())
    seen: list[Event] = []
    with pytest.raises(RemoteProtocolError, match="more than"):
        for piece in (b"%sessions-changed\n" + flood, b"more\n"):
            seen += connection.receive_data(piece)
    with pytest.raises(RemoteProtocolError):
        connection.receive_data(b"%sessions-changed\n")
    assert connection.state is ConnectionState.EXITED
    assert seen + connection.receive_eof() == [SessionsChanged(), lost]


# Properties.

PIECES = [
    b"%begin 1 5 1\n",
    b"%end 1 5 1\n",
    b"%error 1 5 1\n",
    b"%begin 1 6 0\n",
    b"%end 1 6 0\n",
    b"N1\n",
    b"N2\n",
    b"%output %0 a\\015\n",
    b"%extended-output %0 1 : b\n",
    b"%output %1 ",
    b"%session-changed $0 s\n",
    b"%exit\n",
    b"\n",
    b"\xff\0",
    b"text\n",
    b"%pause %0\n",
]


def joined(events: list[Event]) -> list[Event]:
    """Make two event lists comparable whose streams were cut differently."""
    out: list[Event] = []
    runs: dict[PaneId, Output] = {}
    for event in events:
        if isinstance(event, Output):
            before = runs.get(event.pane_id, Output(event.pane_id, b""))
            ages = [a for a in (before.age_ms, event.age_ms) if a is not None]
            age_ms = max(ages, default=None)
            runs[event.pane_id] = Output(event.pane_id, before.payload + event.payload, age_ms)
        else:
            out += [*runs.values(), event]
            runs.clear()
    return [*out, *runs.values()]


def run_all(chunks: list[bytes], *, with_requests: bool) -> list[Event]:
    connection = Connection()
    events: list[Event] = []
    if with_requests:
        events += connection.receive_data(ATTACH)
        connection.request([b"a"], nonce=b"N1")
        connection.request([b"a"], nonce=b"N2", rows_are_data=False)
    for chunk in chunks:
        events += connection.receive_data(chunk)
    return joined(events + connection.receive_eof())


@settings(max_examples=150)
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.data(), st.booleans())
def test_cuts_do_not_matter(pieces: list[bytes], data: st.DataObject, requests: bool) -> None:
    whole = b"".join(pieces)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=10)))
    expected = run_all([whole], with_requests=requests)
    bytewise = [whole[i : i + 1] for i in range(len(whole))]
    random_cuts = [whole[a:b] for a, b in itertools.pairwise([0, *cuts, len(whole)])]
    assert run_all(bytewise, with_requests=requests) == expected
    assert run_all(random_cuts, with_requests=requests) == expected


@settings(max_examples=200)
@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=30), max_size=40), st.booleans())
def test_no_stream_raises_anything_but_a_protocol_error(
    chunks: list[bytes], attached_first: bool
) -> None:
    """And each request gets exactly one ending, whatever comes."""
    connection = Connection(max_line_bytes=60, max_block_bytes=150)
    events: list[Event] = []
    ids: list[int] = []
    if attached_first:
        connection.receive_data(ATTACH)
        ids = [connection.request([b"a"], nonce=nonce)[0] for nonce in (b"N1", b"N2")]
    try:
        for chunk in chunks:
            events += connection.receive_data(chunk)
    except RemoteProtocolError:
        pass
    events += connection.receive_eof()
    ended = [e.request_id for e in events if isinstance(e, Reply | RequestLost)]
    assert sorted(ended) == ids
    assert connection.state is ConnectionState.EXITED

"""One control-mode connection: bytes in, events out, requests matched to their replies.

The driver calls `Connection.receive_data` with what it read, writes what
`Connection.request` returns, and calls `Connection.receive_eof` when the stream
ends. Nothing here knows a descriptor, a clock or a source of randomness.

*Blocks.* A block closes on the exact ``time number flags`` triple of its ``%begin`` and on
nothing else: a pane may print anything, and a capture brings it back verbatim. So rows
of a block are data, also rows that look like notifications. Two kinds of block hold no text
of a pane, and there such rows are reported as events as well: the sentinel's own, and
all blocks of a request made with ``rows_are_data=False``. Rows always stay in their block.

*Requests.* See `panegate.wire.replies`: all blocks up to the one that holds just the nonce
are the request's.
"""

import re
from collections.abc import Sequence
from typing import Final

import attrs

from panegate.errors import LocalProtocolError, RemoteProtocolError
from panegate.ids import PaneId, SessionId
from panegate.wire.events import (
    Attached,
    AttachFailed,
    Block,
    Event,
    Exit,
    Output,
    SessionChanged,
    StrayBlock,
    StrayLine,
)
from panegate.wire.lines import MAX_LINE_BYTES, LineSplitter
from panegate.wire.parse import parse_line, parse_notification
from panegate.wire.replies import ReplyMatcher
from panegate.wire.states import TRANSITIONS, ConnectionInput, ConnectionState

__all__ = ["MAX_BLOCK_BYTES", "Connection"]

MAX_BLOCK_BYTES: Final = 256 * 1024 * 1024
"""Most bytes of rows one block may hold; keeps a block that never ends from growing on."""

_MAX_PREFIXES: Final = 4096  # (pane, age) pairs remembered; then forgotten all at once
_MAX_PREFIX_BYTES: Final = 64
_NO_PREFIX: Final = b"\n"  # no line holds one, so nothing starts with it

_BEGIN: Final = re.compile(rb"%begin ([0-9]{1,18} ([0-9]{1,18}) ([0-9]{1,9}))")


@attrs.define
class _OpenBlock:
    """A block whose end has not come."""

    end: bytes
    error: bytes
    number: int
    flags: int
    rows: list[bytes] = attrs.field(factory=list[bytes])
    n_bytes: int = 0


class _Run:
    """Output of one pane with nothing but other panes' output between."""

    __slots__ = ("age_ms", "payloads")

    def __init__(self, age_ms: int | None) -> None:
        self.age_ms = age_ms
        self.payloads: list[bytes] = []


def _flush(runs: dict[PaneId, _Run], events: list[Event]) -> None:
    for pane_id, run in runs.items():
        events.append(Output(pane_id, b"".join(run.payloads), run.age_ms))
    runs.clear()


class Connection:
    """A sans-IO control-mode client.

    Args:
        max_line_bytes: Longest line taken, in bytes.
        max_block_bytes: Most bytes of rows taken in one block.

    """

    def __init__(
        self, *, max_line_bytes: int = MAX_LINE_BYTES, max_block_bytes: int = MAX_BLOCK_BYTES
    ) -> None:
        self._splitter = LineSplitter(max_line_bytes=max_line_bytes)
        self._max_block_bytes = max_block_bytes
        self._state = ConnectionState.ATTACHING
        self._session_id: SessionId | None = None
        self._open: _OpenBlock | None = None
        self._replies = ReplyMatcher()
        self._exit_seen = False
        self._ended = False
        self._unreadable: str | None = None
        self._undelivered: list[Event] = []
        self._prefixes: dict[bytes, tuple[PaneId, int | None]] = {}

    @property
    def state(self) -> ConnectionState:
        """Where the connection stands."""
        return self._state

    @property
    def session_id(self) -> SessionId | None:
        """The session attached to, as last told; None before that."""
        return self._session_id

    @property
    def n_outstanding(self) -> int:
        """Requests that are not answered."""
        return len(self._replies)

    def request(
        self, command_lines: Sequence[bytes], *, nonce: bytes, rows_are_data: bool = True
    ) -> tuple[int, bytes]:
        """Register a request and return its id and the bytes to write, in one piece.

        Several requests may be in flight; they are answered first in, first out, so the
        bytes must be written in the order of these calls. What is not written after
        all is taken back with `withdraw`.

        Args:
            command_lines: Command lines without LF, printable ASCII only, as
                `panegate.wire.commands` builds them. A line that fails does not keep the
                following ones from running; a command behind ``;`` it does.
            nonce: What ends the reply: 1 to 64 ASCII letters and digits, ``_`` and ``-``
                after the first. It must be new, and not to be guessed by programs in panes.
            rows_are_data: False only if no command of the request can print text of a pane
                or a program (``refresh-client -A``, ``display-message`` without ``-p``):
                then rows that are notifications are reported as events as well.

        Raises:
            LocalProtocolError: Not attached, no line, a line that is empty or holds a byte
                outside printable ASCII (an empty line would detach the client), or a bad
                nonce. Nothing was changed.

        """
        key = (self._state, ConnectionInput.SEND_REQUEST)
        if key not in TRANSITIONS:
            msg = f"no request can be sent while {self._state.value}"
            raise LocalProtocolError(msg)
        return self._replies.add(command_lines, nonce=nonce, rows_are_data=rows_are_data)

    def withdraw(self, request_id: int) -> None:
        """Forget a request of which not one byte was written.

        Raises:
            LocalProtocolError: No such request is outstanding.

        """
        self._replies.withdraw(request_id)

    def receive_data(self, chunk: bytes) -> list[Event]:
        """Take bytes as they were read, cut anywhere, and return what they say, in order.

        Output that comes together in one chunk, with nothing but output between, is one
        `Output` a pane: order holds within each pane and towards every other event, not
        between panes. Only this joining depends on the cuts.

        Raises:
            RemoteProtocolError: A line or a block is over its limit. The connection is
                exited and stays so; `receive_eof` gives the events that came before.
            LocalProtocolError: The end of the stream was received before.

        """
        if self._ended:
            msg = "data after the end of the stream"
            raise LocalProtocolError(msg)
        if self._unreadable is not None:
            raise RemoteProtocolError(self._unreadable)
        events: list[Event] = []
        try:
            self._take_lines(self._splitter.feed(chunk), events)
        except RemoteProtocolError as exc:
            self._unreadable = str(exc)
            self._finish(ConnectionInput.END_UNREADABLE, events)
            self._undelivered = events
            raise
        return events

    def receive_eof(self) -> list[Event]:
        """Take the end of the stream and return the last events; idempotent.

        Every request that is still outstanding gives `RequestLost`; a connection that
        never attached gives `AttachFailed`.
        """
        self._ended = True
        events, self._undelivered = self._undelivered, []
        rest = self._splitter.finish()
        if rest and self._open is None:
            events.append(StrayLine(rest))
        self._finish(ConnectionInput.END_OF_STREAM, events)
        return events

    def _move(self, input_: ConnectionInput) -> None:
        self._state = TRANSITIONS[self._state, input_]

    def _finish(self, input_: ConnectionInput, events: list[Event], *, reason: str = "") -> None:
        if self._state in (ConnectionState.ATTACHING, ConnectionState.JOINING):
            events.append(AttachFailed(reason))
        self._move(input_)
        self._open = None
        events.extend(self._replies.lose_all())

    def _take_lines(self, lines: list[bytes], events: list[Event]) -> None:
        # The hot path: a flood is one startswith, one slice and one append a line.
        open_block = self._open
        runs: dict[PaneId, _Run] = {}
        prefix = _NO_PREFIX
        payloads: list[bytes] = []
        for index, line in enumerate(lines):
            if open_block is not None:
                open_block = self._take_row(open_block, line, events)
                continue
            if line.startswith(prefix):
                payloads.append(line[len(prefix) :])
                continue
            found = self._output_prefix(line)
            if found is not None:
                prefix, pane_id, age_ms = found
                run = runs.get(pane_id)
                if run is None:
                    run = runs[pane_id] = _Run(age_ms)
                elif age_ms is not None and age_ms > (run.age_ms or 0):
                    run.age_ms = age_ms
                payloads = run.payloads
                payloads.append(line[len(prefix) :])
                continue
            if runs:
                _flush(runs, events)
                prefix = _NO_PREFIX
            if self._exit_seen:
                events.extend(StrayLine(stray) for stray in lines[index:])
                return
            open_block = self._take_notice(line, events)
        _flush(runs, events)

    def _output_prefix(self, line: bytes) -> tuple[bytes, PaneId, int | None] | None:
        """Return what stands before the payload of an output line, and what it says."""
        if line.startswith(b"%output %"):
            prefix = line[: line.find(b" ", 9) + 1]
        elif line.startswith(b"%extended-output %"):
            prefix = line[: line.find(b" : ") + 3]
        else:
            return None
        if self._exit_seen:
            return None
        known = self._prefixes.get(prefix)
        if known is None:
            output = parse_notification(line)
            if not isinstance(output, Output):
                return None
            known = output.pane_id, output.age_ms
            if len(prefix) <= _MAX_PREFIX_BYTES:
                if len(self._prefixes) >= _MAX_PREFIXES:
                    self._prefixes.clear()
                self._prefixes[prefix] = known
        return prefix, *known

    def _take_row(self, block: _OpenBlock, line: bytes, events: list[Event]) -> _OpenBlock | None:
        """Take one line within a block; return the block if it stays open."""
        if line == block.end or line == block.error:
            self._open = None
            done = Block(
                ok=line == block.end,
                flags=block.flags,
                number=block.number,
                lines=tuple(block.rows),
            )
            self._take_block(done, events)
            return None
        block.n_bytes += len(line) + 1
        if block.n_bytes > self._max_block_bytes:
            msg = f"tmux sent a block of more than {self._max_block_bytes} bytes"
            raise RemoteProtocolError(msg)
        block.rows.append(line)
        return block

    def _take_notice(self, line: bytes, events: list[Event]) -> _OpenBlock | None:
        """Take one line outside blocks that is no output; return the block it opens."""
        begin = _BEGIN.fullmatch(line)
        if begin is None:
            self._report(parse_line(line), events)
            return None
        triple = begin[1]
        self._open = _OpenBlock(
            b"%end " + triple, b"%error " + triple, int(begin[2]), int(begin[3])
        )
        return self._open

    def _report(self, event: Event, events: list[Event]) -> None:
        if isinstance(event, Exit):
            self._exit_seen = True
            events.append(event)
            self._finish(ConnectionInput.RECV_EXIT, events, reason=event.reason)
            return
        events.append(event)
        if isinstance(event, SessionChanged):
            self._session_id = event.session_id
            before = self._state
            self._move(ConnectionInput.RECV_SESSION_CHANGED)
            if before is not self._state:
                events.append(Attached(event.session_id, event.name))

    def _report_rows(self, block: Block, events: list[Event]) -> None:
        """Report the notifications among the rows of a block that holds no pane's text."""
        for line in block.lines:
            if line.startswith(b"%"):
                event = parse_notification(line)
                if event is not None and not isinstance(event, Exit):
                    self._report(event, events)

    def _take_block(self, block: Block, events: list[Event]) -> None:
        if self._state in (ConnectionState.ATTACHING, ConnectionState.JOINING):
            self._take_attach_block(block, events)
        else:
            taken = self._replies.take(block)
            if not taken.rows_are_data:
                self._report_rows(block, events)
            events.extend(taken.events)

    def _take_attach_block(self, block: Block, events: list[Event]) -> None:
        if block.flags & 1:
            events.append(StrayBlock(block))  # written by somebody before the attach was done
            return
        attaching = self._state is ConnectionState.ATTACHING
        input_ = ConnectionInput.RECV_ATTACH_END if block.ok else ConnectionInput.RECV_ATTACH_ERROR
        self._move(input_)
        if not attaching:
            events.append(StrayBlock(block))
        elif block.ok:
            self._report_rows(block, events)
            if any(not line.startswith(b"%") for line in block.lines):
                events.append(StrayBlock(block))
        else:
            words = b"; ".join(block.lines).decode("utf-8", "replace")
            events.append(AttachFailed(words))

"""One control client: a transport, its protocol, and requests that call back.

Everything runs in the event loop's thread and nothing here awaits between reading a
chunk and calling the callbacks of what it holds, so a look's answer is handled in the
same step as the output around it.
"""

import secrets
from collections import deque
from collections.abc import Callable, Sequence

import anyio
import attrs

from panegate.errors import LocalProtocolError, RemoteProtocolError, TransportBroken
from panegate.wire.connection import Connection
from panegate.wire.events import (
    Attached,
    AttachFailed,
    Block,
    Event,
    Exit,
    Reply,
    RequestLost,
)
from panegate_transports.base import ByteTransport, Chunk

__all__ = [
    "MAX_IN_FLIGHT",
    "Answer",
    "ControlClient",
    "OnAnswer",
]

MAX_IN_FLIGHT = 16
"""Replies have no flow control: tmux buffers what is not read."""


@attrs.frozen
class Answer:
    """The reply to a request; ``blocks`` is None when it was lost."""

    blocks: tuple[Block, ...] | None
    at_s: float

    @property
    def ok(self) -> bool:
        """All of its commands succeeded."""
        return self.blocks is not None and all(block.ok for block in self.blocks)

    def text(self, index: int = 0) -> str:
        """Return the lines of one block as text."""
        if self.blocks is None or len(self.blocks) <= index:
            return ""
        return b"\n".join(self.blocks[index].lines).decode("utf-8", "replace")


OnAnswer = Callable[[Answer], None]


@attrs.define(kw_only=True, eq=False)
class ControlClient:
    """A ``tmux -C`` client that is read all the time."""

    transport: ByteTransport
    label: str
    """What it is attached to, for people."""
    on_event: Callable[["ControlClient", Event, float], None]
    on_batch: Callable[[float], None]
    """Called once after each chunk."""
    clock: Callable[[], float]
    connection: Connection = attrs.field(factory=Connection, init=False)
    attached: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    ended: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    failure: str = attrs.field(default="", init=False)
    exit_reason: str | None = attrs.field(default=None, init=False)
    n_requests: int = attrs.field(default=0, init=False)
    oldest_request_s: float | None = attrs.field(default=None, init=False)
    """When the oldest unanswered request was sent; None when there is none."""
    _callbacks: dict[int, tuple[OnAnswer, float]] = attrs.field(factory=dict, init=False)
    _queue: deque[tuple[Sequence[bytes], OnAnswer, bool]] = attrs.field(factory=deque, init=False)
    _blocked: bytes = attrs.field(default=b"", init=False)
    """The one request that the transport has no room for; later ones queue behind it."""
    _blocking: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    _prefix: str = attrs.field(factory=lambda: secrets.token_hex(8), init=False)

    @property
    def alive(self) -> bool:
        """It is attached and has not ended."""
        return self.attached.is_set() and not self.ended.is_set() and not self.failure

    def nonce(self) -> str:
        """Return a fresh nonce: letters and digits that no program can guess."""
        self.n_requests += 1
        return f"{self._prefix}x{self.n_requests:x}"

    def request(
        self, lines: Sequence[bytes], callback: OnAnswer, *, rows_are_data: bool = True
    ) -> None:
        """Send command lines; *callback* gets the answer, or its loss, exactly once."""
        if self.ended.is_set() or self.failure:
            callback(Answer(None, self.clock()))
            return
        if len(self._callbacks) >= MAX_IN_FLIGHT or self._queue or self._blocked:
            self._queue.append((lines, callback, rows_are_data))
            return
        self._send(lines, callback, rows_are_data)

    async def ask(self, *lines: bytes, rows_are_data: bool = True) -> Answer:
        """Send command lines and wait for the answer.

        Raises:
            TransportBroken: The connection ended before it was answered.

        """
        done = anyio.Event()
        answers: list[Answer] = []

        def take(answer: Answer) -> None:
            answers.append(answer)
            done.set()

        self.request(lines, take, rows_are_data=rows_are_data)
        await done.wait()
        if answers[0].blocks is None:
            msg = f"the control client of {self.label} ended: {self.failure or self.exit_reason}"
            raise TransportBroken(msg)
        return answers[0]

    async def run(self) -> None:
        """Read until the stream ends. Cancelling it leaves the client open."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._send_blocked)
            try:
                while True:
                    self._take(await self.transport.receive())
            except anyio.EndOfStream:
                self._end("")
            except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError) as exc:
                self._end(str(exc) or type(exc).__name__)
            tasks.cancel_scope.cancel()

    def drain(self) -> None:
        """Handle everything that has arrived; called before a deadline fires."""
        try:
            while not self.ended.is_set():
                self._take(self.transport.receive_nowait())
        except anyio.WouldBlock:
            return
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # `run` sees it too and ends the client

    async def aclose(self) -> None:
        """Detach in order; bounded in time."""
        await self.transport.aclose()
        self._end("closed")

    def _take(self, chunk: Chunk) -> None:
        try:
            events = self.connection.receive_data(chunk.data)
        except RemoteProtocolError as exc:
            self._end(str(exc))
            return
        except LocalProtocolError:
            return
        for event in events:
            self._handle(event, chunk.at_s)
        self.on_batch(chunk.at_s)

    def _handle(self, event: Event, at_s: float) -> None:
        match event:
            case Reply(request_id=request_id, blocks=blocks):
                self._answer(request_id, Answer(blocks, at_s))
            case RequestLost(request_id=request_id):
                self._answer(request_id, Answer(None, at_s))
            case Attached():
                self.attached.set()
            case AttachFailed(words):
                self.failure = words or "it ended before it was attached"
                self.attached.set()
            case Exit(reason):
                self.exit_reason = reason
            case _:
                self.on_event(self, event, at_s)

    def _answer(self, request_id: int, answer: Answer) -> None:
        callback, _ = self._callbacks.pop(request_id)
        first = next(iter(self._callbacks.values()), None)
        self.oldest_request_s = first[1] if first is not None else None
        callback(answer)
        self._send_queued()

    def _send_queued(self) -> None:
        while self._queue and not self._blocked and not self.ended.is_set():
            if len(self._callbacks) >= MAX_IN_FLIGHT:
                return
            lines, queued, rows_are_data = self._queue.popleft()
            self._send(lines, queued, rows_are_data)

    async def _send_blocked(self) -> None:
        """Send what the transport had no room for as soon as it has, then what queued up."""
        while True:
            await self._blocking.wait()
            try:
                await self.transport.send(self._blocked)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return  # the reader sees it too and ends the client
            self._blocked, self._blocking = b"", anyio.Event()
            self._send_queued()
            self.on_batch(self.clock())

    def _send(self, lines: Sequence[bytes], callback: OnAnswer, rows_are_data: bool) -> None:
        now_s = self.clock()
        try:
            request_id, data = self.connection.request(
                lines, nonce=self.nonce().encode(), rows_are_data=rows_are_data
            )
        except LocalProtocolError:
            callback(Answer(None, now_s))
            return
        try:
            self.transport.send_nowait(data)
        except anyio.WouldBlock:
            self._blocked = data
            self._blocking.set()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            self.connection.withdraw(request_id)
            callback(Answer(None, now_s))
            return
        self._callbacks[request_id] = (callback, now_s)
        if self.oldest_request_s is None:
            self.oldest_request_s = now_s

    def _end(self, words: str) -> None:
        if self.ended.is_set():
            return
        now_s = self.clock()
        self.failure = self.failure or words
        self.ended.set()
        for event in self.connection.receive_eof():
            self._handle(event, now_s)
        while self._queue:
            _, callback, _ = self._queue.popleft()
            callback(Answer(None, now_s))
        self.attached.set()
        self.on_batch(now_s)

"""The other end of the socket: requests answered in any order, events as they come."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any, Final

import anyio
import attrs
from anyio.abc import SocketAttribute, SocketStream

from panegate.errors import PanegateError, TransportBroken
from panegate.service.local.endpoint import peer_uid
from panegate.service.local.failures import error_from
from panegate.service.local.messages import (
    MAX_REPLY_BYTES,
    MAX_REQUEST_BYTES,
    BadMessage,
    Failure,
    LineBuffer,
    Note,
    Reply,
    Request,
    decode_message,
    encode,
)

__all__ = ["LocalClient", "connected"]

_CHUNK_BYTES: Final = 262_144
_CANCEL_WITHIN_S: Final = 5.0
"""How long the service may take to give a request up."""


@attrs.define(eq=False, kw_only=True)
class LocalClient:
    """One connection to a service; made by `connected`."""

    stream: SocketStream
    on_note: Callable[[Note], None] = lambda _note: None
    """Called for each event; must not block."""
    on_lost: Callable[[], None] = lambda: None
    """Called when the connection ends."""
    _next_id: int = attrs.field(default=1, init=False)
    _waiting: dict[int, asyncio.Future[Any]] = attrs.field(factory=dict, init=False)
    _lost: PanegateError | None = attrs.field(default=None, init=False)
    _sending: anyio.Lock = attrs.field(factory=anyio.Lock, init=False)

    @property
    def lost(self) -> PanegateError | None:
        """Why the connection is over; None while it stands."""
        return self._lost

    async def request(self, method: str, **params: Any) -> Any:
        """Have a method carried out and return its result as plain values.

        A caller that is cancelled gives the request up in the service, too, and waits until
        it is given up there.

        Raises:
            TransportBroken: The service went away before it answered.
            PanegateError: What the service raised, as what it was.
            ValueError: A parameter is wrong.

        """
        number, future = await self._begin(method, params)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            if not future.done():
                with anyio.CancelScope(shield=True), anyio.move_on_after(_CANCEL_WITHIN_S):
                    with contextlib.suppress(PanegateError):
                        await self._begin("cancel", {"id": number})
                        await asyncio.wait([future])
            raise
        finally:
            self._waiting.pop(number, None)
            if future.done() and not future.cancelled():
                future.exception()  # nobody else asks for it

    async def _begin(
        self, method: str, params: Mapping[str, Any]
    ) -> tuple[int, asyncio.Future[Any]]:
        if self._lost is not None:
            raise self._lost
        number, self._next_id = self._next_id, self._next_id + 1
        line = encode(Request(id=number, method=method, params=params))
        if len(line) > MAX_REQUEST_BYTES:
            msg = f"{len(line)} bytes are too many for one request"
            raise ValueError(msg)
        future = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            async with self._sending:
                await self.stream.send(line)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            self._end()
        except BaseException:
            self._waiting.pop(number, None)
            raise
        return number, future

    async def run(self) -> None:
        """Read until the connection ends."""
        lines = LineBuffer(MAX_REPLY_BYTES)
        gone = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)
        try:
            with contextlib.suppress(*gone):
                while True:
                    for line in lines.feed(await self.stream.receive(_CHUNK_BYTES)):
                        self._take(line)
        except BadMessage as error:
            self._end(error)
        finally:
            self._end()

    def _take(self, line: bytes | None) -> None:
        if line is None:
            raise BadMessage("the service sent too long a line", code="line_too_long")
        message = decode_message(line)
        match message:
            case Note():
                self.on_note(message)
            case Reply():
                future = self._waiting.get(message.id)
                if future is not None and not future.done():
                    future.set_result(message.result)
            case Failure():
                future = self._waiting.get(message.id) if message.id is not None else None
                if future is not None and not future.done():
                    future.set_exception(error_from(message.error))

    def _end(self, why: PanegateError | None = None) -> None:
        if self._lost is None:
            words = "the service went away before it answered; what became of it is not known"
            gone = TransportBroken(words, fix="read the pane before you do it again")
            self._lost = why or gone
            self.on_lost()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(self._lost)


@contextlib.asynccontextmanager
async def connected(path: Path) -> AsyncIterator[LocalClient | None]:
    """Connect to the service that listens on *path*; None where none does.

    Raises:
        PanegateError: Another user listens there.

    """
    try:
        stream = await anyio.connect_unix(path)
    except OSError:
        yield None
        return
    async with stream:
        raw: socket.socket = stream.extra(SocketAttribute.raw_socket)
        if peer_uid(raw) != os.getuid():
            msg = f"another user listens on {path}"
            raise PanegateError(msg, fix="set XDG_RUNTIME_DIR to a folder of yours")
        client = LocalClient(stream=stream)
        reading = asyncio.create_task(client.run())
        try:
            yield client
        finally:
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reading

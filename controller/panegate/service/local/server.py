"""The service's Unix socket: requests in, replies and events out, bounded for each client."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections import deque
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.abc
import anyio.lowlevel
import attrs
from anyio.abc import SocketAttribute, SocketStream

from panegate.errors import PanegateError
from panegate.ids import PaneId, is_pane_id
from panegate.runtime.logs import get_logger
from panegate.service.local.dispatch import Dispatcher, Subscription
from panegate.service.local.endpoint import peer_uid
from panegate.service.local.host import Caller
from panegate.service.local.messages import (
    MAX_REQUEST_BYTES,
    BadMessage,
    Failure,
    LineBuffer,
    Note,
    Reply,
    Request,
    decode_request,
    encode,
)
from panegate.service.local.methods import METHODS, readiness
from panegate.service.local.values import plain
from panegate.terms import Fate

__all__ = ["LocalServer"]

_log = get_logger()

_MAX_IN_FLIGHT: Final = 64
_MAX_WAITING_BYTES: Final = 1024 * 1024
_CHUNK_BYTES: Final = 65_536
_FINISH_WITHIN_S: Final = 8.0
"""How long writes in hand may take to end when the service stops."""
_FLUSH_WITHIN_S: Final = 1.0


class _Ends(PanegateError):
    """The service stops."""

    code = "service_ends"


class _Cancelled(PanegateError):
    """The client gave up."""

    code = "cancelled"


@attrs.define(kw_only=True, eq=False)
class LocalServer:
    """Serves one controller on one socket until it is told to stop."""

    dispatcher: Dispatcher
    path: Path
    n_clients: int = attrs.field(default=0, init=False)
    n_turned_away: int = attrs.field(default=0, init=False)
    n_events: int = attrs.field(default=0, init=False)
    n_dropped: int = attrs.field(default=0, init=False)
    stopping: bool = attrs.field(default=False, init=False)
    _clients: set[_Client] = attrs.field(factory=set, init=False)
    _stop: anyio.Event = attrs.field(factory=anyio.Event, init=False)

    async def run(
        self, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED
    ) -> None:
        """Listen, and return once `stop` was called and everybody has been told.

        The caller has prepared the folder and holds the lock of the service.
        """
        # who holds the lock beside it may take the place of a socket that a dead service left
        listener = await anyio.create_unix_listener(self.path, mode=0o600)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._accept, listener)
                task_status.started()
                await self._stop.wait()
                self.stopping = True
                self.path.unlink(missing_ok=True)
                with anyio.CancelScope(shield=True):
                    await self._finish()
                group.cancel_scope.cancel()
        finally:
            self.path.unlink(missing_ok=True)
            with anyio.CancelScope(shield=True):
                await listener.aclose()

    def stop(self) -> None:
        """Begin the end: see `run`. Idempotent."""
        self._stop.set()

    def statistics(self) -> dict[str, Any]:
        """Return counts of clients, requests, events and what slow readers lost."""
        return {
            "clients": len(self._clients),
            "clients_ever": self.n_clients,
            "turned_away": self.n_turned_away,
            "events_sent": self.n_events,
            "events_dropped": self.n_dropped,
            **self.dispatcher.statistics(),
        }

    async def _accept(self, listener: anyio.abc.Listener[SocketStream]) -> None:
        await listener.serve(self._serve_client)

    async def _serve_client(self, stream: SocketStream) -> None:
        async with stream:
            raw: socket.socket = stream.extra(SocketAttribute.raw_socket)
            try:
                uid = peer_uid(raw)
            except OSError:
                uid = -1
            if uid != os.getuid() or self.stopping:
                self.n_turned_away += 1
                return
            self.n_clients += 1
            client = _Client(server=self, stream=stream)
            self._clients.add(client)
            try:
                await client.run()
            finally:
                self._clients.discard(client)

    async def _finish(self) -> None:
        with anyio.move_on_after(_FINISH_WITHIN_S):
            await self.dispatcher.finish_writes()
        with anyio.move_on_after(_FLUSH_WITHIN_S):  # their callers are told a moment later
            for client in list(self._clients):
                await client.wait_written()
        for client in list(self._clients):
            client.end_requests()
        with anyio.move_on_after(_FLUSH_WITHIN_S):
            for client in list(self._clients):
                await client.wait_flushed()


def _is_withdrawn(result: Any) -> bool:
    receipt = result.get("receipt", result) if isinstance(result, dict) else {}
    return isinstance(receipt, dict) and receipt.get("fate") == Fate.WITHDRAWN.value


@attrs.define(kw_only=True, eq=False)
class _Client:
    """One connection."""

    server: LocalServer
    stream: SocketStream
    caller: Caller = attrs.field(factory=Caller, init=False)
    _lines: LineBuffer = attrs.field(factory=lambda: LineBuffer(MAX_REQUEST_BYTES), init=False)
    _replies: deque[bytes] = attrs.field(factory=deque, init=False)
    _waiting_bytes: int = attrs.field(default=0, init=False)
    _subscriptions: dict[int, Subscription] = attrs.field(factory=dict, init=False)
    _requests: dict[int, asyncio.Task[Any] | None] = attrs.field(factory=dict, init=False)
    _writes: set[int] = attrs.field(factory=set, init=False)
    """Requests that may type something."""
    _given_up: set[int] = attrs.field(factory=set, init=False)
    _something: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    _room: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    _writing: bool = attrs.field(default=False, init=False)

    async def run(self) -> None:
        """Serve until the client goes away; what it asked for and did not get is given up."""
        try:
            async with anyio.create_task_group() as writing:
                writing.start_soon(self._write)
                async with anyio.create_task_group() as answering:
                    await self._read(answering)
                    self.end_requests()
                writing.cancel_scope.cancel()
        finally:
            for subscription in list(self._subscriptions.values()):
                self._end(subscription)
            self._subscriptions.clear()

    # --- in -------------------------------------------------------------------------

    async def _read(self, group: anyio.abc.TaskGroup) -> None:
        gone = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)
        with contextlib.suppress(*gone):
            while True:
                chunk = await self.stream.receive(_CHUNK_BYTES)
                for line in self._lines.feed(chunk):
                    await self._take(line, group)

    async def _take(self, line: bytes | None, group: anyio.abc.TaskGroup) -> None:
        while self._waiting_bytes > _MAX_WAITING_BYTES:  # it does not read: nor do we
            await self._room.wait()
        try:
            if line is None:
                words = f"a line is longer than {MAX_REQUEST_BYTES} bytes"
                raise BadMessage(words, code="line_too_long")
            request = decode_request(line)
            if request.id in self._requests:
                raise BadMessage("this id is in use", code="bad_message", id=request.id)
        except BadMessage as error:
            self._fail(error.id, error)
            return
        if request.method == "cancel":
            self._give_up(request)
        elif len(self._requests) >= _MAX_IN_FLIGHT:
            words = f"{_MAX_IN_FLIGHT} requests of this client are under way"
            busy = BadMessage(words, code="too_many_requests", id=request.id)
            self._fail(request.id, busy)
        else:
            self._requests[request.id] = None  # a cancel on the next line finds it
            group.start_soon(self._answer, request)
            await anyio.lowlevel.checkpoint()  # it begins before the next line is looked at

    def _give_up(self, request: Request) -> None:
        found = request.params.get("id")
        if isinstance(found, int) and found in self._requests:
            self._given_up.add(found)
            task = self._requests[found]
            if task is not None:
                task.cancel()
        self._put(Reply(id=request.id, result={"cancelled": found in self._given_up}))

    async def _answer(self, request: Request) -> None:
        """Carry out a request; a cancel of the client's ends it as Ctrl-C ends a command."""
        task = asyncio.current_task()
        assert task is not None
        self._requests[request.id] = task
        method = METHODS.get(request.method)
        if method is not None and method.writes:
            self._writes.add(request.id)
        try:
            if request.id in self._given_up:
                raise asyncio.CancelledError
            result = await self._call(request)
            self._put(Reply(id=request.id, result=result))
        except asyncio.CancelledError:
            if request.id not in self._given_up:
                raise
            while task.cancelling():
                task.uncancel()
            ends = self.server.stopping
            fix = "read the pane before you send it again" if request.id in self._writes else ""
            error = _Ends("the service ends", fix=fix) if ends else _Cancelled("given up")
            self._fail(request.id, error)
        except Exception as error:
            self._fail(request.id, error)
        finally:
            self._requests.pop(request.id, None)
            self._writes.discard(request.id)
            self._make_room()
            self._given_up.discard(request.id)

    async def _call(self, request: Request) -> Any:
        dispatcher, params = self.server.dispatcher, request.params
        if self.server.stopping:
            raise _Ends("the service ends", fix="start it again: panegate serve")
        match request.method:
            case "events":
                return await self._subscribe(request.id, params)
            case "unsubscribe":
                found = self._subscriptions.pop(int(params.get("sub", -1)), None)
                if found is not None:
                    self._end(found)
                return {"ended": found is not None}
        if request.method == "hello":
            self._introduce(params)
            params = {}
        result = await dispatcher.call(request.method, params, self.caller)
        if self.server.stopping and _is_withdrawn(result):
            raise _Ends("The service ends; nothing was written", fix="send it again")
        if request.method == "statistics":
            result = {**result, "service": self.server.statistics()}
        elif request.method == "ready":
            problems = readiness(dispatcher.host)
            result = {"ready": not problems, "problems": problems}
        return result

    def _introduce(self, params: Any) -> None:
        own_pane = params.get("own_pane")
        known = isinstance(own_pane, str) and is_pane_id(own_pane)
        self.caller = Caller(
            person=params.get("person") is True,
            own_pane=PaneId(str(own_pane)) if known else None,
        )

    async def _subscribe(self, number: int, params: Any) -> dict[str, Any]:
        found = await self.server.dispatcher.subscribe(params)
        found.woken = self._wake
        self._subscriptions[number] = found
        self._wake()
        return {"sub": number, "seq": found.seq, "panes": plain(found.panes)}

    def _end(self, subscription: Subscription) -> None:
        self.server.n_dropped += subscription.n_dropped
        subscription.close()

    def end_requests(self) -> None:
        """Give up everything that is under way."""
        for number, task in list(self._requests.items()):
            self._given_up.add(number)
            if task is not None:
                task.cancel()

    # --- out ------------------------------------------------------------------------

    def _fail(self, number: int | None, error: Exception) -> None:
        self._put(Failure(id=number, error=self.server.dispatcher.failure(error)))

    def _put(self, message: Reply | Failure) -> None:
        line = encode(message)
        self._replies.append(line)
        self._waiting_bytes += len(line)
        self._wake()

    def _wake(self) -> None:
        self._something.set()

    async def wait_written(self) -> None:
        """Wait until no request that writes is under way."""
        while not self._writes.isdisjoint(self._requests):
            await self._room.wait()

    async def wait_flushed(self) -> None:
        """Wait until everything that has an answer was handed to the client's socket."""
        while self._requests or self._replies or self._writing:
            await self._room.wait()

    async def _write(self) -> None:
        """Send replies first, then events; nothing is kept for a reader beyond its bounds."""
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            while True:
                self._something = anyio.Event()
                line = self._next()
                if line is None:
                    self._make_room()
                    await self._something.wait()
                    continue
                self._writing = True
                await self.stream.send(line)
                self._writing = False
                self._make_room()

    def _make_room(self) -> None:
        room, self._room = self._room, anyio.Event()
        room.set()

    def _next(self) -> bytes | None:
        if self._replies:
            line = self._replies.popleft()
            self._waiting_bytes -= len(line)
            return line
        for number, subscription in list(self._subscriptions.items()):
            taken = subscription.take()
            if taken is None:
                continue
            # the next one is another subscription's turn
            self._subscriptions[number] = self._subscriptions.pop(number)
            self.server.n_events += 1
            return encode(Note(sub=number, event=taken[0], pane=taken[1]))
        return None

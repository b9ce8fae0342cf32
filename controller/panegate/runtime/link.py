"""The clients of one server: who carries which pane, and what goes over the wire.

One client per session up to `HUB_ABOVE` sessions; beyond, windows are linked into the
keep-alive session and carried by its client, the hub. Each pane has one carrier: its
output, looks and writes go through it, output of it on other clients is dropped.
"""

import contextlib
import secrets
from collections.abc import Awaitable, Callable, Sequence

import anyio
import anyio.abc
import attrs

from panegate.errors import ServerUnreachable, TmuxTooOld, TransportBroken
from panegate.ids import PaneId, SessionId, WindowId
from panegate.runtime.address import ServerAddress
from panegate.runtime.bringup import (
    KEEP_ALIVE,
    ServerFacts,
    ensure_keep_alive,
    one_shot,
)
from panegate.runtime.client import Answer, ControlClient
from panegate.runtime.logs import get_logger
from panegate.runtime.structure import Structure
from panegate.wire.commands import command
from panegate.wire.events import Event
from panegate_transports.base import ByteTransport

__all__ = [
    "ANSWER_WITHIN_S",
    "ATTACH_WITHIN_S",
    "GONE_WITHIN_S",
    "HUB_ABOVE",
    "OpenTransport",
    "ServerLink",
    "Target",
]

HUB_ABOVE = 100
"""One client per session costs the server 41 % of a core at 200 sessions; a hub 16 %."""
ATTACH_WITHIN_S = 20.0
ANSWER_WITHIN_S = 15.0
"""A server that leaves a request unanswered this long is taken for wedged."""
GONE_WITHIN_S = 5.0
"""How long the client of a session that ended may take to end, too."""

_log = get_logger()

OpenTransport = Callable[[Sequence[str]], Awaitable[ByteTransport]]


@attrs.frozen(kw_only=True)
class Target:
    """Where a pane lives, by ids."""

    session_id: SessionId
    window_id: WindowId
    pane_id: PaneId
    pane_pid: int


@attrs.define(kw_only=True, eq=False)
class ServerLink:
    """All control clients to one server."""

    address: ServerAddress
    open_transport: OpenTransport
    clock: Callable[[], float]
    tasks: anyio.abc.TaskGroup
    on_event: Callable[[ControlClient, Event, float], None]
    on_batch: Callable[[float], None]
    on_client_ended: Callable[[ControlClient], None]
    hub_above: int = HUB_ABOVE
    facts: ServerFacts | None = attrs.field(default=None, init=False)
    clients: dict[str, ControlClient] = attrs.field(factory=dict, init=False)
    """By session id; the hub by `KEEP_ALIVE`."""
    carriers: dict[PaneId, ControlClient] = attrs.field(factory=dict, init=False)
    linked: set[WindowId] = attrs.field(factory=set, init=False)
    closing: bool = attrs.field(default=False, init=False)
    structure: Structure = attrs.field(init=False)
    """Held while a client attaches, and while sessions are made or ended and clients end."""
    _sessions: set[str] = attrs.field(factory=set, init=False)
    """Sessions that have a client of their own, or are getting one."""
    _locks: dict[str, anyio.Lock] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self.structure = Structure.of(self.address)

    @property
    def server(self) -> ServerFacts:
        """Who the server is.

        Raises:
            ServerUnreachable: Nobody has answered yet.

        """
        if self.facts is None:
            msg = f"the tmux server {self.address.words} has not answered"
            raise ServerUnreachable(msg)
        return self.facts

    async def client(self, key: str, target: str) -> ControlClient:
        """Return the living client of a session, attaching one if there is none.

        Args:
            key: Session id, or `KEEP_ALIVE` for the hub.
            target: What to attach to, as an exact tmux target.

        Raises:
            ServerUnreachable: It does not attach; says tmux's own words.

        """
        lock = self._locks.setdefault(key, anyio.Lock())
        async with lock:
            have = self.clients.get(key)
            if have is not None and have.alive:
                return have
            async with self.structure:
                return await self._attach(key, target)

    async def any_client(self) -> ControlClient:
        """Return a living client for commands that concern no pane.

        On a server that is not ours it is attached to the first session there; one without
        any session gets the keep-alive session.

        Raises:
            ServerUnreachable: None attaches.

        """
        for client in self.clients.values():
            if client.alive:
                return client
        if not self.address.is_own:
            words = ("list-sessions", "-F", "#{session_id}")
            status, out, _ = await one_shot(self.address, *words)
            if status == 0 and out:
                first = out.splitlines()[0]
                return await self.client(first, first)
            await ensure_keep_alive(self.address)
        return await self.client(KEEP_ALIVE, f"={KEEP_ALIVE}")

    async def ask(self, *lines: bytes) -> Answer:
        """Ask over any living client.

        Raises:
            ServerUnreachable: No client answers.

        """
        client = await self.any_client()
        try:
            return await client.ask(*lines)
        except TransportBroken as error:
            raise ServerUnreachable(str(error)) from error

    async def ask_alone(self, *lines: bytes, ends: SessionId | None = None) -> Answer:
        """Ask for a change of sessions or panes while no client attaches.

        Args:
            lines: Command lines.
            ends: The session that may end by it: the server tells all clients when that
                session's own client has gone, which is a moment after the answer.

        Raises:
            ServerUnreachable: No client answers.

        """
        await self.any_client()  # which may attach one, under the same lock
        async with self.structure:
            own = self.clients.get(ends) if ends is not None else None
            client = next((c for c in self.clients.values() if c.alive and c is not own), own)
            try:
                if client is not None:
                    answer = await client.ask(*lines)
                    if own is not None and own is not client:
                        await self._until_gone(own, ends, client)
                    return answer
            except TransportBroken as error:
                raise ServerUnreachable(str(error)) from error
        raise ServerUnreachable(f"no control client is attached to {self.address.words}")

    async def _until_gone(
        self, client: ControlClient, session: SessionId | None, other: ControlClient
    ) -> None:
        """Wait until the server has told of the end of a session's client, if it ended."""
        if (await other.ask(command("has-session", "-t", session or ""))).ok:
            return
        with anyio.move_on_after(GONE_WITHIN_S):
            await client.ended.wait()
        await client.aclose()
        await other.ask(command("display-message", "-p", ""))

    async def carry(self, target: Target, *, ours: bool = False) -> ControlClient:
        """Give a pane its carrier and return it.

        Args:
            target: The pane.
            ours: It was launched by panegate, alone in its window: above ``hub_above``
                sessions its window is linked to the hub instead of getting a client.

        Raises:
            ServerUnreachable: No client attaches, or the window cannot be linked.

        """
        own_client = target.session_id in self._sessions or not ours
        if own_client or len(self._sessions) < self.hub_above:
            self._sessions.add(target.session_id)
            client = await self.client(target.session_id, target.session_id)
        else:
            client = await self._link(target.window_id)
        self.carriers[target.pane_id] = client
        return client

    async def _link(self, window_id: WindowId) -> ControlClient:
        """Link a window to the hub and return the hub's client."""
        if KEEP_ALIVE not in self.clients:
            await ensure_keep_alive(self.address)
        client = await self.client(KEEP_ALIVE, f"={KEEP_ALIVE}")
        if window_id not in self.linked:
            line = command("link-window", "-d", "-s", window_id, "-t", f"={KEEP_ALIVE}:")
            async with self.structure:
                answer = await client.ask(line)
            if not answer.ok:
                raise ServerUnreachable(f"the window cannot be linked: {answer.text()}")
            self.linked.add(window_id)
        return client

    def drain(self) -> None:
        """Handle everything the clients have received."""
        for client in list(self.clients.values()):
            client.drain()

    def new_name(self) -> str:
        """Return a fresh name for a buffer."""
        return f"pg{secrets.token_hex(8)}"

    async def aclose(self) -> None:
        """Detach all clients, side by side; bounded in time."""
        self.closing = True
        if self.clients:
            async with self.structure:
                async with anyio.create_task_group() as group:
                    for client in list(self.clients.values()):
                        group.start_soon(client.aclose)
                if self.structure.folder is not None and self.address.socket.exists():
                    # once it answers, the clients of other processes were told of the detach
                    with contextlib.suppress(ServerUnreachable, TmuxTooOld):
                        await one_shot(self.address, "display-message", "-p", "")
        self.clients.clear()
        self.carriers.clear()

    async def drop(self, key: str) -> None:
        """Close one client."""
        self._sessions.discard(key)
        client = self.clients.pop(key, None)
        if client is None:
            return
        async with self.structure:
            await client.aclose()
            other = next((c for c in self.clients.values() if c.alive), None)
            if other is not None:  # once it answers, all clients were told of the detach
                with contextlib.suppress(TransportBroken):
                    await other.ask(command("display-message", "-p", ""))

    async def _attach(self, key: str, target: str) -> ControlClient:
        transport = await self.open_transport(self.address.attach_argv(target))
        client = ControlClient(
            transport=transport,
            label=f"{self.address.words} {target}",
            on_event=self.on_event,
            on_batch=self.on_batch,
            clock=self.clock,
        )
        self.tasks.start_soon(self._run, key, client)
        try:
            with anyio.move_on_after(ATTACH_WITHIN_S) as scope:
                await client.attached.wait()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await client.aclose()
            raise
        if scope.cancelled_caught or client.failure or client.ended.is_set():
            why = client.failure  # before the closing, which has words of its own
            with anyio.CancelScope(shield=True):
                await client.aclose()
            tail = getattr(transport, "stderr_tail", b"").decode("utf-8", "replace").strip()
            why = why or tail or "no answer to the attach"
            msg = f"no control client can attach to {self.address.words} {target}: {why}"
            raise ServerUnreachable(msg, fix="panegate doctor says more")
        await self._require_same_server(client)
        self.clients[key] = client
        _log.debug("client.attached", target=target, server=self.address.words)
        return client

    async def _require_same_server(self, client: ControlClient) -> None:
        """Close a client of another server: its pane ids would be taken for ours."""
        facts = self.facts
        try:
            answer = await client.ask(command("display-message", "-p", "#{pid} #{start_time}"))
        except TransportBroken as error:
            raise ServerUnreachable(str(error)) from error
        if facts is None or answer.text().split() == [str(facts.pid), str(facts.start_time)]:
            return
        with anyio.CancelScope(shield=True):
            await client.aclose()
        msg = f"another tmux server has {self.address.words} now"
        raise ServerUnreachable(
            msg, fix="try again in a moment; its panes are none of the old ones"
        )

    async def _run(self, key: str, client: ControlClient) -> None:
        try:
            await client.run()
        finally:
            if self.clients.get(key) is client:
                del self.clients[key]
                self._sessions.discard(key)
            if not self.closing:
                self.on_client_ended(client)
            with anyio.CancelScope(shield=True):
                await client.aclose()

"""Putting a controller together and taking it apart."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.abc

from panegate.journal.base import Journal
from panegate.journal.lock import ServerLock, lock_path
from panegate.runtime.address import OWN_SOCKET, ServerAddress
from panegate.runtime.bringup import ServerFacts
from panegate.runtime.client import ControlClient
from panegate.runtime.engine import Engine
from panegate.runtime.link import ServerLink
from panegate.service.bus import EventBus
from panegate.service.journals import open_journal
from panegate.service.reaching import reach
from panegate.service.settings import Settings
from panegate.service.transports import opener, remote_wrap
from panegate.session.tracker import PaneTracker
from panegate.wire.events import Event

if TYPE_CHECKING:
    import libtmux

    from panegate.service.controller import Controller

__all__ = ["address_of", "opened", "single"]


def address_of(
    socket_name: str | None,
    socket_path: str | Path | None,
    server: libtmux.Server | None,
    ssh: str | None,
) -> ServerAddress:
    """Return the one server that the arguments name.

    Raises:
        ValueError: They name more than one.

    """
    if server is not None:
        if socket_name is not None or socket_path is not None:
            msg = "name the tmux server once: by socket_name, socket_path or server"
            raise ValueError(msg)
        if server.socket_path is not None:
            socket_path = str(server.socket_path)
        else:
            socket_name = server.socket_name or "default"
    name = socket_name
    if socket_name is None and socket_path is None:
        name = OWN_SOCKET
    return ServerAddress(
        socket_name=name,
        socket_path=str(socket_path) if socket_path is not None else None,
        ssh=ssh,
        tmux=os.environ.get("PANEGATE_TMUX") or "tmux",
        wrap=remote_wrap(ssh),
    )


def single(error: BaseException) -> BaseException:
    """Return the one error inside nested groups, or the group where there are several."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


@contextlib.asynccontextmanager
async def opened(
    cls: type[Controller],
    address: ServerAddress,
    *,
    watch: str | frozenset[str],
    journal: Journal | Path | str | None,
    settings: Settings,
    recorder: Any,
    attach_only: bool,
    exclusive: bool,
) -> AsyncIterator[Controller]:
    """Run a controller for as long as the block lasts; see `Controller.open`."""
    facts = await reach(address, start=not attach_only)
    place = _socket_words(address, facts)
    with _in_charge(place, address) if exclusive else contextlib.nullcontext():
        async with _opened(cls, address, facts, watch, journal, settings, recorder) as ctl:
            yield ctl


@contextlib.contextmanager
def _in_charge(place: str, address: ServerAddress) -> Iterator[None]:
    """Be the one controller that is in charge of a server."""
    lock = ServerLock.take(lock_path(place), server=address.words)
    try:
        yield
    finally:
        lock.release()


@contextlib.asynccontextmanager
async def _opened(
    cls: type[Controller],
    address: ServerAddress,
    facts: ServerFacts,
    watch: str | frozenset[str],
    journal: Journal | Path | str | None,
    settings: Settings,
    recorder: Any,
) -> AsyncIterator[Controller]:
    given = journal is not None and not isinstance(journal, str | Path)
    kept = await open_journal(journal, settings, socket=_socket_words(address, facts))
    try:
        async with anyio.create_task_group() as tasks:
            ctl = _assemble(cls, address, tasks, watch, kept, settings, recorder)
            ctl.link.facts = facts
            try:
                await ctl.link.any_client()
                await ctl.keeping.start()
                tasks.start_soon(ctl.keeping.run)
                tasks.start_soon(ctl.people.run)
                await ctl.launching.watch_existing()
                yield ctl
            finally:
                with anyio.CancelScope(shield=True), anyio.move_on_after(10):
                    ctl.keeping.end_writes()
                    ctl.engine.close()
                    ctl.records.close()
                    await ctl.keeping.close()
                    ctl.ended(RuntimeError("closed"))
                    await ctl.link.aclose()
                tasks.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        only = single(group)
        if isinstance(only, BaseExceptionGroup):
            raise
        raise only from None
    finally:
        if not given:
            with anyio.CancelScope(shield=True):
                await kept.aclose()


def _socket_words(address: ServerAddress, facts: ServerFacts) -> str:
    """Return what tells this server's socket from all others that this user may reach."""
    return facts.socket if address.ssh is None else f"{address.ssh}:{facts.socket}"


def _assemble(
    cls: type[Controller],
    address: ServerAddress,
    tasks: anyio.abc.TaskGroup,
    watch: str | frozenset[str],
    journal: Journal,
    settings: Settings,
    recorder: Any,
) -> Controller:
    holder: list[Controller] = []

    def heard(client: ControlClient, event: Event, at_s: float) -> None:
        if not holder[0].records.client_event(event):
            holder[0].engine.client_event(client, event, at_s)

    def settled(tracker: PaneTracker) -> None:
        holder[0].pane_settled(tracker)
        holder[0].records.settled(tracker)

    link = ServerLink(
        address=address,
        open_transport=opener(address),
        clock=time.monotonic,
        tasks=tasks,
        on_event=heard,
        on_batch=lambda at_s: holder[0].engine.batch_done(at_s),
        on_client_ended=lambda client: holder[0].reconnecting.client_ended(client),
        hub_above=settings.hub_above,
    )
    engine = Engine(
        link=link,
        clock=time.monotonic,
        tasks=tasks,
        on_event=lambda event: holder[0].pane_event(event),
        on_settled=settled,
        on_structure=lambda: holder[0].reconnecting.structure_changed(),
        local=address.ssh is None,
        recorder=recorder,
    )
    ctl = cls(
        settings=settings,
        journal=journal,
        link=link,
        engine=engine,
        tasks=tasks,
        bus=EventBus(),
        watch=watch,
    )
    holder.append(ctl)
    return ctl

"""Putting a controller together and taking it apart."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.abc

from panegate.errors import PanegateError, ServerUnreachable
from panegate.journal.base import Journal
from panegate.journal.memory import MemoryJournal
from panegate.runtime.address import OWN_SOCKET, ServerAddress
from panegate.runtime.bringup import bring_up, read_facts
from panegate.runtime.engine import Engine
from panegate.runtime.link import ServerLink
from panegate.service.bus import EventBus
from panegate.service.settings import Settings
from panegate.service.transports import opener, remote_wrap

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
) -> AsyncIterator[Controller]:
    """Run a controller for as long as the block lasts; see `Controller.open`."""
    if isinstance(journal, Path) or (isinstance(journal, str) and journal != ":memory:"):
        msg = "only the in-memory journal exists so far; pass ':memory:' or a Journal"
        raise PanegateError(msg)
    facts = await read_facts(address) if attach_only else await bring_up(address)
    if facts is None:
        raise ServerUnreachable(
            f"no tmux server answers at {address.words}",
            fix="launch something first: panegate launch -- bash",
        )
    own = not isinstance(journal, str) and journal is not None
    kept: Journal = journal if own else MemoryJournal()  # type: ignore[assignment]
    try:
        async with anyio.create_task_group() as tasks:
            ctl = _assemble(cls, address, tasks, watch, kept, settings, recorder)
            ctl.link.facts = facts
            try:
                await ctl.link.any_client()
                tasks.start_soon(ctl.keep_journal)
                await ctl.launching.watch_existing()
                yield ctl
            finally:
                with anyio.CancelScope(shield=True), anyio.move_on_after(10):
                    ctl.ended(RuntimeError("closed"))
                    ctl.engine.close()
                    await ctl.link.aclose()
                tasks.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        only = single(group)
        if isinstance(only, BaseExceptionGroup):
            raise
        raise only from None
    finally:
        if not own:
            await kept.aclose()


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
    link = ServerLink(
        address=address,
        open_transport=opener(address),
        clock=time.monotonic,
        tasks=tasks,
        on_event=lambda client, event, at_s: holder[0].engine.client_event(client, event, at_s),
        on_batch=lambda at_s: holder[0].engine.batch_done(at_s),
        on_client_ended=lambda client: holder[0].reconnecting.client_ended(client),
        hub_above=settings.hub_above,
    )
    engine = Engine(
        link=link,
        clock=time.monotonic,
        tasks=tasks,
        on_event=lambda event: holder[0].pane_event(event),
        on_settled=lambda tracker: holder[0].pane_settled(tracker),
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

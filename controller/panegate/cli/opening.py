"""A controller for the time of one command: the service's where one runs, else one of its own."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from panegate.cli import leaving
from panegate.cli.command_line import CommandLine
from panegate.cli.remembering import CliController
from panegate.cli.remote import (
    AnyController,
    AnyPane,
    RemoteController,
    RemotePane,
    through_service,
)
from panegate.runtime.address import ServerAddress
from panegate.service.opening import address_of
from panegate.service.pane import Pane

__all__ = [
    "adopted",
    "end_kept",
    "end_program",
    "opened",
    "opened_here",
    "service_address",
    "settled",
    "take_over",
]


@contextlib.asynccontextmanager
async def opened(
    line: CommandLine, *, start: bool = False, watch: str = "launched", views: bool = False
) -> AsyncIterator[AnyController]:
    """Open a controller on the server that the command line names.

    Args:
        line: The common options.
        start: Start the server if none runs.
        watch: As for `Controller.open`.
        views: What the panes do is followed, not their events alone.

    Raises:
        ServerUnreachable: No server answers, and *start* is not given.

    """
    async with through_service(service_address(line)) as remote:
        if remote is not None:
            if watch == "server":
                await remote.watch_every(views=views)
            yield remote
            return
    async with opened_here(line, start=start, watch=watch) as ctl:
        yield ctl


@contextlib.asynccontextmanager
async def opened_here(
    line: CommandLine, *, start: bool = False, **options: Any
) -> AsyncIterator[CliController]:
    """Open a controller in this process, whether a service runs or not; as `opened`."""
    known = {"attach_only": not start, "exclusive": False, **options}
    async with CliController.open(**line.server, **known) as ctl:
        assert isinstance(ctl, CliController)
        yield ctl


def service_address(line: CommandLine) -> ServerAddress:
    """Return the address of the server that the command line names."""
    named = line.server
    return address_of(named["socket_name"], named["socket_path"], None, named["ssh"])


async def settled(ctl: AnyController, *panes: AnyPane) -> None:
    """Wait until looks have shown what the panes do, or there is nothing to see."""
    if isinstance(ctl, RemoteController):
        await ctl.settled(*(pane for pane in panes if isinstance(pane, RemotePane)))
    else:
        await ctl.settled(*(pane for pane in panes if isinstance(pane, Pane)))


async def take_over(ctl: AnyController, pane: AnyPane, reason: str | None) -> None:
    """Hold a pane for a person; None gives it back."""
    if isinstance(ctl, RemoteController) and isinstance(pane, RemotePane):
        await ctl.hold(pane, reason)
    elif isinstance(ctl, CliController) and isinstance(pane, Pane):
        await ctl.hold(pane, reason)


async def end_program(ctl: AnyController, pane: AnyPane) -> None:
    """End a program and its pane."""
    if isinstance(ctl, RemoteController) and isinstance(pane, RemotePane):
        await ctl.end(pane)
    elif isinstance(ctl, CliController) and isinstance(pane, Pane):
        await ctl.end(pane)


@contextlib.asynccontextmanager
async def end_kept(ctl: AnyController, pane: AnyPane) -> AsyncIterator[None]:
    """Keep how a program ends while the block lasts; a service sees to it by itself."""
    if isinstance(ctl, CliController) and isinstance(pane, Pane):
        async with leaving.end_kept(ctl, pane):
            yield
    else:
        yield


@contextlib.asynccontextmanager
async def adopted(
    line: CommandLine, which: str, *, settle: bool = False
) -> AsyncIterator[tuple[AnyController, AnyPane]]:
    """Open a controller and adopt one pane.

    Args:
        line: The common options.
        which: PANE.
        settle: Wait until looks have shown what it does.

    Raises:
        NoSuchPane: There is none.

    """
    async with opened(line) as ctl:
        pane: AnyPane = await ctl.adopt(which)
        if settle:
            await settled(ctl, pane)
        yield ctl, pane

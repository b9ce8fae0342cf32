"""A controller for the time of one command."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from panegate.cli.command_line import CommandLine
from panegate.cli.remembering import CliController
from panegate.service.pane import Pane

__all__ = ["adopted", "opened"]


@contextlib.asynccontextmanager
async def opened(
    line: CommandLine, *, start: bool = False, **options: Any
) -> AsyncIterator[CliController]:
    """Open a controller on the server that the command line names.

    Args:
        line: The common options.
        start: Start the server if none runs.
        **options: Further ones of `Controller.open`.

    Raises:
        ServerUnreachable: No server answers, and *start* is not given.

    """
    async with CliController.open(**line.server, attach_only=not start, **options) as ctl:
        assert isinstance(ctl, CliController)
        yield ctl


@contextlib.asynccontextmanager
async def adopted(
    line: CommandLine, which: str, *, settle: bool = False
) -> AsyncIterator[tuple[CliController, Pane]]:
    """Open a controller and adopt one pane.

    Args:
        line: The common options.
        which: PANE.
        settle: Wait until looks have shown what it does.

    Raises:
        NoSuchPane: There is none.

    """
    async with opened(line) as ctl:
        pane = await ctl.adopt(which)
        if settle:
            await ctl.settled(pane)
        yield ctl, pane

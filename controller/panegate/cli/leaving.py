"""What a program leaves when it ends: kept for as long as a command waits for it.

A program that was launched without ``--retain`` belongs to tmux once its command is over:
tmux removes the pane with its program, and the exit status with the pane. While a command
waits for such a program the pane is kept, and removed at the end if the program is gone.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Final

import anyio

from panegate.errors import ServerUnreachable
from panegate.ids import PaneId, WindowId
from panegate.service.controller import Controller
from panegate.service.pane import Pane
from panegate.wire.commands import command, sequence

__all__ = ["UNKEPT_OPTION", "end_kept", "leave_command"]

UNKEPT_OPTION: Final = "@panegate_unkept"
"""Set beside a pane that tmux removes when its program ends, because a launch of ours said so."""


def leave_command(pane_id: PaneId, window_id: WindowId) -> bytes:
    """Return the tmux command line that leaves a pane to tmux."""
    return sequence(
        command("set-option", "-p", "-t", pane_id, UNKEPT_OPTION, "1"),
        command("set-option", "-w", "-t", window_id, "remain-on-exit", "off"),
    )


@contextlib.asynccontextmanager
async def end_kept(ctl: Controller, pane: Pane) -> AsyncIterator[None]:
    """Keep a pane that tmux would remove, with its status, while the block lasts.

    Panes that a person made, and those that are retained anyway, are left as they are.
    """
    pane_id, window_id = pane.id, pane.target.window_id
    asked = await ctl.link.ask(
        command("show-options", "-p", "-q", "-v", "-t", pane_id, UNKEPT_OPTION)
    )
    if asked.text() != "1" or ctl.link.server.version.crash_remain_on_exit:
        yield
        return
    await ctl.link.ask(command("set-option", "-w", "-t", window_id, "remain-on-exit", "on"))
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True), contextlib.suppress(ServerUnreachable):
            removed = command(
                "if-shell", "-F", "-t", pane_id, "#{pane_dead}", f"kill-pane -t {pane_id}"
            )
            line = sequence(leave_command(pane_id, window_id), removed)
            await ctl.link.ask_alone(line, ends=pane.target.session_id)

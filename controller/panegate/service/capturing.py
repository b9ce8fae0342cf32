"""A pane's rows, read now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from panegate.errors import NoSuchPane
from panegate.ids import PaneId
from panegate.screen.grid import Grid
from panegate.service.views import Screen, ScreenLabel
from panegate.wire.look import look_commands, parse_look

if TYPE_CHECKING:
    from panegate.runtime.link import ServerLink

__all__ = ["capture"]


async def capture(
    link: ServerLink, pane_id: PaneId, *, history: int = 0, gone: bool = False, pane_pid: int = 0
) -> Screen:
    """Read a pane's rows now.

    Args:
        link: The server.
        pane_id: The pane.
        history: Rows wanted above the visible ones.
        gone: Its program has ended: the screen says so.
        pane_pid: It must be the pane of this process; 0 for any.

    Raises:
        NoSuchPane: tmux no longer has it.
        ServerUnreachable: Nobody answers.

    """
    version = link.server.version
    answer = await link.ask(look_commands(pane_id, version, link.new_name(), history=history))
    reply = parse_look(answer.blocks or (), pane_id=pane_id, version=version, history=history)
    if reply is None or (pane_pid and reply.pane_pid != pane_pid):
        raise NoSuchPane(f"tmux no longer has {pane_id}")
    visible = Grid(reply.rows, width=reply.width)
    above = Grid(reply.history_rows, width=reply.width)
    return Screen(
        rows=tuple(visible.text(row) for row in range(reply.height)),
        cursor=(reply.cursor_y, reply.cursor_x),
        columns=reply.width,
        lines=reply.height,
        history=tuple(above.text(row) for row in range(len(reply.history_rows))),
        alternate=reply.alternate_on,
        mode=reply.mode,
        at=answer.at_s,
        label=ScreenLabel.IDLE_STALE if gone else ScreenLabel.LIVE,
    )

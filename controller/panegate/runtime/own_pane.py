"""The pane this process itself runs in: nothing is ever typed into it."""

import os

from panegate.ids import PaneId

__all__ = ["own_pane_id"]


def own_pane_id(socket: str) -> PaneId | None:
    """Return the pane this process itself runs in, if it is on that server."""
    tmux, pane = os.environ.get("TMUX", ""), os.environ.get("TMUX_PANE", "")
    if not tmux or not pane:
        return None
    path = tmux.split(",", 1)[0]
    try:
        same = os.path.samefile(path, socket)
    except OSError:
        return None
    return PaneId(pane) if same else None

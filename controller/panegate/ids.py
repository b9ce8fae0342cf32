"""Identifiers, with tmux's sigils, and the identity of a server."""

import re
from typing import NewType

import attrs

__all__ = [
    "PaneId",
    "ServerIdentity",
    "SessionId",
    "WindowId",
    "is_pane_id",
    "pane_id",
]

PaneId = NewType("PaneId", str)
"""A tmux pane id with its sigil, such as ``%3``."""
WindowId = NewType("WindowId", str)
"""A tmux window id with its sigil, such as ``@1``."""
SessionId = NewType("SessionId", str)
"""A tmux session id with its sigil, such as ``$0``."""

_PANE_ID = re.compile(r"%[0-9]{1,9}\Z")


def is_pane_id(text: str) -> bool:
    """Tell whether *text* is a pane id with its sigil."""
    return _PANE_ID.match(text) is not None


def pane_id(text: str) -> PaneId:
    """Return *text* as a pane id.

    Raises:
        ValueError: It is not ``%`` followed by digits.

    """
    if not is_pane_id(text):
        msg = f"not a pane id: {text!r} (expected something like %3)"
        raise ValueError(msg)
    return PaneId(text)


@attrs.frozen(kw_only=True)
class ServerIdentity:
    """One tmux server process; a new server's ``%0`` is not the old one's."""

    pid: int
    """Process id of the server."""
    start_time: int
    """``#{start_time}`` of the server, seconds since the epoch."""
    socket: str
    """Path of the socket it listens on."""
    version: str
    """``#{version}`` of the server, such as ``3.3a``."""

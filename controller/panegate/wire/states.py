"""States of one control connection as data: the table is the specification.

It is total over what tmux may do (``RECV_*``, ``END_*``); what *we* may do
(``SEND_*``) is there only where it is legal.
"""

import enum
from collections.abc import Mapping
from typing import Final

__all__ = ["TRANSITIONS", "ConnectionInput", "ConnectionState"]


class ConnectionState(enum.Enum):
    """Where a control client stands."""

    ATTACHING = "attaching"
    """Nothing may be sent: the attach command's own block has not ended."""
    JOINING = "joining"
    """The attach command ended; ``%session-changed`` is still to come. Nothing may be sent."""
    ATTACHED = "attached"
    """Requests may be sent."""
    EXITED = "exited"
    """``%exit``, a failed attach, the end of the stream or an unreadable stream (terminal)."""


class ConnectionInput(enum.Enum):
    """Everything that can happen to a control connection."""

    RECV_ATTACH_END = "recv_attach_end"
    """A flags-0 block ended in ``%end``."""
    RECV_ATTACH_ERROR = "recv_attach_error"
    """A flags-0 block ended in ``%error``."""
    RECV_SESSION_CHANGED = "recv_session_changed"
    RECV_EXIT = "recv_exit"
    END_OF_STREAM = "end_of_stream"
    END_UNREADABLE = "end_unreadable"
    """The stream broke a limit."""
    SEND_REQUEST = "send_request"


_S, _I = ConnectionState, ConnectionInput

TRANSITIONS: Final[Mapping[tuple[ConnectionState, ConnectionInput], ConnectionState]] = {
    (_S.ATTACHING, _I.RECV_ATTACH_END): _S.JOINING,
    (_S.ATTACHING, _I.RECV_ATTACH_ERROR): _S.EXITED,
    (_S.ATTACHING, _I.RECV_SESSION_CHANGED): _S.ATTACHING,
    (_S.ATTACHING, _I.RECV_EXIT): _S.EXITED,
    (_S.ATTACHING, _I.END_OF_STREAM): _S.EXITED,
    (_S.ATTACHING, _I.END_UNREADABLE): _S.EXITED,
    (_S.JOINING, _I.RECV_ATTACH_END): _S.JOINING,  # a hook's block
    (_S.JOINING, _I.RECV_ATTACH_ERROR): _S.JOINING,  # a hook that failed
    (_S.JOINING, _I.RECV_SESSION_CHANGED): _S.ATTACHED,
    (_S.JOINING, _I.RECV_EXIT): _S.EXITED,
    (_S.JOINING, _I.END_OF_STREAM): _S.EXITED,
    (_S.JOINING, _I.END_UNREADABLE): _S.EXITED,
    (_S.ATTACHED, _I.RECV_ATTACH_END): _S.ATTACHED,
    (_S.ATTACHED, _I.RECV_ATTACH_ERROR): _S.ATTACHED,
    (_S.ATTACHED, _I.RECV_SESSION_CHANGED): _S.ATTACHED,
    (_S.ATTACHED, _I.RECV_EXIT): _S.EXITED,
    (_S.ATTACHED, _I.END_OF_STREAM): _S.EXITED,
    (_S.ATTACHED, _I.END_UNREADABLE): _S.EXITED,
    (_S.ATTACHED, _I.SEND_REQUEST): _S.ATTACHED,
    (_S.EXITED, _I.RECV_ATTACH_END): _S.EXITED,
    (_S.EXITED, _I.RECV_ATTACH_ERROR): _S.EXITED,
    (_S.EXITED, _I.RECV_SESSION_CHANGED): _S.EXITED,
    (_S.EXITED, _I.RECV_EXIT): _S.EXITED,
    (_S.EXITED, _I.END_OF_STREAM): _S.EXITED,
    (_S.EXITED, _I.END_UNREADABLE): _S.EXITED,
}

"""What a control client can be told, as frozen types.

Ids keep tmux's sigil. Names and reasons are text (UTF-8, what is invalid shows as
U+FFFD) for people; whatever may carry data stays bytes: payloads, values, message
text, reply lines. Nothing here is trustworthy beyond its ids: names and values may be
chosen by a program.
"""

from typing import TypeAlias

import attrs

from panegate.ids import PaneId, SessionId, WindowId

__all__ = [
    "AttachFailed",
    "Attached",
    "Block",
    "ClientDetached",
    "ClientSessionChanged",
    "ConfigError",
    "Continue",
    "Event",
    "Exit",
    "LayoutChange",
    "Message",
    "Notification",
    "Output",
    "PaneModeChanged",
    "PasteBufferChanged",
    "PasteBufferDeleted",
    "Pause",
    "Reply",
    "RequestLost",
    "SessionChanged",
    "SessionRenamed",
    "SessionWindowChanged",
    "SessionsChanged",
    "StrayBlock",
    "StrayLine",
    "SubscriptionChanged",
    "UnknownNotification",
    "UnlinkedWindowAdd",
    "UnlinkedWindowClose",
    "UnlinkedWindowRenamed",
    "WindowAdd",
    "WindowClose",
    "WindowPaneChanged",
    "WindowRenamed",
]


@attrs.frozen
class Output:
    """``%output`` or ``%extended-output``: bytes a program wrote, in order.

    Lines of one pane that arrive in one chunk are joined. How the stream is cut into
    events means nothing; a cut may fall anywhere, also within a character.
    """

    pane_id: PaneId
    payload: bytes
    r"""Still escaped (``\ooo``): see `panegate.wire.payload.unescape`."""
    age_ms: int | None = None
    """How long the oldest byte waited in the server, milliseconds; None when no line said."""

    @property
    def n_bytes(self) -> int:
        """Length of the escaped payload."""
        return len(self.payload)


@attrs.frozen
class Pause:
    """``%pause``: tmux dropped this pane's backlog; nothing comes until it is continued."""

    pane_id: PaneId


@attrs.frozen
class Continue:
    """``%continue``: output of the pane resumes from now."""

    pane_id: PaneId


@attrs.frozen
class SessionChanged:
    """``%session-changed``: this client is attached to that session now."""

    session_id: SessionId
    name: str


@attrs.frozen
class ClientSessionChanged:
    """``%client-session-changed``: another client moved."""

    client: str
    session_id: SessionId
    name: str


@attrs.frozen
class ClientDetached:
    """``%client-detached``: another client left."""

    client: str


@attrs.frozen
class SessionsChanged:
    """``%sessions-changed``: a session was made or destroyed."""


@attrs.frozen
class SessionRenamed:
    """``%session-renamed``."""

    session_id: SessionId
    name: str


@attrs.frozen
class SessionWindowChanged:
    """``%session-window-changed``: a session's current window is another one."""

    session_id: SessionId
    window_id: WindowId


@attrs.frozen
class WindowAdd:
    """``%window-add``: a window was linked into the attached session."""

    window_id: WindowId


@attrs.frozen
class WindowClose:
    """``%window-close``: never proof that the window is gone; look again."""

    window_id: WindowId


@attrs.frozen
class WindowRenamed:
    """``%window-renamed``."""

    window_id: WindowId
    name: str


@attrs.frozen
class UnlinkedWindowAdd:
    """``%unlinked-window-add``: a window outside the attached session."""

    window_id: WindowId


@attrs.frozen
class UnlinkedWindowClose:
    """``%unlinked-window-close``: never proof that the window is gone; look again."""

    window_id: WindowId


@attrs.frozen
class UnlinkedWindowRenamed:
    """``%unlinked-window-renamed``."""

    window_id: WindowId
    name: str


@attrs.frozen
class WindowPaneChanged:
    """``%window-pane-changed``: a window's active pane is another one."""

    window_id: WindowId
    pane_id: PaneId


@attrs.frozen
class PaneModeChanged:
    """``%pane-mode-changed``: a pane entered *or left* copy mode or the like."""

    pane_id: PaneId


@attrs.frozen(kw_only=True)
class LayoutChange:
    """``%layout-change``, for windows of the attached session."""

    window_id: WindowId
    layout: str
    visible_layout: str
    flags: str
    """Window flags such as ``*Z``; may be empty."""


@attrs.frozen(kw_only=True)
class SubscriptionChanged:
    """``%subscription-changed``: the new value of a format of ours.

    A value with a newline arrives cut: its rest comes as stray lines.
    """

    name: str
    session_id: SessionId | None
    window_id: WindowId | None
    window_index: int | None
    pane_id: PaneId | None
    value: bytes


@attrs.frozen
class Message:
    """``%message``: text pushed to this client, by our own command or a hook."""

    text: bytes


@attrs.frozen
class ConfigError:
    """``%config-error``: one error of the server's configuration file."""

    text: str


@attrs.frozen
class PasteBufferChanged:
    """``%paste-buffer-changed``."""

    name: str


@attrs.frozen
class PasteBufferDeleted:
    """``%paste-buffer-deleted``."""

    name: str


@attrs.frozen
class Exit:
    """``%exit``: the client ends; says nothing about session or server (probe them)."""

    reason: str
    """Such as ``too far behind`` or ``server exited unexpectedly``; mostly ""."""


@attrs.frozen
class UnknownNotification:
    """A ``%`` line outside blocks that is not known or not well formed."""

    line: bytes


@attrs.frozen
class StrayLine:
    """A raw line outside blocks: never an error of the protocol."""

    line: bytes


@attrs.frozen(kw_only=True)
class Block:
    """One ``%begin`` … ``%end`` or ``%error``: what one command printed."""

    ok: bool
    """False when it ended in ``%error``."""
    flags: int
    """1: a command from our own input; 0: anything else (attach, hooks)."""
    number: int
    """The server's command number; grows, with gaps."""
    lines: tuple[bytes, ...]


@attrs.frozen
class Attached:
    """The attach is complete: requests may be sent from now on."""

    session_id: SessionId
    name: str


@attrs.frozen
class AttachFailed:
    """The client could not attach; the connection is over."""

    message: str
    """What tmux said, such as ``can't find session: nosuch``; "" if it said nothing."""


@attrs.frozen(kw_only=True)
class Reply:
    """A request is answered: all of its blocks have arrived."""

    request_id: int
    blocks: tuple[Block, ...]
    """Blocks of the request's own commands, in order, without the sentinel's."""
    hook_blocks: tuple[Block, ...]
    """Blocks with flags 0 that came between: hooks run by those commands."""


@attrs.frozen(kw_only=True)
class RequestLost:
    """A request will never be answered: what it did is unknown."""

    request_id: int
    blocks: tuple[Block, ...]
    """Blocks that had arrived for it."""
    hook_blocks: tuple[Block, ...]


@attrs.frozen
class StrayBlock:
    """A block that belongs to no request."""

    block: Block


Notification: TypeAlias = (
    Output
    | Pause
    | Continue
    | SessionChanged
    | ClientSessionChanged
    | ClientDetached
    | SessionsChanged
    | SessionRenamed
    | SessionWindowChanged
    | WindowAdd
    | WindowClose
    | WindowRenamed
    | UnlinkedWindowAdd
    | UnlinkedWindowClose
    | UnlinkedWindowRenamed
    | WindowPaneChanged
    | PaneModeChanged
    | LayoutChange
    | SubscriptionChanged
    | Message
    | ConfigError
    | PasteBufferChanged
    | PasteBufferDeleted
    | Exit
)
"""What one well-formed notification line says."""

Event: TypeAlias = (
    Notification
    | UnknownNotification
    | StrayLine
    | StrayBlock
    | Attached
    | AttachFailed
    | Reply
    | RequestLost
)
"""Everything `panegate.wire.connection.Connection` reports."""

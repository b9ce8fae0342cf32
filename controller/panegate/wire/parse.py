"""One line outside blocks to one event; never raises.

To add a notification: a type in `events`, a parser here that returns None for what is
not well formed, and its row in ``_PARSERS``.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from panegate.ids import PaneId, SessionId, WindowId
from panegate.wire.events import (
    ClientDetached,
    ClientSessionChanged,
    ConfigError,
    Continue,
    Exit,
    LayoutChange,
    Message,
    Notification,
    Output,
    PaneModeChanged,
    PasteBufferChanged,
    PasteBufferDeleted,
    Pause,
    SessionChanged,
    SessionRenamed,
    SessionsChanged,
    SessionWindowChanged,
    StrayLine,
    SubscriptionChanged,
    UnknownNotification,
    UnlinkedWindowAdd,
    UnlinkedWindowClose,
    UnlinkedWindowRenamed,
    WindowAdd,
    WindowClose,
    WindowPaneChanged,
    WindowRenamed,
)

__all__ = ["parse_line", "parse_notification"]

_T = TypeVar("_T")

_PANE: Final = re.compile(rb"%[0-9]{1,9}")
_WINDOW: Final = re.compile(rb"@[0-9]{1,9}")
_SESSION: Final = re.compile(rb"\$[0-9]{1,9}")
_AGE: Final = re.compile(rb"[0-9]{1,18}")
_CLIENT_SESSION: Final = re.compile(rb"(.+?) (\$[0-9]{1,9}) (.*)", re.DOTALL)
_SUBSCRIPTION: Final = re.compile(
    rb"(.+?) (\$[0-9]{1,9}|-) (@[0-9]{1,9}|-) ([0-9]{1,9}|-) (%[0-9]{1,9}|-)(?: [^ ]+)*? : (.*)",
    re.DOTALL,
)


def parse_line(line: bytes) -> Notification | UnknownNotification | StrayLine:
    """Return what one line outside blocks (without its LF) says.

    A line that starts with ``%`` and is not a well-formed notification gives
    `UnknownNotification`, any other line `StrayLine`; nothing is raised.
    """
    if not line.startswith(b"%"):
        return StrayLine(line)
    return parse_notification(line) or UnknownNotification(line)


def parse_notification(line: bytes) -> Notification | None:
    """Return the notification *line* is, or None when it is no well-formed one."""
    word, space, rest = line.partition(b" ")
    parser = _PARSERS.get(word)
    if parser is None:
        return None
    return parser(rest if space else None)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _pane(word: bytes) -> PaneId | None:
    return PaneId(word.decode("ascii")) if _PANE.fullmatch(word) else None


def _window(word: bytes) -> WindowId | None:
    return WindowId(word.decode("ascii")) if _WINDOW.fullmatch(word) else None


def _session(word: bytes) -> SessionId | None:
    return SessionId(word.decode("ascii")) if _SESSION.fullmatch(word) else None


_Parser = Callable[[bytes | None], Notification | None]


def _of_pane(make: Callable[[PaneId], Notification]) -> _Parser:
    def parser(rest: bytes | None) -> Notification | None:
        pane_id = _pane(rest or b"")
        return None if pane_id is None else make(pane_id)

    return parser


def _of_window(make: Callable[[WindowId], Notification]) -> _Parser:
    def parser(rest: bytes | None) -> Notification | None:
        window_id = _window(rest or b"")
        return None if window_id is None else make(window_id)

    return parser


def _of_id_and_name(
    read_id: Callable[[bytes], _T | None], make: Callable[[_T, str], Notification]
) -> _Parser:
    def parser(rest: bytes | None) -> Notification | None:
        word, space, name = (rest or b"").partition(b" ")
        found = read_id(word)
        return None if found is None or not space else make(found, _text(name))

    return parser


def _of_name(make: Callable[[str], Notification]) -> _Parser:
    def parser(rest: bytes | None) -> Notification | None:
        return None if rest is None else make(_text(rest))

    return parser


def _output(rest: bytes | None) -> Notification | None:
    word, space, payload = (rest or b"").partition(b" ")
    pane_id = _pane(word)
    return None if pane_id is None or not space else Output(pane_id, payload)


def _extended_output(rest: bytes | None) -> Notification | None:
    # Later servers may put more fields before " : "; only the first two mean anything here.
    head, colon, payload = (rest or b"").partition(b" : ")
    fields = head.split(b" ")
    if not colon or len(fields) < 2 or not _AGE.fullmatch(fields[1]):
        return None
    pane_id = _pane(fields[0])
    return None if pane_id is None else Output(pane_id, payload, int(fields[1]))


def _session_window(rest: bytes | None) -> Notification | None:
    left, _, right = (rest or b"").partition(b" ")
    session_id, window_id = _session(left), _window(right)
    if session_id is None or window_id is None:
        return None
    return SessionWindowChanged(session_id, window_id)


def _window_pane(rest: bytes | None) -> Notification | None:
    left, _, right = (rest or b"").partition(b" ")
    window_id, pane_id = _window(left), _pane(right)
    if window_id is None or pane_id is None:
        return None
    return WindowPaneChanged(window_id, pane_id)


def _client_session(rest: bytes | None) -> Notification | None:
    found = _CLIENT_SESSION.fullmatch(rest or b"")
    if found is None:
        return None
    session_id = SessionId(found[2].decode("ascii"))
    return ClientSessionChanged(_text(found[1]), session_id, _text(found[3]))


def _layout(rest: bytes | None) -> Notification | None:
    words = (rest or b"").split(b" ", 3)
    window_id = _window(words[0])
    if window_id is None or len(words) < 2 or not words[1]:
        return None
    layout, visible, flags = (_text(word) for word in (*words[1:], b"", b"")[:3])
    return LayoutChange(
        window_id=window_id, layout=layout, visible_layout=visible or layout, flags=flags
    )


def _subscription(rest: bytes | None) -> Notification | None:
    found = _SUBSCRIPTION.fullmatch(rest or b"")
    if found is None:
        return None
    return SubscriptionChanged(
        name=_text(found[1]),
        session_id=_session(found[2]),
        window_id=_window(found[3]),
        window_index=None if found[4] == b"-" else int(found[4]),
        pane_id=_pane(found[5]),
        value=found[6],
    )


def _sessions_changed(rest: bytes | None) -> Notification | None:
    return SessionsChanged() if rest is None else None


def _message(rest: bytes | None) -> Notification | None:
    return Message(rest or b"")


def _exit(rest: bytes | None) -> Notification | None:
    return Exit(_text(rest or b""))


_PARSERS: Final[Mapping[bytes, _Parser]] = {
    b"%output": _output,
    b"%extended-output": _extended_output,
    b"%pause": _of_pane(Pause),
    b"%continue": _of_pane(Continue),
    b"%session-changed": _of_id_and_name(_session, SessionChanged),
    b"%client-session-changed": _client_session,
    b"%client-detached": _of_name(ClientDetached),
    b"%sessions-changed": _sessions_changed,
    b"%session-renamed": _of_id_and_name(_session, SessionRenamed),
    b"%session-window-changed": _session_window,
    b"%window-add": _of_window(WindowAdd),
    b"%window-close": _of_window(WindowClose),
    b"%window-renamed": _of_id_and_name(_window, WindowRenamed),
    b"%unlinked-window-add": _of_window(UnlinkedWindowAdd),
    b"%unlinked-window-close": _of_window(UnlinkedWindowClose),
    b"%unlinked-window-renamed": _of_id_and_name(_window, UnlinkedWindowRenamed),
    b"%window-pane-changed": _window_pane,
    b"%pane-mode-changed": _of_pane(PaneModeChanged),
    b"%layout-change": _layout,
    b"%subscription-changed": _subscription,
    b"%message": _message,
    b"%config-error": _of_name(ConfigError),
    b"%paste-buffer-changed": _of_name(PasteBufferChanged),
    b"%paste-buffer-deleted": _of_name(PasteBufferDeleted),
    b"%exit": _exit,
}

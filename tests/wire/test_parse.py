"""One line to one event."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.ids import PaneId, SessionId, WindowId
from panegate.wire import parse
from panegate.wire.events import (
    ClientDetached,
    ClientSessionChanged,
    ConfigError,
    Continue,
    Event,
    Exit,
    LayoutChange,
    Message,
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
from panegate.wire.parse import parse_line, parse_notification

P, W, S = PaneId("%4"), WindowId("@2"), SessionId("$0")


def subscription(**changes: object) -> SubscriptionChanged:
    fields = {
        "name": "cmd",
        "session_id": S,
        "window_id": W,
        "window_index": 0,
        "pane_id": P,
        "value": b"bash|0",
    }
    return SubscriptionChanged(**(fields | changes))  # type: ignore[arg-type]


def layout(layout: str, visible: str, flags: str) -> LayoutChange:
    return LayoutChange(window_id=W, layout=layout, visible_layout=visible, flags=flags)


CASES: list[tuple[bytes, Event]] = [
    (b"%output %4 a\\015 \xf0\x9f", Output(P, b"a\\015 \xf0\x9f")),
    (b"%output %4 ", Output(P, b"")),
    (b"%extended-output %4 12 : a : b", Output(P, b"a : b", 12)),
    (b"%extended-output %4 0 new field : x", Output(P, b"x", 0)),
    (b"%extended-output %4 0 : ", Output(P, b"", 0)),
    (b"%pause %4", Pause(P)),
    (b"%continue %4", Continue(P)),
    (b"%session-changed $0 my name", SessionChanged(S, "my name")),
    (b"%client-session-changed client-6764 $0 s", ClientSessionChanged("client-6764", S, "s")),
    (
        b"%client-session-changed /dev/pts/3 $0 a $1 b",
        ClientSessionChanged("/dev/pts/3", S, "a $1 b"),
    ),
    (b"%client-detached client-6764", ClientDetached("client-6764")),
    (b"%sessions-changed", SessionsChanged()),
    (b"%session-renamed $0 tt", SessionRenamed(S, "tt")),
    (b"%session-window-changed $0 @2", SessionWindowChanged(S, W)),
    (b"%window-add @2", WindowAdd(W)),
    (b"%window-close @2", WindowClose(W)),
    (b"%window-renamed @2 [tmux]", WindowRenamed(W, "[tmux]")),
    (b"%window-renamed @2 ", WindowRenamed(W, "")),
    (b"%unlinked-window-add @2", UnlinkedWindowAdd(W)),
    (b"%unlinked-window-close @2", UnlinkedWindowClose(W)),
    (b"%unlinked-window-renamed @2 caf\xc3\xa9\xff", UnlinkedWindowRenamed(W, "café\ufffd")),
    (b"%window-pane-changed @2 %4", WindowPaneChanged(W, P)),
    (b"%pane-mode-changed %4", PaneModeChanged(P)),
    (
        b"%layout-change @2 b2,80x24,0,0,0 b2,80x24,0,0,0 *Z",
        layout("b2,80x24,0,0,0", "b2,80x24,0,0,0", "*Z"),
    ),
    (b"%layout-change @2 a b ", layout("a", "b", "")),
    (b"%layout-change @2 a", layout("a", "a", "")),
    (b"%subscription-changed cmd $0 @2 0 %4 : bash|0", subscription()),
    (
        b"%subscription-changed all $0 - - - : s=%0/sleep : t",
        subscription(
            name="all", window_id=None, window_index=None, pane_id=None, value=b"s=%0/sleep : t"
        ),
    ),
    (b"%subscription-changed a b $0 @2 0 %4 : ", subscription(name="a b", value=b"")),
    (b"%subscription-changed cmd $0 @2 0 %4 later : bash|0", subscription()),
    (b"%message died %8 5", Message(b"died %8 5")),
    (b"%message ", Message(b"")),
    (b"%config-error /c:3: unknown command: bogus", ConfigError("/c:3: unknown command: bogus")),
    (b"%paste-buffer-changed bb", PasteBufferChanged("bb")),
    (b"%paste-buffer-deleted bb", PasteBufferDeleted("bb")),
    (b"%exit", Exit("")),
    (b"%exit too far behind", Exit("too far behind")),
]


@pytest.mark.parametrize(("line", "event"), CASES, ids=[repr(line)[2:30] for line, _ in CASES])
def test_notifications(line: bytes, event: Event) -> None:
    assert parse_line(line) == event


def test_every_notification_has_a_case() -> None:
    assert {line.split(b" ")[0] for line, _ in CASES} == set(parse._PARSERS)


@pytest.mark.parametrize(
    "line",
    [
        b"%",
        b"%output",
        b"%output %4",
        b"%output 4 x",
        b"%output %x y",
        b"%output %1234567890 y",
        b"%output  %4 x",
        b"%extended-output %4 : x",
        b"%extended-output %4 x : y",
        b"%extended-output %4 0 no colon",
        b"%extended-output %4 -1 : y",
        b"%pause",
        b"%pause %",
        b"%pause %4 ",
        b"%pause %4 %5",
        b"%pause @2",
        b"%session-changed $0",
        b"%session-changed s $0",
        b"%client-session-changed client-1 s",
        b"%client-detached",
        b"%sessions-changed now",
        b"%session-window-changed $0 %4",
        b"%window-add 2",
        b"%window-add @2 ",
        b"%window-pane-changed @2",
        b"%layout-change @2",
        b"%layout-change @2 ",
        b"%layout-change 2 a b c",
        b"%subscription-changed cmd $0 @2 0 %4 bash",
        b"%subscription-changed $0 @2 0 %4 : x",
        b"%config-error",
        b"%begin 1 2",
        b"%end 1 2 1",
        b"%error 1 2 1",
        b"%exited",
        b"%OUTPUT %4 x",
        b"%brand-new thing",
    ],
)
def test_a_malformed_or_unknown_notification_is_reported_as_it_came(line: bytes) -> None:
    assert parse_line(line) == UnknownNotification(line)
    assert parse_notification(line) is None


@pytest.mark.parametrize("line", [b"", b"-: Bad file descriptor", b" %exit", b"out", b"\xff\0"])
def test_other_lines_are_stray(line: bytes) -> None:
    assert parse_line(line) == StrayLine(line)


@given(
    st.builds(
        lambda word, rest: word + rest,
        st.sampled_from(sorted(parse._PARSERS)),
        st.lists(
            st.sampled_from([b" ", b"%4", b"@2", b"$0", b"0", b"-", b":", b" : ", b"\xff", b"x"])
        ).map(b"".join),
    )
    | st.binary(max_size=50).map(lambda data: b"%" + data)
)
def test_no_line_raises(line: bytes) -> None:
    parse_line(line)

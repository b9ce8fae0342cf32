"""Where a service listens, who may speak to it, and what systemd is told."""

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from panegate.errors import PanegateError
from panegate.runtime.address import ServerAddress
from panegate.service.local.endpoint import (
    held_lock,
    peer_uid,
    prepare_folder,
    runtime_folder,
    socket_path,
)
from panegate.service.local.notify import VARIABLE, Notifier


@pytest.fixture
def short_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="pg-") as name:
        yield Path(name)


def test_one_server_has_one_place_however_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMUX_TMPDIR", str(tmp_path))
    (tmp_path / "link").symlink_to(tmp_path)
    named = ServerAddress(socket_name="x")
    folder = f"tmux-{os.getuid()}"
    by_path = ServerAddress(socket_name=None, socket_path=str(tmp_path / folder / "x"))
    by_link = ServerAddress(socket_name=None, socket_path=str(tmp_path / "link" / folder / "x"))
    places = {socket_path(address, tmp_path) for address in (named, by_path, by_link)}
    assert len(places) == 1
    others = {
        socket_path(ServerAddress(socket_name="y"), tmp_path),
        socket_path(ServerAddress(socket_name="x", ssh="host"), tmp_path),
        socket_path(ServerAddress(socket_name="x", ssh="other"), tmp_path),
    }
    assert len(others | places) == 4


def test_the_users_runtime_folder_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert runtime_folder() == tmp_path / "panegate"


def test_without_a_runtime_folder_nobody_is_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    assert runtime_folder().name == "panegate"


def test_the_folder_is_made_for_its_user_alone(short_folder: Path) -> None:
    path = short_folder / "panegate" / "x.sock"
    prepare_folder(path)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    prepare_folder(path)


@pytest.mark.parametrize("mode", [0o750, 0o701, 0o770, 0o777])
def test_a_folder_that_others_may_enter_is_refused(short_folder: Path, mode: int) -> None:
    folder = short_folder / "panegate"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(PanegateError, match="others may enter") as raised:
        prepare_folder(folder / "x.sock")
    assert raised.value.fix == f"chmod 700 {folder}"


def test_a_folder_that_others_can_replace_is_refused(short_folder: Path) -> None:
    above = short_folder / "above"
    above.mkdir()
    above.chmod(0o777)
    with pytest.raises(PanegateError, match="others can replace"):
        prepare_folder(above / "panegate" / "x.sock")
    above.chmod(0o1777)  # as /tmp is
    prepare_folder(above / "panegate" / "x.sock")


def test_a_link_in_its_place_is_refused(short_folder: Path) -> None:
    (short_folder / "real").mkdir(mode=0o700)
    (short_folder / "panegate").symlink_to(short_folder / "real")
    with pytest.raises(PanegateError, match="not a folder of yours"):
        prepare_folder(short_folder / "panegate" / "x.sock")


def test_a_path_that_no_socket_can_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PanegateError, match="too long"):
        prepare_folder(tmp_path / ("x" * 120))


def test_the_second_holder_of_a_lock_is_told_who_has_it(short_folder: Path) -> None:
    path = short_folder / "x.lock"
    with held_lock(path):
        with pytest.raises(PanegateError, match=f"pid {os.getpid()}"), held_lock(path):
            pass
        assert path.stat().st_mode & 0o777 == 0o600
    with held_lock(path):
        pass


def test_the_kernel_says_who_is_at_the_other_end() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert peer_uid(ours) == os.getuid()


def test_systemd_is_told_in_a_datagram(short_folder: Path) -> None:
    path = str(short_folder / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(path)
        environ = {VARIABLE: path}
        notifier = Notifier.taken_from(environ)
        assert environ == {}  # no program in a pane inherits it
        assert notifier.ready("serving")
        assert heard.recv(1000).decode().splitlines() == [
            "READY=1",
            "STATUS=serving",
            f"MAINPID={os.getpid()}",
        ]
        assert notifier.reloading()
        first, second = heard.recv(1000).decode().splitlines()
        assert (first, second.partition("=")[0]) == ("RELOADING=1", "MONOTONIC_USEC")
        assert notifier.stopping("ends")
        assert heard.recv(1000).decode().splitlines() == ["STOPPING=1", "STATUS=ends"]


@pytest.mark.parametrize("path", ["", "relative", "/no/such/socket", "@panegate-nobody-listens"])
def test_where_nobody_listens_nothing_happens(path: str) -> None:
    assert Notifier.taken_from({VARIABLE: path}).ready("serving") is False

"""Servers that cannot be reached: what is wrong, and what to do about it."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

import panegate as pg
from panegate.errors import ServerUnreachable
from panegate.runtime.address import ServerAddress
from panegate.service.reaching import check_address

Script = Callable[[str], None]


def at(path: Path) -> ServerAddress:
    return ServerAddress(socket_name=None, socket_path=str(path))


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Script:
    """An ``ssh`` of ours, first in the PATH: say what it does, in sh."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "ssh"
    program.write_text("")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def does(script: str) -> None:
        program.write_text(f"#!/bin/sh\n{script}\n")

    return does


async def opening(**options: object) -> ServerUnreachable:
    with pytest.raises(ServerUnreachable) as caught:
        async with pg.Controller.open(**options):  # type: ignore[arg-type]
            pass
    return caught.value


@pytest.mark.parametrize("attach_only", [True, False])
@pytest.mark.asyncio
async def test_what_ssh_says_is_said_with_what_to_do(ssh: Script, attach_only: bool):
    words = "ssh: Could not resolve hostname badhost: Name or service not known"
    ssh(f"echo 'a banner' >&2; echo '{words}' >&2; exit 255")
    error = await opening(ssh="badhost", attach_only=attach_only)
    assert str(error) == (
        "ssh cannot reach badhost: Could not resolve hostname badhost: Name or service not known"
    )
    assert error.fix == "make this work without a question first: ssh badhost true"


@pytest.mark.asyncio
async def test_a_host_without_a_server_is_told_from_a_host_that_is_not_reached(ssh: Script):
    ssh("echo 'no server running on /tmp/tmux-0/panegate' >&2; exit 1")
    error = await opening(ssh="there", attach_only=True)
    assert str(error) == "no tmux server answers at -L panegate on there"
    assert error.fix == "launch something there first: panegate --ssh there launch -- bash"


@pytest.mark.asyncio
async def test_a_host_without_ssh_here_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "ssh is not installed here" in str(await opening(ssh="there", attach_only=True))


@pytest.mark.parametrize("attach_only", [True, False])
@pytest.mark.asyncio
async def test_a_folder_that_is_not_there_is_named(tmp_path: Path, attach_only: bool):
    error = await opening(socket_path=tmp_path / "none" / "s", attach_only=attach_only)
    assert str(error) == f"the folder of the socket does not exist: {tmp_path / 'none'}"
    assert "make it first" in error.fix


@pytest.mark.parametrize("attach_only", [True, False])
@pytest.mark.asyncio
async def test_a_file_in_the_sockets_place_is_never_touched(tmp_path: Path, attach_only: bool):
    """tmux itself would remove the file and put its socket there."""
    path = tmp_path / "precious"
    path.write_text("words")
    error = await opening(socket_path=path, attach_only=attach_only)
    assert f"{path} is a file, not the socket of a tmux server" in str(error)
    assert path.read_text() == "words"


def test_what_no_server_can_have_is_refused_before_tmux_is_asked(tmp_path: Path):
    (tmp_path / "file").write_text("")
    for path, words in (
        (tmp_path, "is a folder"),
        (tmp_path / "file" / "s", "is no folder"),
        (tmp_path / ("x" * 120), "too long"),
    ):
        with pytest.raises(ServerUnreachable, match=words):
            check_address(at(path))


def test_a_socket_and_a_free_path_are_fine(tmp_path: Path):
    check_address(at(tmp_path / "free"))
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        check_address(at(tmp_path / "s"))


@pytest.mark.asyncio
async def test_no_server_names_the_command_that_starts_one_there(tmp_path: Path):
    error = await opening(socket_path=tmp_path / "s", attach_only=True)
    assert error.fix == f"launch something first: panegate -S {tmp_path / 's'} launch -- bash"

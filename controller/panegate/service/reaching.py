"""Finding the tmux server that a caller named, and saying why it cannot be reached."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import Final

from panegate.errors import ServerUnreachable
from panegate.runtime.address import ServerAddress
from panegate.runtime.bringup import ServerFacts, bring_up, one_shot, read_facts

__all__ = ["check_address", "reach", "server_option", "unreachable"]

_SSH_FAILED: Final = 255
_MAX_SOCKET_BYTES: Final = 107


async def reach(address: ServerAddress, *, start: bool) -> ServerFacts:
    """Return who the server is.

    Args:
        address: The server.
        start: Start it if it is not there.

    Raises:
        TmuxTooOld: tmux is missing or older than 3.2a.
        ServerUnreachable: It does not answer, or cannot be started; says why.

    """
    check_address(address)
    if not start:
        facts = await read_facts(address)
        if facts is None:
            raise await unreachable(address)
        return facts
    try:
        return await bring_up(address)
    except ServerUnreachable:
        if address.ssh is not None and (failed := await _ssh_failure(address)) is not None:
            raise failed from None
        raise


def check_address(address: ServerAddress) -> None:
    """Check what can be known without asking; changes nothing.

    Raises:
        ServerUnreachable: No server can be there. Above all, tmux takes the place of a file
            that has the socket's name: such a path is refused before tmux sees it.

    """
    if address.ssh is not None:
        if shutil.which("ssh") is None:
            msg = f"ssh is not installed here, so {address.ssh} cannot be reached"
            raise ServerUnreachable(msg, fix="install an ssh client")
        return
    path = address.socket
    if address.socket_path is None:
        return
    if len(os.fsencode(path)) > _MAX_SOCKET_BYTES:
        msg = f"the socket path is too long: {len(os.fsencode(path))} bytes"
        raise ServerUnreachable(msg, fix=f"choose one of at most {_MAX_SOCKET_BYTES} bytes")
    folder = path.parent
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "does not exist"
        msg = f"the folder of the socket {what}: {folder}"
        raise ServerUnreachable(msg, fix="make it first, or name another path: -S PATH")
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        msg = f"the socket {path} cannot be looked at: {error.strerror}"
        raise ServerUnreachable(msg, fix="name another path: -S PATH") from error
    if not stat.S_ISSOCK(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a file"
        msg = f"{path} is {what}, not the socket of a tmux server"
        raise ServerUnreachable(msg, fix="name another path: -S PATH")


async def unreachable(address: ServerAddress) -> ServerUnreachable:
    """Ask once more, and return the error that says why nothing answers."""
    if address.ssh is None:
        return ServerUnreachable(
            f"no tmux server answers at {address.words}{_why_local(address.socket)}",
            fix=f"launch something first: panegate {server_option(address)}launch -- bash",
        )
    failed = await _ssh_failure(address)
    return failed or ServerUnreachable(
        f"no tmux server answers at {address.words} on {address.ssh}",
        fix=f"launch something there first: panegate {server_option(address)}launch -- bash",
    )


async def _ssh_failure(address: ServerAddress) -> ServerUnreachable | None:
    """Return what ssh itself says, None where it does its work."""
    status, _, errors = await one_shot(address, "display-message", "-p", "")
    if status != _SSH_FAILED:
        return None
    said = [line.strip() for line in errors.splitlines() if line.strip()]
    words = said[-1].removeprefix("ssh: ") if said else "it gives no reason"
    return ServerUnreachable(
        f"ssh cannot reach {address.ssh}: {words}",
        fix=f"make this work without a question first: ssh {address.ssh} true",
    )


def _why_local(socket: Path) -> str:
    try:
        socket.stat()
    except PermissionError:
        return ": its folder is not yours to look into"
    except OSError:
        return ""
    return "" if os.access(socket, os.R_OK | os.W_OK) else ": its socket is not yours"


def server_option(address: ServerAddress) -> str:
    """Return the options that name the server, with a blank behind; "" for the default."""
    host = f"--ssh {address.ssh} " if address.ssh is not None else ""
    return host if address.is_own else f"{address.words} {host}"

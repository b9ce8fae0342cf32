"""Where the service of a tmux server listens, and who may speak to it."""

import contextlib
import fcntl
import hashlib
import os
import re
import socket
import stat
import struct
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import platformdirs

from panegate.errors import PanegateError
from panegate.runtime.address import ServerAddress

__all__ = ["held_lock", "peer_uid", "prepare_folder", "runtime_folder", "socket_path"]

_MAX_PATH_BYTES: Final = 103
"""What macOS takes (Linux takes 107)."""
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1
_XUCRED = "=IIh2x16I"
"""Version, uid, number of groups, groups."""


def runtime_folder() -> Path:
    """Return the folder of this user's sockets (``XDG_RUNTIME_DIR`` and its like)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where there is no such folder it takes one in TMPDIR
        return Path(platformdirs.user_runtime_dir("panegate", appauthor=False))


def socket_path(address: ServerAddress, folder: Path | None = None) -> Path:
    """Return where the service of a tmux server listens, however that server is named."""
    server = os.path.realpath(address.socket)
    place = server if address.ssh is None else f"{address.ssh}:{address.words}"
    digest = hashlib.blake2b(place.encode(), digest_size=4).hexdigest()
    label = re.sub(r"[^A-Za-z0-9]+", "-", Path(server).name)[:24].strip("-") or "tmux"
    return (runtime_folder() if folder is None else folder) / f"{label}-{digest}.sock"


def prepare_folder(path: Path) -> None:
    """Make the folder of a socket, for its user alone.

    Raises:
        PanegateError: It cannot be made, is another user's, or others may enter it.

    """
    folder = path.parent
    if len(os.fsencode(path)) > _MAX_PATH_BYTES:
        msg = f"{path} is too long for a socket"
        raise PanegateError(msg, fix="set XDG_RUNTIME_DIR to a shorter folder")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found, above = folder.lstat(), folder.parent.stat()
    except OSError as error:
        msg = f"{folder} cannot be made: {error.strerror}"
        raise PanegateError(msg, fix="set XDG_RUNTIME_DIR to a folder of yours") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        msg = f"{folder} is not a folder of yours"
        raise PanegateError(msg, fix="set XDG_RUNTIME_DIR to a folder of yours")
    if above.st_uid not in (os.getuid(), 0) or (
        above.st_mode & 0o022 and not above.st_mode & stat.S_ISVTX
    ):
        msg = f"others can replace {folder}: {folder.parent} is not yours alone"
        raise PanegateError(msg, fix="set XDG_RUNTIME_DIR to a folder of yours")
    if stat.S_IMODE(found.st_mode) & 0o077:
        msg = f"others may enter {folder} (mode {stat.S_IMODE(found.st_mode):04o})"
        raise PanegateError(msg, fix=f"chmod 700 {folder}")


@contextlib.contextmanager
def held_lock(path: Path) -> Iterator[None]:
    """Hold the lock of a service; the kernel lets go of it whatever ends the process.

    Raises:
        PanegateError: Another process holds it; says which.

    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            who = os.pread(handle, 32, 0).decode("ascii", "replace").strip() or "?"
            msg = f"a service (pid {who}) runs for this tmux server already"
            raise PanegateError(msg, fix="panegate serve --status says more") from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)


def peer_uid(connection: socket.socket) -> int:
    """Return the user of the process at the other end, as the kernel knows it.

    Raises:
        OSError: The kernel does not say.

    """
    if sys.platform == "darwin" or "bsd" in sys.platform:
        data = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, struct.calcsize(_XUCRED))
        return int(struct.unpack_from("=II", data)[1])
    credentials = connection.getsockopt(
        socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")
    )
    return int(struct.unpack("3i", credentials)[1])

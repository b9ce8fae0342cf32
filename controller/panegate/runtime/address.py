"""Which tmux server, and how its clients are started."""

import os
import re
import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from panegate.errors import TmuxTooOld

__all__ = [
    "OWN_SOCKET",
    "ServerAddress",
    "install_hint",
]

OWN_SOCKET = "panegate"
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.@+-]{1,64}\Z")


def install_hint() -> str:
    """Say how tmux is installed here, in one line."""
    for program, words in (
        ("apt-get", "sudo apt-get install tmux"),
        ("dnf", "sudo dnf install tmux"),
        ("apk", "sudo apk add tmux"),
        ("pacman", "sudo pacman -S tmux"),
        ("zypper", "sudo zypper install tmux"),
        ("brew", "brew install tmux"),
    ):
        if shutil.which(program):
            return f"install tmux 3.2a or newer: {words}"
    return "install tmux 3.2a or newer with your system's package manager"


@attrs.frozen(kw_only=True)
class ServerAddress:
    """A tmux server by socket name (``-L``) or path (``-S``), here or over ssh."""

    socket_name: str | None = OWN_SOCKET
    socket_path: str | None = None
    ssh: str | None = None
    tmux: str = "tmux"
    """The tmux program (``PANEGATE_TMUX``)."""
    config_file: str | None = None
    """``-f`` for a server that has to be started."""
    wrap: Callable[[Sequence[str]], list[str]] = list
    """Makes an argument vector run on the server's host (ssh)."""

    def __attrs_post_init__(self) -> None:
        if (self.socket_name is None) == (self.socket_path is None):
            msg = "name a tmux server by either its socket name or its socket path"
            raise ValueError(msg)
        if self.socket_name is not None and not _PLAIN_NAME.match(self.socket_name):
            msg = f"not a socket name: {self.socket_name!r} (letters, digits and _.@+-)"
            raise ValueError(msg)

    @property
    def is_own(self) -> bool:
        """It is panegate's own server: its options are ours to set."""
        return self.socket_name == OWN_SOCKET or self.config_file is not None

    @property
    def words(self) -> str:
        """The server as arguments of tmux, for people."""
        if self.socket_path is not None:
            return f"-S {shlex.quote(self.socket_path)}"
        return f"-L {self.socket_name}"

    @property
    def socket(self) -> Path:
        """Where the socket of a local server is."""
        if self.socket_path is not None:
            return Path(self.socket_path)
        base = os.environ.get("TMUX_TMPDIR") or "/tmp"
        return Path(base) / f"tmux-{os.getuid()}" / str(self.socket_name)

    def argv(self, *words: str, start: bool = False) -> list[str]:
        """Return a tmux command line; without *start* it never starts a server."""
        out = [self.tmux, "-u"]
        if not start:
            out.append("-N")
        elif self.config_file is not None:
            out += ["-f", self.config_file]
        if self.socket_path is not None:
            out += ["-S", self.socket_path]
        else:
            out += ["-L", str(self.socket_name)]
        return self.wrap([*out, *words])

    def attach_argv(self, target: str) -> list[str]:
        """Return the command line of a control client."""
        flags = "ignore-size,pause-after=5"
        return self.argv("-C", "attach-session", "-E", "-f", flags, "-t", target)

    def require_program(self) -> None:
        """Check that a local tmux program is there.

        Raises:
            TmuxTooOld: It is missing.

        """
        if self.ssh is None and shutil.which(self.tmux) is None:
            msg = f"{self.tmux} is not installed"
            raise TmuxTooOld(msg, fix=install_hint())

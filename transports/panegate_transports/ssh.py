"""A transport to a program on another host, over the system's ``ssh``."""

import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from panegate_transports.process import ProcessTransport

__all__ = ["open_ssh", "ssh_argv"]

_DEFAULTS: Final = (
    "-o",
    "BatchMode=yes",  # fail rather than ask: nobody is there to answer
    "-o",
    "ServerAliveInterval=5",
    "-o",
    "ServerAliveCountMax=3",
)


def ssh_argv(host: str, argv: Sequence[str], *, options: Sequence[str] = ()) -> list[str]:
    """Return the command line that runs *argv* on *host* without a terminal.

    ssh hands the remote login shell one string; every argument is quoted so that
    a POSIX shell gives the program exactly *argv*.

    Args:
        host: What ssh calls a destination: ``name``, ``user@name``, ``ssh://…``.
        argv: The remote program and its arguments.
        options: Further arguments for ssh, such as ``["-p", "2222"]``. They come
            first, so they win over the ones set here.

    Raises:
        ValueError: *argv* or *host* is empty, or *host* could be read as an option.

    """
    if not argv:
        raise ValueError("argv is empty")
    if not host or host.startswith("-"):
        raise ValueError(f"not a host: {host!r}")
    return ["ssh", "-T", *options, *_DEFAULTS, "--", host, shlex.join(argv)]


async def open_ssh(
    host: str,
    argv: Sequence[str],
    *,
    options: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
) -> ProcessTransport:
    """Run *argv* on *host* and return its standard streams.

    A connection that fails shows as the end of the stream, the words of ssh in
    `ProcessTransport.stderr_tail` and 255 as the `ProcessTransport.returncode`.

    Args:
        host: As for `ssh_argv`; likewise *argv* and *options*.
        argv: The remote program and its arguments.
        options: Further arguments for ssh.
        env: The environment of the local ssh, by default ours.
        cwd: The directory of the local ssh, by default ours.

    Raises:
        OSError: ssh cannot be started.
        ValueError: As for `ssh_argv`.

    """
    return await ProcessTransport.open(ssh_argv(host, argv, options=options), env=env, cwd=cwd)

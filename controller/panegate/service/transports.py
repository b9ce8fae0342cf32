"""Which transport carries a control client."""

from collections.abc import Awaitable, Callable, Sequence

from panegate.errors import TmuxTooOld
from panegate.runtime.address import ServerAddress, install_hint
from panegate_transports.base import ByteTransport
from panegate_transports.process import ProcessTransport
from panegate_transports.ssh import ssh_argv

__all__ = ["opener", "remote_wrap"]

_PIPE_BYTES = 256 * 1024
"""A user's pipes have a limit in all (64 MiB): at 1 MiB each, the 65th breaks the rest."""


def remote_wrap(ssh: str | None) -> Callable[[Sequence[str]], list[str]]:
    """Return what makes an argument vector run where the server is."""
    if ssh is None:
        return list
    host = ssh
    return lambda argv: ssh_argv(host, argv)


def opener(address: ServerAddress) -> Callable[[Sequence[str]], Awaitable[ByteTransport]]:
    """Return what starts a control client; its argument vector is already wrapped."""

    async def start(argv: Sequence[str]) -> ByteTransport:
        try:
            return await ProcessTransport.open(argv, pipe_bytes=_PIPE_BYTES)
        except FileNotFoundError as error:
            raise TmuxTooOld(f"{argv[0]} is not installed", fix=install_hint()) from error

    return start

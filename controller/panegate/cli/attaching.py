"""A person goes to a pane, with tmux itself."""

from __future__ import annotations

import os
import shlex
import sys

from panegate.cli.command_line import CommandLine, command
from panegate.cli.completing import pane_argument
from panegate.cli.opening import adopted
from panegate.errors import PanegateError
from panegate.runtime.address import ServerAddress

__all__ = ["attach", "attach_argv"]


def attach_argv(address: ServerAddress, target: str) -> list[str]:
    """Return the command line that shows *target* in this terminal."""
    where = ["-S", address.socket_path] if address.socket_path else ["-L", str(address.socket_name)]
    argv = [address.tmux, "-u", *where, "attach-session", "-t", target]
    if address.ssh is not None:
        return ["ssh", "-t", "--", address.ssh, shlex.join(argv)]
    return argv


@command("attach")
@pane_argument
def attach(line: CommandLine, pane: str) -> int:
    """Go to a pane with tmux itself.

    Detach with tmux's own key (C-b d). What you type is yours: take the pane over with
    `panegate hold` first if others write to it.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise PanegateError("attach needs a terminal", fix="panegate read shows the screen")

    async def work() -> tuple[ServerAddress, str]:
        async with adopted(line, pane) as (ctl, found):
            return ctl.address, found.id

    address, target = line.run(work())
    argv = attach_argv(address, target)
    env = {key: value for key, value in os.environ.items() if key not in ("TMUX", "TMUX_PANE")}
    try:
        os.execvpe(argv[0], argv, env)
    except OSError as error:
        raise PanegateError(f"{argv[0]} cannot be run: {error.strerror}") from error

"""A tmux server for the time of one command, gone at its end with all its programs."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import AsyncIterator, Iterable
from typing import Any

import anyio

from panegate.errors import PanegateError, ServerUnreachable, TmuxTooOld
from panegate.probes.exits import ExitWatch
from panegate.runtime.address import ServerAddress, install_hint
from panegate.runtime.bringup import one_shot
from panegate.service.cleaning import SOCKET, cleaned_folder
from panegate.service.controller import Controller
from panegate.wire.commands import command, sequence
from panegate.wire.version import Version, require

__all__ = ["private_controller", "program_version"]

_END_WITHIN_S = 3.0
"""How long what was told to end may take before it is killed."""


async def program_version(address: ServerAddress) -> Version:
    """Return the version of the tmux program, asked without any server.

    Raises:
        TmuxTooOld: It is missing or too old; says how to install another.

    """
    address.require_program()
    try:
        done = await anyio.run_process([address.tmux, "-V"], check=False)
        return require(done.stdout.decode("utf-8", "replace").strip())
    except TmuxTooOld as error:
        raise TmuxTooOld(str(error), fix=install_hint()) from error
    except OSError as error:
        msg = f"{address.tmux} cannot be run: {error.strerror}"
        raise TmuxTooOld(msg, fix=install_hint()) from error


@contextlib.asynccontextmanager
async def private_controller(
    *, dies_with_us: bool = False, **options: Any
) -> AsyncIterator[Controller]:
    """Open a controller on a tmux server that nobody else knows.

    Whatever happens inside, at the end the server, the programs in its panes and its
    folder are gone, also where this process is killed.

    Args:
        dies_with_us: The server ends by itself when this process is killed: tmux ends it
            as soon as no client is attached any more.
        **options: Further ones of `Controller.open`.

    Raises:
        TmuxTooOld: tmux is missing or too old.
        ServerUnreachable: The server does not start.

    """
    tmux = os.environ.get("PANEGATE_TMUX") or "tmux"
    async with cleaned_folder(tmux) as folder:
        path = folder / SOCKET
        address = ServerAddress(socket_name=None, socket_path=str(path), tmux=tmux)
        await program_version(address)
        options.setdefault("journal", ":memory:")
        try:
            async with Controller.open(socket_path=path, **options) as ctl:
                if dies_with_us:
                    await _exit_unattached(ctl, "on")
                try:
                    yield ctl
                finally:
                    if dies_with_us:  # now its programs are ended one by one, below
                        with anyio.CancelScope(shield=True), contextlib.suppress(ServerUnreachable):
                            await _exit_unattached(ctl, "off")
        finally:
            with anyio.CancelScope(shield=True):
                await _end(address)


async def _exit_unattached(ctl: Controller, value: str) -> None:
    """Have the server exit with its last client, or not; it asks `exit-empty` first."""
    names = ("exit-empty", "exit-unattached")
    await ctl.link.ask(sequence(*(command("set-option", "-s", name, value) for name in names)))


async def _end(address: ServerAddress) -> None:
    """End the server and see that its processes are gone."""
    if not address.socket.exists():
        return
    pids: list[int] = []
    with contextlib.suppress(PanegateError):
        _, server, _ = await one_shot(address, "display-message", "-p", "#{pid}")
        _, panes, _ = await one_shot(address, "list-panes", "-a", "-F", "#{pane_pid}")
        pids = [int(word) for word in (server, *panes.split()) if word.isdigit()]
        await _see_gone(address, pids)


async def _see_gone(address: ServerAddress, pids: Iterable[int]) -> None:
    left = dict.fromkeys(pids, True)
    gone = anyio.Event()
    watch = ExitWatch()

    def ended(pid: int) -> None:
        left.pop(pid, None)
        if not left:
            gone.set()

    try:
        for pid in list(left):
            if not watch.watch(pid, ended):
                left.pop(pid)
        await one_shot(address, "kill-server")
        if left:
            with anyio.move_on_after(_END_WITHIN_S):
                await gone.wait()
        for pid in tuple(left):  # still watched, so still the processes that were meant
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if left:
            with anyio.move_on_after(_END_WITHIN_S):
                await gone.wait()
    finally:
        watch.close()

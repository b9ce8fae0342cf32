"""Bringing a server up, and one-shot commands: done by libtmux, off the write path.

libtmux starts one process a call, so all of it runs in worker threads, two at most.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import anyio
import anyio.to_thread
import attrs
import libtmux
from anyio.lowlevel import RunVar
from libtmux import exc as libtmux_exc

from panegate.errors import ServerUnreachable, TmuxTooOld
from panegate.runtime.address import ServerAddress, install_hint
from panegate.runtime.structure import Structure
from panegate.wire.version import Version, require

__all__ = [
    "KEEP_ALIVE",
    "OWN_CONFIG",
    "ServerFacts",
    "bring_up",
    "ensure_keep_alive",
    "one_shot",
    "read_facts",
]

KEEP_ALIVE = "panegate"
"""Name of the session that keeps our own server alive and carries the hub client."""

OWN_CONFIG = """\
set-option -s exit-empty off
set-option -s message-limit 0
set-option -s escape-time 0
set-option -g automatic-rename off
set-option -g allow-rename off
set-option -g detach-on-destroy on
set-option -g status off
set-option -g history-limit 10000
set-option -g window-style 'fg=#d0d0d0,bg=#101010'
set-option -g default-terminal tmux-256color
set-environment -gu COLUMNS
set-environment -gu LINES
"""
"""The whole configuration of our own server."""

_FACTS = "#{pid}\t#{start_time}\t#{socket_path}\t#{version}\t#{host}"
_NOT_FOUND = 127
"""What a shell returns for a command that it cannot find."""
_CLOSING = "server exited unexpectedly"
"""What tmux says where the last server on the socket is just ending."""
_STARTS = 5
"""Tries to start a server beside one that ends, which takes milliseconds; the first is counted."""
_limiter: RunVar[anyio.CapacityLimiter] = RunVar("panegate-one-shot")


@attrs.frozen(kw_only=True)
class ServerFacts:
    """A server that answered."""

    pid: int
    start_time: int
    socket: str
    version: Version
    host: str = ""
    """Name of the host it runs on."""


async def one_shot(
    address: ServerAddress, *words: str, stdin: bytes | None = None, start: bool = False
) -> tuple[int, str, str]:
    """Run one tmux command in a process of its own; return status, output and errors.

    Args:
        address: The server.
        words: The command.
        stdin: Given to the process, for ``load-buffer -``.
        start: Start the server if it is not there.

    """
    argv = address.argv(*words, start=start)

    def run() -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            argv, input=stdin, capture_output=True, check=False, env=_environment(), timeout=30
        )

    try:
        # in a thread: a cancelled caller leaves it to end by itself, and never kills a client
        done = await anyio.to_thread.run_sync(run, abandon_on_cancel=True, limiter=_get_limiter())
    except FileNotFoundError as error:
        msg = f"{argv[0]} is not installed"
        raise TmuxTooOld(msg, fix=install_hint()) from error
    except subprocess.TimeoutExpired as error:
        msg = f"the tmux server {address.words} did not answer within 30 s"
        raise ServerUnreachable(msg, fix="panegate doctor says more") from error
    out, errors = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    return done.returncode, out.rstrip("\n"), errors.strip()


async def read_facts(address: ServerAddress) -> ServerFacts | None:
    """Ask the server who it is; None when nothing answers.

    Raises:
        TmuxTooOld: It is older than 3.2a, or missing on the other host.

    """
    status, out, errors = await one_shot(address, "display-message", "-p", _FACTS)
    if status == _NOT_FOUND and address.ssh is not None:
        fix = "set PANEGATE_TMUX to its full path there: ssh gives commands a short PATH"
        raise TmuxTooOld(f"{address.tmux} is not found on {address.ssh}: {errors}", fix=fix)
    fields = re.split(r"\t|\\011", out)
    if status != 0 or len(fields) != 5 or not fields[0].isdigit():
        return None
    return ServerFacts(
        pid=int(fields[0]),
        start_time=int(fields[1] or 0),
        socket=fields[2],
        version=require(fields[3]),
        host=fields[4],
    )


async def bring_up(address: ServerAddress) -> ServerFacts:
    """Start the server with a keep-alive session if none runs, and say who it is.

    Raises:
        TmuxTooOld: tmux is missing or too old.
        ServerUnreachable: It does not come up; says why.

    """
    address.require_program()
    facts = await read_facts(address)
    if facts is None:
        if address.ssh is not None:
            await _start_remote(address)
        else:
            await anyio.to_thread.run_sync(_start, address, limiter=_get_limiter())
        facts = await read_facts(address)
    elif address.is_own:
        await ensure_keep_alive(address)
    if facts is None:
        msg = f"the tmux server {address.words} does not answer after it was started"
        raise ServerUnreachable(msg, fix="panegate doctor says more")
    return facts


def _get_limiter() -> anyio.CapacityLimiter:
    """Return this event loop's limiter: two threads, for libtmux and one-shot commands."""
    try:
        return _limiter.get()
    except LookupError:
        limiter = anyio.CapacityLimiter(2)
        _limiter.set(limiter)
        return limiter


def _environment() -> Mapping[str, str]:
    env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "TMUX_PANE")}
    env.setdefault("LC_CTYPE", "C.UTF-8")
    return env


def _start(address: ServerAddress) -> None:
    """Start a local server through libtmux."""
    handle, path = tempfile.mkstemp(prefix="panegate-", suffix=".conf")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(OWN_CONFIG)
        config = address.config_file or path
        server = libtmux.Server(
            socket_name=address.socket_name,
            socket_path=address.socket_path,
            config_file=config,
            tmux_bin=address.tmux,
        )
        words = ["-d", "-s", KEEP_ALIVE, "-x", "80", "-y", "24", "sleep", "2147483647"]
        try:
            for _ in range(_STARTS):
                done = server.cmd("new-session", *words)
                problem = " ".join(done.stderr)
                if _CLOSING not in problem:
                    break
        except libtmux_exc.LibTmuxException as error:
            msg = f"{address.tmux} cannot be run: {error}"
            raise TmuxTooOld(msg, fix=install_hint()) from error
        if done.returncode != 0 and "duplicate session" not in problem:
            msg = f"the tmux server {address.words} does not start: {problem}"
            raise ServerUnreachable(msg, fix=_start_fix(problem, address))
    finally:
        Path(path).unlink(missing_ok=True)


def _start_fix(problem: str, address: ServerAddress) -> str:
    if "unsafe permissions" in problem or "ermission denied" in problem:
        return f"the folder of {address.socket} must belong to you with mode 0700"
    if "too long" in problem:
        return "choose a shorter socket path (at most 107 bytes)"
    return "panegate doctor says more"


async def _start_remote(address: ServerAddress) -> None:
    words = ("new-session", "-d", "-s", KEEP_ALIVE, "-x", "80", "-y", "24", "sleep 2147483647")
    for _ in range(_STARTS):
        status, _, errors = await one_shot(address, *words, start=True)
        if _CLOSING not in errors:
            break
    if status != 0 and "duplicate session" not in errors:
        msg = f"the tmux server on {address.ssh} does not start: {errors}"
        raise ServerUnreachable(msg, fix="check that ssh and tmux work there by hand")


async def ensure_keep_alive(address: ServerAddress) -> None:
    """Make the keep-alive session unless it is there."""
    status, _, _ = await one_shot(address, "has-session", "-t", f"={KEEP_ALIVE}")
    if status != 0:
        words = ("-d", "-s", KEEP_ALIVE, "-x", "80", "-y", "24", "sleep", "2147483647")
        async with Structure.of(address):
            await one_shot(address, "new-session", *words)

"""A tmux server of one test's own, and what a test does when a program is missing."""

import asyncio
import contextlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

__all__ = ["PrivateServer", "ServerFailed", "require_program", "wait_gone"]

_COMMAND_WITHIN_S = 10.0
_END_WITHIN_S = 5.0
_POLITE_S = 1.0


class ServerFailed(Exception):
    """A tmux command of the private server failed; the words are tmux's."""


def require_program(name: str) -> str:
    """Return the path of *name*, or skip the test with the reason.

    ``PANEGATE_TMUX`` names the tmux to use. With ``PANEGATE_REQUIRE_ALL=1`` a missing
    program fails the test instead, so that a full run cannot pass by skipping.
    """
    wanted = (os.environ.get("PANEGATE_TMUX") or name) if name == "tmux" else name
    path = shutil.which(wanted)
    if path is not None:
        return path
    import pytest

    reason = f"needs {wanted}, which is not on this machine's PATH"
    if os.environ.get("PANEGATE_REQUIRE_ALL") == "1":
        pytest.fail(f"{reason} (PANEGATE_REQUIRE_ALL=1)")
    pytest.skip(reason)


class PrivateServer:
    """A tmux server on a socket of its own, without anybody's configuration.

    Use it as a context manager, plain or async. Whatever happens inside, at the end the
    server is gone, so are the programs in its panes, and so is its folder.

        with PrivateServer() as server:
            pane_id = server.start_program(["cat"])
            server.run("send-keys", "-t", pane_id, "hello", "Enter")
    """

    def __init__(
        self,
        *,
        tmux: str | None = None,
        env: Mapping[str, str] | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Describe a server; entering the context starts it.

        Args:
            tmux: Path of the tmux to run; default ``PANEGATE_TMUX``, then ``tmux``.
            env: Environment of the server and its programs; default this process's.
                ``TMUX`` and ``TMUX_PANE`` are taken out either way.
            options: Global options set right after the start.
        """
        self.tmux = tmux or os.environ.get("PANEGATE_TMUX") or "tmux"
        self.pid: int | None = None
        """Process id of the server, once started."""
        self._env = dict(os.environ if env is None else env)
        for name in ("TMUX", "TMUX_PANE"):
            self._env.pop(name, None)
        self._options = dict(options or {})
        self._folder: Path | None = None
        self._n_programs = 0

    @property
    def socket_path(self) -> Path:
        """The socket, for ``tmux -S``."""
        return self._existing_folder() / "tmux.sock"

    @property
    def name(self) -> str:
        """A name no other private server has."""
        return self._existing_folder().name

    @property
    def version(self) -> str:
        """The server's own version, such as ``3.3a``."""
        return self.run("display-message", "-p", "#{version}").strip()

    def command(self, *args: str) -> list[str]:
        """Return the argument vector of one tmux command on this server."""
        return [self.tmux, "-u", "-f", "/dev/null", "-S", str(self.socket_path), *args]

    @property
    def client_env(self) -> dict[str, str]:
        """Return the environment for clients of this server."""
        return dict(self._env)

    def run(self, *args: str, stdin: str | bytes = b"", check: bool = True) -> str:
        """Run one tmux command and return what it printed.

        Raises:
            ServerFailed: It failed (unless ``check=False``), or took longer than 10 s.
        """
        given = stdin.encode() if isinstance(stdin, str) else stdin
        try:
            done = subprocess.run(
                self.command(*args),
                input=given,
                capture_output=True,
                env=self._env,
                timeout=_COMMAND_WITHIN_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            msg = f"tmux {args[0] if args else ''}: {error}"
            raise ServerFailed(msg) from error
        if check and done.returncode != 0:
            msg = f"tmux {' '.join(args)}: {done.stderr.decode(errors='replace').strip()}"
            raise ServerFailed(msg)
        return done.stdout.decode(errors="replace")

    async def run_async(self, *args: str, stdin: str | bytes = b"", check: bool = True) -> str:
        """Do what `run` does without blocking the event loop."""
        return await asyncio.to_thread(self.run, *args, stdin=stdin, check=check)

    def start_program(
        self,
        argv: Sequence[str],
        *,
        name: str | None = None,
        columns: int = 80,
        rows: int = 24,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        remain_on_exit: bool = False,
    ) -> str:
        """Start *argv* in a session of its own and return its pane id.

        The program is started as an argument vector, not through a shell.
        """
        self._n_programs += 1
        session = name or f"program-{self._n_programs}"
        options = ["-x", str(columns), "-y", str(rows)]
        if cwd is not None:
            options += ["-c", os.fspath(cwd)]
        for key, value in (env or {}).items():
            options += ["-e", f"{key}={value}"]
        # One word alone would be a shell command to tmux.
        vector = list(argv) if len(argv) > 1 else ["/usr/bin/env", *argv]
        keep = [";", "set-option", "-p", "-t", f"={session}:", "remain-on-exit", "on"]
        first = ["new-session", "-d", "-P", "-F", "#{pane_id}", "-s", session, *options, "--"]
        return self.run(
            *first, *(_literal(word) for word in vector), *(keep if remain_on_exit else [])
        ).strip()

    def capture(self, pane_id: str, *options: str) -> list[str]:
        """Return the visible rows of a pane, trailing blanks removed."""
        return self.run("capture-pane", "-p", *options, "-t", pane_id).split("\n")[:-1]

    def start(self) -> Self:
        """Start the server; for use without ``with``.

        Raises:
            ServerFailed: It did not start; nothing is left behind.
        """
        self._folder = Path(tempfile.mkdtemp(prefix="panegate-tmux-"))
        try:
            chain = ["start-server", ";", "set-option", "-g", "exit-empty", "off"]
            for key, value in self._options.items():
                chain += [";", "set-option", "-g", key, _literal(value)]
            self.run(*chain, ";", "display-message", "-p", "")
            self.pid = int(self.run("display-message", "-p", "#{pid}"))
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End the server and its programs and remove its folder; a second call does nothing."""
        folder = self._folder
        if folder is None:
            return
        panes: list[int] = []
        with contextlib.suppress(ServerFailed):
            if self.pid is not None:
                _signal(self.pid, signal.SIGCONT)  # a stopped server can not be told to end
            panes = self._pane_pids()
            self.run("kill-server", check=False)
        _end([self.pid] if self.pid is not None else [])
        _end(panes)
        self.pid, self._folder = None, None
        shutil.rmtree(folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        starting = asyncio.ensure_future(asyncio.to_thread(self.start))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            with contextlib.suppress(ServerFailed):
                await starting
            await asyncio.to_thread(self.stop)
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.shield(asyncio.to_thread(self.stop))

    def _existing_folder(self) -> Path:
        if self._folder is None:
            msg = "this private server is not running"
            raise ServerFailed(msg)
        return self._folder

    def _pane_pids(self) -> list[int]:
        found = self.run("list-panes", "-a", "-F", "#{pane_pid} #{pane_dead}", check=False)
        rows = (row.partition(" ") for row in found.splitlines())
        return [int(pid) for pid, _, dead in rows if pid.isdigit() and dead != "1"]


def _literal(word: str) -> str:
    """Keep tmux from reading a ``;`` at a word's end as its command separator."""
    return f"{word[:-1]}\\;" if word.endswith(";") else word


def _end(pids: Sequence[int]) -> None:
    """Wait for processes to end, and end those that do not by themselves."""
    polite_until_s = time.monotonic() + _POLITE_S
    for pid in pids:
        if not wait_gone(pid, polite_until_s - time.monotonic()):
            _signal(pid, signal.SIGKILL)
            wait_gone(pid, _END_WITHIN_S)


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def wait_gone(pid: int, within_s: float) -> bool:
    """Tell whether a process, which need not be a child of ours, ended within *within_s*."""
    within_s = max(0.0, within_s)
    if hasattr(os, "pidfd_open"):
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            return True
        try:
            return bool(select.select([fd], [], [], within_s)[0])
        finally:
            os.close(fd)
    return _wait_gone_kqueue(pid, within_s)


def _wait_gone_kqueue(pid: int, within_s: float) -> bool:
    queue = select.kqueue()  # type: ignore[attr-defined,unused-ignore]
    try:
        event = select.kevent(  # type: ignore[attr-defined,unused-ignore]
            pid,
            select.KQ_FILTER_PROC,  # type: ignore[attr-defined,unused-ignore]
            select.KQ_EV_ADD,  # type: ignore[attr-defined,unused-ignore]
            select.KQ_NOTE_EXIT,  # type: ignore[attr-defined,unused-ignore]
        )
        return bool(queue.control([event], 1, within_s))
    except ProcessLookupError:
        return True
    finally:
        queue.close()

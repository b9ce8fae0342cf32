"""Command lines run as people run them, on a private server."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import io
import json
import os
import pty
import queue
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from panegate.cli.app import invoke
from panegate.cli.serve import served
from panegate.service.local.server import LocalServer
from panegate.testing.servers import PrivateServer, require_program

WITHIN_S = 60.0
BOTH_WAYS = pytest.mark.parametrize("way", ["alone", "served"], indirect=True)
"""For what must be the same by a controller of its own and through a running service."""


@attrs.frozen
class Done:
    """What a command line did."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one document on standard output."""
        (found,) = self.documents
        return found

    @property
    def documents(self) -> list[dict[str, Any]]:
        """All documents on standard output, one a line, and nothing else."""
        return [json.loads(line) for line in self.out.splitlines()]


@attrs.frozen
class Cli:
    """Runs ``panegate`` with a server's ``-S``, named behind the command's name."""

    where: tuple[str, ...] = ()

    def __call__(self, *words: str, stdin: str = "") -> Done:
        """Run a command to its end, in this process."""
        name, *rest = words
        out, err = io.StringIO(), io.StringIO()
        kept, sys.stdin = sys.stdin, io.StringIO(stdin)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = invoke([name, *self.where, *rest])
        finally:
            sys.stdin = kept
        return Done(status, out.getvalue(), err.getvalue())

    def json(self, *words: str, stdin: str = "") -> Done:
        """Run a command with ``--json``."""
        name, *rest = words
        return self(name, "--json", *rest, stdin=stdin)

    def argv(self, *words: str) -> list[str]:
        """Return the command line for a process of its own."""
        name, *rest = words
        return [sys.executable, "-P", "-m", "panegate", name, *self.where, *rest]


def end(process: subprocess.Popen[str], number: signal.Signals | None = signal.SIGINT) -> Done:
    """Send a signal (None: nothing) and wait for the end."""
    if number is not None:
        process.send_signal(number)
    out, err = process.communicate(timeout=WITHIN_S)
    return Done(process.returncode, out, err)


class Watched:
    """A terminal that a person looks at, for standard error or output."""

    def __init__(self) -> None:
        self._ours, self.theirs = pty.openpty()
        self.text = ""

    def wait_for(self, words: str) -> None:
        """Return when *words* have been shown since the last wait."""
        until_s = time.monotonic() + WITHIN_S
        while words not in self.text:
            ready = select.select([self._ours], [], [], max(0.0, until_s - time.monotonic()))[0]
            assert ready, f"{words!r} was not shown; shown: {self.text!r}"
            self.text += os.read(self._ours, 65536).decode("utf-8", "replace")
        self.text = self.text.partition(words)[2]

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._ours)
        os.close(self.theirs)


@pytest.fixture(autouse=True)
def nobodys_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> Iterator[None]:
    """No settings, profiles, journal and service of the user who runs the tests."""
    monkeypatch.setenv("PANEGATE_CONFIG", str(tmp_path / "settings.toml"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("TMUX", "TMUX_PANE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with tempfile.TemporaryDirectory(prefix="pg-") as short:  # a socket's path is limited
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        yield


@pytest.fixture
def server() -> Iterator[PrivateServer]:
    """A server that somebody uses already: a session ``base`` with a ``cat``."""
    require_program("tmux")
    with PrivateServer() as started:
        started.start_program(["cat"], name="base")
        yield started


@pytest.fixture
def way(request: pytest.FixtureRequest) -> str:
    """How commands work: ``alone``, or through a service (``served``); see `BOTH_WAYS`."""
    return str(getattr(request, "param", "alone"))


@pytest.fixture
def cli(server: PrivateServer, way: str) -> Iterator[Cli]:
    """The command line, on that server."""
    with running_service(server) if way == "served" else contextlib.nullcontext():
        yield Cli(where=("-S", str(server.socket_path)))


@contextlib.contextmanager
def running_service(server: PrivateServer) -> Iterator[LocalServer]:
    """Run a service for *server* in a thread of its own, with a loop of its own."""
    started: queue.Queue[tuple[asyncio.AbstractEventLoop, asyncio.Event, LocalServer]]
    started = queue.Queue()

    async def serve() -> None:
        end = asyncio.Event()
        named = {"socket_name": None, "socket_path": str(server.socket_path), "ssh": None}
        async with served(named) as (_, service):
            started.put((asyncio.get_running_loop(), end, service))
            await end.wait()

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        done = pool.submit(asyncio.run, serve())
        done.add_done_callback(lambda _: started.put(None))  # type: ignore[arg-type]
        found = started.get(timeout=WITHIN_S)
        if found is None:
            done.result()
        loop, end, service = found
        try:
            yield service
        finally:
            loop.call_soon_threadsafe(end.set)
            done.result(WITHIN_S)


@pytest.fixture
def bare() -> Cli:
    """The command line, naming no server."""
    return Cli()


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start command lines in processes of their own; all of them end with the test."""
    running: list[subprocess.Popen[str]] = []
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}

    def begin(
        argv: list[str],
        *,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
        **variables: str,
    ) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            argv,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            text=True,
            env={**env, **variables},
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        if process.poll() is None:
            process.kill()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        process.wait()

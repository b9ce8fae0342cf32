"""A small synchronous control client, for tests against a real tmux."""

import contextlib
import itertools
import os
import select
import subprocess
import time
from collections.abc import Callable, Iterator

import pytest

from panegate.testing.servers import PrivateServer
from panegate.wire.commands import command
from panegate.wire.connection import Connection
from panegate.wire.events import Event, Output, Reply
from panegate.wire.payload import unescape
from panegate.wire.states import ConnectionState
from panegate.wire.version import Version

WITHIN_S = 20.0


class ControlClient:
    """Feeds a `Connection` from a ``tmux -C`` process; every wait has a limit."""

    def __init__(self, server: PrivateServer, session: str) -> None:
        self.connection = Connection()
        self.events: list[Event] = []
        self._nonces = (b"NONCE%d" % n for n in itertools.count(1))
        argv = server.command("-N", "-C", "attach-session", "-E", "-f", "ignore-size")
        self._process = subprocess.Popen(
            [*argv, "-t", f"={session}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=server.client_env,
        )
        self.read_until(lambda: self.connection.state is not ConnectionState.ATTACHING)
        self.read_until(lambda: self.connection.state is not ConnectionState.JOINING)
        assert self.connection.state is ConnectionState.ATTACHED, self.events
        self.version = Version.parse(server.version)

    def read_until(self, done: Callable[[], bool]) -> None:
        until_s = time.monotonic() + WITHIN_S
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        while not done():
            readable, _, _ = select.select([descriptor], [], [], until_s - time.monotonic())
            assert readable, f"nothing came in {WITHIN_S} s; last: {self.events[-5:]!r:.2000}"
            chunk = os.read(descriptor, 65536)
            assert chunk, f"the stream ended; last: {self.events[-5:]!r:.2000}"
            self.events += self.connection.receive_data(chunk)

    def send(self, *lines: bytes, rows_are_data: bool = True) -> int:
        request_id, written = self.connection.request(
            lines, nonce=next(self._nonces), rows_are_data=rows_are_data
        )
        assert self._process.stdin is not None
        self._process.stdin.write(written)
        self._process.stdin.flush()
        return request_id

    def reply(self, request_id: int) -> Reply:
        def found() -> list[Reply]:
            return [e for e in self.events if isinstance(e, Reply) and e.request_id == request_id]

        self.read_until(lambda: bool(found()))
        return found()[0]

    def ask(self, *lines: bytes, rows_are_data: bool = True) -> Reply:
        return self.reply(self.send(*lines, rows_are_data=rows_are_data))

    def output(self, pane_id: str) -> bytes:
        payloads = (e.payload for e in self.events if isinstance(e, Output) if e.pane_id == pane_id)
        return unescape(b"".join(payloads))

    def read_until_dead(self, pane_id: str) -> None:
        """Ask until the pane's exit status is known: no event tells that.

        tmux 3.3a misses the end of a child now and then; the end of another child, here of
        an empty job, makes it look again.
        """
        until_s = time.monotonic() + WITHIN_S
        question = command("display-message", "-p", "-t", pane_id, "#{pane_dead_status}")
        while self.ask(question).blocks[0].lines == (b"",):
            assert time.monotonic() < until_s, f"{pane_id} lives on"
            self.ask(command("run-shell", "-b", "true"))

    def stop(self) -> None:
        """Leave as a control client must: close stdin, read to the end, then wait."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            while os.read(self._process.stdout.fileno(), 65536):
                pass
        finally:
            self._process.stdout.close()
            self._process.wait(WITHIN_S)


@pytest.fixture
def attach(tmux_server: PrivateServer) -> Iterator[Callable[[str], ControlClient]]:
    """Attach control clients to sessions of this test's server."""
    clients: list[ControlClient] = []

    def attach_to(session: str) -> ControlClient:
        clients.append(ControlClient(tmux_server, session))
        return clients[-1]

    yield attach_to
    for client in clients:
        client.stop()


@pytest.fixture(params=["3.2a", "3.3a", "3.4", "3.5a", "3.6b", "3.7c", "master"])
def transcript_version(request: pytest.FixtureRequest) -> str:
    """Every version there are transcripts of."""
    version: str = request.param
    return version

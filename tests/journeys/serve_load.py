"""Many writes through one service: what became of each, and what it costs in memory.

Fifty shells, five clients that all listen to every event. Three read and write; two read
nothing until the end, and must then be told how many events they lost. What each shell was
told is read from a file that it writes itself.

By hand, with the repository's root, ``controller`` and ``transports`` on the path::

    python -m tests.journeys.serve_load --writes 20000
"""

import argparse
import asyncio
import contextlib
import os
import re
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import attrs

from panegate.runtime.address import ServerAddress
from panegate.service.local.client import LocalClient, connected
from panegate.service.local.endpoint import socket_path
from panegate.service.local.messages import (
    MAX_REPLY_BYTES,
    LineBuffer,
    Note,
    Reply,
    Request,
    decode_message,
    encode,
)
from panegate.testing.servers import PrivateServer

__all__ = ["Load", "Service", "SlowReader", "carry", "running"]

_WRITERS, _SLOW = 3, 2
_READY_WITHIN_S = 60.0
_BUFFER = 500


@attrs.frozen
class Service:
    """A service in a process of its own."""

    process: asyncio.subprocess.Process
    path: Path

    @property
    def pid(self) -> int:
        """Of the service."""
        return self.process.pid

    def memory_mb(self) -> float:
        """Memory that it has resident now."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        found = re.search(r"^VmRSS:\s+(\d+) kB", text, re.M)
        return int(found[1]) / 1024 if found else 0.0

    async def wait_for(self, words: str) -> None:
        """Wait until it has said *words*."""
        assert self.process.stdout is not None
        async with asyncio.timeout(_READY_WITHIN_S):
            while line := await self.process.stdout.readline():
                if words in line.decode():
                    return
        raise AssertionError(f"the service ended before it said {words!r}")


@contextlib.asynccontextmanager
async def running(
    server: PrivateServer, folder: Path, *options: str, **variables: str
) -> AsyncIterator[Service]:
    """Run ``panegate serve`` for *server*, its files in *folder*, and end it."""
    os.chmod(folder, 0o700)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    env |= {"XDG_RUNTIME_DIR": str(folder), "XDG_STATE_HOME": str(folder / "state")}
    env |= {"XDG_CONFIG_HOME": str(folder / "config"), **variables}
    env |= {"PANEGATE_CONFIG": str(folder / "settings.toml")}
    for name in ("TMUX", "TMUX_PANE"):
        env.pop(name, None)
    where = ("-S", str(server.socket_path))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "panegate", "serve", *where, *options),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=env,
    )
    address = ServerAddress(socket_name=None, socket_path=str(server.socket_path))
    service = Service(process, socket_path(address, folder / "panegate"))
    try:
        await service.wait_for("serving")
        yield service
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@attrs.define
class SlowReader:
    """A client that listens to everything and reads nothing until it is told to."""

    path: Path
    _socket: socket.socket = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.connect(str(self.path))
        params = {"every": True, "maxsize": _BUFFER}
        self._socket.sendall(encode(Request(id=1, method="events", params=params)))

    def read_all(self) -> tuple[int, int, int]:
        """Read what there is; return how many events came, were lost, and there were in all."""
        lines, seen, lost, last_seq = LineBuffer(MAX_REPLY_BYTES), 0, 0, 0
        self._socket.settimeout(_READY_WITHIN_S)
        self._socket.sendall(encode(Request(id=3, method="statistics")))
        until, since = None, 0
        while True:
            for line in lines.feed(self._socket.recv(1 << 20)):
                assert line is not None
                message = decode_message(line)
                if isinstance(message, Reply) and message.id == 3:
                    until = int(message.result["events"])
                elif isinstance(message, Reply):
                    since = int(message.result["seq"])
                elif isinstance(message, Note):
                    dropped = message.event["event"] == "Dropped"
                    lost += int(message.event["count"]) if dropped else 0
                    seen += not dropped and message.event["seq"] > 0
                    last_seq = max(last_seq, int(message.event["seq"]))
            if until is not None and last_seq >= until:
                return seen, lost, last_seq - since

    def close(self) -> None:
        """Go away."""
        self._socket.close()


@attrs.define(kw_only=True)
class Load:
    """What became of it."""

    n_writes: int
    n_panes: int
    fates: Counter[str] = attrs.field(factory=Counter)
    problems: list[str] = attrs.field(factory=list)
    memory_mb: list[float] = attrs.field(factory=list)
    """At the start of the writes, after each quarter of them, and at the end."""
    slow: list[tuple[int, int, int]] = attrs.field(factory=list)
    """Events that each slow reader saw, lost, and that there were since it came."""
    heard: list[int] = attrs.field(factory=list)
    """Events that each other client saw."""
    statistics: dict[str, Any] = attrs.field(factory=dict)
    took_s: float = 0.0

    @property
    def words(self) -> str:
        """All of it in a few lines."""
        rate = self.n_writes / self.took_s if self.took_s else 0.0
        return "\n".join(
            [
                f"{self.n_writes} writes, {self.n_panes} panes: {dict(self.fates)},"
                f" {rate:.0f} a second",
                f"memory MB {[round(m, 1) for m in self.memory_mb]}",
                f"slow readers (seen, lost, of) {self.slow}; others heard {self.heard}",
                f"service counts {self.statistics.get('writes')}",
                *self.problems[:20],
            ]
        )


async def carry(*, n_writes: int, n_panes: int) -> Load:
    """Have all writes carried out and compare what is said of them with what the shells got."""
    load = Load(n_writes=n_writes, n_panes=n_panes)
    with (
        PrivateServer() as server,
        tempfile.TemporaryDirectory(prefix="pg-") as name,
    ):
        server.start_program(["cat"], name="base")
        folder = Path(name)
        async with running(server, folder) as service, contextlib.AsyncExitStack() as stack:
            clients: list[LocalClient] = []
            for _ in range(_WRITERS):
                client = await stack.enter_async_context(connected(service.path))
                assert client is not None
                clients.append(client)
            panes = await _launch(clients[0], n_panes, folder)
            slow = [SlowReader(service.path) for _ in range(_SLOW)]
            for client in clients:
                await _listen(client, load)
            await _write(load, service, clients, panes)
            load.statistics = await clients[0].request("statistics")
            for reader in slow:
                load.slow.append(await asyncio.to_thread(reader.read_all))
                reader.close()
            load.memory_mb.append(service.memory_mb())
        _compare(load, folder, panes)
    return load


async def _launch(client: LocalClient, n_panes: int, folder: Path) -> list[str]:
    argv = ["bash", "--norc", "--noprofile"]
    env = {"PATH": os.environ["PATH"], "HISTFILE": "", "TERM": "tmux-256color"}
    limit = asyncio.Semaphore(4)

    async def one(number: int) -> str:
        async with limit:
            name = f"w{number}"
            options = {"profile": "bash", "cwd": str(folder), "env": env, "within_s": 60.0}
            await client.request("launch", argv=argv, name=name, **options)
            return name

    return list(await asyncio.gather(*(one(number) for number in range(n_panes))))


async def _listen(client: LocalClient, load: Load) -> None:
    place = len(load.heard)
    load.heard.append(0)

    def heard(note: Note) -> None:
        load.heard[place] += note.event["seq"] > 0

    client.on_note = heard
    await client.request("events", every=True, maxsize=100_000)


async def _write(
    load: Load, service: Service, clients: list[LocalClient], panes: list[str]
) -> None:
    began_s = time.monotonic()
    load.memory_mb.append(service.memory_mb())
    done = 0

    async def talk(number: int, pane: str) -> None:
        nonlocal done
        client = clients[number % len(clients)]
        for count in range(load.n_writes // len(panes)):
            text = f"echo {count} >>{pane}.record"
            receipt = await client.request("send", pane=pane, text=text, within_s=60.0)
            load.fates[receipt["fate"]] += 1
            done += 1
            if done % max(1, load.n_writes // 4) == 0:
                load.memory_mb.append(service.memory_mb())

    results = await asyncio.gather(
        *(talk(number, pane) for number, pane in enumerate(panes)), return_exceptions=True
    )
    load.problems += [f"{type(r).__name__}: {r}" for r in results if isinstance(r, BaseException)]
    load.took_s = time.monotonic() - began_s


def _compare(load: Load, folder: Path, panes: list[str]) -> None:
    wanted = [str(count) for count in range(load.n_writes // load.n_panes)]
    for pane in panes:
        found = (folder / f"{pane}.record").read_text().split()
        if found != wanted:
            load.problems.append(f"{pane} was told {len(found)} of {len(wanted)} lines")


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--writes", type=int, default=20_000)
    parser.add_argument("--panes", type=int, default=50)
    given = parser.parse_args()
    load = asyncio.run(carry(n_writes=given.writes, n_panes=given.panes))
    print(load.words)
    sys.exit(1 if load.problems else 0)


if __name__ == "__main__":
    _main()

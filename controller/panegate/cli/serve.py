"""The standalone controller: one process that all commands and other programs go through."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Final

import anyio
import attrs
import click

from panegate.cli.command_line import CommandLine, command
from panegate.cli.exits import Exit
from panegate.cli.opening import service_address
from panegate.cli.serving import ServedController, ServingHost
from panegate.errors import PanegateError, ServerUnreachable
from panegate.runtime.logs import get_logger
from panegate.service.local.client import connected
from panegate.service.local.dispatch import Dispatcher
from panegate.service.local.endpoint import held_lock, prepare_folder, socket_path
from panegate.service.local.notify import Notifier
from panegate.service.local.server import LocalServer
from panegate.service.log import configure_logging
from panegate.service.opening import address_of
from panegate.service.settings import config_file, load_settings

__all__ = ["serve", "served"]

_STOPS: Final = (signal.SIGTERM, signal.SIGINT)
_log = get_logger()


@command("serve")
@click.option(
    "--watch",
    type=click.Choice(["launched", "server"]),
    help="Panes to watch: what panegate launched and adopted, or all. Default: all of"
    " panegate's own server, else launched.",
)
@click.option("--status", is_flag=True, help="Say whether one runs, is ready, and its counts.")
def serve(line: CommandLine, watch: str | None, status: bool) -> int:
    """Run the controller that the other commands go through.

    It runs until SIGTERM or Ctrl-C; programs in panes live on. SIGHUP reads the settings
    again. `panegate unit` prints a unit file for systemd.
    """
    return line.run(_status(line) if status else _serve(line, watch))


@contextlib.asynccontextmanager
async def served(
    named: Mapping[str, Any], *, watch: str | None = None
) -> AsyncIterator[tuple[ServedController, LocalServer]]:
    """Serve a tmux server for as long as the block lasts; its end waits for writes in hand.

    Args:
        named: The options of `Controller.open` that name the tmux server.
        watch: As for `Controller.open`; None: all of panegate's own server, else launched.

    """
    address = address_of(named["socket_name"], named["socket_path"], None, named["ssh"])
    path = socket_path(address)
    prepare_folder(path)
    with held_lock(path.with_suffix(".lock")):
        async with ServedController.open(
            **named, watch=watch or ("server" if address.is_own else "launched"), exclusive=True
        ) as ctl:
            assert isinstance(ctl, ServedController)
            await ctl.adopt_all(every=False)
            server = LocalServer(dispatcher=Dispatcher(host=ServingHost(ctl=ctl)), path=path)
            async with anyio.create_task_group() as group:
                await group.start(server.run)
                try:
                    yield ctl, server
                finally:
                    server.stop()


async def _serve(line: CommandLine, watch: str | None) -> int:
    address = service_address(line)
    configure_logging(level="debug" if line.verbose else "info", json=line.json)
    notifier = Notifier.taken_from()
    async with served(line.server, watch=watch) as (ctl, server):
        service = _Service(line=line, ctl=ctl, server=server, notifier=notifier)
        with service.signals():
            service.say_ready()
            await service.stopped.wait()
            notifier.stopping("ends; programs live on")
            _log.info("service.stopping", server=address.words)
    line.note("The service has ended; programs in panes live on.")
    return Exit.DONE


@attrs.define(kw_only=True, eq=False)
class _Service:
    """What signals do."""

    line: CommandLine
    ctl: ServedController
    server: LocalServer
    notifier: Notifier
    stopped: anyio.Event = attrs.field(factory=anyio.Event, init=False)

    def say_ready(self) -> None:
        words = f"{self.ctl.address.words}, {len(self.ctl.panes)} panes"
        self.notifier.ready(words)
        _log.info("service.ready", server=self.ctl.address.words, path=str(self.server.path))
        document = {"serving": {"path": str(self.server.path), "pid": os.getpid()}}
        self.line.say(document, f"serving {words} at {self.server.path}")

    @contextlib.contextmanager
    def signals(self) -> Iterator[None]:
        """Let SIGTERM and SIGINT end the service in order, and SIGHUP read the settings."""
        loop = asyncio.get_running_loop()
        kept = {number: signal.getsignal(number) for number in (*_STOPS, signal.SIGHUP)}
        task = asyncio.current_task()
        assert task is not None

        def stop() -> None:
            if self.stopped.is_set():
                task.cancel()  # the second one does not wait for writes in hand
            self.stopped.set()

        for number in _STOPS:
            loop.add_signal_handler(number, stop)
        loop.add_signal_handler(signal.SIGHUP, self.reload)
        try:
            yield
        finally:
            for number, handler in kept.items():
                loop.remove_signal_handler(number)
                signal.signal(number, handler)

    def reload(self) -> None:
        """Read the settings again; wrong ones change nothing."""
        self.notifier.reloading()
        try:
            self.ctl.settings = load_settings()
        except PanegateError as error:
            _log.error("settings.rejected", path=str(config_file()), words=str(error))
            self.notifier.ready(f"settings are wrong, the old ones stay: {error}")
            return
        _log.info("settings.loaded", path=str(config_file()))
        self.notifier.ready(f"{self.ctl.address.words}, {len(self.ctl.panes)} panes")


async def _status(line: CommandLine) -> int:
    path = socket_path(service_address(line))
    async with connected(path) as client:
        if client is None:
            raise ServerUnreachable(
                f"no service runs for {service_address(line).words}",
                fix=f"start one: panegate serve {line.server_words}".rstrip(),
            )
        found: dict[str, Any] = {"path": str(path)}
        for method in ("hello", "health", "ready", "statistics"):
            found[method] = await client.request(method)
    ready = found["ready"]["ready"]
    line.say({"service": found}, _words(found))
    return Exit.DONE if ready else Exit.FAILED


def _words(found: dict[str, Any]) -> str:
    ready, counts = found["ready"], found["statistics"]
    lines = [
        f"{found['hello']['server']}: "
        + ("ready" if ready["ready"] else "not ready: " + "; ".join(ready["problems"])),
        f"  socket   {found['path']}",
        f"  running  {found['health']['uptime_s']:.0f} s",
        f"  panes    {counts['panes']}" + _counted(counts["states"]),
        f"  writes   {sum(n for key, n in counts['writes'].items() if ':' not in key)}"
        + _counted({key: n for key, n in counts["writes"].items() if ":" in key}),
        f"  clients  {counts['service']['clients']}, events"
        f" {counts['service']['events_sent']}, dropped {counts['service']['events_dropped']}",
    ]
    return "\n".join(lines)


def _counted(counts: dict[str, int]) -> str:
    said = ", ".join(f"{key} {n}" for key, n in sorted(counts.items()))
    return f" ({said})" if said else ""

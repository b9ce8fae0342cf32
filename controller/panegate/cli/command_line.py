"""What every command shares: the common options, printing, and running until done."""

import asyncio
import contextlib
import shlex
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NoReturn, TypeVar

import attrs
import click

from panegate.cli.exits import Exit
from panegate.cli.quantities import seconds

__all__ = ["CommandLine", "Interrupted", "command", "common_options", "within_option"]

_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., Any])


class Interrupted(Exception):
    """A signal ended the command; everything is put away already.

    Attributes:
        status: The exit status.

    """

    def __init__(self, status: Exit) -> None:
        super().__init__("interrupted")
        self.status = status


@attrs.define
class CommandLine:
    """The common options of one command line."""

    json: bool = False
    socket_name: str | None = None
    socket_path: str | None = None
    ssh: str | None = None
    verbose: bool = False
    said: bool = attrs.field(default=False, init=False)
    """A document or words were printed."""

    @property
    def server(self) -> dict[str, Any]:
        """The options of `panegate.Controller.open` that name the server.

        Raises:
            click.UsageError: It is named twice.

        """
        if self.socket_name is not None and self.socket_path is not None:
            raise click.UsageError("name the tmux server once: by -L or by -S")
        if self.ssh is not None and (not self.ssh or self.ssh.startswith("-")):
            raise click.UsageError(f"--ssh names a host, not {self.ssh!r}")
        if self.socket_name is not None:
            from panegate.runtime.address import ServerAddress  # only where one is named

            try:
                ServerAddress(socket_name=self.socket_name)
            except ValueError as error:
                raise click.UsageError(str(error)) from error
        return {
            "socket_name": self.socket_name,
            "socket_path": self.socket_path,
            "ssh": self.ssh,
        }

    @property
    def server_words(self) -> str:
        """The same options as they are typed, with a blank behind; "" for the default."""
        named = (("-L", self.socket_name), ("-S", self.socket_path), ("--ssh", self.ssh))
        return "".join(f"{flag} {shlex.quote(value)} " for flag, value in named if value)

    def say(self, document: Mapping[str, Any], words: str) -> None:
        """Print a document or, to people, words; "" prints nothing."""
        self.said = True
        if self.json:
            from panegate.cli.documents import dumps  # only when there is one to print

            click.echo(dumps(document))
        elif words:
            click.echo(words)

    def note(self, words: str) -> None:
        """Tell a person something beside the output, on standard error."""
        if words:
            click.echo(words, err=True)

    @property
    def is_live(self) -> bool:
        """A person watches standard error: a line that changes makes sense there."""
        return not self.json and sys.stderr.isatty()

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Run *work* to its end, or until a signal; what it holds is put away either way.

        Raises:
            Interrupted: By SIGINT, SIGTERM or SIGHUP.

        """
        from panegate.service.log import configure_logging

        configure_logging(level="debug" if self.verbose else "warning", json=self.json)
        try:
            with asyncio.Runner() as runner:
                return runner.run(_until_signal(work))
        except KeyboardInterrupt:
            raise Interrupted(Exit.INTERRUPTED) from None
        except BaseExceptionGroup as group:
            _raise_single(group)


async def _until_signal(work: Coroutine[Any, Any, _T]) -> _T:
    """Let SIGTERM and SIGHUP end *work* as SIGINT does, by cancelling it."""
    task = asyncio.current_task()
    assert task is not None
    loop = asyncio.get_running_loop()
    came: list[int] = []

    def end(number: int) -> None:
        came.append(number)
        task.cancel()

    for number in (signal.SIGTERM, signal.SIGHUP):
        with contextlib.suppress(ValueError, RuntimeError):  # not in the main thread
            loop.add_signal_handler(number, end, number)
    try:
        return await work
    except asyncio.CancelledError:
        if came:
            raise Interrupted(Exit.TERMINATED) from None
        raise


def _raise_single(group: BaseExceptionGroup[BaseException]) -> NoReturn:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    raise error from None


def _keep(ctx: click.Context, param: click.Parameter, value: object) -> None:
    if value not in (None, False):
        setattr(ctx.ensure_object(CommandLine), str(param.name), value)


def common_options(function: _F) -> _F:
    """Add the options that every command has."""
    hidden: dict[str, Any] = {"expose_value": False, "callback": _keep}
    for option in (
        click.option(
            "-v", "--verbose", is_flag=True, help="Log lines on standard error.", **hidden
        ),
        click.option("--json", is_flag=True, help="JSON on standard output.", **hidden),
        click.option("--ssh", metavar="HOST", help="Host of the tmux server.", **hidden),
        click.option("-S", "--socket-path", metavar="PATH", help="As tmux's -S.", **hidden),
        click.option("-L", "--socket-name", metavar="NAME", help="As tmux's -L.", **hidden),
    ):
        function = option(function)
    return function


def command(name: str) -> Callable[[Callable[..., int | None]], click.Command]:
    """Make a command of a function that takes a `CommandLine` and returns an exit status."""

    def make(function: Callable[..., int | None]) -> click.Command:
        passed = click.make_pass_decorator(CommandLine, ensure=True)(function)
        made: click.Command = click.command(name)(common_options(passed))
        return made

    return make


def within_option(words: str) -> Callable[[_F], _F]:
    """Add ``--within S``, seconds."""
    return click.option("--within", "within_s", callback=seconds, metavar="S", help=words)

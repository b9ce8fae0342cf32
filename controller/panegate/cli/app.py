"""The click application: commands are imported when they are run."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from panegate import __version__
from panegate.cli.command_line import CommandLine, Interrupted, common_options
from panegate.cli.exits import Exit, exit_of
from panegate.cli.table import COMMANDS, help_text
from panegate.cli.texts import check_arguments
from panegate.errors import PanegateError

__all__ = ["app", "invoke"]


class _Lazy(click.Group):
    """Finds commands by the table and imports only the one that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [entry.name for entry in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = next((e for e in COMMANDS if e.name == cmd_name), None)
        if entry is None:
            return None
        found = getattr(import_module(f"panegate.cli.{entry.module}"), entry.name)
        assert isinstance(found, click.Command)
        return found

    def get_help(self, ctx: click.Context) -> str:
        return help_text().rstrip("\n")

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # What is still buffered goes nowhere, without a second error at the exit.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
            raise click.exceptions.Exit(Exit.PIPE_CLOSED) from None


@click.group("panegate", cls=_Lazy, no_args_is_help=True)
@click.version_option(__version__, prog_name="panegate", message="%(prog)s %(version)s")
@common_options
def app() -> None:
    """Drive interactive programs in tmux panes."""


def invoke(argv: Sequence[str]) -> int:
    """Run one command line through click and return its exit status."""
    args = list(argv)
    options = args[: args.index("--")] if "--" in args else args
    line = CommandLine(json="--json" in options)
    try:
        check_arguments(args)
        status = app.main(args=args, prog_name="panegate", standalone_mode=False, obj=line)
    except click.ClickException as error:
        return _say_usage(line, error)
    except (click.Abort, KeyboardInterrupt):
        return _say_interrupted(line, Exit.INTERRUPTED)
    except Interrupted as error:
        return _say_interrupted(line, error.status)
    except PanegateError as error:
        from panegate.cli.documents import error_document  # completion needs none of it
        from panegate.cli.words import at_server, error_words

        error.fix = at_server(error.fix, line.server_words)
        line.say(error_document(error), "")
        if not line.json:
            line.note(error_words(error, server=line.server_words))
        return exit_of(error)
    return int(status or 0)


def _say_usage(line: CommandLine, error: click.ClickException) -> int:
    if not line.json:
        error.show()
        return error.exit_code
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "panegate"
    fix = f"{path} --help lists what it takes"
    said = {"code": "usage", "message": error.format_message(), "fix": fix}
    line.say({"error": said}, "")
    return error.exit_code


def _say_interrupted(line: CommandLine, status: Exit) -> int:
    if line.json and not line.said:
        line.say({"error": {"code": "interrupted", "message": "ended by a signal", "fix": ""}}, "")
    return status

"""Programs started, taken over, listed and ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click

from panegate.cli.command_line import CommandLine, command, within_option
from panegate.cli.completing import pane_argument
from panegate.cli.documents import pane_document
from panegate.cli.exits import Exit
from panegate.cli.opening import adopted, end_program, opened, settled
from panegate.cli.quantities import pane_size
from panegate.cli.remembering import known_profile, profile_reference
from panegate.cli.remote import AnyPane
from panegate.cli.status_line import waiting
from panegate.cli.stored import Stored
from panegate.cli.words import columns, pane_words, state_words
from panegate.runtime.bringup import KEEP_ALIVE
from panegate.terms import State

__all__ = ["adopt", "close", "launch", "ls", "pane_table", "variables"]

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_+-]{0,63}\Z")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def variables(
    _ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    """Return ``NAME=VALUE`` options as a mapping.

    Raises:
        click.BadParameter: One has another form.

    """
    found: dict[str, str] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not _VARIABLE.match(name):
            raise click.BadParameter(f"{item!r} is not NAME=VALUE")
        found[name] = value
    return found


def _name(_ctx: click.Context, _param: click.Parameter, given: str | None) -> str | None:
    if given is not None and (not _NAME.match(given) or given == KEEP_ALIVE):
        words = "letters, digits, _, and behind the first + and -; at most 64"
        kept = "; panegate keeps that one for itself" if given == KEEP_ALIVE else f" ({words})"
        raise click.BadParameter(f"{given!r} is not a usable name{kept}")
    return given


def _about_program(function: Any) -> Any:
    """Add the options that say what kind of program a pane holds."""
    for option in (
        click.option(
            "--trust",
            type=click.Choice(["timing"]),
            help="Take a quiet screen for ready; receipts say so.",
        ),
        click.option("--reads-lines", is_flag=True, help="It reads whole lines."),
        click.option("--composer", metavar="GLYPH", help="Prompt sign of its input row."),
        click.option("--where", metavar="LINK", help="Your own link for a person who is needed."),
        click.option("--profile", metavar="P", help="Name or file; by default by its command."),
    ):
        function = option(function)
    return function


@command("launch")
@_about_program
@click.option(
    "--name", metavar="N", callback=_name, help="Name of its session; by default made from CMD."
)
@click.option("--cwd", metavar="D", type=click.Path(), help="Its folder; by default this one.")
@click.option("--env", metavar="K=V", multiple=True, callback=variables, help="A variable.")
@click.option(
    "--inherit-env/--no-inherit-env",
    default=None,
    help="Pass all (or none) of the environment; by default PATH, HOME, LANG and the like.",
)
@click.option("--size", metavar="CxR", callback=pane_size, help="Columns and rows.")
@click.option("--retain/--no-retain", default=None, help="Keep the pane when it has ended.")
@click.option("--no-wait", is_flag=True, help="Return at once, whatever state it is in.")
@within_option("How long it may take to be ready; default: the settings'.")
@click.argument("argv", metavar="-- CMD...", nargs=-1, required=True, type=click.UNPROCESSED)
def launch(
    line: CommandLine, argv: tuple[str, ...], within_s: float | None, no_wait: bool, **options: Any
) -> int:
    """Start a program; return when it is ready, asks, or failed.

    It gets a session of its own, on panegate's own tmux server unless -L or -S names
    another. CMD is an argument vector: no shell is between.
    """

    async def work() -> int:
        limit: dict[str, Any] = {} if within_s is None else {"within_s": within_s}
        if no_wait:
            limit = {"within_s": None}
        options["trust"] = options["trust"] or ""
        options["where"] = options["where"] or ""
        async with opened(line, start=True) as ctl:
            with waiting(line, ctl, None, "the program to be ready"):
                pane = await ctl.launch(argv, **options, **limit)
            line.say({"pane": pane_document(pane)}, pane_words(pane, server=line.server_words))
        return Exit.DONE

    return line.run(work())


@command("adopt")
@_about_program
@click.option("--name", metavar="N", help="A name for it; by default its session's.")
@pane_argument
def adopt(line: CommandLine, pane: str, **options: Any) -> int:
    """Take over a pane that exists.

    Its program is left alone. What is said here is kept beside the pane (as the user
    option @panegate_launch) for later commands.
    """

    async def work() -> int:
        options["trust"] = options["trust"] or ""
        options["where"] = options["where"] or ""
        options["profile"] = profile_reference(options["profile"])
        async with opened(line) as ctl:
            found = await ctl.adopt(pane, **options)
            options["profile"] = options["profile"] or known_profile(found.profile.name)
            await ctl.store(found.id, Stored(**{**options, "name": found.name}))
            await settled(ctl, found)
            line.say({"pane": pane_document(found)}, pane_words(found, server=line.server_words))
        return Exit.DONE

    return line.run(work())


@command("ls")
@click.option("--all", "every", is_flag=True, help="Every pane of the server.")
def ls(line: CommandLine, every: bool) -> int:
    """List panes and their states.

    By default those that panegate launched or adopted.
    """

    async def work() -> int:
        async with opened(line) as ctl:
            panes = await ctl.adopt_all(every=every)
            await settled(ctl, *panes)
            document = {"panes": [pane_document(pane) for pane in panes]}
            line.say(document, pane_table(panes) or "no panes")
        return Exit.DONE

    return line.run(work())


def pane_table(panes: Sequence[AnyPane]) -> str:
    """Return panes as a table; "" when there are none."""
    if not panes:
        return ""
    head = ["pane", "name", "profile", "state", ""]
    rows = [
        [pane.id, pane.name, pane.profile.name, state_words(pane.state), _note(pane)]
        for pane in panes
    ]
    return columns([head, *rows])


def _note(pane: AnyPane) -> str:
    if pane.held is not None:
        return f"held: {pane.held}"
    if pane.prompt is not None:
        return pane.prompt.question.splitlines()[0] if pane.prompt.question else "asks"
    if pane.draft:
        return f"somebody's draft: {pane.draft!r}"
    if pane.state in (State.BOOTING, State.SILENT, State.EXITED):
        return pane.explain().words
    return ""


@command("close")
@pane_argument
def close(line: CommandLine, pane: str) -> int:
    """End a program and its pane."""

    async def work() -> int:
        async with adopted(line, pane) as (ctl, found):
            await end_program(ctl, found)
            document = {"closed": {"id": found.id, "name": found.name}}
            line.say(document, f"{found.name} ({found.id}) is closed")
        return Exit.DONE

    return line.run(work())

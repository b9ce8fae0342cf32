"""Which questions a run of a program would meet, found on a private server."""

from __future__ import annotations

from typing import Any

import click

from panegate.cli.command_line import CommandLine, command, within_option
from panegate.cli.documents import plain
from panegate.cli.exits import Exit, exit_of_receipt
from panegate.cli.panes import variables
from panegate.cli.quantities import pane_size, seconds
from panegate.cli.status_line import waiting
from panegate.cli.words import prompt_words, state_words
from panegate.errors import NotReady
from panegate.service.private_server import private_controller
from panegate.service.probing import ProbeReport, check_turn, probe_in, program_of
from panegate.service.settings import load_settings

__all__ = ["probe"]

_LAST_ROWS = 10


@command("probe")
@click.option("--program", metavar="CMD", help="What to start; by default the profile's command.")
@click.option("--cwd", metavar="D", type=click.Path(), help="Its folder; by default this one.")
@click.option("--env", metavar="K=V", multiple=True, callback=variables, help="A variable.")
@click.option(
    "--inherit-env/--no-inherit-env",
    default=None,
    help="Pass all (or none) of the environment; by default PATH, HOME, LANG and the like.",
)
@click.option("--size", metavar="CxR", callback=pane_size, help="Columns and rows.")
@click.option("--composer", metavar="GLYPH", help="Prompt sign of its input row.")
@click.option("--turn", metavar="TEXT", help="Send this once it is ready, and wait for the end.")
@click.option(
    "--turn-within",
    "turn_within_s",
    callback=seconds,
    metavar="S",
    help="How long that turn may last; for ever by default.",
)
@within_option("How long it may take to be ready or to ask; default: the settings'.")
@click.argument("profile", metavar="PROFILE")
@click.argument("arguments", metavar="[-- ARGS...]", nargs=-1, type=click.UNPROCESSED)
def probe(
    line: CommandLine,
    profile: str,
    arguments: tuple[str, ...],
    program: str | None,
    turn: str | None,
    **options: Any,
) -> int:
    """Say which questions a run of a program would meet.

    Starts the profile's program with the launch answers and the arguments of a run, on a
    tmux server of its own, and waits until it is ready or asks. Nothing is answered, and
    everything is ended. The exit status is 0 where no question was met, 3 where one was, 6
    where it was neither ready nor asking in time, 1 where it did not start.
    """
    if line.socket_name or line.socket_path or line.ssh:
        raise click.UsageError("a probe has a tmux server of its own: leave out -L, -S and --ssh")
    try:
        check_turn(profile, turn)
    except ValueError as error:
        raise click.UsageError(f"--turn: {error}") from error
    argv = (program or program_of(profile, options["env"]), *arguments)

    async def work() -> int:
        settings = load_settings()
        async with private_controller(settings=settings, dies_with_us=True) as ctl:
            with waiting(line, ctl, None, f"{argv[0]} to be ready or to ask"):
                try:
                    report = await probe_in(ctl, profile, argv, turn=turn, **options)
                except NotReady as error:
                    _show_screen(line, error)
                    raise
        line.say({"probe": plain(report)}, _words(report))
        return _exit_of(report)

    return line.run(work())


def _exit_of(report: ProbeReport) -> Exit:
    if report.questions:
        return Exit.REFUSED
    if report.turn is None:
        return Exit.DONE
    landed = exit_of_receipt(report.turn.receipt)
    return Exit.UNCONFIRMED if landed is Exit.DONE and not report.turn.over else landed


def _words(report: ProbeReport) -> str:
    lines = [f"{report.profile} is {state_words(report.state)}: {report.words}"]
    if report.launch_answers is not None:
        lines.append(f"  answered in advance by the profile: {report.launch_answers.words}")
    for prompt in report.questions:
        kind = f"{prompt.kind.value}, hidden input" if prompt.secret else prompt.kind.value
        lines += ["", f"({kind})", prompt_words(prompt, server=None)]
    return "\n".join(lines)


def _show_screen(line: CommandLine, error: NotReady) -> None:
    """Show a person what the program showed, while its pane still exists."""
    if not line.json and error.screen is not None and error.screen.text:
        line.note("\n".join(f"  | {row}" for row in error.screen.text.splitlines()[-_LAST_ROWS:]))

"""The hook that tells panegate what a program itself reports: put in and taken out."""

from __future__ import annotations

import os
from pathlib import Path

import click

from panegate.cli.command_line import CommandLine, command, common_options
from panegate.cli.exits import Exit
from panegate.probes.hooks.installing import PROGRAMS, Change, configuration_path, plan_change

__all__ = ["hook", "install", "uninstall"]

_program = click.argument("program", type=click.Choice(PROGRAMS))
_file = click.option(
    "--file", "file", metavar="PATH", help="Another configuration file than the user's own."
)
_dry = click.option("--dry-run", is_flag=True, help="Show the change and make none.")
_yes = click.option("--yes", is_flag=True, help="Do not ask.")


@click.group("hook")
@common_options
def hook() -> None:
    """Let a program's own hooks report to panegate: install, uninstall."""


@command("install")
@_program
@_file
@_dry
@_yes
def install(line: CommandLine, program: str, file: str | None, dry_run: bool, yes: bool) -> int:
    """Put panegate-hook into a program's configuration.

    The change is shown first. Other hooks and settings stay, and a copy of the file is kept.
    """
    return _change(line, program, file, dry_run, yes, install=True)


@command("uninstall")
@_program
@_file
@_dry
@_yes
def uninstall(line: CommandLine, program: str, file: str | None, dry_run: bool, yes: bool) -> int:
    """Take panegate-hook out of a program's configuration; the rest stays."""
    return _change(line, program, file, dry_run, yes, install=False)


def _change(
    line: CommandLine, program: str, file: str | None, dry_run: bool, yes: bool, *, install: bool
) -> int:
    path = Path(file).expanduser() if file else configuration_path(program, os.environ)
    change = plan_change(program, path, install=install)
    if not change.needed:
        said = "is there already" if install else "is not there"
        line.say(_document(program, change, made=False), f"{path}: panegate-hook {said}")
        return Exit.DONE
    if not line.json:
        click.echo(change.diff)
    if dry_run:
        line.say(_document(program, change, made=False), "")
        return Exit.DONE
    if not yes:
        if line.json:
            raise click.UsageError("--json cannot ask: add --yes or --dry-run")
        if not click.confirm("Change it?"):
            line.note("Nothing was changed.")
            return Exit.FAILED
    backup = change.apply()
    kept = f"; it was copied to {backup.name}" if backup is not None else ""
    document = _document(program, change, made=True, backup=backup)
    line.say(document, f"{path} is changed{kept}. Programs that run already keep what they read.")
    return Exit.DONE


def _document(
    program: str, change: Change, *, made: bool, backup: Path | None = None
) -> dict[str, object]:
    return {
        "hook": {
            "program": program,
            "path": str(change.path),
            "changed": made,
            "diff": change.diff,
            "backup": str(backup) if backup is not None else None,
        }
    }


hook.add_command(install)
hook.add_command(uninstall)

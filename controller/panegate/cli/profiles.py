"""Profiles on the command line: which there are, what one says, whether a file is right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import cattrs
import click

from panegate.cli.command_line import CommandLine, command, common_options
from panegate.cli.exits import Exit
from panegate.cli.words import columns
from panegate.errors import ProfileError
from panegate.profiles import Problem, load, names, path_of, user_folder
from panegate.profiles import check as check_file
from panegate.profiles.proof import prove_with_tmux
from panegate.runtime.address import ServerAddress

__all__ = ["check", "listing", "profiles", "show"]


@click.group("profiles", invoke_without_command=True)
@common_options
@click.pass_context
def profiles(ctx: click.Context) -> int:
    """List, show and check profiles."""
    if ctx.invoked_subcommand is None:
        return int(ctx.invoke(listing, **{}) or 0)
    return Exit.DONE


@command("list")
def listing(line: CommandLine) -> int:
    """List the profiles; your own stand before shipped ones of the same name."""
    rows = [["name", "for", "what", "file"]]
    found: list[dict[str, Any]] = []
    for name in names():
        path = path_of(name)
        own = path.parent == user_folder()
        try:
            profile = load(name)
        except ProfileError as error:
            found.append({"name": name, "path": str(path), "own": own, "problem": str(error)})
            at = f", line {error.line}" if error.line is not None else ""
            rows.append(
                [name, "", click.style(f"wrong{at}: see profiles check", fg="red"), str(path)]
            )
            continue
        commands = list(profile.commands)
        words = {"words": profile.words, "commands": commands, "family": profile.family.value}
        found.append({"name": name, "path": str(path), "own": own, **words})
        shown = ", ".join(commands[:3]) + (", ..." if len(commands) > 3 else "")
        rows.append([name, shown, profile.words, str(path) if own else ""])
    line.say({"profiles": found}, columns(rows))
    return Exit.DONE


@command("show")
@click.argument("name")
def show(line: CommandLine, name: str) -> int:
    """Print a profile as it is used: its file, and with --json what it adds up to."""
    profile = load(name)
    path = Path(name).expanduser() if "/" in name or name.endswith(".toml") else path_of(name)
    text = f"# {path}\n{path.read_text(encoding='utf-8').rstrip()}"
    line.say({"profile": _plain(profile), "path": str(path)}, text)
    return Exit.DONE


@command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def check(line: CommandLine, files: tuple[str, ...]) -> int:
    """Check profile files, and prove their vetoes with tmux itself.

    Every problem is named with its file and line. The exit status is 1 when there is one.
    """
    found = [problem for file in files for problem in _problems(Path(file).expanduser())]
    plain = [{"path": str(p.path), "line": p.line, "message": p.message} for p in found]
    right = f"{len(files)} {'profiles are' if len(files) > 1 else 'profile is'} right"
    line.say({"files": list(files), "problems": plain}, "\n".join(map(str, found)) or right)
    return Exit.FAILED if found else Exit.DONE


def _problems(path: Path) -> Iterator[Problem]:
    found = check_file(path)
    yield from found
    if found:
        return
    try:
        address = ServerAddress()
        address.require_program()
        prove_with_tmux(load(path), (address.tmux,), path=path)
    except ProfileError as error:
        message = str(error).removeprefix(f"{error.path}: ")
        yield Problem(path, error.line, message)


def _plain(profile: Any) -> Any:
    return _converter.unstructure(attrs.asdict(profile))


_converter = cattrs.Converter()
_converter.register_unstructure_hook(bytes, lambda data: data.decode("latin-1"))
_converter.register_unstructure_hook_func(
    lambda kind: kind is re.Pattern, lambda pattern: pattern.pattern
)
profiles.add_command(listing)
profiles.add_command(show)
profiles.add_command(check)

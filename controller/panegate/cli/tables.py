"""The tables the engine works by, printed from the code; and completion scripts."""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.shell_completion import get_completion_class

from panegate.cli.command_line import CommandLine, command
from panegate.cli.exits import Exit
from panegate.cli.words import columns
from panegate.gate.policy import render_conditions, render_table
from panegate.panes import states as pane_states

__all__ = ["completion", "states"]

_Table = Sequence[Sequence[str]]


@command("states")
@click.option("--markdown", is_flag=True, help="As Markdown tables.")
def states(line: CommandLine, markdown: bool) -> int:
    """Print the tables of states, intents and conditions."""
    tables: dict[str, tuple[str, _Table]] = {
        "transitions": ("What moves a pane from state to state", pane_states.render_table()),
        "policy": ("What the gate says, by intent and state", render_table()),
        "conditions": ("What stands in the way whatever the state, in order", render_conditions()),
    }
    document = {name: [list(row) for row in table] for name, (_, table) in tables.items()}
    shape = _markdown if markdown else _plain
    line.say({"tables": document}, "\n\n".join(shape(*table) for table in tables.values()))
    return Exit.DONE


def _plain(title: str, table: _Table) -> str:
    return f"{title}\n\n{columns(table)}"


def _markdown(title: str, table: _Table) -> str:
    head, *body = ["| " + " | ".join(row) + " |" for row in table]
    return "\n".join((f"### {title}", "", head, "|" + " --- |" * len(table[0]), *body))


@command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(line: CommandLine, shell: str) -> int:
    """Print the completion script of a shell.

    bash: panegate completion bash > ~/.local/share/bash-completion/completions/panegate
    """
    from panegate.cli.app import app  # which finds this module by name

    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(app, {}, "panegate", "_PANEGATE_COMPLETE").source()
    line.say({"completion": {"shell": shell, "script": script}}, script)
    return Exit.DONE

"""Shell completion of pane names: one tmux process, no controller."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from panegate.cli.command_line import CommandLine

__all__ = ["pane_argument", "pane_names"]

_F = TypeVar("_F", bound=Callable[..., Any])
_OWN = "panegate"
_WITHIN_S = 2.0


def pane_names(line: CommandLine) -> list[str]:
    """Return the names of the server's sessions; none where it does not answer."""
    tmux = os.environ.get("PANEGATE_TMUX") or "tmux"
    where = ["-S", line.socket_path] if line.socket_path else ["-L", line.socket_name or _OWN]
    argv = [tmux, "-N", *where, "list-sessions", "-F", "#{session_name}"]
    if line.ssh is not None:
        return []
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=_WITHIN_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [name for name in done.stdout.splitlines() if name != _OWN]


def _complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    names = pane_names(ctx.ensure_object(CommandLine))
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def pane_argument(function: _F) -> _F:
    """Add the argument PANE: an id (``%3``), a name, or a tmux target."""
    return click.argument("pane", metavar="PANE", shell_complete=_complete)(function)

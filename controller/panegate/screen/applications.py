"""Screens of programs that are no composer: editors, file managers, monitors, pickers."""

import re

from panegate.panes.facts import PaneFields
from panegate.screen.grid import Grid

__all__ = ["is_application", "is_finder"]

_COMMANDS = frozenset(
    (
        "vim vi nvim view vimdiff nano pico emacs micro hx helix kak joe ne ed mcedit "
        "mc ranger nnn lf vifm htop top btop atop iotop nvtop tig lazygit screen tmux"
    ).split()
)
_FINDERS = frozenset("fzf fzf-tmux sk peco percol fzy pick choose gum".split())
_MODE_LINE = re.compile(r"-- (?:\([^)]*\) )?[A-Z][A-Z -]{3,24}--(?:\s.*)?\Z")
_EMACS_LINE = re.compile(r"[-U:\\*%@]{4,}[-%*@ ]+F?\d?\s+\S.*\)\s*-*\Z")
_NANO_KEYS = re.compile(r"(?:\^[A-Z\\/_]\s\w[\w ]*\s+){2,}")
_FUNCTION_KEYS = re.compile(r"\s*F?1[A-Z]?\w*\s*F?2\w+\s*F?3\w+\s*F?4\w+")
_VI_RULER = re.compile(r".*\s\d+(?:-\d+)?,\d+(?:-\d+)?\s+(?:All|Top|Bot|\d+%)\s*\Z")


def is_application(grid: Grid, fields: PaneFields, *, by_name: bool, reader: str = "") -> bool:
    """Tell whether the screen is an editor's, a file manager's or a monitor's.

    Their shapes count on the alternate screen only.

    Args:
        grid: The screen.
        fields: For the foreground command and the alternate screen.
        by_name: Also go by the command's name (for programs without a profile).
        reader: Who reads the terminal, where the kernel tells: an editor that another
            program started is in that one's process group, and tmux names the other.

    """
    if by_name and (fields.command in _COMMANDS or reader in _COMMANDS):
        return True
    last = grid.last_row
    if last < 0 or not fields.alternate_on:
        return False
    bottom, above = grid.text(last), grid.text(last - 1)
    if any(p.match(bottom) for p in (_MODE_LINE, _FUNCTION_KEYS, _VI_RULER)):
        return True
    if any(p.match(text) for p in (_NANO_KEYS, _EMACS_LINE) for text in (bottom, above)):
        return True
    return _is_tilde(grid, last - 1) and _is_tilde(grid, last - 2)


def is_finder(fields: PaneFields, reader: str) -> bool:
    """Tell by its name whether a fuzzy finder has the terminal: what is typed picks."""
    return fields.command in _FINDERS or reader in _FINDERS


def _is_tilde(grid: Grid, row: int) -> bool:
    return grid.text(row) == "~"

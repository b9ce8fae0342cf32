"""What a pane was launched with, kept in tmux beside the pane.

Each command opens a controller of its own, so what the one before it knew is read back
from two user options of the pane. No program can set them by printing something.
"""

import json
from typing import Final

import attrs
import cattrs

from panegate.ids import PaneId
from panegate.runtime.client import Answer
from panegate.wire.commands import command

__all__ = [
    "HELD_OPTION",
    "STORED_OPTION",
    "Stored",
    "hold_command",
    "read_command",
    "read_stored",
    "store_command",
]

STORED_OPTION: Final = "@panegate_launch"
"""Holds a `Stored` as JSON."""
HELD_OPTION: Final = "@panegate_held"
"""Why a person holds the pane, as a JSON string; unset when nobody does."""


@attrs.frozen(kw_only=True)
class Stored:
    """What a caller said about a pane when it was launched or adopted."""

    profile: str | None = None
    """Name of a profile, or the absolute path of its file; None: by its command."""
    name: str | None = None
    where: str = ""
    composer: str | None = None
    reads_lines: bool = False
    trust: str = ""


_converter = cattrs.Converter()


def store_command(pane_id: PaneId, stored: Stored) -> bytes:
    """Return the tmux command that keeps *stored* beside the pane."""
    text = json.dumps(_converter.unstructure(stored))
    return command("set-option", "-p", "-t", pane_id, STORED_OPTION, text)


def hold_command(pane_id: PaneId, reason: str | None) -> bytes:
    """Return the tmux command that keeps (None: takes away) a person's hold."""
    if reason is None:
        return command("set-option", "-p", "-u", "-t", pane_id, HELD_OPTION)
    return command("set-option", "-p", "-t", pane_id, HELD_OPTION, json.dumps(reason))


def read_command(pane_id: PaneId) -> tuple[bytes, bytes]:
    """Return the tmux commands whose answer `read_stored` takes."""
    names = (STORED_OPTION, HELD_OPTION)
    first, second = (command("show-options", "-p", "-q", "-v", "-t", pane_id, n) for n in names)
    return first, second


def read_stored(answer: Answer) -> tuple[Stored | None, str | None]:
    """Return what is kept beside a pane and the reason of its hold.

    What cannot be read (an older panegate, a person's edit) counts as not there, save a
    hold, which then has no reason.
    """
    stored: Stored | None = None
    held: str | None = None
    if not answer.ok:
        return None, None  # the pane is gone
    if answer.text(0):
        try:
            stored = _converter.structure(json.loads(answer.text(0)), Stored)
        except (ValueError, TypeError, LookupError, cattrs.BaseValidationError):
            stored = None
    if answer.text(1):
        try:
            held = str(json.loads(answer.text(1))) or "held"
        except ValueError:
            held = "held"
    return stored, held

"""Numbers that people type: bounded, finite, and refused in one line that says the bounds."""

from __future__ import annotations

import math
import re

import click

from panegate.service.settings import MAX_COLUMNS, MAX_ROWS, MAX_SECONDS, MIN_COLUMNS, MIN_ROWS

__all__ = ["ROWS_ABOVE", "pane_size", "seconds"]

ROWS_ABOVE = click.IntRange(min=0, max=10_000_000)
"""How many rows of a pane's history."""
_SIZE = re.compile(r"([0-9]{1,9})x([0-9]{1,9})\Z")


def seconds(_ctx: click.Context, _param: click.Parameter, given: str | None) -> float | None:
    """Return a time: more than nothing, and no longer than anybody waits.

    Raises:
        click.BadParameter: It is none; says what one is.

    """
    if given is None:
        return None
    try:
        found = float(given)
    except ValueError:
        found = math.nan
    if 0 < found <= MAX_SECONDS:
        return found
    bounds = f"more than 0 and at most {MAX_SECONDS:.0f}"
    raise click.BadParameter(f"{given!r} is no time in seconds ({bounds})")


def pane_size(
    _ctx: click.Context, _param: click.Parameter, given: str | None
) -> tuple[int, int] | None:
    """Return columns and rows of ``120x40``.

    Raises:
        click.BadParameter: It has another form, or tmux could not carry such a pane.

    """
    if given is None:
        return None
    found = _SIZE.match(given)
    if found is not None:
        columns, rows = int(found[1]), int(found[2])
        if MIN_COLUMNS <= columns <= MAX_COLUMNS and MIN_ROWS <= rows <= MAX_ROWS:
            return columns, rows
    least, most = f"{MIN_COLUMNS}x{MIN_ROWS}", f"{MAX_COLUMNS}x{MAX_ROWS}"
    raise click.BadParameter(
        f"{given!r} is not COLUMNSxROWS, such as 120x40 (from {least} to {most})"
    )

"""A person takes a pane over, and gives it back."""

from __future__ import annotations

import click

from panegate.cli.command_line import CommandLine, command
from panegate.cli.completing import pane_argument
from panegate.cli.documents import pane_document
from panegate.cli.exits import Exit
from panegate.cli.opening import adopted, take_over
from panegate.cli.words import pane_words

__all__ = ["hold", "release"]


@command("hold")
@click.option("--reason", metavar="WORDS", default="by hand", show_default=True, help="Why.")
@pane_argument
def hold(line: CommandLine, pane: str, reason: str) -> int:
    """Take a pane over: panegate writes nothing until release.

    Kept beside the pane (as the user option @panegate_held); every later command obeys
    it, and so does a running service. A controller in another program is not told.
    """
    return _hold(line, pane, reason.strip() or "by hand")


@command("release")
@pane_argument
def release(line: CommandLine, pane: str) -> int:
    """Give a held pane back."""
    return _hold(line, pane, None)


def _hold(line: CommandLine, which: str, reason: str | None) -> int:
    async def work() -> int:
        async with adopted(line, which, settle=True) as (ctl, pane):
            await take_over(ctl, pane, reason)
            line.say({"pane": pane_document(pane)}, pane_words(pane, server=line.server_words))
        return Exit.DONE

    return line.run(work())

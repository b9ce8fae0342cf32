"""Why a session ended, from what can be seen now and from what the journal kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from panegate.cli.command_line import CommandLine, command
from panegate.cli.completing import pane_argument
from panegate.cli.documents import plain
from panegate.cli.exits import Exit
from panegate.cli.opening import opened
from panegate.cli.remote import AnyController, RemoteController
from panegate.errors import NoSuchPane
from panegate.terms import Advice, OutcomeKind

__all__ = ["exit_of_outcome", "outcome", "outcome_words"]

_FIRST: Final = 20
_KINDS: Final = tuple(kind.value for kind in OutcomeKind)
_COLOURS: Final = {
    Advice.NONE.value: "green",
    Advice.RETRY_FREE.value: "cyan",
    Advice.RETRY_CHARGED.value: "yellow",
    Advice.PAUSE.value: "red",
    Advice.ESCALATE.value: "magenta",
}


@command("outcome")
@click.option(
    "--exit-code", is_flag=True, help="Exit with 0 for completed, else 20 + the kind's position."
)
@pane_argument
def outcome(line: CommandLine, pane: str, exit_code: bool) -> int:
    """Say why a session ended, or what it has come to so far.

    With the evidence that decided, and what to do. With --exit-code the status is 0 for
    completed, else 21 exited, 22 crashed, 23 killed, 24 timeout, 25 stalled, 26 suspended,
    27 blocked_on_prompt, 28 env_fault, 29 limited, 30 needs_login, 31 service_error,
    32 server_lost, 33 unknown.
    """

    async def work() -> int:
        async with opened(line) as ctl:
            found = await _found(ctl, pane)
        line.say({"outcome": plain(found)}, outcome_words(found))
        return exit_of_outcome(found["kind"]) if exit_code else Exit.DONE

    return line.run(work())


def exit_of_outcome(kind: str) -> int:
    """Return the exit status of a kind of outcome."""
    if kind == OutcomeKind.COMPLETED.value:
        return 0
    return _FIRST + _KINDS.index(kind)


def outcome_words(found: Mapping[str, Any]) -> str:
    """Return an outcome for people: what it is, why, what shows it, what to do."""
    kind = click.style(found["kind"], bold=True, fg=_COLOURS.get(found["advice"]))
    lines = [f"{found['name']}: {kind}{'' if found['over'] else ' so far'}"]
    lines.append(f"  because   {found['words']}")
    lines += [f"  evidence  {item['grade']}: {item['words']}" for item in found["evidence"]]
    if found["reset"] is not None:
        at = f" ({found['reset']['at_utc']})" if found["reset"]["at_utc"] else ""
        lines.append(f"  ends      {found['reset']['words']}{at}")
    if found["prompt"] is not None and found["prompt"]["where"] and not found["over"]:
        lines.append(f"  go there  {found['prompt']['where']}")
    lines.append(f"  advice    {found['advice']}")
    return "\n".join(lines)


async def _found(ctl: AnyController, which: str) -> dict[str, Any]:
    """Judge a pane that is there; one that is gone was judged by who saw it go."""
    if isinstance(ctl, RemoteController):
        return dict(await ctl.client.request("outcome", pane=which))
    try:
        pane = await ctl.adopt(which)
    except NoSuchPane:
        kept = await ctl.outcomes.kept(which)
        if kept is None:
            raise
        return kept
    await ctl.settled(pane)
    return await ctl.outcomes.document(pane)

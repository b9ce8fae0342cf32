"""The commands that look and wait; none of them writes."""

from __future__ import annotations

import click

from panegate.cli.command_line import CommandLine, command, within_option
from panegate.cli.completing import pane_argument
from panegate.cli.documents import pane_document, plain
from panegate.cli.exits import Exit
from panegate.cli.opening import adopted, end_kept, opened, settled
from panegate.cli.quantities import ROWS_ABOVE
from panegate.cli.status_line import waiting
from panegate.cli.words import explanation_words, pane_words, prompt_words, screen_words
from panegate.errors import ServerUnreachable
from panegate.service.views import Screen, ScreenLabel
from panegate.terms import State

__all__ = ["explain", "prompts", "read", "wait"]

_STATES = [state.value for state in State]
_LABELS = {
    ScreenLabel.IDLE_STALE: "the program has ended: do not infer from this",
    ScreenLabel.UNAVAILABLE: "it could not be read now; this is {age:.1f} s old",
    ScreenLabel.OFFLINE: "the tmux server cannot be reached; this is {age:.1f} s old",
}


def _states(_ctx: click.Context, _param: click.Parameter, given: str) -> frozenset[State]:
    names = given.split(",")
    wrong = [name for name in names if name not in _STATES]
    if wrong:
        raise click.BadParameter(f"{wrong[0]!r} is no state; there are: {', '.join(_STATES)}")
    return frozenset(State(name) for name in names)


@command("wait")
@within_option("How long; for ever by default.")
@pane_argument
@click.argument("states", metavar="STATE[,STATE...]", callback=_states)
def wait(line: CommandLine, pane: str, states: frozenset[State], within_s: float | None) -> int:
    """Block until a pane is in a state.

    States: booting ready busy prompting silent exited.
    """

    async def work() -> int:
        async with adopted(line, pane) as (ctl, found), end_kept(ctl, found):
            what = " or ".join(state.value for state in State if state in states)
            with waiting(line, ctl, found, what):
                await found.wait(states, within_s=within_s)
            if found.exit is not None and found.exit.server_lost:
                words = f"the tmux server died, and what became of {found.name} is not known"
                raise ServerUnreachable(words, fix="launch it again")
            line.say({"pane": pane_document(found)}, pane_words(found, server=line.server_words))
        return Exit.DONE

    return line.run(work())


@command("read")
@click.option("--history", type=ROWS_ABOVE, default=0, metavar="N", help="Rows above the screen.")
@pane_argument
def read(line: CommandLine, pane: str, history: int) -> int:
    """Print a pane's screen, labelled.

    A label other than "live" is said on standard error, or in the document.
    """

    async def work() -> int:
        async with adopted(line, pane, settle=True) as (_, found):
            screen = await found.read(history=history)
            line.say({"screen": plain(screen)}, screen_words(screen))
            if not line.json:
                line.note(_label_words(screen))
        return Exit.DONE

    return line.run(work())


def _label_words(screen: Screen) -> str:
    words = _LABELS.get(screen.label, "").format(age=screen.age_s)
    return click.style(f"[{screen.label.value}] {words}", dim=True) if words else ""


@command("explain")
@pane_argument
def explain(line: CommandLine, pane: str) -> int:
    """Say why a pane is in its state.

    With the evidence, its times, and what the gate would say to a message now.
    """

    async def work() -> int:
        async with adopted(line, pane, settle=True) as (_, found):
            explanation = found.explain()
            line.say({"explanation": plain(explanation)}, explanation_words(explanation))
        return Exit.DONE

    return line.run(work())


@command("prompts")
@click.option("--all", "every", is_flag=True, help="Of every pane of the server.")
def prompts(line: CommandLine, every: bool) -> int:
    """Say which programs wait for a person, and on what.

    Each question word for word, with its options and the command that answers it.
    """

    async def work() -> int:
        async with opened(line) as ctl:
            await settled(ctl, *await ctl.adopt_all(every=every))
            asked = ctl.prompts
            names = {pane.id: pane.name for pane in ctl.panes}
            words = [
                f"{names[p.pane]} ({p.kind.value}):\n{prompt_words(p, server=line.server_words)}"
                for p in asked
            ]
            line.say(
                {"prompts": [{"name": names[p.pane], **plain(p)} for p in asked]},
                "\n\n".join(words) or "nobody waits for an answer",
            )
        return Exit.DONE

    return line.run(work())

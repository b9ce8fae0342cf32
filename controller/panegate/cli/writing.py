"""The commands that write: each passes the gate and ends in a receipt or a refusal."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

import anyio
import click

from panegate.cli.command_line import CommandLine, command, within_option
from panegate.cli.completing import pane_argument
from panegate.cli.documents import plain
from panegate.cli.exits import Exit, exit_of_receipt
from panegate.cli.opening import adopted, end_kept
from panegate.cli.quantities import seconds
from panegate.cli.remote import AnyController, AnyPane
from panegate.cli.status_line import waiting
from panegate.cli.texts import message_text
from panegate.cli.words import prompt_words, receipt_words
from panegate.gate.receipt import Receipt
from panegate.service.views import RunResult
from panegate.session.events import Event, WriteFinished
from panegate.terms import Fate, Intent, State

__all__ = [
    "clear",
    "finish",
    "interrupt",
    "keys",
    "run",
    "say_receipt",
    "send",
]

_IN_HAND_WITHIN_S = 8.0
"""How long a write whose bytes have begun may take to end after an interrupt."""

_T = TypeVar("_T")
_Write = Callable[[AnyPane], Awaitable[Receipt]]


@contextlib.contextmanager
def _receipts(ctl: AnyController, pane: AnyPane) -> Iterator[list[Receipt]]:
    """Collect the receipts of a pane's writes as they come."""
    found: list[Receipt] = []

    def tap(event: Event) -> None:
        if isinstance(event, WriteFinished) and event.pane == pane.id:
            found.append(event.receipt)

    ctl.bus.taps.append(tap)
    try:
        yield found
    finally:
        ctl.bus.taps.remove(tap)


async def finish(line: CommandLine, ctl: AnyController, pane: AnyPane, write: Awaitable[_T]) -> _T:
    """Wait for a write; when it is interrupted, say what became of it.

    Raises:
        asyncio.CancelledError: It was interrupted.

    """
    with _receipts(ctl, pane) as receipts, contextlib.closing(ctl.events()) as events:
        try:
            return await write
        except asyncio.CancelledError:
            if pane.queue:
                line.note(f"Interrupted; a write to {pane.name} is in hand, and ends by itself.")
                with anyio.move_on_after(_IN_HAND_WITHIN_S):
                    async for event in events:
                        if isinstance(event, WriteFinished) and event.pane == pane.id:
                            break
            if receipts and receipts[-1].fate is not Fate.WITHDRAWN:
                say_receipt(line, pane, receipts[-1])
            elif not pane.queue:
                line.note("Interrupted; nothing was written.")
            raise


def say_receipt(line: CommandLine, pane: AnyPane, receipt: Receipt) -> int:
    """Print a receipt and return its exit status."""
    line.say(
        {"receipt": plain(receipt)}, receipt_words(receipt, pane.name, server=line.server_words)
    )
    return exit_of_receipt(receipt)


def _write(line: CommandLine, which: str, write: _Write, *, settle: bool) -> int:
    async def work() -> int:
        async with adopted(line, which, settle=settle) as (ctl, pane):
            with waiting(line, ctl, pane, "the gate"):
                receipt = await finish(line, ctl, pane, write(pane))
            return say_receipt(line, pane, receipt)

    return line.run(work())


@command("send")
@within_option("How long to wait for the gate; default: the settings'.")
@click.option(
    "--intent",
    type=click.Choice([Intent.MESSAGE.value, Intent.NUDGE.value, Intent.STEER.value]),
    default=Intent.MESSAGE.value,
    show_default=True,
    help="nudge: now or not at all; steer: while the program works, where it takes that.",
)
@click.option("--no-submit", is_flag=True, help="Leave the text in the composer.")
@click.option("--literal", is_flag=True, help="A first / or ! or the like is meant as text.")
@click.option(
    "--id", "write_id", metavar="ID", help="Your own id for this write; its receipt has it."
)
@pane_argument
@click.argument("text", metavar="TEXT...", nargs=-1, required=True)
def send(
    line: CommandLine,
    pane: str,
    text: tuple[str, ...],
    within_s: float | None,
    intent: str,
    no_submit: bool,
    literal: bool,
    write_id: str | None,
) -> int:
    """Deliver one message and say what became of it.

    It waits until the program reads, types, sees the text, submits, and sees it taken.
    TEXT of several words is joined by blanks; - reads standard input. Put -- before a
    text that begins with a dash.
    """
    message = message_text(text)
    wanted = Intent(intent)
    if wanted is not Intent.MESSAGE and (no_submit or literal):
        raise click.UsageError(f"--no-submit and --literal do not go with --intent {intent}")
    if wanted is Intent.NUDGE and within_s is not None:
        raise click.UsageError("a nudge is delivered now or not at all: it takes no --within")

    async def write(found: AnyPane) -> Receipt:
        if wanted is Intent.NUDGE:
            return await found.nudge(message, id=write_id)
        if wanted is Intent.STEER:
            return await found.steer(message, id=write_id, within_s=within_s)
        return await found.send(
            message, id=write_id, within_s=within_s, submit=not no_submit, literal=literal
        )

    return _write(line, pane, write, settle=wanted is not Intent.MESSAGE)


@command("run")
@within_option("How long to wait for the gate; default: the settings'.")
@click.option(
    "--turn-within",
    "turn_within_s",
    callback=seconds,
    metavar="S",
    help="How long the turn may last.",
)
@pane_argument
@click.argument("text", metavar="TEXT...", nargs=-1, required=True)
def run(
    line: CommandLine,
    pane: str,
    text: tuple[str, ...],
    within_s: float | None,
    turn_within_s: float | None,
) -> int:
    """Send, wait for the end of the turn, print what was said.

    The exit status is 0 when the turn came to its end, 5 when it did not in time or was cut
    off, 7 when the tmux server died in it. With --json, "status" is that of a shell's command,
    where the shell says it, or that of the program itself, where it exited.
    """
    message = message_text(text)

    async def work() -> int:
        async with adopted(line, pane) as (ctl, found), end_kept(ctl, found):
            with waiting(line, ctl, found, "the end of the turn"):
                call = found.run(message, within_s=within_s, turn_within_s=turn_within_s)
                result = await finish(line, ctl, found, call)
            return _say_run(line, found, result)

    return line.run(work())


def _say_run(line: CommandLine, pane: AnyPane, result: RunResult) -> int:
    line.say({"run": plain(result)}, result.text)
    if result.receipt.fate is not Fate.LANDED:
        line.note(receipt_words(result.receipt, pane.name, server=line.server_words))
        return exit_of_receipt(result.receipt)
    if not result.over:
        line.note(f"The message landed. {result.words}")
        lost = pane.exit is not None and pane.exit.server_lost
        return Exit.UNREACHABLE if lost else Exit.UNCONFIRMED
    if not result.complete:
        line.note("The first rows had scrolled out of the pane's history.")
    if result.state is State.PROMPTING and pane.prompt is not None:
        line.note(f"{pane.name} asks:\n{prompt_words(pane.prompt, server=line.server_words)}")
    elif result.state is State.EXITED:
        line.note(result.words)
    return Exit.DONE


@command("interrupt")
@within_option("How long to wait for the gate; 10 by default.")
@pane_argument
def interrupt(line: CommandLine, pane: str, within_s: float | None) -> int:
    """Press the program's interrupt key.

    C-c, or what its profile says. Refused while it asks something: that would answer it.
    """
    limit_s = 10.0 if within_s is None else within_s
    return _write(line, pane, lambda found: found.interrupt(within_s=limit_s), settle=True)


@command("keys")
@within_option("How long to wait for the gate; 10 by default.")
@pane_argument
@click.argument("names", metavar="KEY...", nargs=-1, required=True)
def keys(line: CommandLine, pane: str, names: tuple[str, ...], within_s: float | None) -> int:
    """Press keys by tmux's names.

    Such as Escape, Up, C-r, F5. Refused while the program asks something.
    """
    limit_s = 10.0 if within_s is None else within_s

    async def write(found: AnyPane) -> Receipt:
        try:
            return await found.keys(*names, within_s=limit_s)
        except ValueError as error:
            raise click.UsageError(str(error)) from error

    return _write(line, pane, write, settle=True)


@command("clear")
@within_option("How long to wait for the gate; 10 by default.")
@pane_argument
def clear(line: CommandLine, pane: str, within_s: float | None) -> int:
    """Empty the composer.

    Your word that what stands there, whoever typed it, may go.
    """
    limit_s = 10.0 if within_s is None else within_s
    return _write(line, pane, lambda found: found.clear(within_s=limit_s), settle=True)

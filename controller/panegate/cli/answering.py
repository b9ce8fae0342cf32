"""A person's decision, brought to exactly the question that was asked."""

from __future__ import annotations

import getpass
import sys

import click

from panegate.cli.command_line import CommandLine, command
from panegate.cli.completing import pane_argument
from panegate.cli.opening import adopted
from panegate.cli.remote import AnyPane
from panegate.cli.texts import stdin_text
from panegate.cli.writing import finish, say_receipt
from panegate.errors import StaleAnswer
from panegate.terms import Reason

__all__ = ["answer", "current_id", "same_prompt"]


def same_prompt(given: str, current: str) -> bool:
    """Tell whether two prompt ids name the same question of the same pane.

    An id is pane, episode and a digest of the words. Each command counts episodes from
    one, so between commands pane and digest decide.
    """
    first, second = given.split("."), current.split(".")
    if len(first) != 3 or len(second) != 3:
        return False
    return (first[0], first[2]) == (second[0], second[2])


def current_id(pane: AnyPane, given: str) -> str:
    """Return the id of the question on screen, when it is the one that *given* names.

    Raises:
        StaleAnswer: It is another one, or there is none.

    """
    prompt = pane.prompt
    if prompt is not None and same_prompt(given, prompt.id):
        return prompt.id
    asks = "asks another question now" if prompt is not None else "asks nothing now"
    raise StaleAnswer(
        f"{pane.name} {asks}; nothing was written",
        reason=Reason.STALE_PROMPT if prompt is not None else Reason.NOT_PROMPTING,
        state=pane.state,
        prompt=prompt,
        screen=pane.last_screen(),
        fix="read the question, then answer it by its own id" if prompt is not None else "",
    )


@command("answer")
@click.option("--text", metavar="T", help="For a question that takes text.")
@click.option("--secret", is_flag=True, help="Read hidden input here (or standard input).")
@click.option("--cancel", is_flag=True, help="Decline, where the program has a way.")
@pane_argument
@click.argument("prompt_id", metavar="PROMPT_ID")
@click.argument("option", required=False)
def answer(
    line: CommandLine,
    pane: str,
    prompt_id: str,
    option: str | None,
    text: str | None,
    secret: bool,
    cancel: bool,
) -> int:
    """Answer the question a program asks.

    PROMPT_ID is what `panegate prompts` shows: the answer reaches that very question or
    nothing. OPTION is an option's key or label.
    """
    if sum((option is not None, text is not None, secret, cancel)) != 1:
        raise click.UsageError("an answer is one of OPTION, --text, --secret or --cancel")
    hidden = _read_secret() if secret else None

    async def work() -> int:
        async with adopted(line, pane, settle=True) as (ctl, found):
            call = found.answer(
                current_id(found, prompt_id),
                option=option,
                text=text,
                secret=hidden,
                cancel=cancel,
                by=_login_name(),
            )
            return say_receipt(line, found, await finish(line, ctl, found, call))

    return line.run(work())


def _read_secret() -> str:
    if sys.stdin.isatty():
        return getpass.getpass("secret: ")
    return stdin_text().partition("\n")[0].rstrip("\r")


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody at the command line"

"""The main job on a private server: four programs, gated messages, a question, an answer."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Mapping
from typing import Any, Final

import anyio
import attrs
import click

from panegate.cli.command_line import CommandLine, command
from panegate.cli.demo_script import play
from panegate.cli.documents import error_document, event_document, plain
from panegate.cli.exits import Exit
from panegate.cli.words import prompt_words, receipt_words, state_words
from panegate.errors import Refused
from panegate.gate.receipt import Receipt
from panegate.runtime.bringup import KEEP_ALIVE
from panegate.service.controller import Controller
from panegate.service.private_server import private_controller
from panegate.service.settings import Answers, Settings
from panegate.session.events import Event, PaneOpened, PromptOpened, StateChanged, WriteHeld

__all__ = ["Teller", "demo"]

_WITHIN_S: Final = 55.0
"""The whole demo: under a minute on any machine."""


@attrs.define
class Teller:
    """Tells what happens while it happens: lines for people, JSON lines for machines."""

    line: CommandLine
    started_s: float = attrs.field(factory=time.monotonic)
    names: dict[str, str] = attrs.field(factory=dict)
    landed: int = 0
    refused: int = 0

    def title(self, words: str) -> None:
        """Begin a part."""
        self.line.say({"part": words}, "\n" + click.style(words, bold=True))

    def says(self, name: str, document: Mapping[str, Any], words: str) -> None:
        """Tell one thing about one pane, stamped with the time since the start."""
        at_s = time.monotonic() - self.started_s
        first, *more = words.split("\n")
        stamp = click.style(f"{at_s:6.2f}", dim=True)
        rows = [f"{stamp}  {name:<6} {first}", *(f"{'':16}{row}" for row in more)]
        stamped = {**document, "name": name, "at_s": round(at_s, 3)}
        self.line.say(stamped, "\n".join(rows))

    def event(self, event: Event) -> None:
        """Tell of an event; a tap of the event bus."""
        name = self.names.get(getattr(event, "pane", ""), "")
        words = ""
        if isinstance(event, PaneOpened):
            name = self.names[event.pane] = event.name
            words = f"is watched, profile {event.profile}"
        elif isinstance(event, StateChanged):
            words = f"{event.old.value} -> {state_words(event.new)}: {event.words}"
        elif isinstance(event, WriteHeld):
            words = click.style(f"its message waits: {event.words}", dim=True)
        elif isinstance(event, PromptOpened):
            words = "asks, word for word:\n" + prompt_words(event.prompt, server=None)
        if name == KEEP_ALIVE or not (words or self.line.json):
            return
        self.says(name, event_document(event), words)

    def receipt(self, name: str, what: str, receipt: Receipt) -> None:
        """Tell what became of a write."""
        self.landed += receipt.landed is True
        words = f"{what}\n{receipt_words(receipt, name)}"
        self.says(name, {"receipt": plain(receipt)}, words)

    def refusal(self, name: str, what: str, error: Refused) -> None:
        """Tell of a write that the gate did not let through."""
        self.refused += 1
        words = f"{what}\n{click.style(f'{name}: {error}', fg='cyan')}"
        self.says(name, error_document(error), words)


@command("demo")
def demo(line: CommandLine) -> int:
    """Show the main job on a private tmux server, in under a minute.

    A shell with a slow start, a Python prompt, a silent job and a stand-in agent that
    asks for permission. Nothing is left behind.
    """
    return line.run(_demo(line))


async def _demo(line: CommandLine) -> int:
    teller = Teller(line)
    settings = Settings(answers=Answers.ALLOWED)
    as_told = False
    try:
        with anyio.move_on_after(_WITHIN_S):
            async with private_controller(settings=settings) as ctl:
                ctl.bus.taps.append(teller.event)
                _introduce(teller, ctl)
                as_told = await play(ctl, teller)
    except asyncio.CancelledError:
        line.note("Interrupted; the server and its programs are gone.")
        raise
    took_s = time.monotonic() - teller.started_s
    words = (
        f"\n{teller.landed} writes landed, {teller.refused} were refused with not a byte sent;"
        f" the server and its programs are gone. {took_s:.1f} s."
    )
    document = {"landed": teller.landed, "refused": teller.refused, "took_s": round(took_s, 3)}
    line.say({"demo": {**document, "ok": as_told}}, words)
    if not as_told:
        line.note("This did not go as it should: panegate doctor checks this machine.")
    return Exit.DONE if as_told else Exit.FAILED


def _introduce(teller: Teller, ctl: Controller) -> None:
    facts = ctl.link.server
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    level = ctl.engine.level.value
    document = {"tmux": str(facts.version), "server_pid": facts.pid, "python": python}
    words = f"A private tmux server ({facts.version}), four programs. Terminal probe: {level}."
    teller.line.say({"machine": {**document, "probe": level}}, words)

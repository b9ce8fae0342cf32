"""The plain way to drive a pane: type, pause, press Enter, believe it.

What most programs of the reports did when they were reported. It runs beside the product, on a
pane that no controller watches, to show that the fault is real and that the stand-in has it.
"""

import asyncio
from pathlib import Path

import attrs
from tests.journeys.staging import WITHIN_S, Stage

from panegate.testing.programs import Option, program_argv
from panegate.testing.truth import TruthEvent, TruthLog

__all__ = ["PAUSE_S", "Naive", "shell", "started"]

PAUSE_S = 0.3
"""The pause between text and Enter that many settled on."""


@attrs.frozen
class Naive:
    """A program in a pane, driven the plain way."""

    stage: Stage
    pane_id: str
    truth: TruthLog

    async def send(self, text: str, *, pause_s: float = PAUSE_S, enters: int = 1) -> None:
        """Type, and after each pause press Enter."""
        await asyncio.to_thread(self.stage.types, self.pane_id, text)
        for _ in range(enters):
            await asyncio.sleep(pause_s)
            await self.enter()

    async def send_at_once(self, text: str) -> None:
        """Type and press Enter in one command."""
        words = ("send-keys", "-t", self.pane_id, "--", text, "Enter")
        await asyncio.to_thread(self.stage.tmux, *words)

    async def enter(self) -> None:
        """Press Enter."""
        await asyncio.to_thread(self.stage.tmux, "send-keys", "-t", self.pane_id, "Enter")

    def screen(self) -> str:
        """Return what is on the screen now."""
        return self.stage.tmux("capture-pane", "-p", "-J", "-t", self.pane_id)

    def said(self, *names: str) -> list[TruthEvent]:
        """Return the record's events of these names."""
        return self.truth.events(*names)


async def started(
    stage: Stage, name: str, *, until: str | None = "ready_painted", **options: Option
) -> Naive:
    """Start a stand-in beside the controller and wait for the event *until* of its record."""
    truth = stage.truth()
    pane_id = stage.session(*program_argv(name, log=truth.path, **options))
    if until is not None:
        await truth.wait_for(until, WITHIN_S)
    return Naive(stage, pane_id, truth)


async def shell(stage: Stage, folder: Path) -> Naive:
    """Start a bash beside the controller."""
    argv = ["bash", "--norc", "--noprofile"]
    return Naive(stage, stage.session(*argv), TruthLog(folder / "none.jsonl"))

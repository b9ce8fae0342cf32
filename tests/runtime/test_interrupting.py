"""An interrupt into a program that writes all the time, against a scripted server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest
from tests.runtime.test_engine import PROMPT_OFF, PROMPT_ON, Rig, watching

from panegate.gate.plan import WriteRequest
from panegate.session.events import WriteFinished
from panegate.session.inputs import Written
from panegate.terms import Fate, Intent, Reason, State
from panegate.testing.scripted_tmux import Paint, ScriptedClient

virtual = pytest.mark.asyncio(loop_factories=["virtual"])
SCREEN = ["y"] * 23


class Flooding:
    """A shell whose one command writes without end, until C-c."""

    def __init__(self) -> None:
        self.row = "$ "
        self.running = False
        self.written = 0

    def __call__(self, data: bytes) -> list[Paint]:
        if data == b"\r":
            self.running = True
            return [Paint(output=b"\r\n" + PROMPT_OFF, rows=[self.row, ""], after_s=0.01)]
        if data == b"\x03":
            self.running = False
            self.row = "$ "
            rows = [*SCREEN[1:], "^C", "$ "]
            return [Paint(output=b"^C\r\n" + PROMPT_ON + b"$ ", rows=rows, after_s=0.01)]
        self.row += data.removeprefix(b"\x1b[200~").removesuffix(b"\x1b[201~").decode()
        return [Paint(output=data, rows=[self.row], after_s=0.01)]

    def more(self, rig: Rig) -> None:
        """Write half a screen more than the last look saw."""
        self.written += 1
        rig.pane.fields["history_size"] = str(1000 + 12 * self.written)
        text = b"y\r\n" * 700
        rig.server.paint(rig.pane, Paint(output=text, rows=[*SCREEN, ""], cursor=(23, 0)))

    async def flood(self, rig: Rig) -> None:
        """Write all the time."""
        while self.running:
            self.more(rig)
            await anyio.sleep(0.02)


@asynccontextmanager
async def flooded() -> AsyncIterator[tuple[Rig, Flooding]]:
    """A program that floods, and has written more whenever tmux compares."""
    program = Flooding()
    async with watching(program) as rig, anyio.create_task_group() as tasks:
        assert (await rig.send("yes")).receipt.fate is Fate.LANDED

        def before(_client: ScriptedClient, line: bytes) -> None:
            if program.running and line.startswith(b"if-shell"):
                program.more(rig)

        rig.server.before_line = before
        tasks.start_soon(program.flood, rig)
        await anyio.sleep(0.3)
        assert rig.tracker.state is State.BUSY
        yield rig, program
        program.running = False
        tasks.cancel_scope.cancel()


async def interrupt(rig: Rig, within_s: float = 10.0) -> WriteFinished:
    now_s = anyio.current_time()
    request = WriteRequest(
        write_id="i1",
        pane_id=rig.pane.pane_id,
        intent=Intent.INTERRUPT,
        asked_s=now_s,
        deadline_s=now_s + within_s,
        keys=("C-c",),
    )
    rig.engine.pump.put(Written(rig.pane.pane_id, request, now_s))

    def ended() -> list[WriteFinished]:
        found = [event for event in rig.events if isinstance(event, WriteFinished)]
        return [event for event in found if event.receipt.write_id == "i1"]

    await rig.until(lambda: bool(ended()))
    return ended()[0]


@virtual
async def test_it_goes_out_at_once_and_lands_when_the_output_stops() -> None:
    async with flooded() as (rig, _):
        began_s = anyio.current_time()
        receipt = (await interrupt(rig)).receipt
        assert (receipt.fate, receipt.attempts) == (Fate.LANDED, 0), receipt.words
        assert anyio.current_time() - began_s < 0.5
        assert rig.pane.received.count(b"\x03") == 1
        assert rig.server.unknown == []


@virtual
async def test_a_program_that_goes_on_writing_has_not_taken_it() -> None:
    """That the screen changes is no proof where it changes all the time."""
    async with flooded() as (rig, _):
        rig.pane.program = lambda _data: ()
        receipt = (await interrupt(rig)).receipt
        assert (receipt.fate, receipt.reason) == (Fate.UNKNOWN, Reason.NO_REACTION), receipt.words
        assert rig.pane.received.count(b"\x03") == 1


QUESTIONS = {
    "behind the cursor": (["Name: "], 6),
    "by its sign": (["Overwrite it?", ""], 0),
    "by a word": (["Press a key", ""], 0),
}


@virtual
@pytest.mark.parametrize("which", QUESTIONS)
async def test_a_question_that_ends_the_flood_gets_no_interrupt(which: str) -> None:
    """It is drawn behind the look that decided and before the write: tmux itself refuses."""
    question, column = QUESTIONS[which]
    async with flooded() as (rig, program):
        n_guarded = 0
        refused = anyio.Event()

        def ask(_client: ScriptedClient, line: bytes) -> None:
            nonlocal n_guarded
            n_guarded += line.startswith(b"if-shell")
            if n_guarded == 1 and program.running:
                program.running = False
                rows = [*SCREEN[len(question) - 1 :], *question]
                text = "\r\n".join(question).encode()
                rig.server.paint(rig.pane, Paint(output=text, rows=rows, cursor=(23, column)))
            elif n_guarded == 1:
                refused.set()

        rig.server.before_line = ask
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(interrupt, rig)
            with anyio.fail_after(5):
                await refused.wait()
            assert b"\x03" not in rig.pane.received
            tasks.cancel_scope.cancel()

"""From a message to its receipt, against a scripted server and in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
import attrs
import pytest

from panegate.gate.plan import WriteRequest
from panegate.profiles import load
from panegate.runtime.address import ServerAddress
from panegate.runtime.engine import Engine
from panegate.runtime.link import ServerLink
from panegate.session.events import PaneEvent, WriteFinished
from panegate.session.inputs import Written
from panegate.session.tracker import PaneTracker
from panegate.session.traits import TrackerTraits
from panegate.terms import Fate, Intent, Reason, State
from panegate.testing.scripted_tmux import Paint, Program, ScriptedPane, ScriptedTmux

virtual = pytest.mark.asyncio(loop_factories=["virtual"])
PROMPT_ON, PROMPT_OFF = b"\x1b[?2004h", b"\x1b[?2004l\r"


class Shell:
    """A shell as a script: echoes what is typed, runs a line for half a second."""

    def __init__(self, *, deaf: bool = False) -> None:
        self.rows = ["$ "]
        self.lines: list[str] = []
        self.deaf = deaf

    def __call__(self, data: bytes) -> list[Paint]:
        if data != b"\r":
            text = data.removeprefix(b"\x1b[200~").removesuffix(b"\x1b[201~")
            self.rows[-1] += text.decode()
            return [Paint(output=text, rows=list(self.rows), after_s=0.01)]
        if self.deaf:
            return []
        self.lines.append(self.rows[-1].removeprefix("$ "))
        running = [*self.rows, ""]
        self.rows = [*self.rows, "done", "$ "]
        return [
            Paint(output=b"\r\n" + PROMPT_OFF, rows=running, after_s=0.01),
            Paint(output=b"done\r\n" + PROMPT_ON + b"$ ", rows=list(self.rows), after_s=0.5),
        ]


@attrs.define
class Rig:
    """One watched pane of a scripted server."""

    server: ScriptedTmux
    pane: ScriptedPane
    engine: Engine
    tracker: PaneTracker
    events: list[PaneEvent]
    touched: anyio.Event = attrs.field(factory=anyio.Event)

    async def until(self, holds: Callable[[], bool], within_s: float = 60.0) -> None:
        with anyio.fail_after(within_s):
            while not holds():
                self.touched = anyio.Event()
                await self.touched.wait()

    async def send(self, text: str, within_s: float = 20.0) -> WriteFinished:
        now_s = anyio.current_time()
        request = WriteRequest(
            write_id="w1",
            pane_id=self.pane.pane_id,
            intent=Intent.MESSAGE,
            asked_s=now_s,
            deadline_s=now_s + within_s,
            text=text,
        )
        self.engine.pump.put(Written(self.pane.pane_id, request, now_s))
        await self.until(lambda: any(isinstance(e, WriteFinished) for e in self.events))
        return next(event for event in self.events if isinstance(event, WriteFinished))


@asynccontextmanager
async def watching(program: Program, version: str = "3.3a") -> AsyncIterator[Rig]:
    """A bash-like pane that has just shown its prompt."""
    async with ScriptedTmux(version=version) as server, anyio.create_task_group() as tasks:
        events: list[PaneEvent] = []
        holder: list[Rig] = []
        engines: list[Engine] = []

        def touched(_tracker: PaneTracker) -> None:
            if holder:
                holder[0].touched.set()

        link = ServerLink(
            address=ServerAddress(),
            open_transport=server.open_transport,
            clock=asyncio.get_running_loop().time,
            tasks=tasks,
            on_event=lambda client, event, at_s: engines[0].client_event(client, event, at_s),
            on_batch=lambda at_s: engines[0].batch_done(at_s),
            on_client_ended=lambda client: engines[0].client_ended(client),
        )
        link.facts = server.facts
        engine = Engine(
            link=link,
            clock=asyncio.get_running_loop().time,
            tasks=tasks,
            on_event=events.append,
            on_settled=touched,
            on_structure=lambda: None,
            local=False,
        )
        engines.append(engine)
        pane = server.add_pane(program, rows=["$ "])
        await link.carry(pane.target)
        slot = engine.open(pane.target, load("bash"), TrackerTraits(name="t"))
        rig = Rig(server, pane, engine, slot.tracker, events)
        holder.append(rig)
        server.paint(pane, Paint(output=PROMPT_ON + b"$ "))
        await rig.until(lambda: slot.tracker.state is State.READY)
        yield rig
        engine.close()
        await link.aclose()
        tasks.cancel_scope.cancel()


@virtual
@pytest.mark.parametrize("version", ["3.3a", "3.5a", "3.7"])
async def test_a_message_lands_with_one_text_and_one_enter(version: str) -> None:
    """The program's own log is the truth: nothing twice, nothing else."""
    shell = Shell()
    async with watching(shell, version) as rig:
        receipt = (await rig.send("make test")).receipt
        assert receipt.fate is Fate.LANDED, receipt.words
        assert (receipt.landed, receipt.attempts) == (True, 1)
        await rig.until(lambda: rig.tracker.state is State.READY)
        assert rig.pane.received == [b"\x1b[200~make test\x1b[201~", b"\r"]
        assert shell.lines == ["make test"]
        assert rig.server.unknown == []


@virtual
async def test_a_dialog_between_look_and_write_gets_not_one_byte() -> None:
    """It is drawn right before the guarded line runs: only tmux itself can see it."""
    async with watching(Shell()) as rig:
        n_guarded = 0

        def draw(_client: object, line: bytes) -> None:
            nonlocal n_guarded
            if line.startswith(b"if-shell"):
                n_guarded += 1
                rows = ["$ ", "Allow this command? [y/n] "]
                rig.server.paint(rig.pane, Paint(rows=rows))

        rig.server.before_line = draw
        receipt = (await rig.send("rm -rf build", within_s=5)).receipt
        assert n_guarded == 1
        assert receipt.fate is Fate.REFUSED, receipt.words
        assert receipt.n_bytes == 0
        assert rig.pane.received == []
        assert rig.server.unknown == []


@virtual
async def test_a_dialog_between_text_and_enter_gets_no_enter() -> None:
    """The text is there already; an Enter would choose."""
    async with watching(Shell()) as rig:
        n_guarded = 0

        def draw(_client: object, line: bytes) -> None:
            nonlocal n_guarded
            if line.startswith(b"if-shell"):
                n_guarded += 1
                if n_guarded == 2:
                    rows = ["$ ls", "Allow this command? [y/n] "]
                    rig.server.paint(rig.pane, Paint(rows=rows))

        rig.server.before_line = draw
        receipt = (await rig.send("ls")).receipt
        assert receipt.fate is not Fate.LANDED, receipt.words
        assert b"\r" not in b"".join(rig.pane.received)
        assert n_guarded == 2


@virtual
async def test_an_enter_without_a_reaction_is_never_called_landed() -> None:
    """And the text is typed once, whatever else is tried."""
    async with watching(Shell(deaf=True)) as rig:
        receipt = (await rig.send("echo hi")).receipt
        assert receipt.fate in (Fate.NOT_LANDED, Fate.UNKNOWN), receipt.words
        assert sum(b"echo hi" in data for data in rig.pane.received) == 1


@virtual
async def test_a_connection_that_ends_in_a_write_leaves_its_fate_open() -> None:
    """The bytes may have been written: nothing is claimed and nothing is sent again."""
    async with watching(Shell()) as rig:

        def cut(_client: object, line: bytes) -> None:
            if line.startswith(b"if-shell"):
                rig.server.clients[0].far.cut(0)

        rig.server.before_line = cut
        receipt = (await rig.send("echo hi")).receipt
        assert receipt.fate is Fate.UNKNOWN, receipt.words
        assert len(rig.pane.received) == 1
        await anyio.sleep(1)
        assert rig.pane.pane_id not in rig.engine.link.carriers


@virtual
async def test_a_write_whose_connection_ends_while_it_waits_for_its_echo_ends_at_once() -> None:
    """Nothing is in flight then that could be lost; the pane itself is told."""
    async with watching(lambda _data: ()) as rig:
        client = rig.server.clients[0]

        def typed(_data: bytes) -> tuple[Paint, ...]:
            asyncio.get_running_loop().call_later(0.5, client.far.cut, 0)
            return ()

        rig.pane.program = typed
        began_s = anyio.current_time()
        receipt = (await rig.send("echo hi")).receipt
        assert anyio.current_time() - began_s == pytest.approx(0.5, abs=0.1)
        assert receipt.fate is Fate.UNKNOWN, receipt.words
        assert len(rig.pane.received) == 1


@virtual
async def test_a_wedged_server_holds_a_message_until_its_deadline() -> None:
    """No answer to the look means no write."""
    async with watching(Shell()) as rig:
        rig.server.answering = False
        began_s = anyio.current_time()
        receipt = (await rig.send("echo hi", within_s=9)).receipt
        assert anyio.current_time() - began_s == pytest.approx(9)
        assert receipt.fate is Fate.REFUSED, receipt.words
        assert receipt.reason is not Reason.NONE
        rig.server.answering = True
        await anyio.sleep(30)
        assert rig.pane.received == []


@virtual
async def test_a_flooding_pane_is_paused_and_goes_on_after_a_second() -> None:
    """The server must not buffer for it without end."""
    async with watching(Shell()) as rig:
        client = rig.server.clients[0]
        for _ in range(12):
            rig.server.paint(rig.pane, Paint(output=b"x" * 64 * 1024))
            await anyio.sleep(0.1)
        assert client.paused == {rig.pane.pane_id}
        await anyio.sleep(1.5)
        assert client.paused == set()
        flow = [line for line in client.lines if b"refresh-client" in line]
        assert [b"pause" in line for line in flow] == [True, False]

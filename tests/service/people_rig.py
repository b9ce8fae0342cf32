"""Panes whose looks are written as text, a controller around them, and no tmux."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from types import SimpleNamespace

import anyio
import anyio.abc
import anyio.lowlevel
import attrs
from tests.session import rig

from panegate.errors import NoSuchPane, Refused
from panegate.gate.receipt import Receipt
from panegate.ids import PaneId
from panegate.journal.memory import MemoryJournal
from panegate.panes.facts import Look
from panegate.profiles import load
from panegate.runtime.link import Target
from panegate.runtime.pump import Pump
from panegate.service.bus import EventBus
from panegate.service.charges import ChargeStore
from panegate.service.pane import Pane
from panegate.service.people import People
from panegate.service.settings import Settings
from panegate.session.events import Event
from panegate.session.inputs import Exited, Looked, Opened
from panegate.session.traits import TrackerTraits
from panegate.terms import Fate, Intent, Reason, State

__all__ = ["ASKS", "OTHER", "Rig", "opened"]

ASKS = ("Overwrite notes.txt? [y/n] ",)
OTHER = ("Delete draft.txt? [y/n] ",)
WALL_S = 1_800_000_000.0
"""Wall time is monotonic time plus this, so that hours pass in no time."""


class Writes:
    """Delivers what the gate would, and notes it."""

    def __init__(self, world: Rig) -> None:
        self.world = world
        self.fate = Fate.LANDED
        self.refuse: Reason | None = None
        self.written: list[tuple[float, str]] = []
        self.known_in_journal: list[object] = []
        self.after: tuple[str, ...] = ()

    async def message(self, pane: Pane, intent: Intent, text: str, *_rest: object) -> Receipt:
        assert intent is Intent.NUDGE
        records = await self.world.journal.records("nudge", "server", pane.id)
        self.known_in_journal.append(records[0].value["in_session"] if records else None)
        decision = pane.tracker.verdict(intent)
        reason = self.refuse or decision.reason
        if reason is not Reason.NONE:
            raise Refused(decision.words, reason=reason, state=pane.state)
        self.written.append((self.world.clock(), text))
        return Receipt(
            write_id=f"w{len(self.written)}",
            pane=pane.id,
            intent=intent,
            fate=self.fate,
            reason=Reason.NONE,
            n_bytes=len(text),
            text_digest="",
            state_before=pane.state,
            state_after=pane.state,
            after=self.after,
            words=f"{self.fate.value}.",
        )


@attrs.define(kw_only=True, eq=False)
class Rig:
    """One controller; two in a row share a journal."""

    settings: Settings
    tasks: anyio.abc.TaskGroup
    journal: MemoryJournal
    bus: EventBus = attrs.field(factory=EventBus)
    closed: bool = False
    told: list[Event] = attrs.field(factory=list)
    panes: list[Pane] = attrs.field(factory=list)
    looks: list[float] = attrs.field(factory=list)
    keeping: SimpleNamespace = attrs.field(factory=lambda: SimpleNamespace(server="server"))
    link: SimpleNamespace = attrs.field(
        factory=lambda: SimpleNamespace(address=SimpleNamespace(words="-L test"))
    )
    engine: SimpleNamespace = attrs.field(init=False)
    people: People = attrs.field(init=False)
    writes: Writes = attrs.field(init=False)
    found: tuple[tuple[str, ...], dict[str, object]] | None = None
    """What a look that is asked for finds; None: it is not answered."""

    def __attrs_post_init__(self) -> None:
        pump = Pump(
            clock=self.clock,
            on_look=lambda _tracker, _cause: self._look(),
            on_action=lambda _tracker, _action: None,
            on_event=self.emit,
            on_settled=lambda _tracker: None,
            drain=lambda: None,
            on_failure=self._fail,
        )
        self.engine = SimpleNamespace(pump=pump)
        self.writes = Writes(self)
        self.people = People(ctl=self)  # type: ignore[arg-type]
        store = ChargeStore(self, wall=lambda: self.clock() + WALL_S)  # type: ignore[arg-type]
        self.people.store = store

    def _look(self) -> None:
        self.looks.append(self.clock())
        if self.found is not None:
            rows, more = self.found
            look = rig.look(*rows, asked_at_s=self.clock(), **more)
            asyncio.get_running_loop().call_later(0.01, self._answer, look)

    def _answer(self, look: Look) -> None:
        self.put(Looked(PaneId(rig.PANE), look, self.clock()))

    @staticmethod
    def _fail(error: Exception) -> None:
        raise error

    def clock(self) -> float:
        return asyncio.get_running_loop().time()

    def emit(self, event: Event) -> None:
        self.told.append(self.bus.emit(event))

    def put(self, item: object) -> bool:
        return bool(self.engine.pump.put(item))

    def where(self, pane: Pane) -> str:
        return f"tmux attach -t ={pane.name}"

    def pane(self, which: str) -> Pane:
        for pane in self.panes:
            if pane.id == which:
                return pane
        raise NoSuchPane(which)

    def of(self, kind: type) -> list[Event]:
        """Return the events of a kind."""
        return [event for event in self.told if isinstance(event, kind)]

    # --- one pane

    def open(self, profile: str = "bash", *, pid: int = 100) -> Pane:
        """Watch a pane."""
        traits = TrackerTraits(name="w1", reads_lines=profile == "lines", launched=True)
        item = Opened(
            pane_id=rig.PANE, pane_pid=pid, profile=profile, traits=traits, at_s=self.clock()
        )
        tracker = self.engine.pump.open(item, load(profile))
        target = Target(session_id="$1", window_id="@1", pane_id=rig.PANE, pane_pid=pid)  # type: ignore[arg-type]
        pane = Pane(ctl=self, name="w1", target=target, tracker=tracker)  # type: ignore[arg-type]
        self.panes = [pane]
        self.engine.pump.settle()
        return pane

    async def shows(self, *rows: str, at_prompt: bool = False, **more: object) -> None:
        """The screen changes, and looks find it so until it is settled."""
        pane, self.found = self.panes[0], None
        more.setdefault("kernel", rig.EDITOR if at_prompt else rig.LINE_READ)
        pane.tracker.output(b"x", at_s=self.clock())
        if at_prompt:
            pane.tracker.output(b"\\033[?2004h", at_s=self.clock())
        for _ in range(3):
            await anyio.sleep(0.1)
            look = rig.look(*rows, asked_at_s=self.clock(), **more)
            self.put(Looked(PaneId(rig.PANE), look, self.clock()))

    def answer_looks(self, *rows: str, **more: object) -> None:
        """Answer every look with these rows from now on."""
        self.found = (rows, {"kernel": rig.EDITOR, **more})

    async def ends(self) -> None:
        """The program ends."""
        self.put(Exited(PaneId(rig.PANE), "it ended", self.clock()))
        await anyio.lowlevel.checkpoint()

    @property
    def state(self) -> State:
        return self.panes[0].state


@contextlib.asynccontextmanager
async def opened(journal: MemoryJournal | None = None, **settings: object) -> AsyncIterator[Rig]:
    """A controller for the time of a block; what it was about to do ends with it."""
    async with anyio.create_task_group() as tasks:
        made = Rig(
            settings=Settings(**settings),  # type: ignore[arg-type]
            tasks=tasks,
            journal=journal if journal is not None else MemoryJournal(),
        )
        tasks.start_soon(made.people.run)
        yield made
        made.closed = True
        made.engine.pump.close()
        tasks.cancel_scope.cancel()

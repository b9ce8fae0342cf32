"""What a controller has its journal keep, and what it finds there when it starts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import anyio
import attrs

from panegate import profiles
from panegate.errors import (
    JournalError,
    NoSuchPane,
    PanegateError,
    ProfileError,
    RemoteProtocolError,
    ServerUnreachable,
)
from panegate.gate.receipt import Receipt
from panegate.gate.stages import Action, Stage
from panegate.journal.base import KeptWrite, PaneRow, WriteRow
from panegate.journal.processes import end_process
from panegate.journal.recovery import NOT_SENT_STAGES, SeenNow, fate_of
from panegate.journal.store import utc_now
from panegate.runtime.link import Target
from panegate.runtime.logs import get_logger
from panegate.service.capturing import capture
from panegate.session.events import Event, PaneOpened, WriteFinished
from panegate.session.inputs import CarrierLost, Withdrawn
from panegate.session.tracker import PaneTracker
from panegate.terms import Fate, Reason

if TYPE_CHECKING:
    from panegate.service.controller import Controller
    from panegate.service.launch import Launch
    from panegate.service.pane import Pane

__all__ = ["Keeping", "Known"]

_log = get_logger()

_Act = Callable[[PaneTracker, Action], None]


@attrs.frozen(kw_only=True)
class Known:
    """What an earlier controller was told about a pane that still runs the same process.

    Not whether timing is to be trusted: that is each caller's own word.
    """

    profile: str | None = None
    name: str | None = None
    where: str = ""
    reads_lines: bool = False


@attrs.define(kw_only=True, eq=False)
class Keeping:
    """The journal's side of one controller."""

    ctl: Controller
    events: bool = True
    """Keep the event stream, too; a command that lives for a moment does not."""
    _outbox: asyncio.Queue[Event] = attrs.field(factory=asyncio.Queue, init=False)
    _unsaid: dict[str, WriteFinished] = attrs.field(factory=dict, init=False)
    """Fates that are on their way to the journal."""
    _typing: set[str] = attrs.field(factory=set, init=False)
    """Writes that are journalled as being typed."""
    _clients: set[int] = attrs.field(factory=set, init=False)

    @property
    def server(self) -> str:
        """Identity of the server, as rows carry it: pid, start time and socket."""
        facts = self.ctl.link.server
        return f"{facts.pid}:{facts.start_time}:{facts.socket}"

    # --- before the first byte ------------------------------------------------------

    def acting(self, act: _Act) -> _Act:
        """Return *act*, with each write journalled as `typing` before its first byte leaves."""

        def kept_first(tracker: PaneTracker, action: Action) -> None:
            write_id = action.write_id
            if write_id not in self._typing:
                self.ctl.tasks.start_soon(self._type, act, tracker, action)
                return
            stage = _stage_of(tracker, write_id)
            if stage is Stage.SUBMITTING:
                self.ctl.tasks.start_soon(self._note_stage, write_id, stage)
            act(tracker, action)

        return kept_first

    async def _type(self, act: _Act, tracker: PaneTracker, action: Action) -> None:
        write_id, pump = action.write_id, self.ctl.engine.pump
        stage = _stage_of(tracker, write_id) or Stage.TYPING
        before = tracker.writes[0].deciding_rows if tracker.writes else ()
        try:
            await self.ctl.journal.stage(write_id, stage, before)
        except JournalError as error:
            words = f"Not sent: {error}. Nothing was written."
            now_s = self.ctl.clock()
            pump.put(Withdrawn(tracker.pane_id, write_id, Reason.JOURNAL, words, now_s))
            return
        # in the meantime the pane may have gone, or the write may have been given up
        known = pump.trackers.get(tracker.pane_id) is tracker
        if known and _stage_of(tracker, write_id) is stage:
            self._typing.add(write_id)
            act(tracker, action)
            pump.settle()

    async def _note_stage(self, write_id: str, stage: Stage) -> None:
        try:
            await self.ctl.journal.stage(write_id, stage)
        except JournalError as error:
            _log.error("journal.failed", write_id=write_id, words=str(error))

    async def give_up(self, row: WriteRow) -> None:
        """Give a write its fate that was journalled, perhaps, and never queued."""
        words = "Its caller was cancelled; nothing was written."
        receipt = fate_of(KeptWrite(row=row, stage=Stage.WAITING))
        receipt = attrs.evolve(receipt, fate=Fate.WITHDRAWN, reason=Reason.WITHDRAWN, words=words)
        try:
            await self.ctl.journal.finish(receipt)
        except JournalError as error:
            _log.error("journal.failed", write_id=row.write_id, words=str(error))

    # --- what happens ---------------------------------------------------------------

    def put(self, event: Event) -> None:
        """Queue an event; nobody waits for the journal."""
        self._outbox.put_nowait(event)

    async def run(self) -> None:
        """Keep what happens; a write's fate is journalled before its caller is told."""
        while True:
            await self._keep(await self._outbox.get())

    async def _keep(self, event: Event) -> None:
        if isinstance(event, WriteFinished):
            self._typing.discard(event.receipt.write_id)
            self._unsaid[event.receipt.write_id] = event
            self.ctl.tasks.start_soon(self._say, event)
        try:
            if self.events:
                await self.ctl.journal.append(event)
            if isinstance(event, PaneOpened):
                await self._note_clients()
                await self._note_pane(event)
        except PanegateError as error:
            _log.error("journal.failed", words=str(error))

    async def _say(self, event: WriteFinished) -> None:
        await self.ctl.writes.finished(event)
        self._unsaid.pop(event.receipt.write_id, None)

    async def _note_clients(self) -> None:
        for client in list(self.ctl.link.clients.values()):
            pid = getattr(client.transport, "pid", None)
            if isinstance(pid, int) and pid not in self._clients:
                self._clients.add(pid)
                await self.ctl.journal.note_client(pid)

    async def _note_pane(self, event: PaneOpened) -> None:
        pane = next((p for p in self.ctl.panes if p.id == event.pane), None)
        if pane is not None:
            await self.ctl.journal.open_pane(_pane_row(pane, self.server))

    def end_writes(self) -> None:
        """Give what is not finished its fate: the controller ends."""
        try:
            for pane in self.ctl.panes:
                self._end_writes(pane)
        except Exception as error:  # closing goes on whatever state the panes are in
            _log.error("journal.failed", words=repr(error))

    async def close(self) -> None:
        """Keep all that has happened."""
        while not self._outbox.empty():
            event = self._outbox.get_nowait()
            if isinstance(event, WriteFinished):
                self._unsaid[event.receipt.write_id] = event
            try:
                if self.events:
                    await self.ctl.journal.append(event)
            except PanegateError as error:
                _log.error("journal.failed", words=str(error))
        async with anyio.create_task_group() as group:
            for event in list(self._unsaid.values()):
                group.start_soon(self._say, event)

    def _end_writes(self, pane: Pane) -> None:
        now_s = self.ctl.clock()
        words = "Not sent: the controller ended. Nothing was written."
        for write_id in pane.queue:
            self.ctl.put(Withdrawn(pane.id, write_id, Reason.CONTROLLER_ENDED, words, now_s))
        if pane.queue:  # one is in hand
            self.ctl.put(CarrierLost(pane.id, "the controller ended", now_s))

    # --- after a crash --------------------------------------------------------------

    async def start(self) -> None:
        """Number events on from where they ended; see to what a dead controller has left."""
        journal = self.ctl.journal
        try:
            if self.events:
                self.ctl.bus.last_seq = await journal.last_seq()
            await self._note_clients()
            for pid, started in await journal.dead_clients():
                if end_process(pid, started):
                    _log.info("client.ended", pid=pid)
            for kept in await journal.orphans():
                await self._recover(kept)
        except JournalError as error:
            _log.error("journal.failed", words=str(error))

    async def read_back(self, since: int) -> list[Event]:
        """Return kept events above a number; none where the journal cannot be read."""
        try:
            return await self.ctl.journal.events(since) if self.events else []
        except JournalError as error:
            _log.error("journal.failed", words=str(error))
            return []

    async def known(self, target: Target) -> Known:
        """Return what is kept of a pane: of this very server, pane id and process."""
        try:
            row = await self.ctl.journal.pane(self.server, target.pane_id, target.pane_pid)
        except JournalError:
            row = None  # a file that is not there yet, or cannot be read
        return _known_of(row) if row is not None else Known()

    async def fate_of(self, kept: KeptWrite) -> Receipt | None:
        """Return the fate of a write that has none, where its controller is gone."""
        for orphan in await self.ctl.journal.orphans():
            await self._recover(orphan)
        found = await self.ctl.journal.kept(kept.row.write_id)
        return found.receipt if found is not None else None

    async def _recover(self, kept: KeptWrite) -> None:
        """Give a write its fate. Nothing is sent again."""
        here = kept.row.server == self.server
        if kept.stage in NOT_SENT_STAGES:
            receipt = fate_of(kept)
        elif here:
            receipt = fate_of(kept, await self._seen(kept.row))
        else:
            words = "its tmux server is another one than this controller's"
            receipt = fate_of(kept, SeenNow(words=words))
        await self.ctl.journal.finish(receipt)
        _log.info(
            "write.recovered",
            write_id=receipt.write_id,
            pane_id=receipt.pane,
            fate=receipt.fate.value,
            words=receipt.words,
        )
        if here:  # elsewhere the same id names another pane
            self.ctl.emit(WriteFinished(pane=receipt.pane, receipt=receipt, at_s=self.ctl.clock()))

    async def _seen(self, row: WriteRow) -> SeenNow:
        """Read the screen of the pane that a write went to, if it is still that pane."""
        try:
            screen = await capture(self.ctl.link, row.pane, pane_pid=row.pane_pid)
        except NoSuchPane:
            return SeenNow(words="its pane is gone, or runs another program")
        except (ServerUnreachable, RemoteProtocolError) as error:
            return SeenNow(words=f"its pane cannot be read ({error})")
        return SeenNow(rows=screen.rows)


def _stage_of(tracker: PaneTracker, write_id: str) -> Stage | None:
    """Return the stage of the write in hand, None where it is another one."""
    writes = tracker.writes
    if writes and writes[0].request.write_id == write_id:
        return writes[0].stage
    return None


def _pane_row(pane: Pane, server: str) -> PaneRow:
    launched = pane.launched
    return PaneRow(
        server=server,
        pane=pane.id,
        pane_pid=pane.target.pane_pid,
        name=pane.name,
        profile=pane.profile.name,
        at_utc=utc_now(),
        launch=_launch_of(launched) if launched is not None else None,
        traits=attrs.asdict(pane.tracker.traits),
    )


def _known_of(row: PaneRow) -> Known:
    profile: str | None = row.profile if row.profile != "generic" else None
    try:
        if profile is not None:
            profiles.load(profile)
    except ProfileError:
        profile = None  # a file of the caller's own, or one that is gone
    traits = row.traits
    return Known(
        profile=profile,
        name=row.name or None,
        where=str(traits.get("where", "")),
        reads_lines=bool(traits.get("reads_lines")),
    )


def _launch_of(launched: Launch) -> dict[str, Any]:
    """Return how a pane was started; of its environment the names alone: values may be secrets."""
    fields = attrs.asdict(launched)
    fields["env"] = [name for name, _ in launched.env]
    fields["profile_env"] = list(launched.profile_env)
    if launched.answers is not None:
        answers = launched.answers
        fields["answers"] |= {"env": list(answers.env), "files": list(answers.files)}
    return fields

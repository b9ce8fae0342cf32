"""Clients that end, servers that go and come back, panes that move."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import anyio
import attrs

from panegate.errors import PanegateError, ServerUnreachable, TmuxTooOld
from panegate.runtime.bringup import ServerFacts, read_facts
from panegate.runtime.client import ControlClient
from panegate.runtime.engine import PANE_GONE
from panegate.runtime.logs import get_logger
from panegate.session.events import ServerBack, ServerLost
from panegate.session.inputs import Exited, Gone, Reachable
from panegate.terms import State

if TYPE_CHECKING:
    from panegate.service.controller import Controller
    from panegate.service.pane import Pane

__all__ = [
    "BACK_OFF_S",
    "DEBOUNCE_S",
    "Reconnecting",
]

_log = get_logger()

DEBOUNCE_S = 0.05
BACK_OFF_S = (0.2, 0.5, 1.0, 2.0, 5.0, 15.0, 30.0)


@attrs.define(kw_only=True, eq=False)
class Reconnecting:
    """Keeps the clients of one controller in step with the server."""

    ctl: Controller
    attempts: int = attrs.field(default=0, init=False)
    _running: bool = attrs.field(default=False, init=False)
    _again: bool = attrs.field(default=False, init=False)
    _failures: int = attrs.field(default=0, init=False)
    """Times in a row that a server which answers could not be asked for its panes."""
    _wake: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    _structure_due: bool = attrs.field(default=False, init=False)

    def client_ended(self, client: ControlClient) -> None:
        """A client ended: find out why, once for all that end together."""
        if self.ctl.closed:
            return
        self.ctl.engine.client_ended(client)
        self._start()

    def structure_changed(self) -> None:
        """Something about sessions or windows changed; look once it is still."""
        if not self._structure_due and not self.ctl.closed:
            self._structure_due = True
            self.ctl.tasks.start_soon(self._after_structure)

    def _start(self) -> None:
        if self._running:
            self._again = True
            return
        self._running = True
        self.ctl.tasks.start_soon(self._recover)

    async def _after_structure(self) -> None:
        with anyio.move_on_after(DEBOUNCE_S):
            await self._wake.wait()
        self._structure_due = False
        if self.ctl.closed:
            return
        try:
            await self._relist()
        except PanegateError:
            self._start()

    async def _relist(self) -> None:
        """Compare what is watched with what the server has."""
        ctl = self.ctl
        asked_s = ctl.clock()
        listed = {p.target.pane_id: p for p in await ctl.launching.list_panes()}
        for pane in ctl.panes:
            if pane.state is State.EXITED or pane.tracker.started_s >= asked_s:
                continue  # the list may be older than the pane's own program
            found = listed.get(pane.id)
            if found is None:
                ctl.put(Gone(pane.id, PANE_GONE, ctl.clock()))
                continue
            pid = found.target.pane_pid
            if pid and pid != pane.target.pane_pid and not found.dead:
                words = "another process runs in the pane"
                ctl.put(Gone(pane.id, words, ctl.clock()))
                continue
            carrier = ctl.link.carriers.get(pane.id)
            moved = found.target.session_id != pane.target.session_id
            linked = pane.target.window_id in ctl.link.linked
            if carrier is None or not carrier.alive or (moved and not linked):
                await self._carry_again(pane, found.target.session_id)
        if ctl.watch != "launched":
            await ctl.launching.watch_existing()

    async def _carry_again(self, pane: Pane, session_id: str) -> None:
        from panegate.ids import SessionId

        target = attrs.evolve(pane.target, session_id=SessionId(session_id))
        pane.target = target
        slot = self.ctl.engine.slots.get(pane.id)
        if slot is not None:
            slot.target = target
        await self.ctl.link.carry(target, ours=pane.launched is not None)
        self.ctl.put(Reachable(pane.id, True, "", self.ctl.clock()))

    async def _recover(self) -> None:
        """Probe the server until it answers, then bring every pane back."""
        try:
            step = 0
            while not self.ctl.closed:
                self._again = False
                self.attempts += 1
                if await self._try():
                    if not self._again:
                        return
                    step = 0
                    continue
                with anyio.move_on_after(BACK_OFF_S[min(step, len(BACK_OFF_S) - 1)]):
                    await self._wake.wait()
                step += 1
        finally:
            self._running = False

    async def _try(self) -> bool:
        ctl = self.ctl
        try:
            facts = await read_facts(ctl.link.address)
        except (ServerUnreachable, TmuxTooOld) as error:
            self._lost(str(error))
            return False
        if facts is None:
            self._lost("the tmux server does not answer")
            return False
        if not self._same(facts):
            self._other_server(facts)
        try:
            await self._relist()
        except PanegateError as error:
            if await self._no_sessions_left():
                return True
            self._failures += 1
            if self._failures > 1:  # once is a client that ended while it was asked
                self._lost(str(error))
            return False
        self._failures = 0
        self._back()
        return True

    def _back(self) -> None:
        """The server answers: what its loss has put in doubt is so no longer."""
        ctl = self.ctl
        for pane in ctl.panes:
            carrier = ctl.link.carriers.get(pane.id)
            alive = carrier is not None and carrier.alive and pane.state is not State.EXITED
            if alive and not pane.tracker.server_reachable:
                ctl.put(Reachable(pane.id, True, "", ctl.clock()))
        if not ctl.reachable:
            ctl.reachable = True
            ctl.emit(ServerBack(at_s=ctl.clock()))

    async def _no_sessions_left(self) -> bool:
        """A server of the user's whose last session ended: nothing to come back to."""
        running = [p for p in self.ctl.panes if p.state is not State.EXITED]
        return not running

    def _same(self, facts: ServerFacts) -> bool:
        known = self.ctl.link.facts
        return known is not None and (known.pid, known.start_time) == (
            facts.pid,
            facts.start_time,
        )

    def _other_server(self, facts: ServerFacts) -> None:
        """A new server has the socket: no pane of it is one of ours."""
        ctl = self.ctl
        words = "the tmux server died; another one has its socket"
        for pane in ctl.panes:
            if pane.state is not State.EXITED:
                ctl.put(Reachable(pane.id, False, words, ctl.clock()))
                ctl.put(Gone(pane.id, words, ctl.clock()))
        ctl.link.facts = facts

    def _lost(self, words: str) -> None:
        ctl = self.ctl
        known = ctl.link.facts
        local = ctl.link.address.ssh is None
        died = known is not None and local and not _alive(known.pid)
        now_s = ctl.clock()
        if died and known is not None:
            words = f"the tmux server (pid {known.pid}) died"
        elif known is not None and local and not ctl.link.address.socket.exists():
            words = (
                f"its socket is missing, the server (pid {known.pid}) lives:"
                f" `kill -USR1 {known.pid}` has it make the socket again"
            )
        if ctl.reachable:
            ctl.reachable = False
            ctl.emit(ServerLost(words=words, at_s=now_s))
        for pane in ctl.panes:
            if pane.state is State.EXITED:
                continue
            if pane.tracker.server_reachable:
                ctl.put(Reachable(pane.id, False, words, now_s))
            slot = ctl.engine.slots.get(pane.id)
            if died or (slot is not None and slot.dead):
                ctl.put(Exited(pane.id, words if died else "its process ended", now_s))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

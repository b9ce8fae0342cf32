"""The service's controller and its panes, with the names that the commands use."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import attrs

import panegate
from panegate.cli.remembering import CliController, profile_reference
from panegate.cli.stored import Stored
from panegate.errors import PanegateError
from panegate.gate.receipt import Receipt
from panegate.ids import PaneId
from panegate.runtime.address import ServerAddress
from panegate.runtime.own_pane import own_pane_id
from panegate.service.bus import EventBus, EventStream
from panegate.service.choosing import launch_environment
from panegate.service.local.client import LocalClient, connected
from panegate.service.local.endpoint import socket_path
from panegate.service.local.messages import Note
from panegate.service.local.values import PaneView, event_from, value_from
from panegate.service.pane import Pane
from panegate.service.views import Explanation, RunResult, Screen
from panegate.session.events import Event, PaneExited, PaneOpened, Prompt, ServerBack, ServerLost
from panegate.terms import State

__all__ = ["AnyController", "AnyPane", "RemoteController", "RemotePane", "through_service"]

_EVENTS_KEPT = 100_000
"""Of one command, which reads them as they come."""


class _RemoteBus(EventBus):
    """Gives the service's events on with the service's numbers."""

    def give(self, event: Event) -> None:
        if not self._streams:
            self.recent.append(event)  # for who is about to listen
        for tap in self.taps:
            tap(event)
        for stream in self._streams:
            stream.put(event)


@attrs.frozen
class _Profile:
    name: str


@attrs.define(kw_only=True, eq=False)
class RemotePane:
    """One pane of the service, as of its last answer about it."""

    ctl: RemoteController
    view: PaneView

    @property
    def id(self) -> PaneId:
        """Tmux's pane id."""
        return self.view.id

    @property
    def name(self) -> str:
        """Its name."""
        return self.view.name

    @property
    def profile(self) -> _Profile:
        """The name of its profile."""
        return _Profile(self.view.profile)

    @property
    def state(self) -> State:
        """What is believed about it."""
        return self.view.state

    @property
    def confirmed(self) -> bool:
        """No output has come since the state was decided."""
        return self.view.confirmed

    @property
    def prompt(self) -> Prompt | None:
        """The question it waits on."""
        return self.view.prompt

    @property
    def draft(self) -> str:
        """Somebody's unsent text."""
        return self.view.draft

    @property
    def where(self) -> str:
        """The command that brings a person to it."""
        return self.view.where

    @property
    def held(self) -> str | None:
        """Why a person holds it."""
        return self.view.held

    @property
    def queue(self) -> tuple[str, ...]:
        """Ids of unfinished writes."""
        return self.view.queue

    @property
    def exit(self) -> PaneExited | None:
        """How it ended, where it did."""
        return self.view.exit

    def explain(self) -> Explanation:
        """Say why the pane is in its state.

        Raises:
            PanegateError: The service did not say.

        """
        if self.view.explanation is None:
            raise PanegateError(f"the service did not explain {self.name}")
        return self.view.explanation

    def last_screen(self) -> Screen | None:
        """Return the rows of the last look."""
        return self.view.screen

    async def _ask(self, method: str, **params: Any) -> Any:
        try:
            return await self.ctl.client.request(method, pane=self.id, **params)
        except asyncio.CancelledError:
            await self._see_again()
            raise

    async def _see_again(self) -> None:
        with contextlib.suppress(PanegateError):
            await self._seen("pane")

    async def _seen(self, method: str, **params: Any) -> PaneView:
        result = await self.ctl.client.request(method, pane=self.id, **params)
        self.view = value_from(result, PaneView)
        return self.view

    async def _write(self, method: str, **params: Any) -> Receipt:
        return value_from(await self._ask(method, **params), Receipt)

    async def send(
        self,
        text: str,
        *,
        id: str | None = None,
        within_s: float | None = None,
        submit: bool = True,
        literal: bool = False,
    ) -> Receipt:
        """See `Pane.send`."""
        options = {"within_s": within_s, "submit": submit, "literal": literal}
        return await self._write("send", text=text, id=id, **options)

    async def nudge(self, text: str, *, id: str | None = None) -> Receipt:
        """See `Pane.nudge`."""
        return await self._write("nudge", text=text, id=id)

    async def steer(
        self, text: str, *, id: str | None = None, within_s: float | None = None
    ) -> Receipt:
        """See `Pane.steer`."""
        return await self._write("steer", text=text, id=id, within_s=within_s)

    async def run(
        self, text: str, *, within_s: float | None = None, turn_within_s: float | None = None
    ) -> RunResult:
        """See `Pane.run`."""
        found = await self._ask("run", text=text, within_s=within_s, turn_within_s=turn_within_s)
        await self._see_again()
        return value_from(found, RunResult)

    async def answer(
        self,
        prompt_id: str,
        *,
        option: str | None = None,
        text: str | None = None,
        secret: str | None = None,
        cancel: bool = False,
        by: str,
    ) -> Receipt:
        """See `Pane.answer`."""
        given = {"option": option, "text": text, "secret": secret, "cancel": cancel}
        return await self._write("answer", prompt_id=prompt_id, by=by, **given)

    async def interrupt(self, *, within_s: float = 10.0) -> Receipt:
        """See `Pane.interrupt`."""
        return await self._write("interrupt", within_s=within_s)

    async def keys(self, *names: str, within_s: float = 10.0) -> Receipt:
        """See `Pane.keys`."""
        return await self._write("keys", keys=list(names), within_s=within_s)

    async def clear(self, *, within_s: float = 10.0) -> Receipt:
        """See `Pane.clear`."""
        return await self._write("clear", within_s=within_s)

    async def wait(self, states: Iterable[State], *, within_s: float | None = None) -> State:
        """See `Pane.wait`."""
        names = sorted(state.value for state in states)
        return (await self._seen("wait", states=names, within_s=within_s)).state

    async def read(self, *, history: int = 0) -> Screen:
        """See `Pane.read`."""
        return value_from(await self._ask("read", history=history), Screen)


@attrs.define(kw_only=True, eq=False)
class RemoteController:
    """The controller of a service, for the time of one command."""

    client: LocalClient
    address: ServerAddress
    bus: _RemoteBus = attrs.field(factory=_RemoteBus, init=False)
    reachable: bool = attrs.field(default=True, init=False)
    _panes: dict[PaneId, RemotePane] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self.client.on_note = self._take
        self.client.on_lost = self._lost

    @property
    def panes(self) -> tuple[RemotePane, ...]:
        """The panes that this command has to do with."""
        return tuple(self._panes.values())

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """Their questions, oldest first."""
        found = [pane.prompt for pane in self._panes.values()]
        return tuple(sorted((p for p in found if p is not None), key=lambda p: p.since))

    def events(self) -> EventStream:
        """Return the events from now on of what was subscribed to."""
        first = list(self.bus.recent)
        self.bus.recent.clear()
        return self.bus.stream(_EVENTS_KEPT, first=first)

    async def watch_every(self, *, views: bool) -> None:
        """Subscribe to every pane of the server; *views*: `panes` follows what they do."""
        found = await self.client.request("events", every=True, views=views)
        for view in found["panes"]:
            self._keep(value_from(view, PaneView))

    async def launch(self, argv: Sequence[str], **options: Any) -> RemotePane:
        """See `Controller.launch`; folder, environment and profiles are the caller's own."""
        given = {key: value for key, value in options.items() if value is not None}
        here = self.address.ssh is None
        own: Mapping[str, str] = os.environ if here else {}
        given["env"] = launch_environment(options.get("env"), options.get("inherit_env"), own)
        given["inherit_env"] = False
        cwd = options.get("cwd")
        if here:
            given["cwd"] = _absolute(cwd)
        given["profile"] = profile_reference(options.get("profile"))
        given["no_wait"] = "within_s" in options and options["within_s"] is None
        found = await self.client.request("launch", argv=list(argv), **given)
        return self._keep(value_from(found, PaneView))

    async def adopt(self, pane: str, **options: Any) -> RemotePane:
        """See `Controller.adopt`; from now on its events come."""
        found = await self._adopt(pane, options, remember=False)
        await self.client.request("events", pane=found.id)
        return found

    async def _adopt(
        self, which: str, options: Mapping[str, Any], *, remember: bool, settle: bool = False
    ) -> RemotePane:
        given = {key: value for key, value in options.items() if value}
        found = await self.client.request(
            "adopt", pane=which, remember=remember, settle=settle, **given
        )
        return self._keep(value_from(found, PaneView))

    async def store(self, pane_id: PaneId, stored: Stored) -> None:
        """Keep beside a pane what later commands need."""
        await self._adopt(pane_id, attrs.asdict(stored), remember=True)

    async def adopt_all(self, *, every: bool) -> list[RemotePane]:
        """Return the panes that panegate launched or adopted before; *every*: all there are."""
        found = await self.client.request("panes", every=every)
        return [self._keep(value_from(view, PaneView)) for view in found]

    async def settled(self, *panes: RemotePane) -> None:
        """Wait until looks have shown what the panes do, bounded."""
        if len(panes) == 1:  # a list comes settled
            await self._adopt(panes[0].id, {}, remember=False, settle=True)

    async def hold(self, pane: RemotePane, reason: str | None) -> None:
        """Take a pane over for a person; None gives it back."""
        name, params = ("release", {}) if reason is None else ("hold", {"reason": reason})
        pane.view = value_from(await self.client.request(name, pane=pane.id, **params), PaneView)

    async def end(self, pane: RemotePane) -> None:
        """End a program and its pane."""
        await self.client.request("close", pane=pane.id)

    def _lost(self) -> None:
        self.reachable = False
        self.bus.close()

    def _keep(self, view: PaneView) -> RemotePane:
        pane = self._panes.get(view.id)
        if pane is None:
            pane = self._panes[view.id] = RemotePane(ctl=self, view=view)
        pane.view = view
        return pane

    def _take(self, note: Note) -> None:
        if note.pane is not None:
            self._keep(value_from(note.pane, PaneView))
        event = event_from(note.event)
        if event is None:
            return
        if isinstance(event, PaneOpened) and event.pane not in self._panes:
            self._keep(_just_opened(event))
        if isinstance(event, ServerLost | ServerBack):
            self.reachable = isinstance(event, ServerBack)
        self.bus.give(event)


def _just_opened(event: PaneOpened) -> PaneView:
    return PaneView(
        id=event.pane,
        name=event.name,
        profile=event.profile,
        state=State.BOOTING,
        confirmed=False,
        draft="",
        held=None,
        prompt=None,
        where="",
        since_s=0.0,
    )


def _absolute(folder: str | Path | None) -> str:
    return os.path.abspath(folder) if folder is not None else os.getcwd()


AnyPane: TypeAlias = Pane | RemotePane
AnyController: TypeAlias = CliController | RemoteController


@contextlib.asynccontextmanager
async def through_service(address: ServerAddress) -> AsyncIterator[RemoteController | None]:
    """Speak to the service of a tmux server; None where none runs."""
    async with connected(socket_path(address)) as client:
        if client is None:
            yield None
            return
        own_pane = own_pane_id(str(address.socket)) if address.ssh is None else None
        await client.request(
            "hello", client=f"panegate {panegate.__version__}", person=True, own_pane=own_pane
        )
        yield RemoteController(client=client, address=address)

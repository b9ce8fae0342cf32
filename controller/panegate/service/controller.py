"""The controller: what embedders open."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import anyio
import anyio.abc
import attrs

from panegate.errors import NoSuchPane, PanegateError
from panegate.ids import PaneId, ServerIdentity, is_pane_id
from panegate.journal.base import Journal
from panegate.runtime.engine import Engine
from panegate.runtime.link import ServerLink
from panegate.service.bus import EventBus, EventStream
from panegate.service.keeping import Keeping
from panegate.service.launching import Launching
from panegate.service.opening import address_of, opened, single
from panegate.service.outcomes import Outcomes, limits_of
from panegate.service.pane import Pane
from panegate.service.people import People
from panegate.service.reconnect import Reconnecting
from panegate.service.records import Records
from panegate.service.settings import Settings, load_settings
from panegate.service.writes import Writes
from panegate.session.events import Event, PaneEvent, PaneExited, Prompt
from panegate.session.inputs import Gone, Input, Watched
from panegate.session.outcome_facts import SessionLimits
from panegate.session.tracker import PaneTracker
from panegate.terms import State

if TYPE_CHECKING:
    import libtmux

    from panegate.service.probing import ProbeReport

__all__ = ["Controller"]


@attrs.define(kw_only=True, eq=False, repr=False)
class Controller:
    """Watches and drives the programs of one tmux server.

    Make one with `open` (structured) or `start` (hosted). Leaving detaches; panes live on.
    """

    settings: Settings
    journal: Journal
    link: ServerLink
    engine: Engine
    tasks: anyio.abc.TaskGroup
    bus: EventBus
    watch: str | frozenset[str]
    writes: Writes = attrs.field(init=False)
    keeping: Keeping = attrs.field(init=False)
    launching: Launching = attrs.field(init=False)
    reconnecting: Reconnecting = attrs.field(init=False)
    records: Records = attrs.field(init=False, default=attrs.Factory(Records.of, takes_self=True))
    outcomes: Outcomes = attrs.field(init=False)
    people: People = attrs.field(init=False)
    failed: BaseException | None = attrs.field(default=None, init=False)
    """What ended a hosted controller; it surfaces on the next call."""
    reachable: bool = attrs.field(default=True, init=False)
    started_s: float = attrs.field(factory=time.monotonic, init=False)
    closed: bool = attrs.field(default=False, init=False)
    _panes: dict[PaneId, Pane] = attrs.field(factory=dict, init=False)
    _host: asyncio.Task[None] | None = attrs.field(default=None, init=False)
    _stop: anyio.Event = attrs.field(factory=anyio.Event, init=False)

    def __attrs_post_init__(self) -> None:
        self.writes = Writes(ctl=self)
        self.keeping = Keeping(ctl=self)
        pump = self.engine.pump
        pump.on_action = self.keeping.acting(pump.on_action)
        self.launching = Launching(ctl=self)
        self.reconnecting = Reconnecting(ctl=self)
        self.outcomes = Outcomes(ctl=self)
        self.people = People(ctl=self)

    def __repr__(self) -> str:
        return f"<Controller {self.link.address.words} panes={len(self._panes)}>"

    # --- lifetimes ------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        *,
        socket_name: str | None = None,
        socket_path: str | Path | None = None,
        server: libtmux.Server | None = None,
        ssh: str | None = None,
        watch: str | Iterable[str] = "launched",
        journal: Journal | Path | str | None = None,
        settings: Settings | None = None,
        recorder: Any = None,
        attach_only: bool = False,
        exclusive: bool | None = None,
    ) -> AbstractAsyncContextManager[Controller]:
        """Open a controller in the caller's task; errors inside propagate out of the block.

        Args:
            socket_name: tmux's ``-L``; by default panegate's own server.
            socket_path: tmux's ``-S``, instead.
            server: A libtmux server, instead.
            ssh: Host on which the server runs.
            watch: ``launched`` (and adopted panes), ``server`` (every pane), or names of
                sessions.
            journal: None keeps it in the user's state directory (or where the settings say),
                a path in that file, ``":memory:"`` for the process's life; or a `Journal`.
            settings: Default: the settings file and the environment.
            recorder: Called with every `panegate.session.inputs.Input`.
            attach_only: Never start a server.
            exclusive: Be alone in charge of the server; default: where all of it is watched.

        Raises:
            ServerHeld: Another exclusive controller is in charge; says which.
            TmuxTooOld: tmux is missing or older than 3.2a.
            ServerUnreachable: The server does not answer.
            SettingsError: The settings are wrong.

        """
        return opened(
            cls,
            address_of(socket_name, socket_path, server, ssh),
            watch=watch if isinstance(watch, str) else frozenset(watch),
            journal=journal,
            settings=settings or load_settings(),
            recorder=recorder,
            attach_only=attach_only,
            exclusive=watch == "server" if exclusive is None else exclusive,
        )

    @classmethod
    async def start(cls, **options: Any) -> Self:
        """Open a controller hosted in a task of its own; end it with `aclose`.

        It may be started and closed from different tasks. Takes what `open` takes.
        """
        started: asyncio.Future[Controller] = asyncio.get_running_loop().create_future()

        async def host() -> None:
            ctl: Controller | None = None
            try:
                async with cls.open(**options) as ctl:
                    started.set_result(ctl)
                    await ctl._stop.wait()
            except BaseException as error:
                if not started.done():
                    started.set_exception(single(error))
                    return
                if ctl is not None:
                    ctl.failed = single(error)
                    ctl.ended(ctl.failed)
                if not isinstance(error, Exception):
                    raise

        task = asyncio.get_running_loop().create_task(host(), name="panegate-controller")
        try:
            ctl = await asyncio.shield(started)
        except BaseException:
            task.cancel()
            with contextlib.suppress(BaseException):
                await task
            raise
        ctl._host = task
        assert isinstance(ctl, cls)
        return ctl

    async def aclose(self) -> None:
        """Detach and end. Bounded in time; panes live on. Idempotent."""
        self._stop.set()
        if self._host is not None:
            await asyncio.wait([self._host])
        else:
            self.tasks.cancel_scope.cancel()

    # --- panes ----------------------------------------------------------------------

    async def launch(
        self,
        argv: Sequence[str],
        *,
        profile: str | Path | None = None,
        name: str | None = None,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        inherit_env: bool | None = None,
        size: tuple[int, int] | None = None,
        where: str = "",
        composer: str | None = None,
        reads_lines: bool = False,
        trust: str = "",
        retain: bool | None = None,
        limits: SessionLimits | Mapping[str, float] | None = None,
        within_s: float | None = -1.0,
    ) -> Pane:
        """Start a program in a session of its own; return when it is ready or asks.

        Args:
            argv: Program and arguments; no shell is between.
            profile: Name or file of a profile; by default the one that fits *argv*.
            name: Name of the session and the pane; by default made from the program.
            cwd: Its directory, by default ours.
            env: Variables for it.
            inherit_env: None passes ``PATH HOME USER LOGNAME SHELL LANG LC_* TZ TMPDIR``
                of this process, True everything but tmux's own, False nothing. To another
                host nothing of ours is passed, nor our directory.
            size: Columns and rows.
            where: The caller's own link for a person who is needed.
            composer: Prompt glyph of its input row, for programs without a profile.
            reads_lines: It reads whole lines: a line read at its prompt means ready.
            trust: ``timing`` takes a quiet screen for ready; receipts say so.
            retain: Keep the dead pane (and close it yourself); default from the settings.
            limits: ``wall_s``, ``mono_s``, ``silence_s``: reaching one is an event, no kill.
            within_s: How long it may take; None returns at once.

        Raises:
            LaunchFailed: It exited, was not found, or was not ready in time; carries the
                screen and the status.

        """
        self.check()
        limited = limits_of(limits)
        pane = await self.launching.launch(
            argv,
            profile=profile,
            name=name,
            cwd=cwd,
            env=env,
            inherit_env=inherit_env,
            size=size or (self.settings.columns, self.settings.rows),
            where=where,
            composer=composer,
            reads_lines=reads_lines,
            trust=trust,
            retain=self.settings.retain if retain is None else retain,
            within_s=self.settings.launch_within_s if within_s == -1.0 else within_s,
        )
        return self.outcomes.limit(pane, limited)

    async def adopt(
        self,
        pane: PaneId | str | libtmux.Pane,
        *,
        profile: str | Path | None = None,
        name: str | None = None,
        where: str = "",
        composer: str | None = None,
        reads_lines: bool = False,
        trust: str = "",
        limits: SessionLimits | Mapping[str, float] | None = None,
    ) -> Pane:
        """Take over a pane that exists; changes nothing about it.

        Args:
            pane: Pane id, an exact session name, or a libtmux pane.
            profile: By default the one that fits its foreground command.
            name: By default its session's name.
            where: As for `launch`; likewise the rest.
            composer: Prompt glyph of its input row.
            reads_lines: It reads whole lines.
            trust: ``timing`` takes a quiet screen for ready.
            limits: As for `launch`, counted from now.

        Raises:
            NoSuchPane: There is none.

        """
        self.check()
        limited = limits_of(limits)
        found = await self.launching.adopt(
            pane,
            profile=profile,
            name=name,
            where=where,
            composer=composer,
            reads_lines=reads_lines,
            trust=trust,
        )
        return self.outcomes.limit(found, limited)

    def pane(self, which: str) -> Pane:
        """Return a watched pane by id or name.

        Raises:
            NoSuchPane: None of that id or name is watched.

        """
        if is_pane_id(which) and (found := self._panes.get(PaneId(which))) is not None:
            return found
        for pane in self._panes.values():
            if pane.name == which:
                return pane
        names = ", ".join(f"{p.id} {p.name}" for p in self._panes.values()) or "none"
        raise NoSuchPane(f"no pane {which!r} is watched", fix=f"watched panes: {names}")

    @property
    def panes(self) -> tuple[Pane, ...]:
        """All watched panes, oldest first."""
        return tuple(self._panes.values())

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """All questions that wait for a person, oldest first."""
        found = [pane.prompt for pane in self._panes.values()]
        return tuple(sorted((p for p in found if p is not None), key=lambda p: p.since))

    @property
    def identity(self) -> ServerIdentity:
        """Which server process this is."""
        facts = self.link.server
        return ServerIdentity(
            pid=facts.pid,
            start_time=facts.start_time,
            socket=facts.socket,
            version=str(facts.version),
        )

    def events(self, since: int | None = None, maxsize: int | None = None) -> EventStream:
        """Return the event stream, registered now.

        Args:
            since: Give the events after this sequence number first, as far as the journal
                keeps them, those of earlier controllers of this server, too. Numbers go on
                across restarts; some are left out after a crash.
            maxsize: Events kept for this reader before it sees `Dropped`.

        """
        self.check()
        size = self.settings.event_buffer if maxsize is None else maxsize
        if since is None:
            return self.bus.stream(size)
        first = [e for e in self.bus.recent if e.seq > since]
        return self.bus.stream(size, first=first, since=since, read_back=self.keeping.read_back)

    async def wait_any(
        self,
        panes: Iterable[Pane],
        states: Iterable[State],
        *,
        within_s: float | None = None,
    ) -> Pane:
        """Wait until any of *panes* is in one of *states* and return it.

        Raises:
            NotReady: ``within_s`` ran out.

        """
        wanted = frozenset(states)
        found: list[Pane] = []
        failures: list[PanegateError] = []
        async with anyio.create_task_group() as group:

            async def one(pane: Pane) -> None:
                try:
                    await pane.wait(wanted, within_s=within_s)
                except PanegateError as error:
                    failures.append(error)
                    return
                found.append(pane)
                group.cancel_scope.cancel()

            for pane in panes:
                group.start_soon(one, pane)
        if found:
            return found[0]
        raise failures[0] if failures else ValueError("no panes to wait for")

    async def probe(
        self, profile: str | Path, arguments: Sequence[str] = (), **options: Any
    ) -> ProbeReport:
        """Start a program as a run would, on a server of its own, and say what it asks.

        Nothing is answered, and everything is ended before this returns.

        Args:
            profile: Name or file of its profile, with the launch answers of a run.
            arguments: The run's own.
            options: ``program`` (by default the profile's first command), ``turn`` (a message
                to send once it is ready), ``turn_within_s``, and what `launch` takes.

        Raises:
            LaunchFailed: It is not there, or ended before it was ready.
            NotReady: It was neither ready nor asking in time.

        """
        from panegate.service.probing import probe  # which opens a controller

        self.check()
        return await probe(self, profile, arguments, **options)

    def statistics(self) -> Mapping[str, Any]:
        """Return counts since the start: writes by fate and reason, looks, wake-ups."""
        states: dict[str, int] = {}
        for pane in self._panes.values():
            states[pane.state.value] = states.get(pane.state.value, 0) + 1
        return {
            "panes": len(self._panes),
            "states": states,
            "clients": len(self.link.clients),
            "writes": dict(self.writes.counts),
            "looks": self.engine.looks,
            "unreadable": self.engine.unreadable,
            "wakeups": self.engine.pump.wakeups,
            "events": self.bus.last_seq,
            "uptime_s": round(self.clock() - self.started_s, 3),
        }

    # --- inside ---------------------------------------------------------------------

    def clock(self) -> float:
        """Return monotonic seconds, the clock of every `at_s`."""
        return time.monotonic()

    def check(self) -> None:
        """Raise what ended this controller, if anything did."""
        if self.failed is not None:
            raise PanegateError(f"the controller failed: {self.failed}") from self.failed
        if self.closed:
            raise PanegateError("the controller is closed", fix="open a new one")

    def put(self, item: Input) -> bool:
        """Feed one value to its pane."""
        said = self.engine.pump.put(item)
        if not isinstance(item, Watched):
            self._touch(item.pane_id)
        return said

    def add(self, pane: Pane) -> None:
        """Keep a pane."""
        self._panes[pane.id] = pane

    def drop(self, pane: Pane) -> None:
        """Forget a pane; what is written to it right now gets its fate."""
        if self._panes.get(pane.id) is pane:  # another one may have the id by now
            del self._panes[pane.id]
            if pane.state is not State.EXITED:
                self.outcomes.closing(pane)
                self.engine.pump.put(Gone(pane.id, "it is not watched any more", self.clock()))
            self.engine.forget(pane.id)
            self.outcomes.close(pane)
        pane.touched()

    def where(self, pane: Pane) -> str:
        """Return the command that brings a person to a pane."""
        return f"tmux {self.link.address.words} attach -t ={pane.name}"

    def libtmux_pane(self, pane_id: PaneId) -> libtmux.Pane:
        """Return a pane as a libtmux object."""
        import libtmux  # starts processes; only where it is asked for

        address = self.link.address
        server = libtmux.Server(socket_name=address.socket_name, socket_path=address.socket_path)
        return libtmux.Pane.from_pane_id(server=server, pane_id=pane_id)

    def emit(self, event: Event) -> None:
        """Number an event, give it to all readers, and see to what follows from it."""
        numbered = self.bus.emit(event)
        self.keeping.put(numbered)
        pane_id = getattr(numbered, "pane", None)
        if pane_id is not None:
            self._touch(pane_id)
        self.outcomes.saw(numbered)
        if isinstance(numbered, PaneExited):
            pane = self._panes.get(numbered.pane)
            if pane is not None:
                pane.exit = numbered
                self.tasks.start_soon(self.launching.after_exit, pane)

    def pane_event(self, event: PaneEvent) -> None:
        """Take an event from the pump."""
        self.emit(event)

    def pane_settled(self, tracker: PaneTracker) -> None:
        """A pane was touched: wake who waits on it."""
        self.outcomes.settled(tracker)
        self._touch(tracker.pane_id)

    def _touch(self, pane_id: PaneId) -> None:
        pane = self._panes.get(pane_id)
        if pane is not None:
            pane.touched()

    def ended(self, error: BaseException) -> None:
        """Release everybody who waits: the controller is over."""
        self.closed = True
        self.outcomes.close_all()
        failure = PanegateError(f"the controller ended: {error}")
        self.writes.fail_all(failure)
        for pane in self._panes.values():
            pane.touched()
        self.bus.close()

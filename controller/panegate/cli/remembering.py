"""A controller that finds again what earlier commands knew about a pane."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import attrs
import structlog

from panegate import profiles
from panegate.cli.leaving import leave_command
from panegate.cli.stored import (
    Stored,
    hold_command,
    read_command,
    read_stored,
    store_command,
)
from panegate.errors import LaunchFailed, NoSuchPane, ProfileError, ServerUnreachable
from panegate.ids import PaneId, is_pane_id
from panegate.panes.beliefs import BeliefKind
from panegate.runtime.address import ServerAddress
from panegate.runtime.bringup import KEEP_ALIVE
from panegate.runtime.recording import RecordingWriter
from panegate.service.controller import Controller
from panegate.service.pane import Pane
from panegate.session.events import Event, PaneExited, PaneOpened
from panegate.session.outcome_facts import SessionLimits
from panegate.session.tracker import PaneTracker
from panegate.terms import State
from panegate.wire.commands import command

if TYPE_CHECKING:
    import libtmux

__all__ = ["CliController", "known_profile", "profile_reference"]

_FLOOD_BYTES = 128 * 1024
_SETTLE_WITHIN_S = 4.0
"""How long a pane that was just adopted may take to show its state."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()


class CliController(Controller):
    """A controller that finds again what earlier commands knew about a pane."""

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.writes.by_cli = True
        self.keeping.events = False  # each command would tell the same states anew
        self.people.active = False  # and call people about them
        self.stored: dict[PaneId, Stored] = {}
        """What was kept beside the panes adopted so far."""
        self._launching: Stored | None = None
        self._launched: Pane | None = None
        self._moved = anyio.Event()
        self.bus.taps.append(self._note_opened)
        self.bus.taps.append(self._note_exited)
        if isinstance(self.engine.recorder, RecordingWriter):
            trackers = self.engine.pump.trackers
            self.engine.recorder.profile_of = lambda pane_id: trackers[pane_id].profile

    async def launch(self, argv: Sequence[str], **options: Any) -> Pane:
        """Start a program and keep beside its pane what it was started with."""
        profile = options.get("profile")
        self._launching = Stored(
            profile=profile_reference(profile),
            where=options.get("where") or "",
            composer=options.get("composer"),
            reads_lines=bool(options.get("reads_lines")),
            trust=options.get("trust") or "",
        )
        retain = options.get("retain")
        try:
            pane = await super().launch(argv, **options)
        except asyncio.CancelledError:
            await self._end_launched()  # its caller gave up: nothing is left behind
            raise
        except LaunchFailed:
            await self._leave_to_tmux()
            raise
        finally:
            self._launching = None
        if not (self.settings.retain if retain is None else retain):
            await self._leave_to_tmux()
        return pane

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
        """Take over a pane with what is kept beside it; what the caller says wins."""
        which = pane if isinstance(pane, str) else str(pane.pane_id)
        pane_id = PaneId(which) if is_pane_id(which) else await self.resolve(which)
        answer = await self.link.ask(*read_command(pane_id))
        stored, held = read_stored(answer)
        if stored is not None:
            self.stored[pane_id] = stored
        known = stored or Stored()
        found = await super().adopt(
            pane_id,
            profile=profile or _usable(known.profile),
            name=name or known.name,
            where=where or known.where,
            composer=composer or known.composer,
            reads_lines=reads_lines or known.reads_lines,
            trust=trust or known.trust,
            limits=limits,
        )
        if held is not None:
            found.hold(held)
        return found

    def pane_settled(self, tracker: PaneTracker) -> None:
        """A pane was touched: wake who waits on any."""
        super().pane_settled(tracker)
        moved, self._moved = self._moved, anyio.Event()
        moved.set()

    async def settled(self, *panes: Pane, within_s: float = _SETTLE_WITHIN_S) -> None:
        """Wait until looks have shown what the panes do, or there is nothing to see."""
        with anyio.move_on_after(within_s):
            while not all(_is_known(pane) for pane in panes):
                await self._moved.wait()

    async def resolve(self, which: str) -> PaneId:
        """Return the pane that a name or a tmux target means; names match whole.

        Raises:
            NoSuchPane: None, or several.

        """
        listed = await self.launching.list_panes()
        ids = [p.target.pane_id for p in listed]
        if ":" in which:
            found = [p for p in await self._by_target(which) if p in ids]
        elif which[:1] in ("@", "$"):
            found = [
                p.target.pane_id
                for p in listed
                if which in (p.target.window_id, p.target.session_id)
            ]
        else:
            found = [p.target.pane_id for p in listed if p.session_name == which.removeprefix("=")]
            found = found or [p for p in ids if await self._name_of(p) == which]
        if len(found) == 1:
            return found[0]
        if found:
            raise NoSuchPane(
                f"{which!r} has several panes: {', '.join(found)}",
                fix="name one of them by its id",
            )
        raise NoSuchPane(
            f"the tmux server {self.link.address.words} has no pane {which!r}",
            fix="panegate ls --all lists its panes",
        )

    async def _name_of(self, pane_id: PaneId) -> str | None:
        """Return the name that was given to an adopted pane."""
        stored, _ = read_stored(await self.link.ask(*read_command(pane_id)))
        return stored.name if stored is not None else None

    async def adopt_all(self, *, every: bool) -> list[Pane]:
        """Adopt the panes that panegate launched or adopted before; *every*: all there are."""
        wanted = []
        for listed in await self.launching.list_panes():
            if listed.session_name == KEEP_ALIVE:
                continue
            answer = await self.link.ask(*read_command(listed.target.pane_id))
            if every or self.link.address.is_own or read_stored(answer)[0] is not None:
                wanted.append(listed.target.pane_id)
        panes = []
        for pane_id in wanted:
            with contextlib.suppress(NoSuchPane):  # it may have ended since it was listed
                panes.append(await self.adopt(pane_id))
        return panes

    async def store(self, pane_id: PaneId, stored: Stored) -> None:
        """Keep beside a pane what later commands need."""
        self.stored[pane_id] = stored
        await self.link.ask(store_command(pane_id, stored))

    @property
    def address(self) -> ServerAddress:
        """How its tmux server is named."""
        return self.link.address

    async def hold(self, pane: Pane, reason: str | None) -> None:
        """Take a pane over for a person, for every later command, too; None gives it back."""
        await self.link.ask(hold_command(pane.id, reason))
        if reason is None:
            pane.release()
        else:
            pane.hold(reason)

    async def end(self, pane: Pane) -> None:
        """End a program and its pane, also one that is dead."""
        self.outcomes.closing(pane)
        await self.link.ask(command("kill-pane", "-t", pane.id))

    async def _by_target(self, which: str) -> list[PaneId]:
        """Return the pane of ``SESSION:[WINDOW][.INDEX]``, all matched whole."""
        session, _, rest = which.partition(":")
        window, dot, index = rest.partition(".")
        exact = session if session[:1] in ("", "$", "@", "=") else f"={session}"
        if window and window[0] not in "@=":
            window = f"={window}"
        row = "#{pane_id} #{pane_index} #{pane_active}"
        answer = await self.link.ask(command("list-panes", "-t", f"{exact}:{window}", "-F", row))
        rows = [line.split(" ") for line in answer.text().splitlines()] if answer.ok else []
        at = 1 if dot else 2
        return [PaneId(row[0]) for row in rows if row[at] == (index if dot else "1")]

    async def _leave_to_tmux(self) -> None:
        """Nobody of ours stays to remove the pane when its program ends later: tmux does."""
        if self._launched is None or self._launched.state is State.EXITED:
            await self._end_launched()
            return
        self.outcomes.not_kept(self._launched)
        target = self._launched.target
        with contextlib.suppress(ServerUnreachable):
            await self.link.ask(leave_command(target.pane_id, target.window_id))

    async def _end_launched(self) -> None:
        pane, self._launched = self._launched, None
        if pane is not None:
            with contextlib.suppress(ServerUnreachable):
                target = pane.target
                end = command("kill-window", "-t", target.window_id)
                await self.link.ask_alone(end, ends=target.session_id)

    def _note_opened(self, event: Event) -> None:
        stored = self._launching
        if stored is None or not isinstance(event, PaneOpened):
            return
        self._launching = None
        self._launched = self.pane(event.pane)
        named = attrs.evolve(
            stored, name=event.name, profile=stored.profile or self._launched.profile.name
        )
        self.tasks.start_soon(self.store, event.pane, named)

    def _note_exited(self, event: Event) -> None:
        """Adopt a pane anew in which another controller starts its program just now."""
        if isinstance(event, PaneExited) and self.watch != "launched":
            for pane in self.panes:
                if pane.id == event.pane and pane.tracker.situation().other_process:
                    self.tasks.start_soon(self._adopt_anew, pane)

    async def _adopt_anew(self, pane: Pane) -> None:
        self.drop(pane)
        with contextlib.suppress(NoSuchPane, ServerUnreachable):
            await self.adopt(pane.id)


def known_profile(name: str) -> str | None:
    """Return the profile that was found for a pane's program, None where none fits.

    Later, when a shell runs something, its foreground command no longer tells.
    """
    return name if name != "generic" else None


def profile_reference(profile: str | Path | None) -> str | None:
    """Return what names a profile from any folder: its name, or the path of its file."""
    if profile is None:
        return None
    text = str(profile)
    if isinstance(profile, Path) or "/" in text or text.endswith(".toml"):
        return str(Path(text).expanduser().absolute())
    return text


def _usable(profile: str | None) -> str | None:
    """Return a kept profile, or None with a warning where it is gone or broken."""
    if profile is None:
        return None
    try:
        profiles.load(profile)
    except ProfileError as error:
        log.warning("profile.unusable", profile=profile, words=str(error))
        return None
    return profile


def _is_known(pane: Pane) -> bool:
    if pane.tracker.output_bytes >= _FLOOD_BYTES:
        return True  # it writes all the time: more looks show no more
    if pane.state is not State.BOOTING:
        return pane.confirmed or pane.state in (State.BUSY, State.SILENT, State.EXITED)
    belief = pane.tracker.machine.belief
    # A look found nothing at all; what it found and has not settled yet is waited for.
    return belief is not None and belief.kind is BeliefKind.NONE and pane.tracker.look is not None

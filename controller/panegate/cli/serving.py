"""The controller behind `panegate serve`, and what it does for its callers."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import attrs

from panegate.cli.leaving import end_kept, leave_command
from panegate.cli.remembering import CliController, known_profile, profile_reference
from panegate.cli.stored import Stored
from panegate.errors import LaunchFailed, PanegateError, ServerUnreachable
from panegate.runtime.bringup import bring_up
from panegate.service.controller import Controller
from panegate.service.pane import Pane
from panegate.session.events import ServerBack
from panegate.terms import State

__all__ = ["ServedController", "ServingHost"]


class ServedController(CliController):
    """A controller that stays: it keeps events, calls people, and its launches may overlap."""

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.keeping.events = True
        self.people.active = True
        self.people.active = True

    async def launch(self, argv: Sequence[str], **options: Any) -> Pane:
        """Start a program and keep beside its pane what it was started with."""
        within_s = options.pop("within_s")
        retain = options.get("retain")
        pane = await Controller.launch(self, argv, **options, within_s=None)
        kept = Stored(
            name=pane.name,
            profile=profile_reference(options.get("profile")) or pane.profile.name,
            where=options.get("where") or "",
            composer=options.get("composer"),
            reads_lines=bool(options.get("reads_lines")),
            trust=options.get("trust") or "",
        )
        try:
            await self.store(pane.id, kept)
            if within_s is not None:
                await self.launching.until_up(pane, within_s)
        except BaseException as error:
            if not isinstance(error, LaunchFailed) or pane.state is State.EXITED:
                await self._remove(pane)  # its caller gave up: nothing is left behind
            else:
                await self._leave(pane)
            raise
        if not (self.settings.retain if retain is None else retain):
            await self._leave(pane)
        return pane

    async def _leave(self, pane: Pane) -> None:
        self.outcomes.not_kept(pane)
        self.outcomes.not_kept(pane)
        with contextlib.suppress(ServerUnreachable):
            await self.link.ask(leave_command(pane.id, pane.target.window_id))

    async def _remove(self, pane: Pane) -> None:
        with contextlib.suppress(PanegateError):
            await self.launching.close(pane)


@attrs.define(kw_only=True, eq=False)
class ServingHost:
    """What the table of methods needs; see `panegate.service.local.host.Host`."""

    ctl: ServedController
    _said: dict[str, dict[str, Any]] = attrs.field(factory=dict, init=False)
    """What was said about each pane when it was adopted."""
    _keeping: dict[str, tuple[int, contextlib.AsyncExitStack]] = attrs.field(
        factory=dict, init=False
    )

    async def launch(self, argv: Sequence[str], options: Mapping[str, Any]) -> Pane:
        """Start a program; on a server that has gone a new one is started first."""
        await self._server_there()
        return await self.ctl.launch(argv, **options)

    async def _server_there(self) -> None:
        if self.ctl.reachable:
            return
        with contextlib.closing(self.ctl.events()) as events:
            await bring_up(self.ctl.link.address)
            self.ctl.reconnecting.structure_changed()
            if not self.ctl.reachable:
                async for event in events:
                    if isinstance(event, ServerBack):
                        break

    async def adopt(self, which: str, options: Mapping[str, Any], *, remember: bool) -> Pane:
        """Take over a pane; what is said now wins over what was said before."""
        ctl = self.ctl
        pane = await ctl.adopt(which)
        if not options:
            return pane
        if _differs(pane, options, self._said.get(pane.id, {})):
            ctl.drop(pane)
            pane = await ctl.adopt(pane.id, **options)
        self._said[pane.id] = {**self._said.get(pane.id, {}), **options}
        if remember:
            said = {key: value for key, value in options.items() if key != "name"}
            said["profile"] = said.get("profile") or known_profile(pane.profile.name)
            await ctl.store(pane.id, Stored(**said, name=pane.name))
        return pane

    async def adopt_all(self, *, every: bool) -> list[Pane]:
        """Take over the panes that panegate launched or adopted before; *every*: all."""
        return await self.ctl.adopt_all(every=every)

    async def settled(self, *panes: Pane) -> None:
        """Wait until looks have shown what the panes do, bounded."""
        await self.ctl.settled(*panes)

    async def hold(self, pane: Pane, reason: str | None) -> None:
        """Take a pane over for a person; None gives it back."""
        await self.ctl.hold(pane, reason)

    async def end(self, pane: Pane) -> None:
        """End a program and its pane."""
        await self.ctl.end(pane)

    @contextlib.asynccontextmanager
    async def end_kept(self, pane: Pane) -> AsyncIterator[None]:
        """Keep how a program ends while somebody waits for it; several may."""
        count, stack = self._keeping.get(pane.id, (0, contextlib.AsyncExitStack()))
        self._keeping[pane.id] = (count + 1, stack)
        try:
            if count == 0:
                await stack.enter_async_context(end_kept(self.ctl, pane))
            yield
        finally:
            count, stack = self._keeping[pane.id]
            if count == 1:
                del self._keeping[pane.id]
                await stack.aclose()
            else:
                self._keeping[pane.id] = (count - 1, stack)


def _differs(pane: Pane, options: Mapping[str, Any], said: Mapping[str, Any]) -> bool:
    """Tell whether something new is said about a pane that is watched already."""
    traits = pane.tracker.traits
    now: dict[str, Any] = {
        "profile": pane.profile.name,
        "name": pane.name,
        "where": traits.where,
        "reads_lines": traits.reads_lines,
        "trust": "timing" if traits.trust_timing else "",
    }
    return any(value not in (now.get(key), said.get(key)) for key, value in options.items())

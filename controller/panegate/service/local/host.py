"""What the table of methods needs of the controller that it speaks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import attrs

from panegate.errors import Refused
from panegate.gate.policy import WORDS
from panegate.ids import PaneId, is_pane_id
from panegate.service.controller import Controller
from panegate.service.pane import Pane
from panegate.service.settings import Answers
from panegate.terms import Reason, State

__all__ = ["Caller", "Host", "pane_of", "require_answers", "require_other_pane"]


@attrs.frozen(kw_only=True)
class Caller:
    """Who asks."""

    person: bool = False
    """A person at the command line; never set for what a program calls."""
    own_pane: PaneId | None = None
    """The pane of this server that the caller itself runs in."""


class Host(Protocol):
    """A controller, and what it does for the command line beyond its own methods."""

    @property
    def ctl(self) -> Controller:
        """The controller itself."""
        ...

    async def launch(self, argv: Sequence[str], options: Mapping[str, Any]) -> Pane:
        """Start a program; see `Controller.launch`. Several at once do not mix."""
        ...

    async def adopt(self, which: str, options: Mapping[str, Any], *, remember: bool) -> Pane:
        """Take over a pane by id, name or tmux target; *remember*: keep what is said of it."""
        ...

    async def adopt_all(self, *, every: bool) -> list[Pane]:
        """Take over the panes that panegate launched or adopted before; *every*: all."""
        ...

    async def settled(self, *panes: Pane) -> None:
        """Wait until looks have shown what the panes do, bounded."""
        ...

    async def hold(self, pane: Pane, reason: str | None) -> None:
        """Take a pane over for a person; None gives it back."""
        ...

    async def end(self, pane: Pane) -> None:
        """End a program and its pane."""
        ...

    def end_kept(self, pane: Pane) -> AbstractAsyncContextManager[None]:
        """Keep how a program ends for as long as somebody waits for it."""
        ...


async def pane_of(host: Host, which: str) -> Pane:
    """Return the pane that is meant, adopted if it is not watched yet.

    Raises:
        NoSuchPane: There is none.

    """
    if is_pane_id(which):
        for pane in host.ctl.panes:
            if pane.id == which and pane.state is not State.EXITED:
                return pane
    return await host.adopt(which, {}, remember=False)


def require_other_pane(pane: Pane, caller: Caller) -> None:
    """Check that the caller does not write to the pane it runs in itself.

    Raises:
        Refused: It would.

    """
    if caller.own_pane is not None and caller.own_pane == pane.id:
        raise Refused(
            WORDS[Reason.OWN_PANE],
            reason=Reason.OWN_PANE,
            state=pane.state,
            prompt=pane.prompt,
            screen=pane.last_screen(),
        )


def require_answers(pane: Pane, caller: Caller) -> None:
    """Check that this caller may answer a program's question.

    Raises:
        Refused: The settings leave it to people at the command line.

    """
    allowed = pane.ctl.settings.answers
    if allowed is Answers.CLI and not caller.person:
        raise Refused(
            f"answers are not allowed from here (answers = {allowed.value})",
            reason=Reason.ANSWERS_NOT_ALLOWED,
            state=pane.state,
            prompt=pane.prompt,
            fix='a person may use "panegate answer", or set answers = "allowed"',
        )

"""What is watched for people's sake about each pane, and what of it outlives a controller."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import attrs

from panegate.journal.base import Record
from panegate.journal.store import utc_now
from panegate.panes.facts import Look
from panegate.session.escalation import Episode, EscalationBook, episodes_from, episodes_to
from panegate.session.nudging import NudgeCounts, Nudger, counts_from, counts_to
from panegate.session.tracker import PaneTracker
from panegate.terms import State

if TYPE_CHECKING:
    from panegate.service.controller import Controller
    from panegate.service.pane import Pane

__all__ = ["Charge", "ChargeStore"]

_ESCALATION: Final = "escalation"
_NUDGE: Final = "nudge"


@attrs.define(kw_only=True, eq=False)
class Charge:
    """One program in one pane, and what is to be done about it."""

    pane: Pane
    tracker: PaneTracker
    book: EscalationBook
    counts: NudgeCounts
    """Those of a pane without a policy."""
    nudger: Nudger | None = None
    restored: bool = False
    """What an earlier controller knew is known; nothing is decided before."""
    called: set[str] = attrs.field(factory=set)
    """Escalations that this controller sees to."""
    seen: tuple[Look | None, State, bool, str | None] | None = None
    """What was weighed last."""

    @property
    def alarm(self) -> str:
        """Name of its deadline."""
        return f"people {self.pane.id}"


@attrs.frozen(eq=False)
class ChargeStore:
    """Keeps waits and nudges in the journal, by server, pane and process."""

    ctl: Controller
    wall: Callable[[], float] = time.time

    async def episodes(self, charge: Charge) -> list[Episode]:
        """Return the waits that are kept about this very program.

        Raises:
            JournalError: The journal cannot be read.
            ValueError: What it has cannot be.

        """
        value = await self._kept(charge, _ESCALATION)
        now_s, offset_s = self.times()
        kept = value.get("episodes", []) if value is not None else []
        return episodes_from(kept, now_s=now_s, wall_offset_s=offset_s)

    async def counts(self, charge: Charge) -> NudgeCounts | None:
        """Return the nudges that this very program has had; None where none are kept.

        Raises:
            JournalError: The journal cannot be read.
            ValueError: What it has cannot be.

        """
        value = await self._kept(charge, _NUDGE)
        if value is None:
            return None
        now_s, offset_s = self.times()
        return counts_from(value, now_s=now_s, wall_offset_s=offset_s)

    async def save_episodes(self, charge: Charge) -> None:
        """Keep the waits; when this returns they survive a crash.

        Raises:
            JournalError: They could not be kept.

        """
        _, offset_s = self.times()
        episodes = episodes_to(charge.book.episodes, wall_offset_s=offset_s)
        await self._keep(charge, _ESCALATION, {"episodes": episodes})

    async def save_counts(self, charge: Charge) -> None:
        """Keep the nudges; when this returns they survive a crash.

        Raises:
            JournalError: They could not be kept.

        """
        counts = charge.nudger.counts if charge.nudger is not None else charge.counts
        _, offset_s = self.times()
        await self._keep(charge, _NUDGE, counts_to(counts, wall_offset_s=offset_s))

    def times(self) -> tuple[float, float]:
        """Return monotonic seconds, and wall seconds minus these."""
        now_s = self.ctl.clock()
        return now_s, self.wall() - now_s

    async def _kept(self, charge: Charge, kind: str) -> Mapping[str, Any] | None:
        server, pane_id = self.ctl.keeping.server, charge.pane.id
        for record in await self.ctl.journal.records(kind, server, pane_id):
            if record.value.get("pid") == charge.tracker.pane_pid:
                return record.value
        return None

    async def _keep(self, charge: Charge, kind: str, value: Mapping[str, Any]) -> None:
        record = Record(
            kind=kind,
            server=self.ctl.keeping.server,
            pane=charge.pane.id,
            key="",
            value={"pid": charge.tracker.pane_pid, **value},
            at_utc=utc_now(),
        )
        await self.ctl.journal.record(record)

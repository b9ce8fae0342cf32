"""Nudge policies of panes, carried out."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import attrs

from panegate.errors import JournalError, PanegateError, Refused
from panegate.gate.receipt import Receipt
from panegate.runtime.logs import get_logger
from panegate.service.charges import Charge
from panegate.session.events import Nudged
from panegate.session.inputs import LookWanted
from panegate.session.nudging import NudgePolicy, Nudger, Sight, Step, reacted
from panegate.session.tracker import PaneTracker
from panegate.terms import Fate, Intent, Reason, Verdict

if TYPE_CHECKING:
    from panegate.service.pane import Pane
    from panegate.service.people import People

__all__ = ["Nudges"]

_NUDGE_WITHIN_S = 5.0
_log = get_logger()


@attrs.frozen(eq=False)
class Nudges:
    """Nudges of one controller's panes, as far as their policies allow."""

    people: People

    def set_policy(self, charge: Charge, policy: NudgePolicy | None) -> None:
        """Nudge a pane from now on, or no longer; what it has had stays counted."""
        if charge.nudger is not None:
            charge.counts = charge.nudger.counts
        charge.nudger = None if policy is None else Nudger(policy=policy, counts=charge.counts)

    async def by_hand(
        self, pane: Pane, charge: Charge | None, text: str, write_id: str | None
    ) -> Receipt:
        """Carry out a caller's nudge, within the bounds of the pane's policy."""
        nudger = charge.nudger if charge is not None and charge.restored else None
        if charge is None or nudger is None:
            return await self._write(pane, text, write_id)
        now_s = self.people.ctl.clock()
        sight = self.sight(charge)
        nudger.saw(sight, now_s=now_s)
        move = nudger.step(attrs.evolve(sight, looked_s=now_s), now_s=now_s)
        if move.step is Step.NUDGE:
            return await self._nudge(charge, nudger, text, write_id)
        if move.step is Step.ESCALATE:
            self.people.raise_silence(charge, nudger, move)
        if charge.tracker.verdict(Intent.NUDGE).verdict is not Verdict.ALLOW:
            return await self._write(pane, text, write_id)  # the gate refuses, with its words
        raise Refused(
            f"{pane.name} is not nudged: {move.words}",
            reason=Reason.NUDGE_NOT_DUE,
            state=pane.state,
            fix="wait, or send it as a message",
        )

    def carry_on(self, charge: Charge, nudger: Nudger, now_s: float) -> float | None:
        """Do what is due now; return when to ask again, None: when the pane is seen again."""
        sight = self.sight(charge)
        nudger.saw(sight, now_s=now_s)
        move = nudger.step(sight, now_s=now_s)
        tasks = self.people.ctl.tasks
        if move.step is Step.LOOK:
            tasks.start_soon(self._look, charge)
        elif move.step is Step.NUDGE and nudger.policy.text:
            tasks.start_soon(self._by_itself, charge, nudger)
        elif move.step is Step.LEAVE and nudger.first_time(move.reason):
            said = charge.tracker.verdict(Intent.NUDGE).words
            self._say(charge, nudger, move.reason, f"Not nudged, {move.words}: {said}")
        elif move.step is Step.ESCALATE:
            self.people.raise_silence(charge, nudger, move)
        return move.until_s

    def sight(self, charge: Charge) -> Sight:
        """Return what is known about a pane now."""
        tracker = charge.tracker
        look, reading = tracker.look, tracker.reading
        return Sight(
            state=tracker.state,
            reason=tracker.verdict(Intent.NUDGE).reason,
            growth=_growth_of(reading.body if reading is not None else "", tracker),
            looked_s=look.asked_at_s if look is not None else float("-inf"),
        )

    async def _look(self, charge: Charge) -> None:
        if self.people.has(charge):
            self.people.ctl.put(LookWanted(charge.pane.id, self.people.ctl.clock()))

    async def _by_itself(self, charge: Charge, nudger: Nudger) -> None:
        move = nudger.step(self.sight(charge), now_s=self.people.ctl.clock())
        if charge.nudger is not nudger or move.step is not Step.NUDGE:
            return
        try:
            await self._nudge(charge, nudger, nudger.policy.text, None)
        except PanegateError as error:
            _log.info("nudge.refused", pane_id=charge.pane.id, words=str(error))

    async def _nudge(
        self, charge: Charge, nudger: Nudger, text: str, write_id: str | None
    ) -> Receipt:
        """Write a nudge; it is counted for good before its first byte leaves."""
        people = self.people
        nudger.began(now_s=people.ctl.clock())
        fate, reason, words, receipt = Fate.UNKNOWN, Reason.NONE, "", None
        try:
            await people.store.save_counts(charge)
            receipt = await self._write(charge.pane, text, write_id)
            fate, reason, words = receipt.fate, receipt.reason, receipt.words
            return receipt
        except Refused as error:
            fate, reason, words = Fate.REFUSED, error.reason, str(error)
            raise
        except JournalError as error:
            fate, reason, words = Fate.REFUSED, Reason.JOURNAL, str(error)
            raise
        finally:
            grew = receipt is not None and reacted(receipt.before, receipt.after, text)
            growth = self.sight(charge).growth
            nudger.finished(fate, reacted=grew, growth=growth, now_s=people.ctl.clock())
            if words:
                self._say(charge, nudger, reason, words, fate, receipt)
            people.later(people.store.save_counts, charge)
            people.weigh(charge)

    async def _write(self, pane: Pane, text: str, write_id: str | None) -> Receipt:
        return await self.people.ctl.writes.message(
            pane, Intent.NUDGE, text, write_id, _NUDGE_WITHIN_S, True, False
        )

    def _say(
        self,
        charge: Charge,
        nudger: Nudger,
        reason: Reason,
        words: str,
        fate: Fate = Fate.REFUSED,
        receipt: Receipt | None = None,
    ) -> None:
        event = Nudged(
            pane=charge.pane.id,
            write_id=receipt.write_id if receipt is not None else "",
            fate=fate,
            reason=reason,
            in_silence=nudger.counts.in_silence,
            in_session=nudger.counts.in_session,
            words=words,
            at_s=self.people.ctl.clock(),
        )
        self.people.ctl.emit(event)


def _growth_of(body: str, tracker: PaneTracker) -> str:
    """Return a digest of what a program shows and, where it keeps a record, has said there."""
    record = tracker.claims.record
    if not body or record is None:
        return body
    said = "\0".join((record.last_words, *(call.id for call in record.pending)))
    return f"{body}:{hashlib.blake2b(said.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"

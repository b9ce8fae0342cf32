"""Calling people: questions that nobody answers, programs that have gone quiet.

Each watched pane has a book of its waits and, where its caller wants it, a nudge policy.
Both name their next deadline; the pump's timer rings, nothing polls. What must outlive this
controller goes to the journal before anybody is told.
"""

from __future__ import annotations

import asyncio
import functools
import uuid
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import attrs

from panegate.errors import JournalError, NoSuchPane
from panegate.gate.receipt import Receipt
from panegate.ids import PaneId
from panegate.journal.store import utc_now
from panegate.runtime.logs import get_logger
from panegate.service.charges import Charge, ChargeStore
from panegate.service.delivery import Delivery
from panegate.service.nudges import Nudges
from panegate.service.sinks import escalation_document
from panegate.session.escalation import CONFIRM_S, Episode, EscalationBook, words_key
from panegate.session.events import (
    Escalated,
    Event,
    PaneExited,
    Prompt,
    PromptChanged,
    PromptClosed,
    PromptOpened,
    StateChanged,
)
from panegate.session.nudging import Move, NudgeCounts, NudgePolicy, Nudger
from panegate.session.tracker import PaneTracker
from panegate.terms import EscalationCause, State

if TYPE_CHECKING:
    from panegate.service.controller import Controller
    from panegate.service.pane import Pane

__all__ = ["EVENT", "People"]

EVENT: Final = "event"
"""The event stream, among those who are told."""
_UNSETTLED: Final = frozenset({State.BOOTING, State.PROMPTING})

_log = get_logger()


@attrs.define(kw_only=True, eq=False)
class People:
    """All panes of one controller, and who is called about them."""

    ctl: Controller
    active: bool = True
    """False: nobody is called; see `activate`."""
    after_s: float = attrs.field(init=False)
    """How long a question stands before somebody is called."""
    store: ChargeStore = attrs.field(init=False)
    nudges: Nudges = attrs.field(init=False)
    delivery: Delivery = attrs.field(init=False)
    _charges: dict[PaneId, Charge] = attrs.field(factory=dict, init=False)
    _jobs: asyncio.Queue[Callable[[], Awaitable[None]]] = attrs.field(
        factory=asyncio.Queue, init=False
    )

    def __attrs_post_init__(self) -> None:
        ctl = self.ctl
        self.after_s = ctl.settings.escalate_after_s
        self.store = ChargeStore(ctl)
        self.nudges = Nudges(self)
        self.delivery = Delivery(sinks=ctl.settings.sinks, tasks=ctl.tasks, clock=ctl.clock)
        ctl.bus.taps.append(self.heard)
        pump, settled = ctl.engine.pump, ctl.engine.pump.on_settled

        def settled_and_seen(tracker: PaneTracker) -> None:
            settled(tracker)
            self.settled(tracker)

        pump.on_settled = settled_and_seen

    # --- what happens ---------------------------------------------------------------

    def heard(self, event: Event) -> None:
        """Take an event of the stream."""
        charge = self._charges.get(getattr(event, "pane", PaneId("")))
        if charge is None or not charge.restored:
            return
        book = charge.book
        match event:
            case PromptOpened() | PromptChanged():
                episode = book.asked(words_key(event.prompt), at_s=event.at_s)
                self._repeat(charge, episode)
            case PromptClosed():
                book.closed(answered=event.answered, at_s=event.at_s)
            case PaneExited():
                book.ended()
                del self._charges[event.pane]
                self.ctl.engine.pump.set_alarm(charge.alarm, None, lambda: None)
            case StateChanged() if event.new not in _UNSETTLED and book.has_kept:
                book.asks_nothing(at_s=event.at_s)
            case _:
                return
        self.later(self.store.save_episodes, charge)
        self.weigh(charge)

    def settled(self, tracker: PaneTracker) -> None:
        """A pane was seen again; cheap where that changes nothing."""
        charge = self._charges.get(tracker.pane_id)
        if charge is None or charge.tracker is not tracker:
            if not self.active or self.ctl.closed or tracker.state is State.EXITED:
                return
            try:
                pane = self.ctl.pane(tracker.pane_id)
            except NoSuchPane:
                return  # it is just being opened
            if pane.tracker is not tracker:
                return
            charge = self._begin(pane)
        seen = (tracker.look, tracker.state, tracker.machine.confirmed, tracker.held)
        if charge.restored and seen != charge.seen:
            charge.seen = seen
            self.weigh(charge)

    def activate(self, after_s: float | None = None) -> None:
        """Call people from now on, about what is there already, too.

        Args:
            after_s: How long a question stands before that; default from the settings.

        """
        self.active = True
        self.after_s = after_s or self.after_s
        for charge in self._charges.values():
            charge.book.after_s = self.after_s
        for pane in self.ctl.panes:
            self.settled(pane.tracker)

    def has(self, charge: Charge) -> bool:
        """Tell whether this program is still watched."""
        return self._charges.get(charge.pane.id) is charge

    async def run(self) -> None:
        """Do what waits for the journal, in order."""
        while True:
            job = await self._jobs.get()
            try:
                await job()
            except (JournalError, ValueError) as error:
                _log.error("journal.failed", words=str(error))

    def later(self, work: Callable[[Charge], Awaitable[None]], charge: Charge) -> None:
        """Have *work* done when its turn comes; nobody waits for it."""
        self._jobs.put_nowait(functools.partial(work, charge))

    # --- nudges ---------------------------------------------------------------------

    def set_policy(self, pane: Pane, policy: NudgePolicy | str | None) -> None:
        """Nudge a pane from now on, or no longer; see `Pane.nudge_policy`."""
        if isinstance(policy, str):
            settings = self.ctl.settings
            policy = NudgePolicy(
                text=policy,
                grace_s=settings.nudge_grace_s,
                work_grace_s=settings.nudge_work_grace_s,
                per_silence=settings.nudge_per_silence,
                per_session=settings.nudge_per_session,
            )
        charge = self._charges.get(pane.id)
        if charge is None or charge.tracker is not pane.tracker:
            charge = self._begin(pane)
        self.nudges.set_policy(charge, policy)
        if charge.restored:
            self.weigh(charge)

    async def nudge(self, pane: Pane, text: str, write_id: str | None) -> Receipt:
        """Carry out a caller's nudge; see `Pane.nudge`."""
        return await self.nudges.by_hand(pane, self._charges.get(pane.id), text, write_id)

    # --- what is due ----------------------------------------------------------------

    def weigh(self, charge: Charge) -> None:
        """Do what is due, and name the next deadline."""
        if self.ctl.closed or not self.has(charge):
            return
        now_s = self.ctl.clock()
        tracker, book = charge.tracker, charge.book
        times: list[float] = []
        if self.active and tracker.server_reachable:
            if book.due(now_s, confirmed=tracker.machine.confirmed):
                self._raise_prompt(charge, "and nobody has answered")
            elif (deadline_s := book.deadline_s) is not None:
                times.append(deadline_s if now_s < deadline_s else deadline_s + CONFIRM_S)
        if charge.nudger is not None and tracker.state is not State.EXITED:
            until_s = self.nudges.carry_on(charge, charge.nudger, now_s)
            times += [until_s] if until_s is not None else []
        earliest_s = min(times, default=None)
        self.ctl.engine.pump.set_alarm(charge.alarm, earliest_s, lambda: self.weigh(charge))

    def raise_silence(self, charge: Charge, nudger: Nudger, move: Move) -> None:
        """Call somebody about a pane that cannot be nudged, once in its silence."""
        if not self.active:
            return
        nudger.called()
        self.later(self.store.save_counts, charge)
        if move.cause is EscalationCause.PROMPT and charge.pane.prompt is not None:
            self._raise_prompt(charge, "and a nudge was due, which may not answer")
            return
        quiet_s = self.ctl.clock() - nudger.counts.since_s
        words = f"{charge.pane.name} has been quiet for {_lasting(quiet_s)}: {move.words}."
        event = self._escalated(charge, move.cause, words, quiet_s, None)
        self._jobs.put_nowait(functools.partial(self._call, charge, event, ""))

    # --- calling --------------------------------------------------------------------

    def _raise_prompt(self, charge: Charge, why: str) -> None:
        prompt, episode = charge.pane.prompt, charge.book.current
        if prompt is None or episode is None or episode.escalation:
            return
        stood_s = episode.stood_s(self.ctl.clock())
        words = f"{charge.pane.name} has asked for {_lasting(stood_s)}, {why}."
        event = self._escalated(charge, EscalationCause.PROMPT, words, stood_s, prompt)
        charge.book.raised(event.escalation, (EVENT, *self.delivery.labels))
        self._jobs.put_nowait(functools.partial(self._call, charge, event, episode.key))

    def _escalated(
        self,
        charge: Charge,
        cause: EscalationCause,
        words: str,
        waited_s: float,
        prompt: Prompt | None,
        escalation: str = "",
    ) -> Escalated:
        pane = charge.pane
        where = prompt.where if prompt is not None else charge.tracker.traits.where
        event = Escalated(
            pane=pane.id,
            escalation=escalation or f"e{uuid.uuid4().hex[:16]}",
            cause=cause,
            question=prompt.question if prompt is not None else "",
            where=where or self.ctl.where(pane),
            prompt=prompt,
            rows=prompt.rows if prompt is not None else pane.last_screen().rows,
            waited_s=round(waited_s, 3),
            words=words,
            repeated=bool(escalation),
            at_s=self.ctl.clock(),
        )
        charge.called.add(event.escalation)
        return event

    async def _call(self, charge: Charge, event: Escalated, key: str) -> None:
        """Keep an escalation, then tell everybody."""
        try:
            if key and await self._raised_elsewhere(charge, event, key):
                return
            if key:
                await self.store.save_episodes(charge)
        except (JournalError, ValueError) as error:
            _log.error("journal.failed", words=str(error))  # a person is called all the same
        self._tell(charge, event, (EVENT, *self.delivery.labels))
        if key:
            await self.store.save_episodes(charge)

    async def _raised_elsewhere(self, charge: Charge, event: Escalated, key: str) -> bool:
        """Tell whether another controller of the same pane has called somebody already."""
        for episode in await self.store.episodes(charge):
            known = episode.escalation
            if episode.key == key and known not in ("", event.escalation) and episode.kept:
                charge.book.raised(known, ())
                return True
        return False

    def _repeat(self, charge: Charge, episode: Episode) -> None:
        """Tell those who may not have been told before an earlier controller ended."""
        prompt = charge.pane.prompt
        ours = episode.escalation in charge.called
        if prompt is None or ours or not episode.pending or not self.active:
            return
        stood_s = episode.stood_s(self.ctl.clock())
        words = f"{charge.pane.name} has asked for {_lasting(stood_s)}, and nobody has answered."
        known = episode.escalation
        event = self._escalated(charge, EscalationCause.PROMPT, words, stood_s, prompt, known)
        self._tell(charge, event, episode.pending)

    def _tell(self, charge: Charge, event: Escalated, whom: tuple[str, ...]) -> None:
        if EVENT in whom:
            self.ctl.emit(event)
            charge.book.told(event.escalation, EVENT)
        document = escalation_document(
            event, name=charge.pane.name, server=self.ctl.link.address.words, at_utc=utc_now()
        )

        def wanted() -> bool:
            current = charge.book.current
            stands = current is not None and current.escalation == event.escalation
            return stands or event.prompt is None

        def told(label: str) -> None:
            if charge.book.told(event.escalation, label):
                self.later(self.store.save_episodes, charge)

        for label in self.delivery.labels:
            if label in whom:
                arrived = functools.partial(told, label)
                self.delivery.put(label, document, wanted=wanted, told=arrived)

    # --- beginning ------------------------------------------------------------------

    def _begin(self, pane: Pane) -> Charge:
        earlier = self._charges.get(pane.id)
        charge = Charge(
            pane=pane,
            tracker=pane.tracker,
            book=EscalationBook(after_s=self.after_s),
            counts=NudgeCounts(since_s=self.ctl.clock()),
        )
        if earlier is not None and earlier.pane is pane and earlier.nudger is not None:
            self.nudges.set_policy(charge, earlier.nudger.policy)  # started again, counted anew
        self._charges[pane.id] = charge
        self.later(self._restore, charge)
        return charge

    async def _restore(self, charge: Charge) -> None:
        """Find what an earlier controller knew, then decide about what is there now."""
        try:
            charge.book.episodes = await self.store.episodes(charge)
            counts = await self.store.counts(charge)
        except (JournalError, ValueError) as error:
            _log.error("journal.failed", words=str(error))
            counts = None
        if counts is not None:
            charge.counts = counts
            if charge.nudger is not None:
                charge.nudger = Nudger(policy=charge.nudger.policy, counts=counts)
        charge.restored = True
        prompt = charge.pane.prompt
        if prompt is not None:
            self._repeat(charge, charge.book.asked(words_key(prompt), at_s=prompt.since))
            await self.store.save_episodes(charge)
        elif charge.pane.state not in _UNSETTLED:
            charge.book.asks_nothing(at_s=self.ctl.clock())
        self.weigh(charge)


def _lasting(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"

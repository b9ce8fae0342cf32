"""What sessions come to: their facts collected, limits watched, verdicts told.

Nothing here ends a program or writes to one: a limit that is reached is an event.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import anyio
import attrs
import cattrs

from panegate.errors import PanegateError
from panegate.ids import PaneId
from panegate.journal.base import Record
from panegate.runtime.clocks import read_instant
from panegate.runtime.logs import get_logger
from panegate.screen.grid import Grid
from panegate.service.limit_watch import LimitWatch
from panegate.service.server_facts import process_ends, server_answers, server_fact
from panegate.session.events import (
    Event,
    LimitReached,
    OutcomeReached,
    PaneExited,
    PaneOpened,
    PromptClosed,
    ServerLost,
)
from panegate.session.faults import FaultReader
from panegate.session.outcome_facts import (
    EndedBy,
    Ending,
    LimitName,
    ServerFact,
    ServerState,
    SessionLimits,
)
from panegate.session.outcomes import Outcome, verdict
from panegate.session.session_record import Instant, SessionRecord, ending_of
from panegate.terms import OutcomeKind
from panegate.wire.look import look_commands, parse_look

if TYPE_CHECKING:
    from panegate.service.controller import Controller
    from panegate.service.pane import Pane
    from panegate.session.tracker import PaneTracker

__all__ = ["Outcomes", "Session", "limits_of"]

_log = get_logger()
_converter = cattrs.Converter()
_MAX_HISTORY_ROWS: Final = 5000
_SERVER_WITHIN_S: Final = 2.0
"""How long to wait for the word that the server died, where a program is gone without one."""
_NO_VERDICT: Final = frozenset({OutcomeKind.UNKNOWN, OutcomeKind.COMPLETED})


def limits_of(given: SessionLimits | Mapping[str, float] | None) -> SessionLimits:
    """Return a caller's limits.

    Raises:
        ValueError: A name is not known, or a value is not over 0.

    """
    if given is None:
        return SessionLimits()
    if isinstance(given, SessionLimits):
        return given
    names = [name.value for name in LimitName]
    unknown = [key for key in given if key not in names]
    if unknown:
        msg = f"no limit is called {unknown[0]!r}; there are: {', '.join(names)}"
        raise ValueError(msg)
    return SessionLimits(**given)


@attrs.define(kw_only=True, eq=False)
class Session:
    """One program's record, and what has been told about it."""

    pane: Pane
    tracker: PaneTracker
    record: SessionRecord
    limits: LimitWatch
    server_pid: int | None
    server: str
    """Identity of the server, as the journal has it."""
    kept: bool
    """Its pane would stay, with its status, had it ended by itself."""
    closing: bool = False
    """We are ending it."""
    due: tuple[int, float] | None = None
    """Rows of the history to be read, and when the look was that asked for them."""
    reading: bool = False
    read: anyio.Event = attrs.field(factory=anyio.Event)
    told: tuple[OutcomeKind, bool] | None = None


@attrs.define(kw_only=True, eq=False)
class Outcomes:
    """The sessions of one controller."""

    ctl: Controller
    clocks: Callable[[], Instant] = read_instant
    _sessions: dict[PaneId, Session] = attrs.field(factory=dict, init=False)
    _lost_words: str = attrs.field(default="", init=False)

    def open(self, pane: Pane, limits: SessionLimits | None = None) -> Session:
        """Begin the record of a program that is watched from now on."""
        self.close(pane)
        facts = self.ctl.link.facts
        record = SessionRecord(
            started=self.clocks(),
            faults=FaultReader(rules=pane.profile.faults),
            limits=limits or SessionLimits(),
            from_start=pane.launched is not None,
            again=pane.session is not None,
        )
        session = Session(
            pane=pane,
            tracker=pane.tracker,
            record=record,
            limits=LimitWatch(
                pane_id=pane.id,
                record=record,
                clocks=self.clocks,
                on_reached=lambda event: self._reached(session, event),
            ),
            server_pid=facts.pid if facts is not None else None,
            server=self.ctl.keeping.server if facts is not None else "",
            kept=pane.launched is not None,
        )
        self._sessions[pane.id] = session
        pane.session = session
        session.limits.check()
        return session

    def limit(self, pane: Pane, limits: SessionLimits) -> Pane:
        """Watch these limits of a session, counted from its start; returns the pane."""
        session = pane.session
        if session is not None and limits and not session.record.over:
            session.record.limits = limits
            session.limits.check()
        return pane

    def close(self, pane: Pane) -> None:
        """Stop watching limits of a program that is not watched any more."""
        session = self._sessions.pop(pane.id, None)
        if session is not None:
            session.limits.close()

    def close_all(self) -> None:
        """Stop all timers."""
        for session in list(self._sessions.values()):
            self.close(session.pane)

    # --- what happens ---------------------------------------------------------------

    def settled(self, tracker: PaneTracker) -> None:
        """A pane was touched: take what its tracker knows now."""
        session = self._sessions.get(tracker.pane_id) or self._started_again(tracker)
        if session is None or session.tracker is not tracker or session.record.over:
            return
        record, before = session.record, session.record.state
        self._take(session)
        state, prompt = tracker.state, session.pane.prompt
        record.turned(
            tracker.turn, tracker.turn_ends, tracker.marks, state=state, at_s=self.ctl.clock()
        )
        if state is not before or prompt != record.prompt:
            record.stands(state, prompt, seen=self._now())
            self._tell(session)
        if record.limits:
            session.limits.check()

    def _take(self, session: Session) -> None:
        """Take the tracker's last look, if it is a new one, and its output so far."""
        record, tracker = session.record, session.tracker
        record.output_bytes = tracker.output_bytes
        record.last_output_s = tracker.machine.last_output_s
        if tracker.claims.record is not None:
            record.written(tracker.claims.record)
        look, reading = tracker.look, tracker.reading
        if look is None or look is record.last_look or tracker.grid is None:
            return
        composer = reading.composer if reading is not None else None
        without = (composer.row, composer.last_row) if composer is not None else None
        rows = record.looked(look, tracker.grid, without=without, seen=self._now())
        if rows:
            session.due = (rows, look.at_s)
            self._read_history(session)

    def _started_again(self, tracker: PaneTracker) -> Session | None:
        """Begin a new record where a pane that had one runs its program anew."""
        pane = next((p for p in self.ctl.panes if p.tracker is tracker), None)
        if pane is None or pane.session is None or pane.session.tracker is tracker:
            return None
        return self.open(pane, pane.session.record.limits)

    def saw(self, event: Event) -> None:
        """Take an event of the stream, after its readers."""
        if isinstance(event, PaneOpened):
            self.open(self.ctl.pane(event.pane))
        elif isinstance(event, ServerLost):
            self._lost_words = event.words
        elif isinstance(event, PromptClosed):
            session = self._sessions.get(event.pane)
            if session is not None and event.answered:
                session.record.answered()
        elif isinstance(event, PaneExited):
            session = self._sessions.get(event.pane)
            if session is not None and not session.record.over:
                self._ended(session, event)

    def _reached(self, session: Session, event: LimitReached) -> None:
        self.ctl.emit(event)
        self._tell(session)

    def closing(self, pane: Pane) -> None:
        """We are about to end this program."""
        if pane.session is not None:
            pane.session.closing = True

    def not_kept(self, pane: Pane) -> None:
        """From now on tmux removes the pane when its program ends, and the status with it."""
        if pane.session is not None:
            pane.session.kept = False

    # --- what is known --------------------------------------------------------------

    def outcome(self, pane: Pane) -> Outcome:
        """Return the verdict on a pane's session: its last one, or the one so far."""
        session = pane.session
        if session is None:
            msg = f"nothing is known about the session of {pane.name}"
            raise PanegateError(msg)
        return verdict(session.record.facts(self.clocks(), self._server(session)))

    async def caught_up(self, pane: Pane) -> None:
        """Wait until the history that has to be read for faults is read."""
        while pane.session is not None and pane.session.reading:
            await pane.session.read.wait()

    async def document(self, pane: Pane) -> dict[str, Any]:
        """Return the verdict on a pane's session as plain values, with the pane's name.

        Who saw a session end knows more of it than who found its dead pane.
        """
        await self.caught_up(pane)
        session = pane.session
        if session is not None and session.closing:
            with anyio.move_on_after(_SERVER_WITHIN_S):
                while not session.record.over:
                    await pane.next_touch()
        outcome = pane.outcome()
        if outcome.over and not outcome.facts.from_start:
            kept = await self.kept(pane.id, key=str(pane.target.pane_pid))
            if kept is not None:
                return kept
        return _document(pane, outcome)

    async def kept(self, which: str, *, key: str | None = None) -> dict[str, Any] | None:
        """Return what the journal kept of a session of this server that is over.

        Args:
            which: The pane's id or name.
            key: The process that it was.

        """
        records = await self.ctl.journal.records("outcome", self.ctl.keeping.server)
        for record in reversed(records):
            if which in (record.pane, record.value.get("name")) and key in (None, record.key):
                return dict(record.value)
        return None

    # --- inside ---------------------------------------------------------------------

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self.clocks().wall_s).astimezone()

    def _server(self, session: Session, *, answers: bool | None = None) -> ServerFact:
        look = session.record.last_look
        return server_fact(
            self.ctl,
            session.server_pid,
            answers=self.ctl.reachable if answers is None else answers,
            words=self._lost_words,
            answered_at_s=session.record.started.mono_s if look is None else look.at_s,
        )

    def _ended(self, session: Session, event: PaneExited) -> None:
        version = self.ctl.link.server.version
        kept = (
            session.kept
            and not version.crash_remain_on_exit
            and not session.tracker.situation().shell_left_behind
        )
        ending = ending_of(
            status=event.status,
            signal=event.signal,
            ours=session.closing,
            kept=kept,
            words=event.words,
            at_s=event.at_s,
        )
        look = session.record.last_look
        self._take(session)
        if look is not None and look.asked_at_s < session.record.last_output_s:
            session.record.moved_on(ending)
        known = event.status is not None or event.signal is not None or session.closing
        server = ServerFact(pid=session.server_pid) if known else self._server(session)
        self._end(session, ending, server)
        known = known or server.state is ServerState.DIED
        if self.ctl.closed or (known and not session.reading):
            self._conclude(session)
        else:
            self.ctl.tasks.start_soon(self._conclude_later, session, ending, known)

    async def _conclude_later(self, session: Session, ending: Ending, known: bool) -> None:
        """Read its last output first; and where it is gone without a word, ask the server."""
        await self.caught_up(session.pane)
        pid = session.server_pid
        if not known and not await server_answers(self.ctl, pid, within_s=_SERVER_WITHIN_S):
            if pid is not None and self.ctl.link.address.ssh is None:
                await process_ends(pid, within_s=_SERVER_WITHIN_S)
            self._end(session, ending, self._server(session, answers=False))
        self._conclude(session)

    def _end(self, session: Session, ending: Ending, server: ServerFact) -> None:
        if server.state is not ServerState.REACHABLE:
            ending = attrs.evolve(ending, by=EndedBy.UNKNOWN)
        session.record.end(ending, server, at=self.clocks())

    def _conclude(self, session: Session) -> None:
        session.limits.close()
        outcome = self._tell(session)
        if outcome is not None:
            self.ctl.tasks.start_soon(self._keep, session, outcome)

    def _tell(self, session: Session) -> Outcome | None:
        """Tell a verdict that is new: an end, a limit, a fault that stands."""
        record = session.record
        if not (record.over or session.limits.book.told or record.n_faults or record.prompt):
            return None
        outcome = verdict(record.facts(self.clocks(), self._server(session)))
        told = (outcome.kind, outcome.over)
        if told == session.told or (outcome.kind in _NO_VERDICT and not outcome.over):
            return None
        session.told = told
        if outcome.kind is OutcomeKind.BLOCKED_ON_PROMPT and not outcome.over:
            return None  # the question has events of its own
        self.ctl.emit(
            OutcomeReached(
                pane=session.pane.id,
                kind=outcome.kind,
                advice=outcome.advice,
                over=outcome.over,
                words=outcome.words,
                rule=outcome.rule,
                at_s=self.ctl.clock(),
            )
        )
        return outcome

    async def _keep(self, session: Session, outcome: Outcome) -> None:
        """Journal a session's last verdict."""
        record = Record(
            kind="outcome",
            server=session.server,
            pane=session.pane.id,
            key=str(session.pane.target.pane_pid),
            value=_document(session.pane, outcome),
            at_utc=datetime.now().astimezone().isoformat(timespec="milliseconds"),
        )
        try:
            await self.ctl.journal.record(record)
        except PanegateError as error:
            _log.error("journal.failed", pane_id=session.pane.id, words=str(error))

    # --- history --------------------------------------------------------------------

    def _read_history(self, session: Session) -> None:
        if not session.reading and session.due is not None and not self.ctl.closed:
            session.reading = True
            self.ctl.tasks.start_soon(self._reading, session)

    async def _reading(self, session: Session) -> None:
        """Read what went through the history, until nothing is due."""
        try:
            while session.due is not None:
                (rows, at_s), session.due = session.due, None
                with contextlib.suppress(PanegateError):
                    await self._read_rows(session, min(rows, _MAX_HISTORY_ROWS), at_s)
        finally:
            session.reading = False
            read, session.read = session.read, anyio.Event()
            read.set()
        self._tell(session)

    async def _read_rows(self, session: Session, rows: int, at_s: float) -> None:
        link, pane_id = self.ctl.link, session.pane.id
        version = link.server.version
        answer = await link.ask(look_commands(pane_id, version, link.new_name(), history=rows))
        reply = parse_look(answer.blocks or (), pane_id=pane_id, version=version, history=rows)
        look = session.record.last_look
        if reply is None or look is None:
            return
        above = reply.history_size + look.fields.history_dropped
        grid = Grid(reply.history_rows, width=reply.width)
        session.record.read_history(grid, above=above, seen=self._now(), at_s=at_s)


def _document(pane: Pane, outcome: Outcome) -> dict[str, Any]:
    plain: dict[str, Any] = _converter.unstructure(outcome)
    return {"pane": pane.id, "name": pane.name, **plain}

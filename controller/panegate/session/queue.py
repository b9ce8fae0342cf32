"""The writes of one pane: first in, first out, one in hand at a time."""

from collections import deque
from typing import Final

import attrs

from panegate.gate.guard import Guard
from panegate.gate.judge import View
from panegate.gate.plan import WriteRequest
from panegate.gate.policy import Situation
from panegate.gate.stages import Action, Stage, TypeText
from panegate.gate.write import WriteMachine
from panegate.ids import PaneId
from panegate.panes.facts import MarkKind
from panegate.panes.machine import PaneMachine
from panegate.panes.standing import StandingMarks
from panegate.screen.profile import Profile
from panegate.session.events import PaneEvent, WriteFinished, WriteHeld
from panegate.session.own_text import OwnText
from panegate.session.prompting import PromptEpisodes
from panegate.terms import Fate, Intent, Reason, State

__all__ = ["TURN_ENDS", "TurnEnd", "WriteQueue"]

TURN_ENDS: Final = frozenset({State.READY, State.PROMPTING, State.EXITED})
_KEPT: Final = 64


@attrs.frozen(kw_only=True)
class TurnEnd:
    """How a turn ended: what was seen first after its Enter."""

    state: State
    status: int | None
    """Exit status of the command, where the shell said it since the Enter."""


@attrs.define(kw_only=True)
class WriteQueue:
    """What a pane's tracker does about writes; `panegate.session.tracker` has the rest."""

    pane_id: PaneId
    profile: Profile
    machine: PaneMachine = attrs.field(init=False)
    marks: StandingMarks = attrs.field(factory=StandingMarks, init=False)
    episodes: PromptEpisodes = attrs.field(init=False)
    left_behind: str = attrs.field(default="", init=False)
    turn: int = attrs.field(default=0, init=False)
    """Number of the last turn that a write of ours began."""
    turn_ends: dict[int, TurnEnd] = attrs.field(factory=dict, init=False)
    """The last ones, by number."""
    typed_rows: deque[int] = attrs.field(factory=lambda: deque(maxlen=_KEPT), init=False)
    """Rows where texts of ours began, counted from the start of the history."""
    _turn_at_s: float = attrs.field(default=0.0, init=False)
    _current: WriteMachine | None = attrs.field(default=None, init=False)
    _waiting: list[WriteMachine] = attrs.field(factory=list, init=False)
    _actions: list[Action] = attrs.field(factory=list, init=False)
    _events: list[PaneEvent] = attrs.field(factory=list, init=False)
    server_reachable: bool = attrs.field(default=True, init=False)
    _gone: bool = attrs.field(default=False, init=False)
    _own_text: OwnText | None = attrs.field(default=None, init=False)
    """What was typed and may still stand there unsubmitted."""
    _said_held: dict[str, Reason] = attrs.field(factory=dict, init=False)

    @property
    def writes(self) -> tuple[WriteMachine, ...]:
        """Unfinished writes, the one in hand first."""
        current = (self._current,) if self._current is not None else ()
        return (*current, *self._waiting)

    def take_actions(self) -> list[Action]:
        """Return and forget the guarded actions that are due."""
        actions, self._actions = self._actions, []
        return actions

    def write(self, request: WriteRequest, *, at_s: float) -> WriteMachine:
        """Take a write; first in, first out, an answer or an interrupt before messages."""
        machine = WriteMachine(request=request, profile=self.profile, make_guard=self._make_guard)
        machine.pasting(self.marks.paste_on)
        if request.intent is Intent.NUDGE and self._current is not None:
            machine.start(self.situation(), now_s=at_s)
            machine.poke(self.situation(), now_s=at_s)
        self._waiting.append(machine)
        self.machine.watch(+1, now_s=at_s)
        self._after(at_s)
        return machine

    def withdraw(self, write_id: str, reason: Reason, words: str, *, at_s: float) -> bool:
        """Take a write back; False when it has begun to be typed or is not known."""
        for write in self.writes:
            if write.request.write_id == write_id:
                done = write.withdraw(reason, words, now_s=at_s)
                self._after(at_s)
                return done
        return False

    def situation(self) -> Situation:
        """Return what the gate judges by, as of the last look."""
        return Situation()

    def _make_guard(self, view: View, vetoes: bool) -> Guard:
        raise AssertionError  # the tracker's own

    def _after(self, now_s: float) -> None:
        raise AssertionError  # the tracker's own

    @property
    def _why_gone(self) -> Reason:
        return Reason.GONE_PANE if self.server_reachable else Reason.SERVER_DIED

    def _drive(self, now_s: float) -> bool:
        current = self._current
        if current is None:
            return False
        moved = False
        if current.submitted:
            current.submitted = False
            self.turn += 1
            self._turn_at_s = now_s
            self.machine.submitted(now_s=now_s)
            if current.request.intent is Intent.ANSWER:
                self.episodes.answered()
            moved = True
        if (action := current.take_action()) is not None:
            self._actions.append(action)
            if isinstance(action, TypeText) and current.typed_row is not None:
                self.typed_rows.append(current.typed_row)
        if self._gone and current.stage is not Stage.DONE:
            current.lost("the pane is gone", now_s=now_s, reason=self._why_gone)
        if current.take_look():
            if self.machine.state is State.EXITED:
                current.lost("the program ended", now_s=now_s, reason=self._why_gone)
            else:
                self.machine.want_look(now_s=now_s)
        if current.stage in (Stage.DONE, Stage.WAITING):
            self._current = None
            if current.stage is Stage.DONE:
                self._finished(current, now_s)
            else:
                self._waiting.insert(0, current)
                self._say_held(current, now_s)
            return current.stage is Stage.DONE
        return moved

    def _next_write(self, now_s: float) -> bool:
        for write in list(self._waiting):
            if write.stage is Stage.DONE:
                self._waiting.remove(write)
                self._finished(write, now_s)
                return True
        if self._current is not None:
            return False
        for write in sorted(self._waiting, key=_urgency):
            message = write.request.intent is Intent.MESSAGE
            if message and write is not next(w for w in self._waiting if _urgency(w) == 1):
                continue
            if write.held_by is Reason.UNPROVEN and not write.held_words:
                write.start(self.situation(), now_s=now_s)
            else:
                write.poke(self.situation(), now_s=now_s)
            if write.began:
                self._waiting.remove(write)
                self._current = write
                return True
            if write.stage is Stage.DONE:
                return True
            self._say_held(write, now_s)
        return False

    def _note_turn(self, state: State) -> None:
        """A state was reached that may end the turn under way."""
        if state not in TURN_ENDS or not self.turn or self.turn in self.turn_ends:
            return
        said = self.marks.latest.get(MarkKind.COMMAND_END)
        told = state is State.READY and said is not None and said.at_s >= self._turn_at_s
        self.turn_ends[self.turn] = TurnEnd(state=state, status=self.marks.status if told else None)
        while len(self.turn_ends) > _KEPT:
            del self.turn_ends[next(iter(self.turn_ends))]

    def _say_held(self, write: WriteMachine, now_s: float) -> None:
        write_id = write.request.write_id
        if write.held_words and self._said_held.get(write_id) is not write.held_by:
            self._said_held[write_id] = write.held_by
            self._events.append(
                WriteHeld(
                    pane=self.pane_id,
                    write_id=write_id,
                    reason=write.held_by,
                    words=write.held_words,
                    at_s=now_s,
                )
            )

    def _finished(self, write: WriteMachine, now_s: float) -> None:
        receipt = write.receipt
        assert receipt is not None
        self._said_held.pop(receipt.write_id, None)
        self.machine.watch(-1, now_s=now_s)
        if receipt.fate is Fate.LANDED and write.submitted_row is not None:
            self._own_text = None
        if receipt.fate is Fate.LANDED and write.request.prompt_id is not None:
            self.episodes.taken(write.request.prompt_id)
        if receipt.left_behind:
            self.left_behind = receipt.left_behind
        self._events.append(
            WriteFinished(
                pane=self.pane_id,
                receipt=receipt,
                ran_out=write.deadline_ran_out,
                submitted_row=write.submitted_row,
                submitted_text="" if write.request.secret else write.submitted_text,
                prompt_text=write.prompt_text,
                turn=self.turn if write.submitted_row is not None else 0,
                at_s=now_s,
            )
        )


def _urgency(write: WriteMachine) -> int:
    return 1 if write.request.intent is Intent.MESSAGE else 0

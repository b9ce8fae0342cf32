"""One pane from all sides: its machine, its screen, its prompt and its writes.

Pure: everything that happens comes in with its time; looks, guarded actions and events
come out. What a live run feeds in can be recorded and fed in again.
"""

import re
from collections import deque

import attrs
from panegate.screen.read import read_screen

from panegate.gate.guard import Guard, GuardReply, guard_for
from panegate.gate.judge import View
from panegate.gate.plan import WriteRequest
from panegate.gate.policy import Decision, Situation, decide
from panegate.gate.stages import Action, Stage
from panegate.gate.write import WriteMachine
from panegate.ids import PaneId
from panegate.panes.beliefs import Belief, BeliefKind
from panegate.panes.facts import KernelFact, Look, MarkKind, ScreenReading, TtyWait
from panegate.panes.machine import Change, LookCause, MachineTiming, PaneMachine
from panegate.panes.marks import MarkScanner
from panegate.panes.standing import StandingMarks
from panegate.screen.grid import Grid
from panegate.screen.profile import Family, Profile
from panegate.session.events import (
    PaneEvent,
    PaneExited,
    Prompt,
    StateChanged,
    WriteFinished,
    WriteHeld,
)
from panegate.session.fold import Case, fold, is_shell
from panegate.session.prompting import PromptEpisodes
from panegate.terms import Grade, Intent, Reason, State

__all__ = ["PaneTracker", "TrackerTraits"]

_RELEARN_S = 0.3
"""Output this soon after a prompt mark still belongs to the prompt."""
_GUESS = re.compile(r".*[$#%>❯»›➜λ] \Z")
_HISTORY = 64


@attrs.frozen(kw_only=True)
class TrackerTraits:
    """What the caller said about the pane when it was launched or adopted."""

    name: str = ""
    where: str = ""
    own_process_is_program: bool = True
    reads_lines: bool = False
    trust_timing: bool = False
    own_pane: bool = False
    guard_off: bool = False
    """For trials only: the guard keeps nothing but the pane's identity."""


@attrs.define(kw_only=True)
class PaneTracker:
    """Everything known and under way about one pane."""

    pane_id: PaneId
    pane_pid: int
    profile: Profile
    traits: TrackerTraits = attrs.field(factory=TrackerTraits)
    started_s: float
    machine: PaneMachine = attrs.field(init=False)
    marks: StandingMarks = attrs.field(factory=StandingMarks, init=False)
    episodes: PromptEpisodes = attrs.field(init=False)
    look: Look | None = attrs.field(default=None, init=False)
    """The last look that counted."""
    grid: Grid | None = attrs.field(default=None, init=False)
    reading: ScreenReading | None = attrs.field(default=None, init=False)
    held: str | None = attrs.field(default=None, init=False)
    server_reachable: bool = attrs.field(default=True, init=False)
    left_behind: str = attrs.field(default="", init=False)
    launched_command: str = attrs.field(default="", init=False)
    output_bytes: int = attrs.field(default=0, init=False)
    history: deque[StateChanged] = attrs.field(factory=lambda: deque(maxlen=_HISTORY), init=False)
    _scanner: MarkScanner = attrs.field(factory=MarkScanner, init=False)
    _learned: tuple[str, int] | None = attrs.field(default=None, init=False)
    _learned_cycle: int = attrs.field(default=0, init=False)
    _learned_at: int = attrs.field(default=0, init=False)
    _learned_firmly: bool = attrs.field(default=False, init=False)
    _typed_since_cycle: bool = attrs.field(default=False, init=False)
    _current: WriteMachine | None = attrs.field(default=None, init=False)
    _waiting: list[WriteMachine] = attrs.field(factory=list, init=False)
    _actions: list[Action] = attrs.field(factory=list, init=False)
    _events: list[PaneEvent] = attrs.field(factory=list, init=False)
    _gone: bool = attrs.field(default=False, init=False)
    _other_process: bool = attrs.field(default=False, init=False)
    _exit_said: bool = attrs.field(default=False, init=False)
    _said_held: dict[str, Reason] = attrs.field(factory=dict, init=False)
    _doubt_since_s: float | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        timing = self.profile.timing
        self.machine = PaneMachine(
            pane_id=self.pane_id,
            timing=MachineTiming(
                look_s=timing.look_s, settle_s=timing.settle_s, silence_s=timing.silence_s
            ),
            started_s=self.started_s,
        )
        self.episodes = PromptEpisodes(pane_id=self.pane_id, where=self.traits.where)

    # --- what comes out -------------------------------------------------------------

    @property
    def state(self) -> State:
        """The pane's state."""
        return self.machine.state

    @property
    def prompt(self) -> Prompt | None:
        """The question on screen while prompting."""
        return self.episodes.current if self.state is State.PROMPTING else None

    @property
    def deadline_s(self) -> float | None:
        """When to call `advance`, monotonic seconds; None means never."""
        times = [self.machine.deadline_s]
        if self._current is not None:
            times.append(self._current.deadline_s)
        times.extend(write.deadline_s for write in self._waiting)
        return min((t for t in times if t is not None), default=None)

    @property
    def writes(self) -> tuple[WriteMachine, ...]:
        """Unfinished writes, the one in hand first."""
        current = (self._current,) if self._current is not None else ()
        return (*current, *self._waiting)

    def take_look(self) -> LookCause | None:
        """Return and forget the look that is wanted now."""
        return self.machine.take_look()

    def take_actions(self) -> list[Action]:
        """Return and forget the guarded actions that are due."""
        actions, self._actions = self._actions, []
        return actions

    def take_events(self) -> list[PaneEvent]:
        """Return and forget the events so far, oldest first."""
        events, self._events = self._events, []
        return events

    def situation(self) -> Situation:
        """Return what the gate judges by, as of the last look."""
        reading, belief = self.reading, self.machine.belief
        draft, left = "", False
        if reading is not None and reading.composer is not None and self._current is None:
            text = reading.composer.text
            left = bool(text and self.left_behind and _same_text(text, self.left_behind))
            draft = "" if left else text
        shown = reading.prompt if reading is not None else None
        current = self.episodes.current
        asked = (
            current.id
            if current is not None and self.episodes.is_current(shown, self.machine.belief)
            else None
        )
        return Situation(
            state=self.state,
            confirmed=self.machine.confirmed,
            fields=self.look.fields if self.look is not None else None,
            draft=draft,
            left_behind=left,
            held=self.held,
            own_pane=self.traits.own_pane,
            server_reachable=self.server_reachable,
            gone=self._gone,
            shell_left_behind=bool(belief is not None and belief.shell_left_behind),
            other_process=self._other_process,
            stopped=bool(belief is not None and belief.stopped),
            prompt_id=asked,
            takes_input_while_busy=self.profile.takes_input_while_busy,
            unfinished_write=self._current is not None,
        )

    def verdict(self, intent: Intent, prompt_id: str | None = None) -> Decision:
        """Say what the gate would say now; nothing is written."""
        return decide(intent, self.situation(), prompt_id)

    # --- what goes in ---------------------------------------------------------------

    def output(self, payload: bytes, *, at_s: float) -> None:
        """Take output of the pane, still escaped as tmux sent it."""
        self.output_bytes += len(payload)
        machine = self.machine
        machine.output(now_s=at_s)
        wants_look = False
        found = self._scanner.feed(payload, at_s)
        for mark in found:
            if mark.kind is MarkKind.PASTE_ON or mark.kind is MarkKind.PROMPT_END:
                self._typed_since_cycle = False
            wants_look = self.marks.feed(mark) or wants_look
        if wants_look:
            machine.mark(now_s=at_s)
        current = self._current
        if current is not None:
            current.pasting(self.marks.paste_on)
            if found:
                current.mark(self.marks, now_s=at_s)
            current.output(now_s=at_s)
            if current.take_look():
                machine.want_look(now_s=at_s)
        if machine.state is State.SILENT or self._events or self._waiting:
            self._after(at_s)

    def lost_output(self, *, at_s: float) -> None:
        """Output was dropped: marks and quiet up to now prove nothing."""
        self._scanner.reset()
        self.marks.void()
        self.machine.void(now_s=at_s)
        self._after(at_s)

    def prejudge(self, kernel: KernelFact, *, at_s: float) -> bool:
        """Let the kernel's word alone decide that a look would be in vain."""
        busy = self.state in (State.BOOTING, State.BUSY, State.SILENT)
        if kernel.wait is not TtyWait.ABSENT or kernel.stopped or not busy or self.writes:
            return False
        words = "no thread of the foreground program waits on the terminal"
        belief = Belief(kind=BeliefKind.NONE, grade=Grade.KERNEL, words=words, rule="absent")
        self.machine.not_now(belief, now_s=at_s)
        self._after(at_s)
        return True

    def looked(self, look: Look, *, at_s: float) -> None:
        """Take the answer to a look."""
        fields = look.fields
        if fields.pane_pid != self.pane_pid:
            self._other_process = True
            self.gone("another process runs in the pane", at_s=at_s)
            return
        counted = self.machine.last_output_s <= look.asked_at_s or fields.dead
        grid = Grid.from_look(look)
        self._learn(look, grid, counted=counted)
        reading = read_screen(
            look,
            self.profile,
            learned=self._learned,
            learned_row=self._learned_row(look),
            grid=grid,
        )
        belief = self._unreacted(self._fold(look, reading), reading)
        if counted:
            self.look, self.grid, self.reading = look, grid, reading
            self._note_program(look, belief)
            self._note_left_behind(reading)
        self.machine.looked(belief, asked_at_s=look.asked_at_s, now_s=at_s)
        self._collect_changes()
        self._note_prompt(at_s)
        if self.state is State.EXITED:
            self._exited(at_s)
        current = self._current
        if current is not None and (counted or current.stage in (Stage.ECHOING, Stage.REACTING)):
            view = View(
                look=look,
                grid=grid,
                reading=reading,
                state=self.state,
                confirmed=self.machine.confirmed,
                at_prompt=self.marks.at_prompt,
                cycle_at_s=self.marks.cycle_at_s,
            )
            current.pasting(self.marks.paste_on)
            situation = attrs.evolve(self._situation_for(current, reading), unfinished_write=False)
            current.look(view, situation, now_s=at_s)
        elif current is not None:
            self.machine.want_look(now_s=at_s)
        self._after(at_s)

    def want_look(self, *, at_s: float) -> None:
        """Something that is no output calls for a look."""
        self.machine.want_look(now_s=at_s)
        self._after(at_s)

    def look_lost(self, *, at_s: float) -> None:
        """A look will not be answered."""
        self.machine.look_lost(now_s=at_s)
        if self._current is not None and self._current.stage is not Stage.DONE:
            self.machine.want_look(now_s=at_s)
        self._after(at_s)

    def replied(self, write_id: str, reply: GuardReply, *, at_s: float) -> None:
        """Take the server's answer to a guarded action."""
        current = self._current
        if current is None or current.request.write_id != write_id:
            return
        current.reply(reply, now_s=at_s)
        if current.stage in (Stage.ECHOING, Stage.GAP, Stage.REACTING):
            self._typed_since_cycle = True
        self._after(at_s)

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

    def exited(self, words: str, *, at_s: float) -> None:
        """The pane's process is gone (a process exit watch said so)."""
        self.machine.gone(now_s=at_s, words=words)
        self._exited(at_s)
        self._after(at_s)

    def gone(self, words: str, *, at_s: float) -> None:
        """Tmux no longer has the pane, or not this one."""
        self._gone = True
        self.exited(words, at_s=at_s)

    def reachable(self, yes: bool, words: str, *, at_s: float) -> None:
        """The server can or cannot be reached."""
        self.server_reachable = yes
        if yes:
            self.lost_output(at_s=at_s)
        else:
            if self._current is not None:
                self._current.lost(words, now_s=at_s)
            self.machine.void(now_s=at_s)
        self._after(at_s)

    def connection_lost(self, words: str, *, at_s: float) -> None:
        """The carrier client ended: what was in flight has no answer."""
        if self._current is not None and self._current.in_hand:
            self._current.lost(words, now_s=at_s)
        self.machine.look_lost(now_s=at_s)
        self.lost_output(at_s=at_s)

    def hold(self, reason: str | None, *, at_s: float) -> None:
        """A person takes the pane (None: gives it back)."""
        self.held = reason
        self._after(at_s)

    def watch(self, delta: int, *, at_s: float) -> None:
        """A caller begins (+1) or ends (-1) to wait."""
        self.machine.watch(delta, now_s=at_s)

    def advance(self, *, now_s: float) -> None:
        """Fire what is due."""
        self.machine.advance(now_s=now_s)
        for write in self.writes:
            write.advance(now_s=now_s)
        self._after(now_s)

    # --- inside ---------------------------------------------------------------------

    def _fold(self, look: Look, reading: ScreenReading) -> Belief:
        return fold(
            Case(
                look=look,
                reading=reading,
                marks=self.marks,
                profile=self.profile,
                launched_command=self.launched_command,
                own_process_is_program=self.traits.own_process_is_program,
                reads_lines=self.traits.reads_lines,
                trust_timing=self.traits.trust_timing or self.profile.trust == "timing",
            )
        )

    def _unreacted(self, belief: Belief, reading: ScreenReading) -> Belief:
        """A composer that still holds our text after its Enter proves no end of a turn."""
        current, composer = self._current, reading.composer
        if current is None or current.stage is not Stage.REACTING or composer is None:
            return belief
        if belief.kind is not BeliefKind.READY or not composer.text:
            return belief
        words = "the Enter has no effect yet"
        return attrs.evolve(belief, kind=BeliefKind.NONE, proof=False, words=words)

    def _make_guard(self, view: View, vetoes: bool) -> Guard:
        composer = view.reading.composer
        guard = guard_for(
            view.look,
            composer_row=composer.row if composer is not None else None,
            composer_last_row=composer.last_row if composer is not None else None,
            vetoes=[veto.regex for veto in self.profile.vetoes] if vetoes else [],
        )
        if self.traits.guard_off:
            kept = tuple(t for t in guard.terms if t.name in ("pane_id", "pane_pid", "pane_dead"))
            expression = kept[0].expression
            for term in kept[1:]:
                expression = f"#{{&&:{expression},{term.expression}}}"
            return Guard(pane_id=guard.pane_id, expression=expression, terms=kept)
        return guard

    def _learn(self, look: Look, grid: Grid, *, counted: bool) -> None:
        """Learn a shell's prompt text at its prompt cycle, while nothing was typed."""
        if self.profile.family is not Family.SHELL or not counted or self._typed_since_cycle:
            return
        fields, marks, kernel = look.fields, self.marks, look.kernel
        text = grid.slice(fields.cursor_y, 0, fields.cursor_x)
        if marks.at_prompt:
            fresh = self._learned_cycle != marks.cycles
            late = self.machine.last_output_s - marks.cycle_at_s <= _RELEARN_S
            again = late and not self._learned_firmly
            if (fresh or again) and text.strip() and look.asked_at_s >= marks.cycle_at_s:
                known = self._learned
                if known is None or not (text.startswith(known[0]) and text != known[0]):
                    known = (text, fields.cursor_x)  # else what follows the prompt was typed
                self._learned, self._learned_cycle = known, marks.cycles
                self._learned_at = fields.cursor_y + fields.history_size
                waits = kernel is not None and kernel.wait in (TtyWait.READ, TtyWait.SELECT)
                self._learned_firmly = waits
        elif marks.at_prompt is None and self._learned is None and _GUESS.match(text):
            if not grid.text(fields.cursor_y)[len(text.rstrip()) :].strip():
                self._learned = (text, fields.cursor_x)

    def _learned_row(self, look: Look) -> int | None:
        """The visible row of the prompt that the shell's line editor is at, if it is at one."""
        if not self.marks.at_prompt or self._learned_cycle != self.marks.cycles:
            return None
        row = self._learned_at - look.fields.history_size
        return row if row >= 0 else None

    def _note_program(self, look: Look, belief: Belief) -> None:
        command = look.fields.command
        if belief.kind is BeliefKind.READY and not self.launched_command:
            self.launched_command = command
        elif not self.launched_command and not is_shell(command):
            self.launched_command = command

    def _note_left_behind(self, reading: ScreenReading) -> None:
        composer = reading.composer
        if self.left_behind and composer is not None and not composer.text:
            self.left_behind = ""

    def _situation_for(self, write: WriteMachine, reading: ScreenReading) -> Situation:
        """The situation a write in its checking stage is judged by."""
        self._current, kept = None, self._current
        situation = self.situation()
        self._current = kept
        if situation.prompt_id is not None and reading.prompt is not None:
            if not self.episodes.is_current(reading.prompt, self.machine.belief):
                situation = attrs.evolve(situation, prompt_id=None)
        return situation

    def _note_prompt(self, at_s: float) -> None:
        belief = self.machine.belief
        asking = self.state is State.PROMPTING and self.machine.confirmed
        if asking and belief is not None and belief.kind is BeliefKind.PROMPTING:
            self._events.extend(self.episodes.seen(belief, at_s=at_s))

    def _exited(self, at_s: float) -> None:
        if self._exit_said:
            return
        self._exit_said = True
        fields = self.look.fields if self.look is not None else None
        dead = fields is not None and fields.dead
        belief = self.machine.belief
        words = belief.words if belief is not None and belief.kind is BeliefKind.GONE else "gone"
        rows: tuple[str, ...] = ()
        if self.grid is not None and fields is not None:
            rows = tuple(self.grid.text(row) for row in range(fields.height))
        self._events.append(
            PaneExited(
                pane=self.pane_id,
                status=fields.dead_status if dead and fields is not None else None,
                signal=fields.dead_signal if dead and fields is not None else None,
                words=words,
                rows=rows,
                at_s=at_s,
            )
        )

    def _after(self, now_s: float) -> None:
        """Carry what changed to the events, the writes and the queue, to a fixed point."""
        for _ in range(8):
            self._collect_changes()
            moved = self._drive(now_s)
            moved = self._next_write(now_s) or moved
            if not moved:
                return

    def _collect_changes(self) -> None:
        for change in self.machine.take_changes():
            if change.old is change.new:
                continue
            self._leave_prompt(change)
            event = StateChanged(
                pane=self.pane_id,
                old=change.old,
                new=change.new,
                grade=change.grade,
                words=change.words,
                at_s=change.at_s,
            )
            self.history.append(event)
            self._events.append(event)

    def _leave_prompt(self, change: Change) -> None:
        if change.old is State.PROMPTING:
            self._events.extend(self.episodes.left(at_s=change.at_s))

    def _drive(self, now_s: float) -> bool:
        current = self._current
        if current is None:
            return False
        moved = False
        if current.submitted:
            current.submitted = False
            self.machine.submitted(now_s=now_s)
            if current.request.intent is Intent.ANSWER:
                self.episodes.answered()
            moved = True
        if (action := current.take_action()) is not None:
            self._actions.append(action)
        if self._gone and current.stage is not Stage.DONE:
            current.lost("the pane is gone", now_s=now_s, gone=True)
        if current.take_look():
            if self.state is State.EXITED:
                current.lost("the program ended", now_s=now_s, gone=True)
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
        if receipt.left_behind:
            self.left_behind = receipt.left_behind
        self._events.append(
            WriteFinished(
                pane=self.pane_id,
                receipt=receipt,
                ran_out=write.deadline_ran_out,
                submitted_row=write.submitted_row,
                at_s=now_s,
            )
        )


def _urgency(write: WriteMachine) -> int:
    return 1 if write.request.intent is Intent.MESSAGE else 0


def _same_text(shown: str, ours: str) -> bool:
    a, b = "".join(shown.split()), "".join(ours.split())
    return bool(a) and (a in b or b in a)

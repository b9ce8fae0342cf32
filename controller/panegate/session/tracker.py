"""One pane from all sides: its machine, its screen, its prompt and its writes.

Pure: everything that happens comes in with its time; looks, guarded actions and events
come out. What a live run feeds in can be recorded and fed in again.
"""

from collections import deque

import attrs

from panegate.gate.guard import Guard, GuardReply, guard_for, guard_moving
from panegate.gate.judge import View
from panegate.gate.policy import Decision, Situation, decide
from panegate.gate.stages import Stage
from panegate.gate.write import WriteMachine
from panegate.panes.beliefs import Belief, BeliefKind
from panegate.panes.facts import KernelFact, Look, MarkKind, ScreenKind, ScreenReading, TtyWait
from panegate.panes.machine import Change, LookCause, MachineTiming, PaneMachine
from panegate.panes.marks import MarkScanner
from panegate.screen.grid import Grid
from panegate.screen.profile import Family
from panegate.screen.read import read_screen
from panegate.session.claims import Child, Claim, ClaimBook
from panegate.session.events import (
    PaneEvent,
    PaneExited,
    Prompt,
    StateChanged,
)
from panegate.session.flood import Flood
from panegate.session.fold import Case, fold, is_shell
from panegate.session.history import HistoryCount
from panegate.session.learning import PromptLearner
from panegate.session.own_text import OwnText, same_text
from panegate.session.prompting import PromptEpisodes
from panegate.session.queue import WriteQueue
from panegate.session.traits import TrackerTraits
from panegate.session.transcript import Record
from panegate.session.ways_out import declinable
from panegate.terms import Grade, Intent, Reason, State

__all__ = ["PaneTracker"]

_HISTORY = 64


@attrs.define(kw_only=True)
class PaneTracker(WriteQueue):
    """Everything known and under way about one pane."""

    pane_pid: int
    traits: TrackerTraits = attrs.field(factory=TrackerTraits)
    started_s: float
    look: Look | None = attrs.field(default=None, init=False)
    """The last look that counted."""
    grid: Grid | None = attrs.field(default=None, init=False)
    reading: ScreenReading | None = attrs.field(default=None, init=False)
    held: str | None = attrs.field(default=None, init=False)
    launched_command: str = attrs.field(default="", init=False)
    launched_reader: str = attrs.field(default="", init=False)
    output_bytes: int = attrs.field(default=0, init=False)
    claims: ClaimBook = attrs.field(factory=ClaimBook, init=False)
    history: deque[StateChanged] = attrs.field(factory=lambda: deque(maxlen=_HISTORY), init=False)
    _flood: Flood = attrs.field(factory=Flood, init=False)
    _scanner: MarkScanner = attrs.field(factory=MarkScanner, init=False)
    history_count: HistoryCount = attrs.field(factory=HistoryCount, init=False)
    _learner: PromptLearner = attrs.field(factory=PromptLearner, init=False)
    _other_process: bool = attrs.field(default=False, init=False)
    _exit_said: bool = attrs.field(default=False, init=False)
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
        times = [self.machine.deadline_s, self.episodes.deadline_s]
        if self._current is not None:
            times.append(self._current.deadline_s)
        times.extend(write.deadline_s for write in self._waiting)
        return min((t for t in times if t is not None), default=None)

    def take_look(self) -> LookCause | None:
        """Return and forget the look that is wanted now."""
        return self.machine.take_look()

    def take_events(self) -> list[PaneEvent]:
        """Return and forget the events so far, oldest first."""
        events, self._events = self._events, []
        return events

    @property
    def first_prompt(self) -> str:
        """The prompt that a shell which we launched came to first, by its marks; else nothing."""
        return self._learner.first if self.traits.launched else ""

    def situation(self) -> Situation:
        """Return what the gate judges by, as of the last look."""
        reading, belief = self.reading, self.machine.belief
        draft, left = "", False
        if reading is not None and reading.composer is not None and self._current is None:
            text = reading.composer.text
            left = bool(text and self.left_behind and same_text(text, self.left_behind))
            draft = "" if left else text
        input_shown = reading is not None and reading.composer is not None
        shown = reading.prompt if reading is not None else None
        current = self.episodes.current
        asked = (
            current.id
            if current is not None
            and self.episodes.is_current(shown, belief)
            and not (belief is not None and belief.rule == "recorded")  # nothing shows its keys
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
            takes_input_while_busy=self.profile.takes_input_while_busy and input_shown,
            unfinished_write=self._current is not None,
        )

    def verdict(self, intent: Intent, prompt_id: str | None = None) -> Decision:
        """Say what the gate would say now; nothing is written."""
        return decide(intent, self.situation(), prompt_id)

    # --- what goes in ---------------------------------------------------------------

    def output(self, payload: bytes, *, at_s: float) -> None:
        """Take output of the pane, still escaped as tmux sent it."""
        self.output_bytes += len(payload)
        self._flood.output(len(payload), at_s=at_s)
        machine = self.machine
        machine.output(now_s=at_s)
        wants_look = False
        found = self._scanner.feed(payload, at_s)
        for mark in found:
            if mark.kind is MarkKind.PASTE_ON or mark.kind is MarkKind.PROMPT_END:
                self._learner.typed = False
            wants_look = self.marks.feed(mark) or wants_look
            self.claims.mark(mark)
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
        if machine.changed or current is not None or self._waiting:
            self._after(at_s)

    def lost_output(self, *, at_s: float) -> None:
        """Output was dropped: marks and quiet up to now prove nothing."""
        self._flood.dropped(at_s=at_s)
        self._scanner.reset()
        self.marks.void()
        self.machine.void(now_s=at_s)
        self._after(at_s)

    def resized(self, *, at_s: float) -> None:
        """The pane has another size; nothing was lost, so its marks stand."""
        self.machine.resized(now_s=at_s)
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
        look = self.history_count.counted(look)
        counted = self.machine.last_output_s <= look.asked_at_s or fields.dead
        grid = Grid.from_look(look)
        if counted and (self.profile.family is Family.SHELL or self.profile.prompt_cycle):
            last_s = self.machine.last_output_s
            self._learner.learn(look, grid, self.marks, profile=self.profile, last_output_s=last_s)
        reading = read_screen(
            look,
            self.profile,
            learned=self._learner.prompt,
            learned_row=self._learner.row(look, self.marks, profile=self.profile),
            grid=grid,
        )
        if self.history_count.wants_more(reading, look):
            self.look_lost(at_s=at_s)
            return self.want_look(at_s=at_s)
        reading = self._with_own_text(reading, look, grid)
        if counted and (self.reading is None or reading.frame != self.reading.frame):
            self.claims.moved_at_s = at_s
        belief = self._unreacted(self._fold(look, reading), reading)
        if belief.prompt is not None and reading.prompt is None and reading.composer is not None:
            # the fold knows of a question that no reader of screens does
            reading = attrs.evolve(reading, kind=ScreenKind.PROMPTING, prompt=belief.prompt)
        reading, belief = declinable(reading, belief, look, self.profile)
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
        floods = self._flood.rolls_by(look, self.state)
        if current is not None and current.takes(counted=counted, floods=floods):
            view = View(
                look=look,
                grid=grid,
                reading=reading,
                state=self.state,
                confirmed=self.machine.confirmed,
                at_prompt=self.marks.at_prompt,
                left_at_s=self.marks.left_at_s,
                floods=floods and current.request.intent is Intent.INTERRUPT,
            )
            current.pasting(self.marks.paste_on)
            situation = attrs.evolve(self._situation_for(current, reading), unfinished_write=False)
            if floods and situation.fields is None:  # no look at it will ever count
                situation = attrs.evolve(situation, fields=look.fields)
            current.look(view, situation, now_s=at_s)
            if not counted and current.stage is Stage.DONE:  # what ended a write is worth keeping
                self.look, self.grid, self.reading = look, grid, reading
                self._note_left_behind(reading)
        elif current is not None:
            self.machine.want_look(now_s=at_s)
        self._after(at_s)

    def claimed(self, claim: Claim, *, at_s: float) -> None:
        """Somebody says what the program does."""
        if self.claims.hear(claim):
            self.want_look(at_s=at_s)

    def recorded(
        self, record: Record | None, children: tuple[Child, ...], wall_offset_s: float, at_s: float
    ) -> None:
        """The program's own record, or its child processes, are other ones now."""
        if self.claims.read(record, children, wall_offset_s):
            self.want_look(at_s=at_s)

    def want_look(self, *, at_s: float) -> None:
        """Something that is no output calls for a look."""
        self.machine.want_look(now_s=at_s)
        self._after(at_s)

    def look_lost(self, *, at_s: float) -> None:
        """A look will not be answered; another one follows in its own time."""
        self.machine.look_lost(now_s=at_s)
        self._after(at_s)

    def replied(self, write_id: str, reply: GuardReply, *, at_s: float) -> None:
        """Take the server's answer to a guarded action."""
        current = self._current
        if current is None or current.request.write_id != write_id:
            return
        current.reply(reply, now_s=at_s)
        if current.stage in (Stage.ECHOING, Stage.GAP, Stage.REACTING):
            self._learner.typed = True
        if current.stage is Stage.ECHOING and (view := current.ready_view) is not None:
            self._own_text = OwnText.typed_into(view, current.typed_text)
        self._after(at_s)

    def exited(self, words: str, *, at_s: float) -> None:
        """The pane's process is gone (a process exit watch said so)."""
        self.machine.gone(now_s=at_s, words=words)
        self._exited(at_s, words)
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
                self._current.lost(words, now_s=at_s, reason=Reason.SERVER_UNREACHABLE)
            self.machine.void(now_s=at_s)
        self._after(at_s)

    def connection_lost(self, words: str, *, at_s: float) -> None:
        """The carrier client ended: what was in flight has no answer."""
        current = self._current  # one whose Enter is out is judged by what is there afterwards
        if current is not None and current.in_hand and not current.is_out:
            current.lost(words, now_s=at_s)
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
        self._events.extend(self.episodes.advance(now_s=now_s))
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
                launched_reader=self.launched_reader,
                own_process_is_program=self.traits.own_process_is_program,
                reads_lines=self.traits.reads_lines,
                trust_timing=self.traits.trust_timing or self.profile.trust == "timing",
                judgement=self.claims.judgement(),
                host=self.traits.host,
                own_prompts=(self.traits.own_prompt, self.first_prompt),
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

    def _with_own_text(self, reading: ScreenReading, look: Look, grid: Grid) -> ScreenReading:
        """Where lines are read, what we typed is a draft and no question of the program."""
        reads_lines = self.traits.reads_lines or self.profile.reads_lines
        if self._own_text is None or not reads_lines:
            return reading
        current = self._current
        whole = current is None or current.stage is not Stage.ECHOING
        return self._own_text.read(reading, look, grid, whole=whole) or reading

    def _make_guard(self, view: View, vetoes: bool) -> Guard:
        composer = view.reading.composer
        regexes = [veto.regex for veto in self.profile.vetoes] if vetoes else []
        guard = guard_for(
            view.look,
            composer_row=composer.row if composer is not None else None,
            composer_last_row=composer.last_row if composer is not None else None,
            vetoes=regexes,
        )
        if view.floods:
            guard = guard_moving(view.look, vetoes=regexes)
        if self.traits.guard_off:
            kept = tuple(t for t in guard.terms if t.name in ("pane_id", "pane_pid", "pane_dead"))
            expression = kept[0].expression
            for term in kept[1:]:
                expression = f"#{{&&:{expression},{term.expression}}}"
            return Guard(pane_id=guard.pane_id, expression=expression, terms=kept)
        return guard

    def _note_program(self, look: Look, belief: Belief) -> None:
        command = look.fields.command
        reader = look.kernel.reader_command if look.kernel is not None else ""
        if belief.kind is BeliefKind.READY and not self.launched_reader and not is_shell(reader):
            self.launched_reader = reader
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
            current, shown = self._current, belief.prompt
            if current is not None and shown is not None and current.is_asked_still(shown):
                return
            self._events.extend(self.episodes.seen(belief, at_s=at_s))

    def _exited(self, at_s: float, words: str = "its program ended") -> None:
        if self._exit_said:
            return
        self._collect_changes()
        self._exit_said = True
        fields = self.look.fields if self.look is not None else None
        dead = fields is not None and fields.dead
        belief = self.machine.belief
        if belief is not None and belief.kind is BeliefKind.GONE:
            words = belief.words
        grid = self.grid if fields is not None else None
        self._events.append(
            PaneExited(
                pane=self.pane_id,
                status=fields.dead_status if dead and fields is not None else None,
                signal=fields.dead_signal if dead and fields is not None else None,
                words=words,
                rows=grid.texts if grid is not None else (),
                server_lost=not self.server_reachable,
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
            self._note_turn(change.new)
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
        over = change.new is State.EXITED
        if change.old is State.PROMPTING or over:
            self._events.extend(self.episodes.left(at_s=change.at_s, for_good=over))

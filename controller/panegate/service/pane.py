"""A pane as embedders hold it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import anyio
import attrs

from panegate.errors import NoSuchPane, NotReady, PanegateError, ServerUnreachable
from panegate.gate.policy import Decision
from panegate.gate.receipt import Receipt
from panegate.ids import PaneId
from panegate.runtime.link import Target
from panegate.screen.grid import Grid
from panegate.screen.profile import Profile
from panegate.service.capturing import capture
from panegate.service.claiming import Claiming
from panegate.service.launch import Launch
from panegate.service.refusing import way_out
from panegate.service.views import Explanation, RunResult, Screen, ScreenLabel
from panegate.session.events import PaneExited, Prompt
from panegate.session.inputs import Hold, Watched
from panegate.session.nudging import NudgePolicy
from panegate.session.outcomes import Outcome
from panegate.session.tracker import PaneTracker
from panegate.terms import Intent, Reason, State

if TYPE_CHECKING:
    import libtmux

    from panegate.service.controller import Controller
    from panegate.service.outcomes import Session

__all__ = ["Pane"]


@attrs.define(kw_only=True, eq=False, repr=False)
class Pane(Claiming):
    """One watched pane.

    Everything that writes goes through the gate; nothing here types by itself.
    """

    ctl: Controller
    name: str
    target: Target
    tracker: PaneTracker
    launched: Launch | None = None
    """None for adopted panes."""
    started: Launch | None = None
    """For adopted panes: how another controller has started the program, where that is known."""
    exit: PaneExited | None = None
    """Set when the program is gone."""
    session: Session | None = attrs.field(default=None, init=False)
    """What its outcome rests on."""
    _changed: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    _last: tuple[Screen, float] | None = attrs.field(default=None, init=False)

    def __repr__(self) -> str:
        return f"<Pane {self.id} {self.name!r} {self.state.value}>"

    # --- what it is -----------------------------------------------------------------

    @property
    def id(self) -> PaneId:
        """Tmux's pane id, such as ``%3``."""
        return self.target.pane_id

    @property
    def profile(self) -> Profile:
        """What is known about its program."""
        return self.tracker.profile

    @property
    def state(self) -> State:
        """What is believed about it now."""
        return self.tracker.state

    @property
    def confirmed(self) -> bool:
        """No output has come since the state was decided."""
        return self.tracker.machine.confirmed

    @property
    def since_s(self) -> float:
        """Seconds in this state."""
        return self.ctl.clock() - self.tracker.machine.since_s

    @property
    def prompt(self) -> Prompt | None:
        """The question it waits on, while prompting."""
        prompt = self.tracker.prompt
        if prompt is not None:
            prompt = self._told(prompt)
        if prompt is not None and not prompt.where:
            return attrs.evolve(prompt, where=self.ctl.where(self))
        return prompt

    @property
    def draft(self) -> str:
        """Somebody's unsent text in the composer, as of the last look."""
        return self.tracker.situation().draft

    @property
    def where(self) -> str:
        """The command that brings a person to it."""
        return self.ctl.where(self)

    @property
    def held(self) -> str | None:
        """Why a person holds it; None while nobody does."""
        return self.tracker.held

    @property
    def queue(self) -> tuple[str, ...]:
        """Ids of unfinished writes, the one in hand first."""
        return tuple(write.request.write_id for write in self.tracker.writes)

    @property
    def libtmux(self) -> libtmux.Pane:
        """The same pane as a libtmux object (starts processes: keep it off hot paths)."""
        return self.ctl.libtmux_pane(self.id)

    # --- writing --------------------------------------------------------------------

    async def send(
        self,
        text: str,
        *,
        id: str | None = None,
        within_s: float | None = None,
        submit: bool = True,
        literal: bool = False,
    ) -> Receipt:
        """Deliver one message: wait until the program reads, type, prove, submit, prove.

        Args:
            text: One newline at its end is dropped. Control characters are refused.
            id: Idempotence: the same id gives the first receipt, nothing is typed again.
            within_s: How long to wait for the gate; default from the settings. From the
                first byte on the write has its own limits, and its receipt is returned.
            submit: False leaves the text in the composer.
            literal: A first character that opens a mode of this program is meant.

        Returns:
            A receipt for every write that began.

        Raises:
            NotReady: ``within_s`` ran out; nothing was written.
            Refused: The gate refused; nothing was written.
            JournalError: It could not be journalled; nothing was written.

        """
        return await self.ctl.writes.message(
            self, Intent.MESSAGE, text, id, within_s, submit, literal
        )

    async def nudge(self, text: str, *, id: str | None = None) -> Receipt:
        """Deliver an automatic message now or not at all.

        Raises:
            Refused: The pane is not ready at this moment, or its policy says that no nudge is
                due; nothing was written.

        """
        return await self.ctl.people.nudge(self, text, id)

    def nudge_policy(self, policy: NudgePolicy | str | None) -> None:
        """Nudge this pane by itself when it goes quiet; None: no longer.

        The policy also bounds `nudge`. What the program was nudged before stays counted, also
        across a restart of the controller, as far as the journal outlives it.

        Args:
            policy: When, how often, and with what text; a text alone takes the rest from the
                settings (``nudge.*``).

        """
        self.ctl.people.set_policy(self, policy)

    async def steer(
        self,
        text: str,
        *,
        id: str | None = None,
        within_s: float | None = None,
    ) -> Receipt:
        """Send to a program that takes input while it works.

        Raises:
            Refused: Its profile does not say so, or it asks something.

        """
        return await self.ctl.writes.message(self, Intent.STEER, text, id, within_s, True, False)

    async def answer(
        self,
        prompt_id: str,
        *,
        option: str | None = None,
        text: str | None = None,
        secret: str | None = None,
        cancel: bool = False,
        by: str,
        within_s: float = 10.0,
    ) -> Receipt:
        """Answer exactly this prompt, as a person decided.

        Args:
            prompt_id: `Prompt.id`.
            option: Key or label of an option.
            text: For questions that take text.
            secret: For hidden input: kept out of journal, logs and recordings.
            cancel: Decline, where the program has a way.
            by: Who decided.
            within_s: How long to wait for another write in hand.

        Raises:
            StaleAnswer: Another question is on screen, or none; carries the new one.
            Refused: The setting ``answers`` forbids it, or there is no such option.

        """
        return await self.ctl.writes.answer(
            self,
            prompt_id,
            option=option,
            text=text,
            secret=secret,
            cancel=cancel,
            by=by,
            within_s=within_s,
        )

    async def interrupt(self, *, within_s: float = 10.0) -> Receipt:
        """Press the profile's interrupt key (C-c unless it says otherwise).

        Raises:
            Refused: It asks something (that would answer it), or is gone.

        """
        keys = (self.profile.interrupt,)
        return await self.ctl.writes.keys(self, Intent.INTERRUPT, keys, within_s)

    async def keys(self, *names: str, within_s: float = 10.0) -> Receipt:
        """Press raw keys by tmux's names.

        Raises:
            Refused: It asks something, or is gone.
            ValueError: A key is not known.

        """
        return await self.ctl.writes.keys(self, Intent.KEYS, names, within_s)

    async def clear(self, *, within_s: float = 10.0) -> Receipt:
        """Empty the composer: the caller's word that what stands there may go."""
        return await self.ctl.writes.keys(
            self, Intent.KEYS, self.profile.clear, within_s, clears=True
        )

    async def withdraw(self, write_id: str) -> bool:
        """Take an unfinished write back; False when it has begun to be typed."""
        return self.ctl.writes.withdraw(self, write_id)

    def verdict(self, intent: Intent = Intent.MESSAGE) -> Decision:
        """Say what the gate would say now; nothing is written."""
        current = self.prompt
        return self.tracker.verdict(intent, current.id if current is not None else None)

    def hold(self, reason: str) -> None:
        """A person takes over: nothing is written until `release`."""
        self.ctl.put(Hold(self.id, reason or "held", self.ctl.clock()))

    def release(self) -> None:
        """Give the pane back."""
        self.ctl.put(Hold(self.id, None, self.ctl.clock()))

    # --- waiting and reading --------------------------------------------------------

    async def wait(self, states: Iterable[State], *, within_s: float | None = None) -> State:
        """Wait until the pane is in one of *states* (ready and prompting: confirmed).

        Raises:
            NotReady: ``within_s`` ran out.
            ServerUnreachable: Its tmux server cannot be reached at the end of that time, or died
                and exited is none of *states*.
            PanegateError: It exited, and exited is none of *states*.

        """
        wanted = frozenset(states)
        self.ctl.put(Watched(self.id, 1, self.ctl.clock()))
        try:
            with anyio.move_on_after(within_s):
                while True:
                    self.ctl.check()
                    state = self.state
                    if state in wanted and (self.confirmed or state is not State.READY):
                        return state
                    if state is State.EXITED:
                        self.check_server()
                        how = f" {self.exit.how}" if self.exit is not None else ""
                        msg = f"{self.name} exited{how} while it was waited for"
                        raise PanegateError(msg, fix="start it again")
                    await self.next_touch()
        finally:
            self.ctl.put(Watched(self.id, -1, self.ctl.clock()))
        if not self.ctl.reachable:
            msg = f"the tmux server cannot be reached; what {self.name} does is not known"
            raise ServerUnreachable(msg, fix="panegate doctor says more")
        names = ", ".join(sorted(state.value for state in wanted))
        msg = f"{self.name} did not become {names} within {within_s:g} s; it is {self.state.value}"
        raise NotReady(
            msg,
            reason=Reason.DEADLINE,
            state=self.state,
            prompt=self.prompt,
            screen=self.last_screen(),
            fix="panegate explain says why",
        )

    def check_server(self) -> None:
        """Raise `ServerUnreachable` when its tmux server died with it."""
        if self.exit is not None and self.exit.server_lost:
            msg = f"the tmux server died, and what became of {self.name} is not known"
            raise ServerUnreachable(msg, fix="launch it again")

    async def read(self, *, history: int = 0) -> Screen:
        """Read the screen now; never raises for a pane or server that is gone.

        Args:
            history: Rows wanted above the visible ones.

        """
        try:
            gone = self.state is State.EXITED
            screen = await capture(self.ctl.link, self.id, history=history, gone=gone)
        except (ServerUnreachable, NoSuchPane):
            return self.last_screen(
                ScreenLabel.UNAVAILABLE if self.ctl.reachable else ScreenLabel.OFFLINE
            )
        self._last = (screen, self.ctl.clock())
        return screen

    def last_screen(self, label: ScreenLabel | None = None) -> Screen:
        """Return the rows of the last look, with their age."""
        now_s = self.ctl.clock()
        look = self.tracker.look
        if look is None or self.tracker.grid is None:
            kind = label or ScreenLabel.UNAVAILABLE
            return Screen(rows=(), cursor=(0, 0), columns=0, lines=0, at=now_s, label=kind)
        gone = self.state is State.EXITED
        kind = label or (ScreenLabel.IDLE_STALE if gone else ScreenLabel.UNAVAILABLE)
        fields = look.fields
        grid: Grid = self.tracker.grid
        return Screen(
            rows=tuple(grid.text(row) for row in range(fields.height)),
            cursor=(fields.cursor_y, fields.cursor_x),
            columns=fields.width,
            lines=fields.height,
            alternate=fields.alternate_on,
            mode=fields.mode,
            at=look.at_s,
            age_s=max(0.0, now_s - look.at_s),
            label=kind,
        )

    async def run(
        self,
        text: str,
        *,
        within_s: float | None = None,
        turn_within_s: float | None = None,
    ) -> RunResult:
        """Send, wait for the end of the turn, and return what was said.

        Args:
            text: The message or command.
            within_s: As for `send`.
            turn_within_s: How long the turn may last; None waits for ever.

        """
        return await self.ctl.writes.run(self, text, within_s, turn_within_s)

    def explain(self) -> Explanation:
        """Say why the pane is in its state, with evidence and times."""
        machine, tracker = self.tracker.machine, self.tracker
        belief, now_s = machine.belief, self.ctl.clock()
        last = tracker.history[-1] if tracker.history else None
        started = self.launched or self.started
        return Explanation(
            pane=self.id,
            name=self.name,
            profile=self.profile.name,
            state=self.state,
            confirmed=self.confirmed,
            since_s=now_s - machine.since_s,
            quiet_s=now_s - machine.last_output_s,
            grade=belief.grade if belief is not None else None,
            rule=belief.rule if belief is not None else "",
            words=belief.words if belief is not None else (last.words if last else "not looked"),
            evidence=belief.evidence if belief is not None else (),
            history=tuple(tracker.history),
            holds=(self.verdict().words,),
            settle_window_s=machine.settle_window_s,
            looks=machine.looks,
            output_bytes=tracker.output_bytes,
            left_behind=tracker.left_behind,
            way_out=way_out(self),
            launch_answers=started.answers if started is not None else None,
        )

    def outcome(self) -> Outcome:
        """Say what became of the session: why it ended, or what it has come to so far.

        Judged on all facts of the session (`panegate.session.outcomes` has the table), with
        the evidence that decided and what a caller should do.

        Raises:
            PanegateError: Nothing is known about it.

        """
        return self.ctl.outcomes.outcome(self)

    async def respawn(self, *, within_s: float | None = None) -> None:
        """Start the same program again in this pane, with what it was launched with.

        The launch answers of its profile are those of its first start, also where another
        controller has launched it and the profile has changed since.

        Raises:
            PanegateError: How it was started is not known.
            LaunchFailed: As for `Controller.launch`.

        """
        self.ctl.outcomes.closing(self)
        await self.ctl.launching.respawn(self, within_s)

    async def close(self) -> None:
        """End the program and its pane. Idempotent."""
        self.ctl.outcomes.closing(self)
        await self.ctl.launching.close(self)

    async def next_touch(self) -> None:
        """Wait until something about the pane was seen again: a look, a mark, an event."""
        await self._changed.wait()

    def touched(self) -> None:
        """Wake everybody who waits on this pane."""
        changed, self._changed = self._changed, anyio.Event()
        changed.set()

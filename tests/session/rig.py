"""A pane without tmux: looks written as text, writes answered by hand."""

from __future__ import annotations

import attrs

from panegate.gate.guard import GuardReply, GuardResult
from panegate.gate.plan import WriteRequest
from panegate.gate.stages import Action
from panegate.ids import PaneId
from panegate.panes.facts import KernelFact, Look, PaneFields, ProbeLevel, TtyWait
from panegate.profiles import load
from panegate.screen.profile import Profile
from panegate.session.events import PaneEvent, StateChanged, WriteFinished
from panegate.session.tracker import PaneTracker
from panegate.session.traits import TrackerTraits
from panegate.terms import Intent

PANE = PaneId("%1")
LINE_READ = KernelFact(
    level=ProbeLevel.FULL, wait=TtyWait.READ, echo=True, icanon=True, unread_bytes=0
)
HIDDEN = attrs.evolve(LINE_READ, echo=False)
EDITOR = KernelFact(
    level=ProbeLevel.FULL, wait=TtyWait.SELECT, echo=False, icanon=False, unread_bytes=0
)
ABSENT = KernelFact(level=ProbeLevel.FULL, wait=TtyWait.ABSENT, echo=True, icanon=True)
LOOP = KernelFact(level=ProbeLevel.FULL, wait=TtyWait.EVENT_LOOP, echo=False, icanon=False)
WIDTH, HEIGHT = 60, 12


def look(
    *rows: str,
    cursor: tuple[int, int] | None = None,
    kernel: KernelFact | None = None,
    command: str = "bash",
    asked_at_s: float = 0.0,
    **fields: object,
) -> Look:
    """A look at *rows*; the cursor stands at the end of the last one by default."""
    place = cursor or (len(rows) - 1, len(rows[-1]))
    padded = [row.ljust(WIDTH).encode() for row in rows]
    padded += [b" " * WIDTH] * (HEIGHT - len(padded))
    known = PaneFields(
        pane_id=PANE,
        pane_pid=100,
        cursor_y=place[0],
        cursor_x=place[1],
        width=WIDTH,
        height=HEIGHT,
        command=command,
        tty="/dev/pts/9",
    )
    return Look(
        fields=attrs.evolve(known, **fields),
        rows=tuple(padded),
        kernel=kernel,
        asked_at_s=asked_at_s,
        at_s=asked_at_s,
    )


class Rig:
    """Drives one tracker; time is a number that only goes forward."""

    def __init__(
        self, profile: str | Profile = "bash", traits: TrackerTraits | None = None
    ) -> None:
        known = load(profile) if isinstance(profile, str) else profile
        self.now_s = 0.0
        self.tracker = PaneTracker(
            pane_id=PANE,
            pane_pid=100,
            profile=known,
            traits=traits or TrackerTraits(name="t"),
            started_s=0.0,
        )
        self.events: list[PaneEvent] = []
        self.actions: list[Action] = []
        self._n = 0

    def settle(self) -> None:
        self.events += self.tracker.take_events()
        self.actions += self.tracker.take_actions()

    def output(self, data: bytes, after_s: float = 0.001) -> None:
        self.now_s += after_s
        self.tracker.output(data, at_s=self.now_s)
        self.settle()

    def until_look(self) -> None:
        """Go on in time until a look is wanted."""
        for _ in range(500):
            if self.tracker.take_look() is not None:
                return
            due_s = self.tracker.deadline_s
            assert due_s is not None, "no look is wanted and no deadline is set"
            self.now_s = max(self.now_s, due_s)
            self.tracker.advance(now_s=self.now_s)
            self.settle()
        raise AssertionError("no look was wanted")

    def show(self, *rows: str, wait: bool = True, **known: object) -> None:
        """Answer the next look with these rows."""
        if wait:
            self.until_look()
        asked_at_s = self.now_s
        self.now_s += 0.0005
        self.tracker.looked(
            look(*rows, asked_at_s=asked_at_s, **known),  # type: ignore[arg-type]
            at_s=self.now_s,
        )
        self.settle()

    def send(
        self, text: str = "", intent: Intent = Intent.MESSAGE, within_s: float = 5.0, **more: object
    ) -> str:
        self._n += 1
        known: dict[str, object] = {"text": text, **more}
        request = WriteRequest(
            write_id=f"w{self._n}",
            pane_id=PANE,
            intent=intent,
            asked_s=self.now_s,
            deadline_s=self.now_s + within_s,
            **known,  # type: ignore[arg-type]
        )
        self.tracker.write(request, at_s=self.now_s)
        self.settle()
        return request.write_id

    def reply(self, result: GuardResult, words: str = "") -> Action:
        """Answer the oldest action; what it was is returned."""
        action = self.actions.pop(0)
        self.now_s += 0.0005
        reply = GuardReply(result, words)
        self.tracker.replied(action.write_id, reply, at_s=self.now_s)
        self.settle()
        return action

    def pass_time(self, seconds: float) -> None:
        end_s = self.now_s + seconds
        while True:
            due_s = self.tracker.deadline_s
            if due_s is None or due_s > end_s:
                break
            self.now_s = max(self.now_s, due_s)
            self.tracker.advance(now_s=self.now_s)
            if self.tracker.take_look() is not None:
                self.tracker.look_lost(at_s=self.now_s)
            self.settle()
        self.now_s = end_s

    @property
    def states(self) -> list[str]:
        return [e.new.value for e in self.events if isinstance(e, StateChanged)]

    @property
    def finished(self) -> list[WriteFinished]:
        return [e for e in self.events if isinstance(e, WriteFinished)]


PROMPT_ON = rb"\033[?2004h$ "
PROMPT_OFF = rb"\033[?2004l"


def ready_bash() -> Rig:
    rig = Rig("bash")
    rig.output(PROMPT_ON)
    rig.show("$ ", kernel=EDITOR)
    assert rig.states == ["ready"]
    return rig

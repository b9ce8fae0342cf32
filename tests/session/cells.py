"""Panes in every state and with everything that can stand in the way, built from looks."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs
from tests.session.rig import EDITOR, LOOP, Rig

from panegate.gate.guard import GuardResult
from panegate.panes.facts import KernelFact
from panegate.profiles import load
from panegate.session.traits import TrackerTraits
from panegate.terms import Intent, Reason, State, Verdict

__all__ = [
    "CELLS",
    "OBSTACLES",
    "Obstacle",
    "Pane",
    "check_cell",
    "check_obstacle",
    "check_right_of_way",
]

RULE: Final = "─" * 40
BOX: Final = (RULE, "> ", RULE, "  standing by")
DIALOG: Final = (
    " Do you want to run this command?",
    " ❯ 1. Yes",
    "   2. No",
    "",
    " Esc to cancel",
)
STALE: Final = "%1.99.ffffffff"
WITHIN_S: Final = 600.0


@attrs.define(kw_only=True)
class Pane:
    """A pane without tmux, and the screen that every look at it shows."""

    rig: Rig
    rows: tuple[str, ...] = ()
    known: dict[str, Any] = attrs.field(factory=dict)

    def shows(self, *rows: str, **known: Any) -> None:
        """Change the screen and have it looked at."""
        self.rows, self.known = rows, {"command": "program", **known}
        self.rig.output(b"x")
        self.rig.show(*rows, **self.known)

    def looks(self, **known: Any) -> None:
        """Have it looked at again, with something else beside the same screen."""
        self.known = {**self.known, **known}
        self.rig.tracker.want_look(at_s=self.rig.now_s)
        self.rig.show(*self.rows, **self.known)

    def write(self, intent: Intent, prompt_id: str | None = None) -> str:
        """Ask for a write and answer its looks; what becomes of it at first, in a word."""
        more: dict[str, Any] = {"text": "hello"}
        if intent in (Intent.INTERRUPT, Intent.KEYS):
            more = {"keys": ("C-c",)}
        elif intent is Intent.ANSWER:
            more = {"option": "1", "prompt_id": prompt_id, "by": "tester"}
        self.rig.actions.clear()
        self.rig.send(intent=intent, within_s=WITHIN_S, **more)
        return self.goes_on()

    def goes_on(self) -> str:
        """Answer looks until the write is out, refused, or nothing happens for two seconds."""
        rig, until_s = self.rig, self.rig.now_s + 2
        for _ in range(100):
            if rig.actions:
                return "written"
            if rig.finished:
                return f"refused: {rig.finished[-1].receipt.reason.value}"
            if rig.tracker.take_look() is not None:
                rig.show(*self.rows, wait=False, **self.known)
                continue
            due_s = rig.tracker.deadline_s
            if due_s is None or due_s > until_s:
                return "waits"
            rig.now_s = max(rig.now_s, due_s)
            rig.tracker.advance(now_s=rig.now_s)
            rig.settle()
        return "waits"

    @property
    def prompt_id(self) -> str | None:
        """The question on its screen."""
        prompt = self.rig.tracker.prompt
        return None if prompt is None else prompt.id


def _pane(*, deaf: bool = False, **traits: Any) -> Pane:
    profile = load("standin")
    if deaf:
        profile = attrs.evolve(profile, takes_input_while_busy=False)
    return Pane(rig=Rig(profile, TrackerTraits(name="t", **traits)))


def _ready(**options: Any) -> Pane:
    pane = _pane(**options)
    pane.shows(*BOX, cursor=(1, 2), kernel=EDITOR)
    assert pane.rig.tracker.state is State.READY
    return pane


def _asking(**options: Any) -> Pane:
    pane = _pane(**options)
    pane.shows(*DIALOG, cursor=(1, 1), kernel=EDITOR)
    assert pane.rig.tracker.state is State.PROMPTING
    return pane


def _busy(**options: Any) -> Pane:
    pane = _pane(**options)
    pane.shows("* Working…", *BOX, cursor=(2, 2), kernel=LOOP)
    assert pane.rig.tracker.state is State.BUSY
    return pane


def _booting(**options: Any) -> Pane:
    pane = _pane(**options)
    pane.shows("starting", kernel=LOOP)
    assert pane.rig.tracker.state is State.BOOTING
    return pane


def _silent(**options: Any) -> Pane:
    pane = _booting(**options)
    pane.rig.pass_time(40)
    assert pane.rig.tracker.state is State.SILENT
    return pane


def _exited(**options: Any) -> Pane:
    pane = _ready(**options)
    pane.rig.tracker.exited("its process ended", at_s=pane.rig.now_s)
    pane.rig.settle()
    return pane


STATES: Final[Mapping[State, Callable[..., Pane]]] = {
    State.BOOTING: _booting,
    State.READY: _ready,
    State.BUSY: _busy,
    State.PROMPTING: _asking,
    State.SILENT: _silent,
    State.EXITED: _exited,
}
CELLS: Final = tuple((intent, state) for intent in Intent for state in State)


def _wanted(intent: Intent, state: State) -> str:
    """What the design says about an intent in a state, where nothing else stands in the way."""
    refused = f"refused: {state.value}"
    if state is State.EXITED:
        return refused
    if intent is Intent.ANSWER:
        return "written" if state is State.PROMPTING else "refused: not_prompting"
    if state is State.PROMPTING:
        return refused  # nothing but its answer reaches a question
    if state is State.READY or intent is Intent.INTERRUPT:
        return "written"
    if intent is Intent.MESSAGE or (intent is Intent.KEYS and state is State.BOOTING):
        return "waits"
    if intent is Intent.KEYS or (intent is Intent.STEER and state is State.BUSY):
        return "written"
    return refused


def check_cell(intent: Intent, state: State) -> None:
    """Write into a pane in this state: bytes go out, wait, or never go."""
    pane = STATES[state]()
    wanted = _wanted(intent, state)
    assert pane.write(intent, pane.prompt_id) == wanted
    if wanted == "waits":
        pane.shows(*BOX, cursor=(1, 2), kernel=EDITOR)
        assert pane.goes_on() == "written"
    elif wanted != "written":
        pane.rig.pass_time(5)
        assert pane.rig.actions == []


@attrs.frozen(kw_only=True)
class Obstacle:
    """Something that stands in the way whatever the state."""

    reason: Reason
    kind: str
    """``for ever``, ``later`` (it holds messages), ``soon`` or ``no text``."""
    build: Callable[[Pane], None] = lambda pane: None
    lift: Callable[[Pane], None] | None = None
    options: Mapping[str, Any] = attrs.field(factory=dict)
    fresh: bool = False
    """No look was taken yet."""
    own_look: bool = False
    """A write's own look takes the obstacle away: only the verdict tells."""


def _now(pane: Pane) -> float:
    return pane.rig.now_s


def _looked_with(**known: Any) -> Callable[[Pane], None]:
    return lambda pane: pane.looks(**known)


def _killed(pane: Pane) -> None:
    pane.rig.tracker.gone("tmux no longer has it", at_s=_now(pane))
    pane.rig.settle()


def _reachable(yes: bool) -> Callable[[Pane], None]:
    def change(pane: Pane) -> None:
        pane.rig.tracker.reachable(yes, "the server", at_s=_now(pane))
        pane.rig.settle()

    return change


def _holds(words: str | None) -> Callable[[Pane], None]:
    return lambda pane: pane.rig.tracker.hold(words, at_s=_now(pane))


def _drafted(pane: Pane) -> None:
    """Text stands in the box; a question is drawn over what is above it."""
    asking = pane.rig.tracker.state is State.PROMPTING
    rows = (*DIALOG, "", *BOX) if asking else BOX
    at = rows.index("> ")
    typed = (*rows[:at], "> half a", *rows[at + 1 :])
    pane.shows(*typed, cursor=(at, 8), kernel=EDITOR)


def _left_behind(pane: Pane) -> None:
    pane.rig.tracker.left_behind = "half a"
    _drafted(pane)


def _emptied(pane: Pane) -> None:
    pane.shows(*BOX, cursor=(1, 2), kernel=EDITOR)


def _in_hand(pane: Pane) -> None:
    """An earlier write is out and has not been judged yet."""
    asking = pane.rig.tracker.state is State.PROMPTING
    intent = Intent.ANSWER if asking else Intent.MESSAGE
    assert pane.write(intent, pane.prompt_id) == "written"
    pane.rig.reply(GuardResult.WRITTEN)
    if asking:  # the answer went in, and the question is confirmed to stand
        pane.rig.show(*pane.rows, **pane.known)


def _stopped(kernel: KernelFact) -> KernelFact:
    return attrs.evolve(kernel, stopped=True)


def _died(pane: Pane) -> None:
    """The server went away, and the process in the pane with it."""
    _reachable(False)(pane)
    pane.rig.tracker.exited("the tmux server died", at_s=_now(pane))
    pane.rig.settle()


OBSTACLES: Final[Mapping[str, Obstacle]] = {
    "server died": Obstacle(reason=Reason.SERVER_DIED, kind="for ever", build=_died),
    "server unreachable": Obstacle(
        reason=Reason.SERVER_UNREACHABLE,
        kind="later",
        build=_reachable(False),
        lift=_reachable(True),
    ),
    "another process in the pane": Obstacle(
        reason=Reason.OTHER_PROCESS, kind="for ever", build=_looked_with(pane_pid=101)
    ),
    "pane gone": Obstacle(reason=Reason.GONE_PANE, kind="for ever", build=_killed),
    "pane dead": Obstacle(
        reason=Reason.DEAD_PANE, kind="for ever", build=_looked_with(dead=True, dead_status=1)
    ),
    "our own pane": Obstacle(reason=Reason.OWN_PANE, kind="for ever", options={"own_pane": True}),
    "held by a person": Obstacle(
        reason=Reason.HELD, kind="later", build=_holds("lunch"), lift=_holds(None)
    ),
    "no look yet": Obstacle(reason=Reason.UNPROVEN, kind="later", fresh=True, own_look=True),
    "in a tmux mode": Obstacle(
        reason=Reason.COPY_MODE,
        kind="later",
        build=_looked_with(in_mode=True),
        lift=_looked_with(in_mode=False),
    ),
    "input off": Obstacle(
        reason=Reason.INPUT_OFF,
        kind="later",
        build=_looked_with(input_off=True),
        lift=_looked_with(input_off=False),
    ),
    "synchronized": Obstacle(
        reason=Reason.SYNCHRONIZED,
        kind="later",
        build=_looked_with(synchronized=True),
        lift=_looked_with(synchronized=False),
    ),
    "shell left behind": Obstacle(
        reason=Reason.SHELL_LEFT_BEHIND,
        kind="for ever",
        options={"own_process_is_program": False},
        build=lambda pane: pane.shows("$ ", command="bash", kernel=EDITOR),
    ),
    "program stopped": Obstacle(
        reason=Reason.STOPPED,
        kind="later",
        build=_looked_with(kernel=_stopped(EDITOR)),
        lift=_looked_with(kernel=EDITOR),
    ),
    "unconfirmed": Obstacle(
        reason=Reason.UNCONFIRMED,
        kind="soon",
        build=lambda pane: pane.rig.output(b"x"),
        own_look=True,
    ),
    "draft in the composer": Obstacle(
        reason=Reason.DRAFT, kind="no text", build=_drafted, lift=_emptied
    ),
    "our text left behind": Obstacle(
        reason=Reason.LEFT_BEHIND, kind="no text", build=_left_behind, lift=_emptied
    ),
    "earlier write unfinished": Obstacle(reason=Reason.QUEUED, kind="soon", build=_in_hand),
}


def _verdict(kind: str, intent: Intent) -> Verdict:
    """What the design says about an intent while an obstacle stands."""
    if kind == "no text" and intent in (Intent.INTERRUPT, Intent.KEYS):
        return Verdict.ALLOW  # they may deal with it
    if kind == "soon" and intent is not Intent.NUDGE:
        return Verdict.HOLD  # it ends by itself, in moments
    holds = kind != "for ever" and intent is Intent.MESSAGE
    return Verdict.HOLD if holds else Verdict.REFUSE


def check_obstacle(name: str, intent: Intent) -> None:
    """Nothing is written while it stands, and a message goes out once it is gone."""
    obstacle = OBSTACLES[name]
    base = _asking if intent is Intent.ANSWER else _ready
    pane = _pane() if obstacle.fresh else base(**obstacle.options)
    prompt_id = pane.prompt_id
    obstacle.build(pane)
    wanted = _verdict(obstacle.kind, intent)
    said = pane.rig.tracker.verdict(intent, prompt_id)
    reason = Reason.NONE if wanted is Verdict.ALLOW else obstacle.reason
    assert (said.verdict, said.reason) == (wanted, reason)
    if obstacle.own_look:
        return
    word = {Verdict.ALLOW: "written", Verdict.HOLD: "waits"}.get(wanted)
    became = pane.write(intent, prompt_id)
    assert became == (word or f"refused: {obstacle.reason.value}")
    if wanted is Verdict.HOLD and obstacle.lift is not None:
        obstacle.lift(pane)
        assert pane.goes_on() == "written"


def check_right_of_way(name: str, intent: Intent) -> None:
    """The two conditions that are about one intent leave all others to the state."""
    if name == "takes no input while busy":
        pane = _busy(deaf=True)
        wanted = _wanted(intent, State.BUSY)
        if intent is Intent.STEER:
            wanted = "refused: not_while_busy"
        prompt_id = None
    else:
        pane = _asking()
        wanted = _wanted(intent, State.PROMPTING)
        if intent is Intent.ANSWER:
            wanted = "refused: stale_prompt"
        prompt_id = STALE
    assert pane.write(intent, prompt_id) == wanted
    if wanted == "waits":
        assert pane.rig.tracker.verdict(intent).reason is Reason.BUSY

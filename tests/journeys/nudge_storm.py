"""Nudges fall due at random moments around dialogs that open, change and close.

Many composers run side by side under nudge policies. What became of every byte is told as in
`race`: by each program's truth log and by the order of output and replies in the control
stream. Each dialog asks about a command of its own, so that escalations can be counted.

* A nudge was **owed** if the program truly read input when it fell due, and went on to for
  three seconds or until it was delivered.
* A **violation** is a write whose guard ran while a dialog stood in the tmux server.

By hand, with the repository's root, ``controller`` and ``transports`` on the path::

    python -m tests.journeys.nudge_storm --nudges 1000 --panes 24
"""

import argparse
import asyncio
import collections
import contextlib
import itertools
import random
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

import panegate as pg
from panegate.testing.programs import Option
from panegate.testing.truth import TruthEvent

from .race import Signaller, Witness, _writes
from .staging import WITHIN_S, Program, Stage, open_stage, until_state

__all__ = ["COLUMNS", "Dialog", "Nudge", "Storm", "count", "run", "table"]

OWED_S: Final = 3.0
"""What is owed arrives within this."""
ESCALATE_AFTER_S: Final = 0.3
BRIEF_S, LONG_S = 0.35, 3.5
"""How long dialogs stand before they go by themselves: seconds of two kinds of programs."""
_SURE_S: Final = 2.9
"""A dialog that stands for so long has settled and is escalated, also on a busy machine."""
_N_COMMANDS: Final = 600
_LAYOUTS: Final[tuple[Mapping[str, Option], ...]] = (
    {},
    {"marks": "133,7501", "titles": "words"},
    {"cursor": "hidden"},
    {"inline": True},
    {"cursor": "parked"},
    {"dialog_over": 12},
)


@attrs.define(kw_only=True)
class Nudge:
    """One nudge that fell due."""

    number: int
    program: str
    due_s: float
    fate: str = ""
    """``landed``, ``refused`` (also: somebody was called instead), or what else is known."""
    reason: str = ""
    words: str = ""
    owed: bool = False
    delivered: bool = False
    violations: int = 0
    type_ahead: int = 0
    taken: int = 0

    @property
    def unexplained(self) -> bool:
        """It was not delivered, and nobody says why."""
        return self.fate == "refused" and (not self.words or self.reason in ("", "none"))


@attrs.define(kw_only=True)
class Dialog:
    """One dialog that opened, and the calls for help about it."""

    program: str
    command: str
    stood_s: float
    escalations: int = 0

    @property
    def missed(self) -> bool:
        """It stood long enough, and nobody was called."""
        return self.stood_s >= _SURE_S and not self.escalations


@attrs.define(kw_only=True)
class Storm:
    """All that happened."""

    nudges: list[Nudge] = attrs.field(factory=list)
    dialogs: list[Dialog] = attrs.field(factory=list)


@attrs.define(kw_only=True)
class _Course:
    """One composer and its nudges, one after the other."""

    program: Program
    witness: Witness
    signaller: Signaller
    chance: random.Random
    events: pg.EventStream
    escalated: list[pg.Escalated] = attrs.field(factory=list)

    async def nudge(self, number: int) -> Nudge:
        """Let one nudge fall due with a dialog somewhere around it."""
        pane, truth = self.program.pane, self.program.truth
        await self._ready()
        n_before = len(truth.events())
        self.witness.take(pane.id)
        due_s = time.monotonic() + self.chance.uniform(0.3, 0.6)
        asks = self.chance.random() < 0.7
        if asks:
            self.signaller.at(due_s + self.chance.uniform(-0.3, 0.3), pane.target.pane_pid)
        # A digit in a text chooses at once wherever a dialog gets it.
        text = f"go on with 1 2 3 of nudge {number}"
        await asyncio.sleep(due_s - time.monotonic())
        nudge = Nudge(number=number, program=pane.name, due_s=time.monotonic())
        pane.nudge_policy(
            pg.NudgePolicy(
                text=text, grace_s=0.001, work_grace_s=3600, per_silence=10**6, per_session=10**6
            )
        )
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(OWED_S):
                await self._outcome(nudge)
        pane.nudge_policy(None)

        def is_over(events: Sequence[TruthEvent]) -> bool:
            new = events[n_before:]
            ended = any(e["event"] in ("dialog_closed", "dialog_skipped") for e in new)
            states = [e["state"] for e in events if e["event"] == "state"]
            return (ended or not asks) and states[-1] == "ready"

        events = (await truth.wait_for(is_over, WITHIN_S))[n_before:]
        _judge(nudge, text, events, _writes(self.witness.take(pane.id)))
        return nudge

    async def _outcome(self, nudge: Nudge) -> None:
        """Wait until the nudge was written, or somebody was called instead of it."""
        pane_id = self.program.pane.id
        async for event in self.events:
            if getattr(event, "pane", None) != pane_id or event.at_s < nudge.due_s:
                self._note(event)
                continue
            self._note(event)
            if isinstance(event, pg.Nudged):
                nudge.fate, nudge.reason = event.fate.value, event.reason.value
                nudge.words = event.words
                if event.fate is not pg.Fate.REFUSED:
                    return
            elif isinstance(event, pg.Escalated):
                nudge.fate, nudge.reason = "refused", event.cause.value
                nudge.words = event.words
                return

    def _note(self, event: pg.Event) -> None:
        if isinstance(event, pg.Escalated) and event.pane == self.program.pane.id:
            self.escalated.append(event)

    async def _ready(self) -> None:
        """Wait until the program reads, and empty its box of what an earlier nudge left."""
        pane = self.program.pane
        for _ in range(10):
            await until_state(pane, pg.State.READY)
            reading = pane.tracker.reading
            if reading is not None and reading.composer is not None and not reading.composer.text:
                return
            with contextlib.suppress(pg.Refused):
                await pane.clear()
        raise AssertionError(f"{pane.name}: the box does not come empty")

    async def dialogs(self) -> list[Dialog]:
        """Return the dialogs that were open, with the calls about them."""
        self.events.close()
        async for event in self.events:
            self._note(event)
        opened = self.program.said("dialog_opened")
        closed = {e["dialog"]: float(e["at"]) for e in self.program.said("dialog_closed")}
        calls = collections.Counter(
            command
            for event in self.escalated
            for command in {str(e["command"]) for e in opened}
            if event.prompt is not None and command in "\n".join(event.prompt.rows)
        )
        return [
            Dialog(
                program=self.program.pane.name,
                command=str(e["command"]),
                stood_s=closed.get(e["dialog"], time.monotonic()) - float(e["at"]),
                escalations=calls[str(e["command"])],
            )
            for e in opened
        ]


def _judge(nudge: Nudge, text: str, events: Sequence[TruthEvent], writes: Sequence) -> None:
    submits = [float(e["at"]) for e in events if e["event"] == "submit" and e["text"] == text]
    nudge.taken = len(submits)
    nudge.delivered = bool(submits) and submits[0] <= nudge.due_s + OWED_S
    nudge.violations = sum(write.on_dialog for write in writes)
    keys = sum(e["event"] == "dialog_key" for e in events)
    nudge.type_ahead = keys if not nudge.violations else 0
    until_s = min([nudge.due_s + OWED_S, *submits])
    states = [(float(e["at"]), e["state"]) for e in events if e["event"] == "state"]
    before = [state for at_s, state in states if at_s <= nudge.due_s]
    during = [state for at_s, state in states if nudge.due_s < at_s < until_s]
    nudge.owed = (not before or before[-1] == "ready") and not during


async def run(*, n_nudges: int, n_panes: int, seed: int, folder: Path) -> Storm:
    """Let *n_nudges* fall due over *n_panes* composers side by side."""
    witness, storm, numbers = Witness(), Storm(), itertools.count(1)
    settings = pg.Settings(answers=pg.Answers.ALLOWED, escalate_after_s=ESCALATE_AFTER_S)
    signaller = Signaller()
    try:
        async with open_stage(folder, recorder=witness, settings=settings) as stage:
            courses = [await _course(stage, at, witness, signaller, seed) for at in range(n_panes)]

            async def go(course: _Course) -> None:
                for number in numbers:
                    if number > n_nudges:
                        return
                    storm.nudges.append(await course.nudge(number))

            async with asyncio.TaskGroup() as group:
                for course in courses:
                    group.create_task(go(course))
            for course in courses:
                storm.dialogs += await course.dialogs()
    finally:
        signaller.close()
    return storm


async def _course(
    stage: Stage, at: int, witness: Witness, signaller: Signaller, seed: int
) -> _Course:
    long = at % 3 == 0
    program = await stage.program(
        "composer",
        profile="standin",
        within_s=None,
        dialog_on_signal=True,
        dialog_chain=1 + at % 2,
        dialog_closes_after=(LONG_S if long else BRIEF_S) * 1000,
        dialog_commands=[f"make target-{at}-{n:03}" for n in range(_N_COMMANDS)],
        work=60,
        **_LAYOUTS[at // 2 % len(_LAYOUTS)],
    )
    return _Course(
        program=program,
        witness=witness,
        signaller=signaller,
        chance=random.Random(f"{seed} {at}"),
        events=stage.ctl.events(maxsize=100_000),
    )


COLUMNS: Final = (
    "nudges",
    "landed",
    "refused",
    "violations",
    "type-ahead",
    "doubled",
    "false landed",
    "unexplained",
    "owed",
    "owed and not delivered",
    "dialogs",
    "escalated",
    "escalated twice",
    "not escalated",
)


def count(storm: Storm) -> dict[str, int]:
    """Return how many nudges and dialogs showed each of `COLUMNS`."""
    nudges, dialogs = storm.nudges, storm.dialogs
    numbers = (
        len(nudges),
        sum(n.fate == "landed" for n in nudges),
        sum(n.fate == "refused" for n in nudges),
        sum(n.violations > 0 for n in nudges),
        sum(n.type_ahead > 0 for n in nudges),
        sum(n.taken > 1 for n in nudges),
        sum(n.fate == "landed" and not n.taken for n in nudges),
        sum(n.unexplained for n in nudges),
        sum(n.owed for n in nudges),
        sum(n.owed and not n.delivered for n in nudges),
        len(dialogs),
        sum(d.escalations > 0 for d in dialogs),
        sum(d.escalations > 1 for d in dialogs),
        sum(d.missed for d in dialogs),
    )
    return dict(zip(COLUMNS, numbers, strict=True))


def table(storm: Storm) -> str:
    """Return the counts as a Markdown table, and each nudge or dialog that should not be."""
    rows = [f"| {name} | {number} |" for name, number in count(storm).items()]
    return "\n".join(("| what | how many |", "|---|--:|", *rows, *map(str, odd(storm))))


def odd(storm: Storm) -> Iterable[Nudge | Dialog]:
    """Return what should not be."""
    for nudge in storm.nudges:
        late = nudge.owed and not nudge.delivered
        false = nudge.fate == "landed" and not nudge.taken
        if late or false or nudge.violations or nudge.taken > 1 or nudge.unexplained:
            yield nudge
    yield from (d for d in storm.dialogs if d.missed or d.escalations > 1)


def main() -> None:
    """Run the long form and print its table."""
    parser = argparse.ArgumentParser(prog="nudge_storm", description=__doc__.split("\n")[0])
    parser.add_argument("--nudges", type=int, default=1000)
    parser.add_argument("--panes", type=int, default=24, help="composers side by side")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        storm = asyncio.run(
            run(
                n_nudges=options.nudges,
                n_panes=options.panes,
                seed=options.seed,
                folder=Path(folder),
            )
        )
    print(table(storm))
    print(f"\nSeed {options.seed}, {options.panes} panes, {time.monotonic() - began_s:.0f} s.")
    for (fate, reason), n in collections.Counter((n.fate, n.reason) for n in storm.nudges).items():
        print(f"{fate or 'nothing in time':16} {reason:16} {n}")


if __name__ == "__main__":
    main()

"""A dialog opens at a random moment around a write: who answers it?

Many composers run side by side. Each trial sends one message and has the program's
dialog opened, by a signal from another process, somewhere around it. What became of every
byte is told from two records that the screen reader has no part in: the program's truth
log, and the control stream, in which tmux orders a pane's output and the replies to our
commands as it handled them.

* A **violation** is a write whose guard ran while the dialog stood in the tmux server: in
  the stream its reply comes behind the dialog's bytes and before those that take it away.
* **Type-ahead** is a byte that the dialog got although tmux took it before the dialog was
  drawn: nobody can call it back.

By hand, with the repository's root, ``controller`` and ``transports`` on the path::

    python -m tests.journeys.race --trials 500 --panes 20
"""

import argparse
import asyncio
import collections
import contextlib
import itertools
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

import panegate as pg
from panegate.gate.guard import GuardResult
from panegate.session.inputs import Input, OutputCame, Replied
from panegate.testing.programs import Option
from panegate.testing.truth import TruthEvent
from panegate.wire.payload import unescape

from .staging import Program, Stage, open_stage, until_state

__all__ = ["COLUMNS", "VARIANTS", "Trial", "Variant", "count", "run", "table"]

WITHIN_S: Final = 30.0
DIALOG_S: Final = 0.35
"""How long a dialog stands before it goes by itself."""
BEFORE_S: Final = 0.02
"""A dialog opens from so long before the send on, until `Variant.after_s` after it."""
ELSEWHERE: Final = 12
"""A row far from the box: the dialog is drawn there while box and cursor stay as they are."""
_OPENED: Final = b"Bash command"
_CLOSED: Final = "⎿".encode()


@attrs.frozen(kw_only=True)
class Variant:
    """One kind of composer under one profile."""

    name: str
    profile: str
    options: Mapping[str, Option] = attrs.field(factory=dict)
    after_s: float = 0.22
    """About as long as a write takes: this profile waits 0.15 s before its Enter."""


VARIANTS: Final = (
    Variant(name="standin, box", profile="standin"),
    Variant(
        name="standin, marks",
        profile="standin",
        options={"marks": "133,7501", "titles": "words"},
    ),
    Variant(name="standin, cursor hidden", profile="standin", options={"cursor": "hidden"}),
    Variant(name="standin, cursor parked", profile="standin", options={"cursor": "parked"}),
    Variant(name="standin, inline", profile="standin", options={"inline": True}),
    Variant(
        name="standin, over the transcript", profile="standin", options={"dialog_over": ELSEWHERE}
    ),
    Variant(
        name="standin, over it, cursor parked",
        profile="standin",
        options={"dialog_over": ELSEWHERE, "cursor": "parked"},
    ),
    Variant(
        name="generic, plain, marks",
        profile="generic",
        options={"layout": "plain", "marks": "133"},
        after_s=0.06,
    ),
    Variant(name="generic, box", profile="generic", after_s=0.06),
    Variant(
        name="generic, cursor hidden",
        profile="generic",
        options={"cursor": "hidden"},
        after_s=0.06,
    ),
    Variant(
        name="generic, over the transcript",
        profile="generic",
        options={"dialog_over": ELSEWHERE},
        after_s=0.06,
    ),
    Variant(
        name="generic, over it, cursor hidden",
        profile="generic",
        options={"dialog_over": ELSEWHERE, "cursor": "hidden"},
        after_s=0.06,
    ),
)


@attrs.define(kw_only=True)
class Trial:
    """One message and one dialog."""

    variant: str
    guarded: bool
    number: int
    offset_s: float
    """The dialog's signal, counted from the call of send."""
    fate: str = ""
    """``landed``, ``refused``, ``not_landed`` (withheld) or ``unknown``."""
    reason: str = ""
    words: str = ""
    taken: int = 0
    """How often the program submitted the text."""
    violations: int = 0
    answered: bool = False
    """A violation chose an option."""
    type_ahead: int = 0
    """Bytes or keys that the dialog got and that tmux had taken before it was drawn."""
    chosen_ahead: bool = False
    unexplained: int = 0
    """Keys in the dialog that no write of ours accounts for."""
    opened: bool = False
    ms: float = 0.0

    @property
    def false_landed(self) -> bool:
        """The receipt says landed, and the program never took the text."""
        return self.fate == "landed" and self.taken == 0


class Witness:
    """Keeps what each pane said and each reply to a guarded write, in stream order."""

    def __init__(self) -> None:
        self._said: dict[str, list[OutputCame | Replied]] = collections.defaultdict(list)

    def __call__(self, item: Input) -> None:
        if isinstance(item, OutputCame | Replied):
            self._said[item.pane_id].append(item)

    def take(self, pane_id: str) -> list[OutputCame | Replied]:
        """Return and forget what came since the last call."""
        return self._said.pop(pane_id, [])


@attrs.frozen(kw_only=True)
class _Write:
    """One write that tmux took."""

    key: str
    """``text`` or ``Enter``."""
    on_dialog: bool
    """The dialog stood in the server."""


def _writes(said: Sequence[OutputCame | Replied]) -> list[_Write]:
    writes: list[_Write] = []
    tail = b""
    stands = False
    typed: set[str] = set()
    for item in said:
        if isinstance(item, OutputCame):
            tail = (tail + unescape(item.payload))[-8192:]
            opened, closed = tail.rfind(_OPENED), tail.rfind(_CLOSED)
            stands = opened > closed
        elif item.reply.result is GuardResult.WRITTEN:
            key = "Enter" if item.write_id in typed else "text"
            typed.add(item.write_id)
            writes.append(_Write(key=key, on_dialog=stands))
    return writes


class Signaller:
    """Another process that signals programs at given instants: nothing of ours delays it."""

    _PROGRAM: Final = """
import heapq, os, select, signal, sys, time
due = []
os.set_blocking(0, False)
held = b""
while True:
    wait = max(0.0, due[0][0] - time.monotonic()) if due else None
    if select.select([0], [], [], wait)[0]:
        chunk = os.read(0, 65536)
        if not chunk:
            break
        *lines, held = (held + chunk).split(b"\\n")
        for line in lines:
            at, pid = line.split()
            heapq.heappush(due, (float(at), int(pid)))
    while due and due[0][0] <= time.monotonic():
        try:
            os.kill(heapq.heappop(due)[1], signal.SIGUSR1)
        except ProcessLookupError:
            pass
"""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", self._PROGRAM], stdin=subprocess.PIPE
        )

    def at(self, when_s: float, pid: int) -> None:
        """Signal *pid* at *when_s*, monotonic seconds."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{when_s} {pid}\n".encode())
        self._process.stdin.flush()

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


@attrs.define(kw_only=True)
class _Course:
    """One composer and its trials, one after the other."""

    variant: Variant
    program: Program
    guarded: bool
    witness: Witness
    signaller: Signaller
    chance: random.Random

    async def trial(self, number: int) -> Trial:
        """Send one message with a dialog around it, and tell what became of it."""
        pane, truth = self.program.pane, self.program.truth
        await self._ready()
        trial = Trial(
            variant=self.variant.name,
            guarded=self.guarded,
            number=number,
            offset_s=self.chance.uniform(-BEFORE_S, self.variant.after_s),
        )
        n_before = len(truth.events())
        self.witness.take(pane.id)
        send_at_s = time.monotonic() + BEFORE_S + self.chance.uniform(0.005, 0.02)
        self.signaller.at(send_at_s + trial.offset_s, pane.target.pane_pid)
        await asyncio.sleep(send_at_s - time.monotonic())
        # A digit in a text chooses at once wherever a dialog gets it.
        text = f"go on with 1 2 3 of trial {number}"
        began_s = time.monotonic()
        try:
            receipt = await pane.send(text, within_s=WITHIN_S)
        except pg.Refused as error:
            trial.fate, trial.reason, trial.words = "refused", error.reason.value, str(error)
        else:
            trial.fate, trial.reason = receipt.fate.value, receipt.reason.value
            trial.words = receipt.words
        trial.ms = (time.monotonic() - began_s) * 1000

        def is_over(events: Sequence[TruthEvent]) -> bool:
            new = events[n_before:]
            ended = any(e["event"] in ("dialog_closed", "dialog_skipped") for e in new)
            states = [e["state"] for e in events if e["event"] == "state"]
            return ended and states[-1] == "ready"

        events = (await truth.wait_for(is_over, WITHIN_S))[n_before:]
        _judge(trial, text, events, _writes(self.witness.take(pane.id)))
        return trial

    async def _ready(self) -> None:
        """Wait until the program reads, and empty its box of what an earlier trial left."""
        pane = self.program.pane
        for _ in range(10):
            await until_state(pane, pg.State.READY)
            reading = pane.tracker.reading
            if reading is not None and reading.composer is not None and not reading.composer.text:
                return
            with contextlib.suppress(pg.Refused):
                await pane.clear()
        raise AssertionError(f"{self.variant.name}: the box does not come empty")


def _judge(trial: Trial, text: str, events: Sequence[TruthEvent], writes: Sequence[_Write]) -> None:
    trial.opened = any(e["event"] == "dialog_opened" for e in events)
    trial.taken = sum(e["event"] == "submit" and e["text"] == text for e in events)
    trial.violations = sum(write.on_dialog for write in writes)
    chosen = any(e["event"] in ("approved", "declined") for e in events)
    for event in events:
        if event["event"] != "dialog_key":
            continue
        key = "Enter" if event["key"] == "Enter" else "text"
        ways = {write.on_dialog for write in writes if write.key == key}
        if not ways:
            trial.unexplained += 1
        elif False in ways and True not in ways:
            trial.type_ahead += 1
    trial.answered = chosen and trial.violations > 0
    trial.chosen_ahead = chosen and trial.violations == 0


async def run(
    variants: Sequence[Variant],
    *,
    n_trials: int,
    n_panes: int,
    seed: int,
    folder: Path,
    guards: Sequence[bool] = (True, False),
) -> list[Trial]:
    """Run *n_trials* for each of *guards*, over *n_panes* composers side by side each."""
    witness = Witness()
    trials: list[Trial] = []
    signaller = Signaller()
    numbers = {guarded: itertools.count(1) for guarded in guards}
    try:
        async with open_stage(folder, recorder=witness) as stage:
            courses = await _courses(stage, variants, guards, n_panes, witness, signaller, seed)

            async def go(course: _Course) -> None:
                for number in numbers[course.guarded]:
                    if number > n_trials:
                        return
                    trials.append(await course.trial(number))

            async with asyncio.TaskGroup() as group:
                for course in courses:
                    group.create_task(go(course))
    finally:
        signaller.close()
    return trials


async def _courses(
    stage: Stage,
    variants: Sequence[Variant],
    guards: Sequence[bool],
    n_panes: int,
    witness: Witness,
    signaller: Signaller,
    seed: int,
) -> list[_Course]:
    courses: list[_Course] = []
    for guarded, at in itertools.product(guards, range(n_panes)):
        variant = variants[at % len(variants)]
        program = await stage.program(
            "composer",
            profile=variant.profile,
            within_s=None,
            dialog_on_signal=True,
            dialog_closes_after=DIALOG_S * 1000,
            work=60,
            **variant.options,
        )
        if not guarded:  # for trials only, so it is no option of launch
            tracker = program.pane.tracker
            tracker.traits = attrs.evolve(tracker.traits, guard_off=True)
        courses.append(
            _Course(
                variant=variant,
                program=program,
                guarded=guarded,
                witness=witness,
                signaller=signaller,
                chance=random.Random(f"{seed} {guarded} {at}"),
            )
        )
    return courses


COLUMNS: Final = (
    "trials",
    "landed",
    "refused",
    "withheld",
    "unknown",
    "violations",
    "answered",
    "type-ahead",
    "chosen so",
    "false landed",
    "doubled",
    "unexplained",
)


def count(trials: Iterable[Trial]) -> dict[str, int]:
    """Return how many trials showed each of `COLUMNS`."""
    of = list(trials)
    numbers = (
        len(of),
        sum(t.fate == "landed" for t in of),
        sum(t.fate == "refused" for t in of),
        sum(t.fate == "not_landed" for t in of),
        sum(t.fate == "unknown" for t in of),
        sum(t.violations > 0 for t in of),
        sum(t.answered for t in of),
        sum(t.type_ahead > 0 for t in of),
        sum(t.chosen_ahead for t in of),
        sum(t.false_landed for t in of),
        sum(t.taken > 1 for t in of),
        sum(t.unexplained > 0 for t in of),
    )
    return dict(zip(COLUMNS, numbers, strict=True))


def table(trials: Sequence[Trial]) -> str:
    """Return the counts as a Markdown table: one row a variant and guard, then the sums."""
    rows = [("guard", "program, profile", *COLUMNS)]
    for guarded in sorted({t.guarded for t in trials}, reverse=True):
        mine = [t for t in trials if t.guarded is guarded]
        name = "on" if guarded else "off"
        for variant in dict.fromkeys(t.variant for t in mine):
            counts = count(t for t in mine if t.variant == variant)
            rows.append((name, variant, *map(str, counts.values())))
        rows.append((name, "**all**", *map(str, count(mine).values())))
    head, *body = ("| " + " | ".join(row) + " |" for row in rows)
    rule = "|---" * 2 + "|--:" * len(COLUMNS) + "|"
    return "\n".join((head, rule, *body))


def main() -> None:
    """Run the long form and print its table."""
    parser = argparse.ArgumentParser(prog="race", description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=500, help="with the guard, and without")
    parser.add_argument("--panes", type=int, default=24, help="composers side by side, of each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--variant", action="append", help="only names that contain this")
    parser.add_argument("--verbose", action="store_true", help="also each odd trial")
    options = parser.parse_args()
    wanted = options.variant or [""]
    variants = [v for v in VARIANTS if any(part in v.name for part in wanted)]
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        trials = asyncio.run(
            run(
                variants,
                n_trials=options.trials,
                n_panes=options.panes,
                seed=options.seed,
                folder=Path(folder),
            )
        )
    print(table(trials))
    print(
        f"\nSeed {options.seed}, {options.panes} panes of each, {time.monotonic() - began_s:.0f} s."
    )
    reasons = collections.Counter((t.guarded, t.fate, t.reason) for t in trials)
    for (guarded, fate, reason), n in sorted(reasons.items(), reverse=True):
        print(f"guard {'on ' if guarded else 'off'} {fate:10} {reason:16} {n}")
    if options.verbose:
        for trial in trials:
            if trial.false_landed or trial.fate in ("unknown", "refused") or trial.violations:
                print(trial)


if __name__ == "__main__":
    main()

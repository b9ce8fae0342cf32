"""A question changes at a random moment around an answer: which of the two is answered?

Programs of six forms (menus by digit and by arrows, a key, a line, a text, a secret) ask one
thing and, at a signal from another process, another thing. Each trial answers the first
question by its id. What became of every byte is told as in `race`, from the program's log and
from the control stream.

* A **violation** is a write whose guard ran while the other question stood in the tmux server.
* **Type-ahead** is an answer that the other question got although tmux took all of it before
  that one was drawn: nobody can call it back.

By hand, with the repository's root, ``controller`` and ``transports`` on the path::

    python -m tests.journeys.answer_race --trials 500
"""

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

import panegate as pg
from panegate.gate.guard import GuardResult
from panegate.session.inputs import OutputCame
from panegate.testing.truth import TruthEvent, TruthLog
from panegate.wire.payload import unescape

from .race import Signaller, Witness
from .staging import Stage, open_stage

__all__ = ["COLUMNS", "FORMS", "Trial", "count", "run", "table"]

WITHIN_S: Final = 30.0
BEFORE_S: Final = 0.02
"""A question changes from so long before the answer on."""
PROGRAM: Final = Path(__file__).with_name("changing_asker.py")
PACKAGES: Final = Path(pg.__file__).resolve().parents[1]


@attrs.frozen(kw_only=True)
class Form:
    """How a program asks, and how it is answered."""

    name: str
    answer: Mapping[str, object]
    taken: str
    """What the program takes that for."""
    after_s: float
    """About as long as an answer takes."""


FORMS: Final = (
    Form(name="digits", answer={"option": "2"}, taken="No", after_s=0.35),
    Form(name="arrows", answer={"option": "No"}, taken="No", after_s=0.35),
    Form(name="key", answer={"option": "n"}, taken="No", after_s=0.35),
    Form(name="line", answer={"option": "n"}, taken="n", after_s=0.35),
    Form(name="text", answer={"text": "no, not this"}, taken="no, not this", after_s=0.35),
    Form(name="secret", answer={"secret": "hunter2 XYZ"}, taken="hunter2 XYZ", after_s=0.35),
)


@attrs.define(kw_only=True)
class Trial:
    """One answer and one change."""

    form: str
    number: int
    offset_s: float
    """The change, counted from the call of answer."""
    fate: str = ""
    reason: str = ""
    words: str = ""
    took: str = ""
    """Which of the two took an answer: ``a``, ``b``, or neither."""
    right: bool = True
    """What was taken is what was answered."""
    violations: int = 0
    type_ahead: bool = False

    @property
    def false_landed(self) -> bool:
        """The receipt says landed, and no question took an answer."""
        return self.fate == "landed" and not self.took


@attrs.define(kw_only=True)
class _Course:
    """One program and its trials, one after the other."""

    form: Form
    pane: pg.Pane
    truth: TruthLog
    witness: Witness
    signaller: Signaller
    chance: random.Random

    async def trial(self, number: int) -> Trial:
        """Answer one question while it may change, and tell what became of it."""
        pane, pid = self.pane, self.pane.target.pane_pid
        n_before = len(self.truth.events())
        prompt_id = await self._asked()
        trial = Trial(
            form=self.form.name,
            number=number,
            offset_s=self.chance.uniform(-BEFORE_S, self.form.after_s),
        )
        self.witness.take(pane.id)
        answer_at_s = time.monotonic() + BEFORE_S + self.chance.uniform(0.005, 0.02)
        self.signaller.at(answer_at_s + trial.offset_s, pid)
        await asyncio.sleep(answer_at_s - time.monotonic())
        try:
            receipt = await pane.answer(
                prompt_id, by="tester", within_s=WITHIN_S, **self.form.answer
            )
        except pg.Refused as error:
            trial.fate, trial.reason, trial.words = "refused", error.reason.value, str(error)
        else:
            trial.fate, trial.reason = receipt.fate.value, receipt.reason.value
            trial.words = receipt.words

        def is_over(events: Sequence[TruthEvent]) -> bool:
            return any(event["event"] == "changed" for event in events[n_before:])

        events = (await self.truth.wait_for(is_over, WITHIN_S))[n_before:]
        self._judge(trial, events)
        return trial

    async def _asked(self) -> str:
        """Wait for the first question of the pair, and return its id."""

        def is_asked(events: Sequence[TruthEvent]) -> bool:
            return sum(event["event"] == "asked" for event in events) > n_asked

        n_asked = len(self.truth.events("asked"))
        os.kill(self.pane.target.pane_pid, signal.SIGUSR2)
        events = await self.truth.wait_for(is_asked, WITHIN_S)
        words = f"{[e['number'] for e in events if e['event'] == 'asked'][-1]}-a"
        try:
            async with asyncio.timeout(WITHIN_S):
                while True:
                    prompt = self.pane.prompt
                    if prompt is not None and self.pane.confirmed and words in prompt.question:
                        return prompt.id
                    await self.pane.next_touch()
        except TimeoutError:
            shown = "\n".join(row for row in (await self.pane.read()).rows if row.strip())
            why = self.pane.explain().words
            raise AssertionError(
                f"{self.form.name}: {words} is not asked: {why}\n{shown}"
            ) from None

    def _judge(self, trial: Trial, events: Sequence[TruthEvent]) -> None:
        number = next(event["number"] for event in events if event["event"] == "asked")
        answered = [event for event in events if event["event"] == "answered"]
        trial.took = "".join(str(event["side"]) for event in answered)
        trial.right = all(event["answer"] == self.form.taken for event in answered)
        tail = b""
        for item in self.witness.take(self.pane.id):
            if isinstance(item, OutputCame):
                tail = (tail + unescape(item.payload))[-8192:]
            elif item.reply.result is GuardResult.WRITTEN:
                trial.violations += f"{number}-b".encode() in tail
        trial.type_ahead = "b" in trial.took and not trial.violations


async def run(
    *,
    n_trials: int,
    n_panes: int,
    seed: int,
    folder: Path,
    forms: Sequence[Form] = FORMS,
    guarded: bool = True,
) -> list[Trial]:
    """Run *n_trials* over *n_panes* programs side by side.

    Not *guarded*, nothing but the look before it protects a write.
    """
    witness, signaller = Witness(), Signaller()
    trials: list[Trial] = []
    numbers = iter(range(1, n_trials + 1))
    try:
        async with open_stage(folder, recorder=witness) as stage:

            async def go(at: int) -> None:
                course = await _course(stage, forms[at % len(forms)], witness, signaller, seed + at)
                if not guarded:  # for trials only, so it is no option of launch
                    tracker = course.pane.tracker
                    tracker.traits = attrs.evolve(tracker.traits, guard_off=True)
                for number in numbers:
                    trials.append(await course.trial(number))

            async with asyncio.TaskGroup() as group:
                for at in range(n_panes):
                    group.create_task(go(at))
    finally:
        signaller.close()
    return trials


async def _course(
    stage: Stage, form: Form, witness: Witness, signaller: Signaller, seed: int
) -> _Course:
    truth = stage.truth()
    argv = [sys.executable, "-I", "-S", PROGRAM, form.name, truth.path, PACKAGES]
    pane = await stage.ctl.launch(list(map(str, argv)), profile="generic", within_s=None)
    await truth.wait_for("started", WITHIN_S)
    return _Course(
        form=form,
        pane=pane,
        truth=truth,
        witness=witness,
        signaller=signaller,
        chance=random.Random(seed),
    )


COLUMNS: Final = (
    "trials",
    "landed",
    "refused",
    "withheld",
    "unknown",
    "violations",
    "type-ahead",
    "false landed",
    "wrong",
    "doubled",
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
        sum(t.type_ahead for t in of),
        sum(t.false_landed for t in of),
        sum(not t.right for t in of),
        sum(len(t.took) > 1 for t in of),
    )
    return dict(zip(COLUMNS, numbers, strict=True))


def table(trials: Sequence[Trial]) -> str:
    """Return the counts as a Markdown table: one row a form, then the sums."""
    rows = [("form", *COLUMNS)]
    for form in sorted({t.form for t in trials}):
        rows.append((form, *map(str, count(t for t in trials if t.form == form).values())))
    rows.append(("**all**", *map(str, count(trials).values())))
    head, *body = ("| " + " | ".join(row) + " |" for row in rows)
    return "\n".join((head, "|---" + "|--:" * len(COLUMNS) + "|", *body))


def main() -> None:
    """Run the long form and print its table."""
    parser = argparse.ArgumentParser(prog="answer_race", description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--panes", type=int, default=12, help="programs side by side")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bare", action="store_true", help="without the guard")
    parser.add_argument("--form", action="append", help="only these")
    parser.add_argument("--verbose", action="store_true", help="also each odd trial")
    options = parser.parse_args()
    forms = [form for form in FORMS if not options.form or form.name in options.form]
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        trials = asyncio.run(
            run(
                n_trials=options.trials,
                n_panes=options.panes,
                seed=options.seed,
                folder=Path(folder),
                forms=forms,
                guarded=not options.bare,
            )
        )
    print(table(trials))
    print(f"\nSeed {options.seed}, {options.panes} panes, {time.monotonic() - began_s:.0f} s.")
    if options.verbose:
        for trial in trials:
            odd = trial.violations or trial.type_ahead or trial.false_landed or not trial.right
            if odd or trial.fate == "unknown":
                print(trial)


if __name__ == "__main__":
    main()

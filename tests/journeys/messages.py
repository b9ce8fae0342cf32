"""What each profiled program takes of what is sent to it, by its own record.

Every program appends each message to a record that no screen reader has a part in: a file,
a table. It is sent different messages, one message over and over, and texts that something
on the way could take for its own; at the end of its input it leaves, and its record is then
whole and compared with what was sent, in order.

By hand, with the repository's root, ``controller`` and ``transports`` on the path::

    python -m tests.journeys.messages --messages 200
"""

import argparse
import asyncio
import contextlib
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

import attrs

import panegate as pg
from panegate import profiles

from .recorders import RECORDERS, Recorder, Started
from .staging import KERNEL, WITHIN_S, Stage, open_stage, until_state

__all__ = [
    "BROKEN",
    "LINES",
    "TABBED_LINES",
    "TABS",
    "TALL",
    "TEXTS",
    "Outcome",
    "converse",
    "table",
]

_LONG: Final = " ".join(f"{number:04}" for number in range(600))
TEXTS: Final = (
    "echo hi;",
    "-N x",
    "--",
    "Enter",
    "C-c",
    "0",
    "#{pane_id}",
    "#(touch x)",
    "$HOME ${HOME} ~ ~root $(id)",
    "\"double\" 'single' `tick`",
    "it's",
    "back\\slash \\n \\033 \\\\ end",
    "日本語 한국어 中文",
    "👩‍💻 🇫🇷 ❤\ufe0f 😀",
    "e\u0301 a\u0308\u0323 n\u0303",
    "é ñ ß",
    "; kill-server ;",
    "{ a } % %H &&",
    "!! !x ^a^b ?",
    " lead and trail ",
    "a  b   c",
    "bash-5.2# $ >>> sqlite> (gdb)",
    "Overwrite? [y/n]",
    _LONG,
    "x" * 3000,
    "日本語" * 333,
)
"""Texts of one row that every program takes."""
TABS: Final = ("tab\there", "\tindented\ttwice")
LINES: Final = ("one\ntwo\n\nthree; #{x} 日本", "a\n    b\nc")
TABBED_LINES: Final = ("a\n\tb\nc",)
TALL: Final = ("\n".join(f"line {number}" for number in range(60)),)
BROKEN: Final = tuple(
    f"before{control}after" for control in "\x00\x03\x04\x08\r\x15\x1a\x1b\x7f\x85\x9b"
)
"""Texts that are refused everywhere."""


@attrs.define(kw_only=True)
class Outcome:
    """What became of all messages to one program."""

    recorder: Recorder
    n_each: int
    different: int = 0
    """Messages that landed by their receipt and stand in the record once."""
    identical: int = 0
    special: int = 0
    n_special: int = 0
    refused: int = 0
    n_refused: int = 0
    ms: list[float] = attrs.field(factory=list)
    """From the call to the receipt, message after message, without a pause."""
    gate_ms: list[float] = attrs.field(factory=list)
    """The part of it after the gate had opened."""
    problems: list[str] = attrs.field(factory=list)

    @property
    def is_clean(self) -> bool:
        """Everything landed once, in order, and what must be refused was."""
        return not self.problems


@attrs.define(kw_only=True)
class _Talk:
    pane: pg.Pane
    started: Started
    outcome: Outcome
    landed: list[str] = attrs.field(factory=list)
    """What the record must hold, in order."""
    doubtful: list[str] = attrs.field(factory=list)

    async def say(self, message: str, recorded: str) -> bool:
        """Send one message that must land."""
        outcome = self.outcome
        began_s = time.monotonic()
        try:
            receipt = await self.pane.send(message, within_s=WITHIN_S)
        except pg.Refused as error:
            why = f"{error.reason.value}, {error} ({self.pane.explain().words})"
            outcome.problems.append(f"refused {message[:60]!r}: {why}")
            return False
        ms = (time.monotonic() - began_s) * 1000
        if receipt.fate is pg.Fate.LANDED:
            outcome.ms.append(ms)
            outcome.gate_ms.append(receipt.ms["total"] - receipt.ms["held"])
            self.landed.append(recorded)
            return True
        self.doubtful.append(recorded)
        outcome.problems.append(f"{receipt.fate.value} {message[:60]!r}: {receipt.words}")
        with contextlib.suppress(pg.PanegateError):
            await self.pane.clear(within_s=WITHIN_S)
        return False

    async def refuses(self, message: str, *reasons: pg.Reason) -> None:
        """Send one message that must be refused, with not a byte of it written."""
        outcome = self.outcome
        outcome.n_refused += 1
        try:
            receipt = await self.pane.send(message, within_s=WITHIN_S)
        except pg.Refused as error:
            if error.reason in reasons:
                outcome.refused += 1
                return
            outcome.problems.append(f"{message[:60]!r}: {error.reason.value}, {error}")
        else:
            outcome.problems.append(f"not refused: {message[:60]!r}, {receipt.words}")


async def converse(
    stage: Stage, recorder: Recorder, *, n_each: int, special: bool = True
) -> Outcome:
    """Send everything to one program, end it, and compare its record."""
    outcome = Outcome(recorder=recorder, n_each=n_each)
    async with _started(stage, recorder) as started:
        pane = await stage.ctl.launch(
            started.argv,
            profile=_profile(recorder, started.home),
            env=started.env,
            cwd=started.home,
            within_s=WITHIN_S,
            trust="timing" if recorder.needs_trust and not KERNEL else "",
        )
        talk = _Talk(pane=pane, started=started, outcome=outcome)
        different = [f"message {number}" for number in range(1, n_each + 1)]
        for text in different:
            await talk.say(recorder.saying(text), text)
        n_same = 0
        for _ in range(n_each):
            n_same += await talk.say(recorder.saying("the same"), "the same")
        texts = await _specials(talk) if special else []
        if special:
            await _refusals(talk)
        await _end(talk)
        taken = await asyncio.to_thread(started.taken)
    outcome.different = sum(text in talk.landed and taken.count(text) == 1 for text in different)
    outcome.identical = min(n_same, taken.count("the same"))
    outcome.special = sum(taken.count(text) == texts.count(text) for text in texts)
    outcome.n_special = len(texts)
    if taken != talk.landed:
        outcome.problems.append(_difference(taken, talk))
    return outcome


def _profile(recorder: Recorder, home: Path) -> str | Path:
    """Return its profile, with a shorter settle window where timing alone is to be trusted."""
    if not recorder.needs_trust or KERNEL:
        return recorder.profile
    shipped = Path(profiles.__file__).parent / f"{recorder.profile}.toml"
    path = home / shipped.name
    path.write_text(f"{shipped.read_text()}\n[timing]\nsettle_s = 0.3\n")
    return path


async def _end(talk: _Talk) -> None:
    """Tell the program that its input ends, and wait until it has left."""
    try:
        await talk.pane.keys("C-d", within_s=WITHIN_S)
        await until_state(talk.pane, pg.State.EXITED)
    except pg.Refused as error:
        rows = "\n".join(talk.pane.last_screen().rows).rstrip()
        talk.outcome.problems.append(f"cannot be ended: {error}\n{rows}")


async def _specials(talk: _Talk) -> list[str]:
    recorder = talk.outcome.recorder
    texts = [*TEXTS]
    texts += TABS if recorder.takes_tabs else ()
    texts += LINES if recorder.multi_line else ()
    texts += TABBED_LINES if recorder.multi_line and recorder.takes_tabs else ()
    texts += TALL if recorder.multi_line and not recorder.one_screen else ()
    for text in texts:
        await talk.say(recorder.saying(text), text)
    for message, recorded in recorder.bare:
        await talk.say(message, recorded)
        texts.append(recorded)
    return texts


async def _refusals(talk: _Talk) -> None:
    recorder = talk.outcome.recorder
    for text in BROKEN:
        await talk.refuses(recorder.saying(text), pg.Reason.CONTROL_CHARACTERS)
    if not recorder.takes_tabs:
        await talk.refuses(recorder.saying(TABS[0]), pg.Reason.CONTROL_CHARACTERS)
    if not recorder.multi_line:
        await talk.refuses(recorder.saying("one\ntwo"), pg.Reason.MULTI_LINE)
    if recorder.one_screen:
        await talk.refuses(recorder.saying(TALL[0]), pg.Reason.TEXT_TOO_LONG)
    if recorder.line_mode:
        await talk.refuses(recorder.saying("x" * 4096), *_TOO_LONG)


_TOO_LONG: Final = (pg.Reason.LINE_TOO_LONG, pg.Reason.TEXT_TOO_LONG)


@contextlib.asynccontextmanager
async def _started(stage: Stage, recorder: Recorder) -> AsyncIterator[Started]:
    home = Path(tempfile.mkdtemp(dir=stage.folder))
    started = await asyncio.to_thread(recorder.start, home)
    try:
        yield started
    finally:
        await asyncio.to_thread(started.close)


def _difference(taken: Sequence[str], talk: _Talk) -> str:
    for at, (is_there, said) in enumerate(zip(taken, talk.landed, strict=False)):
        if is_there != said:
            return f"record differs at {at}: {is_there[:80]!r} for {said[:80]!r}"
    return f"the record holds {len(taken)} messages, {len(talk.landed)} landed: {taken[-1:]}"


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a Markdown table, one row a program."""
    rows = ["| program | different landed once | identical landed once | special texts | refused "]
    rows[0] += "| p50 ms | p95 ms | p50 ms behind the gate |"
    rows.append("|---|--:|--:|--:|--:|--:|--:|--:|")
    for one in outcomes:
        ms, gate_ms = sorted(one.ms) or [0.0], sorted(one.gate_ms) or [0.0]
        cells = (
            one.recorder.name,
            f"{one.different}/{one.n_each}",
            f"{one.identical}/{one.n_each}",
            f"{one.special}/{one.n_special}",
            f"{one.refused}/{one.n_refused}",
            f"{statistics.median(ms):.0f}",
            f"{ms[int((len(ms) - 1) * 0.95)]:.0f}",
            f"{statistics.median(gate_ms):.0f}",
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


async def _run(recorders: Sequence[Recorder], n_each: int) -> list[Outcome]:
    outcomes = []
    for recorder in recorders:
        with tempfile.TemporaryDirectory() as folder:
            async with open_stage(Path(folder)) as stage:
                outcomes.append(await converse(stage, recorder, n_each=n_each))
        for problem in outcomes[-1].problems:
            print(f"{recorder.name}: {problem}", flush=True)
    return outcomes


def main() -> None:
    """Run the long form and print its table."""
    parser = argparse.ArgumentParser(prog="messages", description=__doc__.split("\n")[0])
    parser.add_argument("--messages", type=int, default=200, help="different, and identical")
    parser.add_argument("--only", default="", help="names with a comma between them")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(RECORDERS)
    began_s = time.monotonic()
    outcomes = asyncio.run(_run([RECORDERS[name] for name in names], options.messages))
    print(table(outcomes))
    print(f"\n{time.monotonic() - began_s:.0f} s.")


if __name__ == "__main__":
    main()

"""Of messages asked for while the program truly reads, how many land, and how soon?

Each program says itself when it reads and what it took: stand-ins in their truth log,
shells and Python through a named pipe from their own prompt hooks. A message is asked for
at a random moment from then on and has three seconds.

By hand, with the repository's root, ``controller`` and ``transports`` on the path::

    python -m tests.journeys.useful --messages 500
"""

import argparse
import asyncio
import collections
import itertools
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import attrs

import panegate as pg
from panegate.testing.programs import Option
from panegate.testing.truth import TruthEvent, TruthLog

from .staging import KERNEL, Stage, open_stage

__all__ = ["SUBJECTS", "Asked", "Subject", "run", "share", "table"]

LANDS_WITHIN_S: Final = 3.0
WITHIN_S: Final = 30.0
MOMENT_S: Final = 0.8
"""A message is asked for up to so long after the program began to read."""


class Truth(Protocol):
    """What a program says about itself, by a way that no screen reader has a part in."""

    async def reads(self, n_taken: int) -> None:
        """Wait until it reads and has taken so many messages."""

    def taken(self, number: int) -> int:
        """How often it has taken the message of this number."""

    def message(self, number: int) -> str:
        """The text of a message."""

    def close(self) -> None:
        """Stop listening."""


@attrs.define
class StandIn:
    """A stand-in's truth log."""

    log: TruthLog

    async def reads(self, n_taken: int) -> None:
        def so(events: Sequence[TruthEvent]) -> bool:
            states = [e["state"] for e in events if e["event"] == "state"]
            n_submits = sum(e["event"] == "submit" for e in events)
            return n_submits == n_taken and bool(states) and states[-1] == "ready"

        await self.log.wait_for(so, WITHIN_S)

    def taken(self, number: int) -> int:
        return self.log.submits().count(self.message(number))

    def message(self, number: int) -> str:
        return f"please go on with number {number}"

    def close(self) -> None:
        self.log.end_children()


class Hook:
    """Lines that a program's own prompt hook and commands write into a named pipe."""

    def __init__(self, path: Path, message: str) -> None:
        os.mkfifo(path)
        self.path = path
        self._message = message
        self._fd = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self._held = b""
        self._lines: list[str] = []
        self._came = asyncio.Event()
        asyncio.get_running_loop().add_reader(self._fd, self._read)

    async def reads(self, n_taken: int) -> None:
        async with asyncio.timeout(WITHIN_S):
            while not self._is_reading(n_taken):
                self._came.clear()
                await self._came.wait()

    def taken(self, number: int) -> int:
        return self._lines.count(f"took {number}")

    def message(self, number: int) -> str:
        return self._message.format(number=number, fifo=self.path)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._fd)
        os.close(self._fd)

    def _is_reading(self, n_taken: int) -> bool:
        n = sum(line.startswith("took ") for line in self._lines)
        return n == n_taken and bool(self._lines) and self._lines[-1] == "reads"

    def _read(self) -> None:
        *lines, self._held = (self._held + os.read(self._fd, 65536)).split(b"\n")
        self._lines += [line.decode() for line in lines]
        self._came.set()


Start = Callable[[Stage, "Subject"], Awaitable[tuple[pg.Pane, Truth]]]


@attrs.frozen(kw_only=True)
class Subject:
    """One program under one profile."""

    group: str
    name: str
    start: Start
    profile: str
    options: Mapping[str, Option] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class Asked:
    """One message."""

    subject: Subject
    number: int
    ms: float
    fate: str
    words: str
    taken: int

    @property
    def landed(self) -> bool:
        """In time, by the receipt and by the program's own record, once."""
        return self.fate == "landed" and self.ms <= LANDS_WITHIN_S * 1000 and self.taken == 1


async def _stand_in(stage: Stage, subject: Subject) -> tuple[pg.Pane, Truth]:
    options = dict(subject.options)
    name = str(options.pop("program", "composer"))
    launch: dict[str, Any] = {}
    if options.pop("reads_lines", False):
        launch["reads_lines"] = True
    if name == "lines" and not KERNEL:
        launch["trust"] = "timing"  # an empty row proves nothing; the caller says so
    program = await stage.program(
        name, profile=subject.profile, within_s=None, launch=launch, **options
    )
    return program.pane, StandIn(program.truth)


_PYTHON: Final = """
import os, sys, time
_fd = os.open({fifo!r}, os.O_WRONLY)
class _Prompt:
    def __str__(self):
        os.write(_fd, b"reads\\n")
        return ">>> "
def took(number):
    os.write(_fd, b"took %d\\n" % number)
sys.ps1 = _Prompt()
"""
_SHELL: Final = "echo took {number} > {fifo}; sleep 0.0{number}"
_HOOKS: Final[dict[str, str]] = {
    "bash": "PS1='\\w $ '; PROMPT_COMMAND='echo reads > {fifo}'\n",
    "zsh": "PS1='%~ %# '; precmd() {{ echo reads > {fifo}; }}\n",
    "fish": "function fish_prompt; echo reads > {fifo}; echo -n 'fish> '; end\n",
    "python": _PYTHON,
}


async def _hooked(stage: Stage, subject: Subject) -> tuple[pg.Pane, Truth]:
    kind = str(subject.options["program"])
    message = "took({number}); time.sleep(0.0{number})" if kind == "python" else _SHELL
    home = Path(tempfile.mkdtemp(dir=stage.folder))
    hook = Hook(home / "fifo", message)
    hooks = home / {"zsh": ".zshrc", "fish": "fish/config.fish"}.get(kind, "hooks")
    hooks.parent.mkdir(exist_ok=True)
    hooks.write_text(_HOOKS[kind].format(fifo=str(hook.path)))
    argv = {
        "bash": ["bash", "--noprofile", "--rcfile", str(hooks)],
        "zsh": ["zsh"],
        "fish": ["fish"],
        "python": [sys.executable, "-q", "-i", str(hooks)],
    }[kind]
    names = ("ZDOTDIR", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    env = dict.fromkeys(names, str(home))
    pane = await stage.ctl.launch(argv, profile=subject.profile, env=env, cwd=home, within_s=None)
    return pane, hook


def _composer(name: str, *, profile: str = "standin", **options: Option) -> Subject:
    group = "profile standin" if profile == "standin" else "generic"
    return Subject(group=group, name=name, start=_stand_in, profile=profile, options=options)


def _prompted(kind: str, *, profile: str) -> Subject:
    group = "generic" if profile == "generic" else "profiles bash, python, zsh, fish, lines"
    return Subject(
        group=group, name=kind, start=_hooked, profile=profile, options={"program": kind}
    )


def _lines(name: str, *, profile: str, **options: Option) -> Subject:
    group = "generic" if profile == "generic" else "profiles bash, python, zsh, fish, lines"
    return Subject(
        group=group,
        name=name,
        start=_stand_in,
        profile=profile,
        options={"program": "lines", **options},
    )


SUBJECTS: Final = (
    _composer("composer, short turns", work=50),
    _composer("composer, turns of 0.4 s", work=400),
    _composer("composer, spinner", work=700, spinner=True),
    _composer("composer, streams its reply", work=600, stream=40, reply="one two three"),
    _composer("composer, hint in the box", work=50, hint="Try asking about the tests"),
    _composer("composer, fast clock in its footer", work=50, clock=250),
    _composer("composer, slow clock", work=50, clock=1000),
    _composer("composer, footer written again", work=50, footer_rewrite=250),
    _composer("composer, blinking caret", work=50, blink=530),
    _composer("composer, drawn caret", work=50, cursor="hidden"),
    _composer("composer, parked cursor", work=50, cursor="parked"),
    _composer("composer, inline", work=50, inline=True),
    _composer("composer, marks", work=50, marks="133,7501"),
    _composer("composer, moving title", work=300, titles="glyph"),
    _prompted("bash", profile="bash"),
    _prompted("python", profile="python"),
    _prompted("zsh", profile="zsh"),
    _prompted("fish", profile="fish"),
    _lines("lines", profile="lines"),
    _prompted("bash", profile="generic"),
    _prompted("zsh", profile="generic"),
    _prompted("fish", profile="generic"),
    _prompted("python", profile="generic"),
    _composer("composer, marks", profile="generic", work=50, marks="133"),
    _composer("composer, marks, spinner", profile="generic", work=500, marks="133", spinner=True),
    _composer("plain composer, marks", profile="generic", work=50, marks="133", layout="plain"),
    _lines("lines, declared", profile="generic", reads_lines=True),
    _lines("lines with a prompt, declared", profile="generic", reads_lines=True, prompt="name> "),
)


@attrs.define(kw_only=True)
class _Course:
    subject: Subject
    pane: pg.Pane
    truth: Truth
    chance: random.Random
    n_taken: int = 0

    async def ask(self, number: int) -> Asked:
        """Send one message at a random moment while the program reads."""
        await self.truth.reads(self.n_taken)
        await asyncio.sleep(self.chance.uniform(0, MOMENT_S))  # the moment, not a wait
        text = self.truth.message(number)
        began_s = time.monotonic()
        try:
            receipt = await self.pane.send(text, within_s=LANDS_WITHIN_S)
            fate, words = receipt.fate.value, receipt.words
        except pg.Refused as error:
            fate, words = f"refused: {error.reason.value}", self.pane.explain().words
        ms = (time.monotonic() - began_s) * 1000
        if fate == "landed":
            await self.truth.reads(self.n_taken + 1)
        elif not fate.startswith("refused"):
            await self.pane.clear(within_s=WITHIN_S)
        taken = self.truth.taken(number)
        self.n_taken += taken
        return Asked(
            subject=self.subject, number=number, ms=ms, fate=fate, words=words, taken=taken
        )


async def run(
    subjects: Sequence[Subject], *, n_messages: int, seed: int, folder: Path, n_each: int = 1
) -> list[Asked]:
    """Ask for *n_messages* in all, by turns; each subject runs *n_each* times side by side."""
    asked: list[Asked] = []
    async with open_stage(folder) as stage:
        courses = []
        for at, subject in enumerate(itertools.chain.from_iterable([subjects] * n_each)):
            pane, truth = await subject.start(stage, subject)
            chance = random.Random(f"{seed} {at}")
            courses.append(_Course(subject=subject, pane=pane, truth=truth, chance=chance))

        async def go(course: _Course, n: int) -> None:
            for number in range(1, n + 1):
                asked.append(await course.ask(number))

        try:
            async with asyncio.TaskGroup() as group:
                for at, course in enumerate(courses):
                    n = n_messages // len(courses) + (at < n_messages % len(courses))
                    group.create_task(go(course, n))
        finally:
            for course in courses:
                course.truth.close()
    return asked


def share(asked: Iterable[Asked]) -> float:
    """Return the part of the messages that landed in time, 0 to 1."""
    of = list(asked)
    return sum(one.landed for one in of) / len(of)


def table(asked: Sequence[Asked]) -> str:
    """Return a Markdown table: one row a subject, then one a group."""
    rows = ["| program | profile | asked | landed in 3 s | p50 ms | p95 ms | lost | doubled |"]
    rows += ["|---|---|--:|--:|--:|--:|--:|--:|"]
    by_group: dict[str, list[Asked]] = collections.defaultdict(list)
    for one in asked:
        by_group[one.subject.group].append(one)
    for group, members in by_group.items():
        for name in dict.fromkeys(m.subject.name for m in members):
            mine = [m for m in members if m.subject.name == name]
            rows.append(_row(name, mine[0].subject.profile, mine))
        rows.append(_row(f"**{group}**", "", members))
    return "\n".join(rows)


def _row(name: str, profile: str, of: Sequence[Asked]) -> str:
    times = sorted(one.ms for one in of if one.landed) or [0.0]
    p50, p95 = statistics.median(times), times[min(len(times) - 1, int(len(times) * 0.95))]
    lost = sum(one.fate == "landed" and one.taken == 0 for one in of)
    doubled = sum(one.taken > 1 for one in of)
    landed = f"{sum(one.landed for one in of)} ({share(of):.1%})"
    cells = (name, profile, len(of), landed, f"{p50:.0f}", f"{p95:.0f}", lost, doubled)
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Run the long form and print its table."""
    parser = argparse.ArgumentParser(prog="useful", description=__doc__.split("\n")[0])
    parser.add_argument("--messages", type=int, default=500, help="for each group")
    parser.add_argument("--each", type=int, default=1, help="times each program runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="names or groups that contain this")
    options = parser.parse_args()
    chosen = [s for s in SUBJECTS if options.only in f"{s.group}: {s.name}"]
    asked: list[Asked] = []
    began_s = time.monotonic()
    for group in dict.fromkeys(s.group for s in chosen):
        with tempfile.TemporaryDirectory() as folder:
            asked += asyncio.run(
                run(
                    [s for s in chosen if s.group == group],
                    n_messages=options.messages,
                    seed=options.seed,
                    folder=Path(folder),
                    n_each=options.each,
                )
            )
    print(table(asked))
    print(f"\nSeed {options.seed}, {time.monotonic() - began_s:.0f} s.")
    for one in asked:
        if not one.landed:
            print(
                f"{one.subject.name} ({one.subject.profile}) {one.number}: {one.fate}"
                f" {one.ms:.0f} ms, taken {one.taken}: {one.words}"
            )


if __name__ == "__main__":
    main()

"""Programs that nothing is told about: what a message does to them.

Used by ``test_generic.py`` and ``bench/risks_generic.py``. Each program says what the truth
is: whether a message belongs into it as it waits there. What reached it is known from its own
record, from the kernel (every read of its terminal) and from its screen, never from a receipt.
"""

import asyncio
import contextlib
import enum
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

import panegate as pg
from panegate.probes.accesses import InputReads
from panegate.testing.programs import Option, program_argv
from panegate.testing.truth import TruthLog

from .staging import Stage

__all__ = ["MESSAGE", "Kind", "Trial", "Unprofiled", "attempt_message", "home"]

MESSAGE: Final = "please continue with pg7"


class Kind(enum.Enum):
    """What a program is, as it waits there."""

    SHELL = "shell"
    REPL = "repl"
    COMPOSER = "composer"
    LINES = "line reader"
    """Reads whole lines in the terminal's line mode: what for, nobody can see."""
    QUESTION = "question"
    SCREEN = "screen"
    """Keys are commands: an editor, a file manager, a picker, a monitor, a pager."""
    WORK = "work"
    """Reads nothing now."""


_TAKES: Final = frozenset({Kind.SHELL, Kind.REPL, Kind.COMPOSER})


@attrs.frozen(kw_only=True)
class Unprofiled:
    """One program."""

    name: str
    kind: Kind
    argv: Sequence[str] = ()
    stand_in: str = ""
    options: Mapping[str, Option] = attrs.field(factory=dict)
    message: str = MESSAGE
    shows: str = ""
    """What stands on the screen once it has taken the message; "" where its record tells."""
    reads_lines: bool = False
    """The caller says so."""
    before: Callable[[Path], None] | None = None
    slow: bool = False
    """Takes seconds to start: not in the test."""

    @property
    def takes(self) -> bool:
        """A message belongs here."""
        return self.kind in _TAKES or (self.kind is Kind.LINES and self.reads_lines)

    @property
    def program(self) -> str:
        """What must be installed."""
        return self.argv[0] if self.argv else sys.executable


@attrs.define(kw_only=True)
class Trial:
    """What happened to one message."""

    program: Unprofiled
    state: str = ""
    """What was believed at the end of the wait; for prompts with their kind."""
    rule: str = ""
    words: str = ""
    after_s: float = 0.0
    """From the launch until it was believed; the whole wait where nothing was."""
    fate: str = ""
    reason: str = ""
    ms: float = 0.0
    n_bytes: int = 0
    """Bytes that were handed to tmux, by the receipt."""
    n_reads: int = 0
    """Reads of its terminal while the message was out, by the kernel."""
    took: str = ""
    """What it did with it."""
    n_taken: int = 0
    screen: tuple[str, ...] = ()

    @property
    def typed(self) -> bool:
        """Something went out, or came in."""
        return bool(self.n_bytes or self.n_taken or self.n_reads)

    @property
    def unsafe(self) -> bool:
        """It reached a program that it does not belong into, or reached one twice."""
        wrong = self.program.kind in (Kind.QUESTION, Kind.SCREEN) and self.typed
        return wrong or self.n_taken > 1

    @property
    def verdict(self) -> str:
        """How to call it, the safe and useful first: right, held, ahead, unproven, UNSAFE."""
        kind, landed = self.program.kind, self.fate == "landed" and self.n_taken == 1
        if self.unsafe:
            return "UNSAFE"
        if kind is Kind.WORK and self.typed:
            return "ahead"  # typed before it reads
        if landed or not (self.program.takes or self.typed):
            return "right"
        return "unproven" if self.typed else "held"


def home(folder: Path) -> dict[str, str]:
    """Return variables that keep the programs' own files in *folder*."""
    made = folder / "home"
    made.mkdir(exist_ok=True)
    found = {
        "HOME": str(made),
        "XDG_CONFIG_HOME": str(made),
        "XDG_CACHE_HOME": str(made),
        "XDG_DATA_HOME": str(made),
        "IPYTHONDIR": str(made / "ipython"),
        "HISTFILE": "",
        "LANG": "C.UTF-8",
        "EDITOR": "vim",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    shim = shutil.which("ipython") or ""
    if "/shims/" in shim:
        found["PYENV_ROOT"] = str(Path(shim).parents[1])
    return found


async def attempt_message(
    stage: Stage,
    program: Unprofiled,
    reads: InputReads,
    *,
    believe_within_s: float = 6.0,
    within_s: float = 3.0,
    at_once: bool = False,
) -> Trial:
    """Launch a program without a profile and send one message into it.

    Args:
        stage: Where.
        program: Which.
        reads: Tells when its terminal is read.
        believe_within_s: How long it has to look ready or like a question.
        within_s: For the message.
        at_once: Send while it starts, before anything is believed.

    """
    trial = Trial(program=program)
    folder = stage.folder / program.name.replace(" ", "-").replace("/", "-")
    folder.mkdir()
    if program.before is not None:
        await asyncio.to_thread(program.before, folder)
    truth = stage.truth()
    argv = list(program.argv)
    if program.stand_in:
        argv = program_argv(program.stand_in, log=truth.path, **program.options)
    began_s = time.monotonic()
    pane = await stage.ctl.launch(
        argv,
        profile="generic",
        env=home(stage.folder),
        cwd=folder,
        size=(100, 30),
        reads_lines=program.reads_lines,
        within_s=None,
    )
    if not at_once:
        await _believed(pane, trial, believe_within_s)
        trial.after_s = time.monotonic() - began_s
    before = await pane.read()
    n_reads: list[None] = []
    tty = pane.tracker.look.fields.tty if pane.tracker.look is not None else ""
    watched = bool(tty) and reads.watch(tty, lambda: n_reads.append(None))
    n_bytes = len(truth.received_bytes())
    await _send(pane, trial, program.message, within_s + (believe_within_s if at_once else 0.0))
    if at_once:
        await _believed(pane, trial, 0.0)
    if trial.fate == "landed":
        await _turn_over(pane)
    after = await pane.read()
    if watched:
        reads.unwatch(tty)
    trial.n_reads = len(n_reads)
    trial.screen = after.rows
    _judge(trial, truth, n_bytes, before, after)
    await pane.close()
    return trial


async def _believed(pane: pg.Pane, trial: Trial, within_s: float) -> None:
    try:
        await pane.wait({pg.State.READY, pg.State.PROMPTING, pg.State.EXITED}, within_s=within_s)
    except pg.NotReady:
        trial.state = "held: "
    said = pane.explain()
    trial.state += pane.state.value + (f" ({pane.prompt.kind.value})" if pane.prompt else "")
    trial.rule, trial.words = said.rule, said.words


async def _turn_over(pane: pg.Pane) -> None:
    with contextlib.suppress(pg.PanegateError):
        await pane.wait({pg.State.READY, pg.State.PROMPTING}, within_s=3.0)


async def _send(pane: pg.Pane, trial: Trial, text: str, within_s: float) -> None:
    began_s = time.monotonic()
    try:
        receipt = await pane.send(text, within_s=within_s)
    except pg.Refused as error:
        trial.fate = "held" if isinstance(error, pg.NotReady) else "refused"
        trial.reason = error.reason.value
        if trial.reason == pg.Reason.DEADLINE.value:
            trial.reason = pane.verdict().reason.value
    else:
        trial.fate, trial.reason = receipt.fate.value, receipt.reason.value
        trial.n_bytes = receipt.n_bytes
    trial.ms = 1000 * (time.monotonic() - began_s)


def _judge(
    trial: Trial, truth: TruthLog, n_bytes: int, before: pg.Screen, after: pg.Screen
) -> None:
    program = trial.program
    if program.stand_in:
        received = truth.received_bytes()[n_bytes:]
        lines = [e.get("text") for e in truth.events("submit", "line")]
        trial.n_taken = lines.count(program.message)
        trial.took = f"its log: {len(received)} bytes, {trial.n_taken} message"
        if received and not program.takes:
            trial.n_taken = max(1, trial.n_taken)
        return
    if program.shows:
        trial.n_taken = sum(program.shows == row.strip() for row in after.rows)
        trial.took = f"shows {program.shows!r} {trial.n_taken} times"
        return
    seen = sum(MESSAGE[-8:] in row for row in after.rows)
    changed = [row for row in after.rows if row.strip() and row not in before.rows]
    trial.n_taken = seen
    trial.took = f"{len(changed)} rows changed" if changed else "screen unchanged"

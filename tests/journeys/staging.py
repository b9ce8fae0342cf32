"""A controller on a tmux server of its own, and programs that say what they received."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

import panegate as pg
from panegate.panes.facts import ProbeLevel
from panegate.probes.levels import probe_level
from panegate.testing.programs import Option, program_argv
from panegate.testing.servers import require_program, wait_gone
from panegate.testing.truth import TruthEvent, TruthLog

__all__ = [
    "KERNEL",
    "NO_HISTORY",
    "WITHIN_S",
    "Bash",
    "Program",
    "Stage",
    "attempt",
    "open_stage",
    "python",
    "until_shown",
    "until_state",
    "until_told",
    "until_write",
]

WITHIN_S: Final = 20.0
"""Generous: the machine may be busy; no test asserts a speed."""
NO_HISTORY: Final = {"HISTFILE": ""}
"""A shell leaves nothing in its user's own history."""
KERNEL: Final = probe_level() in (ProbeLevel.FULL, ProbeLevel.WCHAN)
"""The kernel says here whether a program waits on its terminal."""


@attrs.frozen
class Program:
    """A stand-in in a pane, with its own record of what it received."""

    pane: pg.Pane
    truth: TruthLog

    def said(self, *names: str) -> list[TruthEvent]:
        """Return the record's events of these names."""
        return self.truth.events(*names)

    def signal(self, number: signal.Signals) -> None:
        """Signal the program itself: it is the pane's own process."""
        os.kill(self.pane.target.pane_pid, number)


@attrs.frozen
class Bash:
    """A bash in a pane; its own history is the record of what it was told."""

    pane: pg.Pane
    record: Path

    async def told(self) -> list[str]:
        """Return every line that bash has read so far, in order."""
        self.record.unlink(missing_ok=True)
        await self.pane.run(f"history -w {self.record}", within_s=WITHIN_S)
        return self.record.read_text().splitlines()[:-1]


@attrs.define(kw_only=True)
class Stage:
    """One controller, its server, and what a test needs around them."""

    ctl: pg.Controller
    socket: Path
    folder: Path
    _logs: list[TruthLog] = attrs.field(factory=list, init=False)

    def tmux(self, *words: str) -> str:
        """Run a tmux command as a person at another terminal would."""
        argv = [os.environ.get("PANEGATE_TMUX") or "tmux", "-u", "-S", str(self.socket), *words]
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=10, check=False, env=_environment()
        )
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def tell_closed(self) -> None:
        """Have the server tell `closed` about the next session that ends."""
        self.tmux("set-hook", "-g", "session-closed", "wait-for -S closed")

    async def closed(self) -> None:
        """Wait until a session has ended since `tell_closed`."""
        await asyncio.to_thread(self.tmux, "wait-for", "closed")

    def truth(self) -> TruthLog:
        """Return a record that nobody has written to yet."""
        self._logs.append(TruthLog(self.folder / f"truth-{len(self._logs)}.jsonl"))
        return self._logs[-1]

    async def program(
        self,
        name: str,
        *,
        profile: str | None = None,
        within_s: float | None = WITHIN_S,
        launch: Mapping[str, Any] | None = None,
        **options: Option,
    ) -> Program:
        """Launch a stand-in; *launch* is for the controller, the rest for the program."""
        truth = self.truth()
        argv = program_argv(name, log=truth.path, **options)
        pane = await self.ctl.launch(argv, profile=profile, within_s=within_s, **(launch or {}))
        return Program(pane, truth)

    async def bash(self, *words: str, **launch: Any) -> Bash:
        """Launch a bash without anybody's start files."""
        argv = ["bash", "--norc", "--noprofile", *words]
        options: dict[str, Any] = {"within_s": WITHIN_S, "profile": "bash", **launch}
        pane = await self.ctl.launch(argv, env=NO_HISTORY, **options)
        return Bash(pane, self.folder / f"history-{pane.id[1:]}")

    def types(self, pane: pg.Pane | str, text: str) -> None:
        """Type as a person in the pane would."""
        target = pane if isinstance(pane, str) else pane.id
        self.tmux("send-keys", "-t", target, "-l", "--", text)

    def session(self, *argv: str) -> str:
        """Start a program in a session that the controller did not make; return its pane."""
        options = ("-x", "120", "-y", "40", "-e", "HISTFILE=")
        made = self.tmux("new-session", "-d", "-P", "-F", "#{pane_id}", *options, "--", *argv)
        return made.strip()

    async def person_runs(self, pane: pg.Pane, line: str) -> None:
        """Have a person type a command into a shell, and wait until it is done."""
        self.types(pane, f"{line}; tmux -S {self.socket} wait-for -S done")
        self.tmux("send-keys", "-t", pane.id, "Enter")
        await asyncio.to_thread(self.tmux, "wait-for", "done")

    def close(self) -> None:
        """End what the programs left behind."""
        for log in self._logs:
            log.end_children()


@contextlib.asynccontextmanager
async def open_stage(folder: Path, **options: Any) -> AsyncIterator[Stage]:
    """Open a controller on a server that nobody else uses; both are gone at the end."""
    require_program("tmux")
    home = Path(tempfile.mkdtemp(prefix="panegate-stage-"))
    options.setdefault("settings", pg.Settings(answers=pg.Answers.ALLOWED))
    options.setdefault("journal", ":memory:")
    try:
        async with pg.Controller.open(socket_path=home / "s", **options) as ctl:
            stage = Stage(ctl=ctl, socket=home / "s", folder=folder)
            try:
                yield stage
            finally:
                stage.close()
    finally:
        await asyncio.to_thread(_end_server, home / "s")
        shutil.rmtree(home, ignore_errors=True)


async def attempt(pane: pg.Pane, intent: pg.Intent, *, within_s: float = 0.4) -> pg.Refused:
    """Ask for a write that must not go out; return what was raised.

    The answer names a prompt that is not on screen.
    """
    text = f"{intent.value} not wanted"
    try:
        match intent:
            case pg.Intent.MESSAGE:
                receipt = await pane.send(text, within_s=within_s)
            case pg.Intent.NUDGE:
                receipt = await pane.nudge(text)
            case pg.Intent.STEER:
                receipt = await pane.steer(text, within_s=within_s)
            case pg.Intent.ANSWER:
                stale = f"{pane.id}.99.ffffffff"
                receipt = await pane.answer(stale, text="y", by="tester", within_s=within_s)
            case pg.Intent.INTERRUPT:
                receipt = await pane.interrupt(within_s=within_s)
            case pg.Intent.KEYS:
                receipt = await pane.keys("y", "Enter", within_s=within_s)
    except pg.Refused as error:
        return error
    raise AssertionError(f"{intent} was let through: {receipt.words} ({pane.explain().words})")


async def until_state(pane: pg.Pane, *states: pg.State) -> pg.State:
    """Wait for a state, with the explanation where it does not come."""
    try:
        return await pane.wait(set(states), within_s=WITHIN_S)
    except pg.PanegateError as error:
        rows = "\n".join((await pane.read()).rows).rstrip()
        raise AssertionError(f"{error}: {pane.explain().words}\n{rows}") from error


@contextlib.asynccontextmanager
async def until_shown(pane: pg.Pane, text: str) -> AsyncIterator[None]:
    """Wait after the block until a look has seen *text* on the pane's screen."""
    yield
    async with asyncio.timeout(WITHIN_S):
        while text not in "\n".join(pane.last_screen().rows):
            await pane.next_touch()


@contextlib.asynccontextmanager
async def until_told(word: Path) -> AsyncIterator[None]:
    """Make the pipe *word*, and wait after the block until a program has written to it.

    For what works in silence: the kernel's word spares it looks, so its screen may stay unseen.
    """
    os.mkfifo(word)
    # opened for both, so that nobody's close ends it
    end = os.open(word, os.O_RDWR | os.O_NONBLOCK)
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(end, told.set)
    try:
        yield
        async with asyncio.timeout(WITHIN_S):
            await told.wait()
    finally:
        loop.remove_reader(end)
        os.close(end)


async def until_write(events: pg.EventStream, write_id: str) -> pg.Receipt:
    """Wait for the event that tells a write's fate."""
    async with asyncio.timeout(WITHIN_S):
        async for event in events:
            if isinstance(event, pg.WriteFinished) and event.receipt.write_id == write_id:
                return event.receipt
    raise AssertionError("the stream ended")


def python(*words: str) -> Sequence[str]:
    """Return the command line of this Python without anybody's start files."""
    return [sys.executable, "-I", "-S", "-q", *words]


def _environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k not in ("TMUX", "TMUX_PANE")}


def _end_server(socket: Path) -> None:
    """End the server and every program in it, and wait until they are gone."""
    base = [os.environ.get("PANEGATE_TMUX") or "tmux", "-N", "-S", str(socket)]

    def run(*words: str) -> str:
        argv = [*base, *words]
        return subprocess.run(
            argv, capture_output=True, text=True, timeout=10, check=False, env=_environment()
        ).stdout

    words = run("list-panes", "-a", "-F", "#{?pane_dead,,#{pane_pid}}").split()
    server = run("display-message", "-p", "#{pid}").split()
    run("kill-server")
    for pid in map(int, words):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    for pid in map(int, [*server, *words]):
        if not wait_gone(pid, 2.0):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

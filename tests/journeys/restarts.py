"""A controller that calls people is killed (SIGKILL) and started again, over and over.

Composers open a dialog each; while it stands, controllers of their own processes come, watch
and are killed at random moments: before they have read anything, while they decide, keep or
tell. Each call goes through a program that appends it to a truth log. Between the dialogs the
composers are idle, and a nudge policy is at work.

* Each dialog has one escalation, by one id. It is told twice only where the first teller was
  killed before it could note that it had told; the second one then says ``repeated``.
* No composer gets more nudges than its session may have, whoever counted them.

By hand, with the repository's root, ``controller`` and ``transports`` on the path::

    python -m tests.journeys.restarts --rounds 10 --kills 8
"""

import argparse
import asyncio
import collections
import contextlib
import os
import random
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

import attrs

import panegate as pg
from panegate.service.sinks import ExecSink
from panegate.testing.programs import program_argv
from panegate.testing.programs._truth import TruthWriter
from panegate.testing.servers import PrivateServer
from panegate.testing.truth import TruthEvent, TruthLog

__all__ = ["AFTER_S", "NUDGES", "Restarts", "child_words", "controller", "run", "table"]

AFTER_S: Final = 1.5
"""After so long a question is escalated."""
NUDGES: Final = 2
"""What a composer may get in its life."""
TEXT: Final = "go on with 1 2 3"
WITHIN_S: Final = 60.0
_APPEND: Final = "--append"
_NOTED_S: Final = 1.0
"""So long a teller has, at most, to note that it has told."""


@attrs.define(kw_only=True)
class Restarts:
    """All that happened."""

    commands: list[str] = attrs.field(factory=list)
    """One for each dialog that stood."""
    calls: list[TruthEvent] = attrs.field(factory=list)
    kills: int = 0
    nudged: list[int] = attrs.field(factory=list)
    """How many nudges each composer took."""
    answered: int = 0
    """Dialogs that were decided by a key which no person pressed."""

    def calls_about(self, command: str) -> list[TruthEvent]:
        """Return the calls about one dialog."""
        return [c for c in self.calls if command in str(c["prompt"])]

    def ids(self, command: str) -> int:
        """Return how many escalations a dialog had."""
        return len({c["escalation"] for c in self.calls_about(command)})

    def unmarked(self, command: str) -> int:
        """Return how many calls about a dialog did not say that they repeat one."""
        return sum(not c["repeated"] for c in self.calls_about(command))


async def run(
    *, n_panes: int, n_rounds: int, n_kills: int, n_idle_kills: int, seed: int, folder: Path
) -> Restarts:
    """Open *n_panes* dialogs at once, *n_rounds* times, each under *n_kills* kills."""
    chance, out = random.Random(seed), Restarts()
    calls = TruthLog(folder / "calls.jsonl")
    truths = [TruthLog(folder / f"truth-{at}.jsonl") for at in range(n_panes)]
    async with PrivateServer(env=None) as server:
        panes = [
            server.start_program(
                program_argv(
                    "composer",
                    log=truth.path,
                    dialog_on_signal=True,
                    dialog_commands=[f"make target-{at}-{n:03}" for n in range(n_rounds)],
                    dialog_redraw=300 if at % 3 == 1 else 0,
                    work=60,
                )
            )
            for at, truth in enumerate(truths)
        ]
        for truth in truths:
            await truth.wait_for("ready_painted", WITHIN_S)
        words = child_words(server.socket_path, folder / "journal.db", calls, *panes)

        async def killed(after_s: float) -> None:
            async with controller(words):
                await asyncio.sleep(after_s)
            out.kills += 1

        for number in range(1, n_rounds + 1):
            for pane in panes:
                pid = int(server.run("display-message", "-p", "-t", pane, "#{pane_pid}"))
                os.kill(pid, signal.SIGUSR1)
            for truth in truths:
                await truth.wait_for("dialog_painted", WITHIN_S, count=number)
            wanted = [f"make target-{at}-{number - 1:03}" for at in range(n_panes)]
            out.commands += wanted
            for _ in range(n_kills):
                await killed(chance.uniform(0.3, AFTER_S + 2.0))

            def is_told(events: Sequence[TruthEvent], wanted: list[str] = wanted) -> bool:
                return all(any(w in str(e["prompt"]) for e in events) for w in wanted)

            async with controller(words):
                await calls.wait_for(is_told, WITHIN_S)
                await asyncio.sleep(_NOTED_S)
            await killed(AFTER_S + 2.5)  # long enough to call a second time
            for pane, truth in zip(panes, truths, strict=True):
                server.run("send-keys", "-t", pane, "Escape")
                await truth.wait_for("dialog_closed", WITHIN_S, count=number)
        async with controller(words):
            for truth in truths:
                await truth.wait_for("submit", WITHIN_S)
        for _ in range(n_idle_kills):
            await killed(chance.uniform(1.5, 5.0))
        out.calls = calls.events()
        for truth in truths:
            out.nudged.append(sum(text == TEXT for text in truth.submits()))
            out.answered += sum(e["by"] != "escape" for e in truth.events("approved", "declined"))
            truth.end_children()
    return out


def child_words(socket: Path, journal: Path, calls: TruthLog, *panes: str) -> list[str]:
    """Return what a controller's process is told: its server, its journal, whom to call."""
    return [str(socket), str(journal), str(calls.path), *panes]


@contextlib.asynccontextmanager
async def controller(words: Sequence[str]) -> AsyncIterator[None]:
    """Run a controller for the time of a block, and kill it."""
    argv = [sys.executable, "-P", "-m", "tests.journeys.restarts", "--child", *words]
    process = await asyncio.create_subprocess_exec(*argv, env=_environment())
    try:
        yield
    finally:
        process.kill()
        await process.wait()


def _environment() -> dict[str, str]:
    root = str(Path(__file__).resolve().parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, *filter(None, sys.path)])}


async def _child(socket: str, journal: str, calls: str, *panes: str) -> None:
    """Watch these panes until somebody kills us."""
    append = ExecSink(argv=(sys.executable, "-P", "-m", "tests.journeys.restarts", _APPEND, calls))
    settings = pg.Settings(escalate_after_s=AFTER_S, sinks=(append,))
    policy = pg.NudgePolicy(
        text=TEXT, grace_s=1.0, work_grace_s=3600, per_silence=1, per_session=NUDGES
    )
    async with pg.Controller.open(
        socket_path=socket, journal=Path(journal), settings=settings, attach_only=True
    ) as ctl:
        for pane_id in panes:
            pane = await ctl.adopt(pane_id, profile="standin")
            pane.nudge_policy(policy)
        async for event in ctl.events():
            if isinstance(event, pg.Dropped):
                raise AssertionError(event)


def _append(path: str) -> None:
    """Keep one call, as the program of a sink."""
    import json

    fields = json.load(sys.stdin)
    fields["kind"] = fields.pop("event")
    TruthWriter(path).log("call", **fields)


def table(found: Restarts) -> str:
    """Return the counts as a Markdown table, and what should not be."""
    ids = collections.Counter(found.ids(command) for command in found.commands)
    told = collections.Counter(len(found.calls_about(command)) for command in found.commands)
    rows = [
        ("kills", found.kills),
        ("dialogs", len(found.commands)),
        ("with one escalation", ids[1]),
        ("told once", told[1]),
        ("told again, and said so", sum(n for times, n in told.items() if times > 1)),
        ("told again, and not said", sum(found.unmarked(c) > 1 for c in found.commands)),
        ("decided by a nudge", found.answered),
        ("most nudges to one program", max(found.nudged)),
    ]
    lines = ["| what | how many |", "|---|--:|", *(f"| {name} | {n} |" for name, n in rows)]
    lines += [f"{c}: {found.calls_about(c)}" for c in found.commands if found.ids(c) != 1]
    return "\n".join(lines)


def main() -> None:
    """Run the long form and print its table."""
    parser = argparse.ArgumentParser(prog="restarts", description=__doc__.split("\n")[0])
    parser.add_argument("--panes", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--kills", type=int, default=8, help="in each round")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(
            run(
                n_panes=options.panes,
                n_rounds=options.rounds,
                n_kills=options.kills,
                n_idle_kills=6,
                seed=options.seed,
                folder=Path(folder),
            )
        )
    print(table(found))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        asyncio.run(_child(*sys.argv[2:]))
    elif sys.argv[1:2] == [_APPEND]:
        _append(sys.argv[2])
    else:
        main()

"""A controller is killed (SIGKILL) at a random moment of its writes: what became of them?

In each trial a process of its own opens a controller, and sends messages to composers, two
at a time to each, until it is killed. A second controller then opens the same journal. At
the very end, when every program has read what there was to read, each write's fate in the
journal is compared with the truth log of its program:

* every write has exactly one fate;
* ``landed``: the program was told the text once; ``refused``: it got no byte of it;
  ``unknown``: once, or not at all; and nothing was told twice.

Half of the trials run beside a pane that floods, carried by the same controller. By hand,
with the repository's root, ``controller`` and ``transports`` on the path::

    python -m tests.journeys.kills --trials 300
"""

import argparse
import asyncio
import collections
import contextlib
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import attrs

import panegate as pg
from panegate.testing.servers import wait_gone

from .staging import NO_HISTORY, Program, Stage, open_stage

__all__ = ["COLUMNS", "Kill", "count", "run", "table"]

WITHIN_S: Final = 60.0
LATEST_S: Final = 0.7
"""A kill comes so long after the first message at most; a write takes about 0.25 s."""
PER_SERVER: Final = 25
"""Trials on one tmux server."""
_PROFILE: Final = "standin"
_NOISE: Final = ("sh", "-c", "while :; do head -c 60000 /dev/zero | tr '\\0' x; done")
_ROOT: Final = Path(__file__).resolve().parents[2]


@attrs.frozen(kw_only=True)
class Kill:
    """What came of one killed controller's writes."""

    flood: bool
    after_s: float
    rows: tuple[tuple[str, str, str], ...] = ()
    """Text, fate and last stage of each write; the fate is "" where it has none."""
    told: tuple[str, ...] = ()
    """What the programs were told, by their own record."""
    received: str = ""
    """All bytes that they read."""
    events: tuple[str, ...] = ()
    """Write ids of the finished writes in the event stream, in order."""
    server_words: str = ""
    """Why, afterwards, the server did not end when told to, or no other one could be started."""

    def fates(self, fate: str) -> list[str]:
        """Return the texts of a fate."""
        return [text for text, found, _ in self.rows if found == fate]

    server_died: bool = False
    """The tmux server died by itself (3.3a ends with status 1 now and then beside a flood)."""

    @property
    def wrong(self) -> list[str]:
        """Everything that contradicts the journal's word."""
        said = collections.Counter(self.told)
        out = [f"no fate: {text}" for text in self.fates("")]
        out += [f"told {n} times: {text}" for text, n in said.items() if n > 1]
        out += [f"landed, not told: {text}" for text in self.fates("landed") if not said[text]]
        out += [f"refused, yet sent: {t}" for t in self.fates("refused") if t in self.received]
        known = {text for text, _, _ in self.rows}
        out += [f"told, not journalled: {text}" for text in said if text not in known]
        ids = collections.Counter(self.events)
        out += [f"{n} fates: {write_id}" for write_id, n in ids.items() if n > 1]
        return [*out, f"afterwards: {self.server_words}"] if self.server_words else out


async def run(*, n_trials: int, seed: int, folder: Path) -> list[Kill]:
    """Kill controllers; every second one beside a flood."""
    chance = random.Random(seed)
    kills: list[Kill] = []
    while len(kills) < n_trials:
        n_here = min(PER_SERVER, n_trials - len(kills))
        flood = bool(len(kills) // PER_SERVER % 2) if n_trials > PER_SERVER else None
        kills += await _on_one_server(
            chance, folder / f"server-{len(kills)}", n_trials=n_here, flood=flood
        )
    return kills


async def _on_one_server(
    chance: random.Random, folder: Path, *, n_trials: int, flood: bool | None
) -> list[Kill]:
    os.mkdir(folder)
    found: list[tuple[Path, list[Program], Kill]] = []
    died = False
    async with open_stage(folder) as stage:
        server = stage.ctl.identity.pid
        for number in range(n_trials):
            loud = bool(number % 2) if flood is None else flood
            journal = folder / f"journal-{number}.db"
            kill = Kill(flood=loud, after_s=chance.uniform(0, LATEST_S))
            try:
                noise = [p for p in stage.ctl.panes if p.name == "noise"]
                if loud and not noise:
                    noise = [await stage.ctl.launch(_NOISE, name="noise", within_s=None)]
                elif not loud and noise:
                    await noise.pop().close()
                programs = [await stage.program("composer", profile=_PROFILE) for _ in range(2)]
                found.append((journal, programs, kill))
                panes, also = ([p.pane.id for p in programs], [p.id for p in noise])
                await _kill_one(stage, journal, panes, also, after_s=kill.after_s, trial=number)
                await _recover(stage, journal)
            except (pg.PanegateError, AssertionError):
                died = await asyncio.to_thread(wait_gone, server, 5.0)
                if not died:
                    raise
                break
        if not died:
            for pane in stage.ctl.panes:
                if pane.name != "noise":
                    await pane.wait({pg.State.READY}, within_s=WITHIN_S)
            stage.tmux("kill-server")
        words = await _starts_again(stage, server, [journal for journal, _, _ in found])
    return [_judged(*one, server_words=words, server_died=died) for one in found]


async def _kill_one(
    stage: Stage,
    journal: Path,
    panes: Sequence[str],
    also: Sequence[str],
    *,
    after_s: float,
    trial: int,
) -> None:
    """Start a controller in a process of its own and kill it so long after its first message."""
    argv = [sys.executable, "-P", "-m", "tests.journeys.kills", "--victim", str(stage.socket)]
    argv += [str(journal), str(trial), ",".join(panes), ",".join(also)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_ROOT), *filter(None, sys.path)])}
    victim = await asyncio.create_subprocess_exec(
        *argv, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, env=env
    )
    try:
        assert victim.stdout is not None
        async with asyncio.timeout(WITHIN_S):
            assert await victim.stdout.readline() == b"go\n", "it did not come up"
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(victim.wait(), after_s)
    finally:
        with contextlib.suppress(ProcessLookupError):
            victim.send_signal(signal.SIGKILL)
        await victim.communicate()


async def _recover(stage: Stage, journal: Path) -> None:
    async with pg.Controller.open(socket_path=stage.socket, journal=journal, attach_only=True):
        pass


async def _starts_again(stage: Stage, old: int, journals: Sequence[Path]) -> str:
    """Start another server on the same socket; return why that did not work.

    Its controllers find nothing left to recover, save where the old server died by itself.
    """
    if not await asyncio.to_thread(wait_gone, old, WITHIN_S):
        return "the server did not end when told to"
    try:
        async with pg.Controller.open(socket_path=stage.socket, journal=":memory:") as ctl:
            pane = await ctl.launch(["bash", "--norc"], env=NO_HISTORY, within_s=WITHIN_S)
            for journal in journals:
                await _recover(stage, journal)
            await pane.close()
    except pg.PanegateError as error:
        return str(error)
    return ""


def _judged(
    journal: Path, programs: list[Program], kill: Kill, *, server_words: str, server_died: bool
) -> Kill:
    with closing(sqlite3.connect(journal)) as db:
        rows = db.execute(
            "SELECT text, coalesce(fate, ''), coalesce(before, '') != '' FROM writes"
        ).fetchall()
        events = db.execute(
            "SELECT json_extract(data, '$.receipt.write_id') FROM events"
            " WHERE kind = 'WriteFinished' ORDER BY seq"
        ).fetchall()
    return attrs.evolve(
        kill,
        rows=tuple((text, fate, "typing" if typed else "waiting") for text, fate, typed in rows),
        told=tuple(text for p in programs for text in p.truth.submits()),
        received="".join(p.truth.received_bytes().decode("utf-8", "replace") for p in programs),
        events=tuple(event for (event,) in events),
        server_words=server_words,
        server_died=server_died,
    )


COLUMNS: Final = (
    "kills",
    "writes",
    "landed",
    "refused",
    "unknown",
    "told",
    "no fate",
    "wrong",
    "on servers that died",
)


def count(kills: Sequence[Kill]) -> dict[str, int]:
    """Return the sums over the trials."""
    numbers = (
        len(kills),
        sum(len(k.rows) for k in kills),
        sum(len(k.fates("landed")) for k in kills),
        sum(len(k.fates("refused")) for k in kills),
        sum(len(k.fates("unknown")) for k in kills),
        sum(text in k.told for k in kills for text in k.fates("unknown")),
        sum(len(k.fates("")) for k in kills),
        sum(len(k.wrong) for k in kills),
        sum(k.server_died for k in kills),
    )
    return dict(zip(COLUMNS, numbers, strict=True))


def table(kills: Sequence[Kill]) -> str:
    """Return the counts as a Markdown table; "told" is how many of the unknown were."""
    lines = ["| beside | " + " | ".join(COLUMNS) + " |", "|---" + "|--:" * len(COLUMNS) + "|"]
    for name, loud in (("nothing", False), ("a flood", True)):
        cells = count([k for k in kills if k.flood is loud]).values()
        lines.append(f"| {name} | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


async def _be_killed(socket: str, journal: str, trial: str, panes: str, also: str) -> None:
    """Send without end, two messages at a time to each pane."""
    async with pg.Controller.open(
        socket_path=socket, journal=Path(journal), attach_only=True
    ) as ctl:
        for noise in filter(None, also.split(",")):
            await ctl.adopt(noise)
        found = [await ctl.adopt(pane, profile=_PROFILE) for pane in panes.split(",")]
        for pane in found:
            await pane.wait({pg.State.READY}, within_s=WITHIN_S)
        sys.stdout.write("go\n")
        sys.stdout.flush()

        async def send_all(pane: pg.Pane, which: int) -> None:
            for number in range(which, 1000, 2):
                text = f"trial {trial} pane {pane.id} message {number} ends"
                await pane.send(text, id=f"{trial}-{pane.id}-{number}", within_s=WITHIN_S)

        async with asyncio.TaskGroup() as group:
            for pane in found:
                for which in (0, 1):
                    group.create_task(send_all(pane, which))


def main() -> None:
    """Run the long form and print its table; or be the one that is killed."""
    parser = argparse.ArgumentParser(prog="kills", description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    names = ("SOCKET", "JOURNAL", "TRIAL", "PANES", "ALSO")
    parser.add_argument("--victim", nargs=5, metavar=names, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.victim:
        asyncio.run(_be_killed(*options.victim))
        return
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        kills = asyncio.run(run(n_trials=options.trials, seed=options.seed, folder=Path(folder)))
    print(table(kills))
    print(f"\nSeed {options.seed}, {time.monotonic() - began_s:.0f} s.")
    for kill in kills:
        for words in kill.wrong:
            print(f"after {kill.after_s:.3f} s, flood {kill.flood}: {words}")
    sys.exit(any(kill.wrong for kill in kills))


if __name__ == "__main__":
    main()

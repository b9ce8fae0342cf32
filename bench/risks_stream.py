"""What becomes of time and of writes when the stream is late, flooded, or cut.

1. A host blocks its event loop for 300 ms while a pane prints every 50 ms: does the machine
   believe in a pause that was not there? With stamps from the reader thread, and from the loop.
2. A neighbour floods: how late are sends and states of a shell beside it?
3. A control client is killed (SIGKILL, never in its first second) beside a flood, with a message
   in hand: what becomes of the server, the programs and the message?

    PYTHONPATH=controller:transports python bench/risks_stream.py [--tries 10] [--rounds 5]
"""

import argparse
import asyncio
import itertools
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.journeys.staging import WITHIN_S, open_stage  # noqa: E402
from tests.journeys.stream_lab import (  # noqa: E402
    BLOCK_S,
    QUIET_S,
    Blocked,
    Killed,
    Stamps,
    block_the_loop,
    compute,
    kill_client,
)

import panegate as pg  # noqa: E402


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [list(head), *(list(map(str, row)) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def spread(values_s: list[float]) -> str:
    ms = sorted(1000 * value for value in values_s)
    at = [statistics.median(ms), ms[min(len(ms) - 1, int(len(ms) * 0.95))], ms[-1]]
    return " / ".join(f"{value:.1f}" for value in at)


async def blocked(folder: Path, tries: int) -> str:
    cases = [("sleeps", stamps) for stamps in Stamps]
    cases.insert(1, ("computes", Stamps.THREAD))
    rows = []
    for (how, stamps), look_out in itertools.product(cases, (False, True)):
        sub = folder / f"{how}-{stamps.name}-{look_out}"
        sub.mkdir()
        async with open_stage(sub) as stage:
            found: list[Blocked] = [
                await block_the_loop(
                    stage,
                    stamps,
                    phase_s=None if look_out else number * 0.05 / tries,
                    block=time.sleep if how == "sleeps" else compute,
                )
                for number in range(tries)
            ]
        fair = [one for one in found if one.true_gap_s < QUIET_S]
        rows.append(
            [
                stamps.value,
                f"{how}, {'a look is out' if look_out else 'at any moment'}",
                len(fair),
                f"{1000 * statistics.median(one.true_gap_s for one in fair):.0f}",
                f"{1000 * statistics.median(one.gap_s for one in fair):.0f}",
                f"{sum(one.false_gap for one in fair)}/{len(fair)}",
                f"{sum(one.quiet_looks > 0 for one in fair)}/{len(fair)}",
                f"{sum(one.ready > 0 for one in fair)}/{len(fair)}",
            ]
        )
    head = ["stamps taken", "the host", "tries", "longest pause of the program, ms (median)"]
    head += ["as the machine saw it, ms", "false pause", "looked because of it", "false ready"]
    return table(head, rows)


async def shell_beside(pane: pg.Pane, n: int) -> tuple[list[float], list[float]]:
    landed: list[float] = []
    ready: list[float] = []
    for number in range(n):
        receipt = await pane.send(f"echo hi{number}", within_s=WITHIN_S)
        if receipt.fate is not pg.Fate.LANDED:
            raise SystemExit(f"not landed: {receipt.words}")
        landed.append(receipt.ms["total"] / 1000)
        await pane.wait({pg.State.READY}, within_s=WITHIN_S)
        machine = pane.tracker.machine
        ready.append(max(0.0, machine.since_s - machine.last_output_s))
    return landed, ready


async def flooded(folder: Path, n: int) -> str:
    rows = []
    async with open_stage(folder) as stage:
        bash = (await stage.bash()).pane
        for beside in ("nothing", "one flood", "two floods"):
            if beside != "nothing":
                await stage.program("flood", within_s=None)
            looks = bash.tracker.machine.looks
            floods = [pane for pane in stage.ctl.panes if pane is not bash]
            before = sum(pane.tracker.output_bytes for pane in floods)
            began_s = stage.ctl.clock()
            landed, ready = await shell_beside(bash, n)
            took_s = stage.ctl.clock() - began_s
            flow = sum(pane.tracker.output_bytes for pane in floods) - before
            states = {pane.state.value for pane in floods}
            rows.append(
                [
                    beside,
                    n,
                    spread(landed),
                    spread(ready),
                    f"{(bash.tracker.machine.looks - looks) / n:.1f}",
                    f"{flow / took_s / 1e6:.1f}",
                    ", ".join(sorted(states)) or "-",
                ]
            )
    head = ["beside it", "messages", "send -> landed, ms (p50 / p95 / max)"]
    head += ["last byte -> ready, ms (p50 / p95 / max)", "looks a message"]
    return table([*head, "output of the floods taken, MB/s", "state of the floods"], rows)


async def killed(folder: Path, rounds: int) -> str:
    rows: list[list[object]] = []
    all_told: list[Killed] = []
    async with open_stage(folder) as stage:
        flooding = await stage.program("flood", within_s=None)
        composer = await stage.program("composer", profile="standin")
        bash = (await stage.bash()).pane
        victims = {
            "the one that carries the message": composer.pane,
            "the flood's": flooding.pane,
            "another pane's": bash,
        }
        number = 0
        for name, victim in victims.items():
            found: list[Killed] = []
            for _ in range(rounds):
                number += 1
                found.append(
                    await kill_client(stage, victim, composer, flooding.pane, number=number)
                )
            all_told += found
            fates = sorted({one.fate for one in found})
            rows.append(
                [
                    name,
                    rounds,
                    f"{sum(one.server_lives for one in found)}/{rounds}",
                    "; ".join(
                        f"{sum(one.fate == fate for one in found)} {fate} (taken "
                        f"{sum(one.taken for one in found if one.fate == fate)})"
                        for fate in fates
                    ),
                    f"{sum(one.told_right for one in found)}/{rounds}",
                    f"{sum(one.next_fate == 'landed' and one.next_taken == 1 for one in found)}"
                    f"/{rounds}",
                    f"{sum(one.flood_goes_on for one in found)}/{rounds}",
                    spread([one.back_s for one in found]),
                ]
            )
    head = ["client killed", "rounds", "server and all programs live", "message in hand"]
    head += ["told as it was", "next message landed once", "flood goes on"]
    return table([*head, "carried again after, ms (p50 / p95 / max)"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=10)
    parser.add_argument("--messages", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    tmux = subprocess.run(["tmux", "-V"], capture_output=True, text=True, check=True).stdout
    system = f"Linux {platform.release()}, {platform.machine()}, {os.cpu_count()} cores"
    print(f"{system}, Python {platform.python_version()}, {tmux.strip()}.\n")
    with tempfile.TemporaryDirectory(prefix="panegate-risks-") as base:
        folders = [Path(base) / name for name in ("blocked", "flooded", "killed")]
        for folder in folders:
            folder.mkdir()
        print(f"A loop blocked for {1000 * BLOCK_S:.0f} ms; the program prints every 50 ms, and")
        print(
            f"{1000 * QUIET_S:.0f} ms of quiet are taken for ready (`trust = timing`, no probe).\n"
        )
        print(asyncio.run(blocked(folders[0], options.tries)), "\n")
        print(
            "A bash beside floods; each message is one `echo`, the next follows when it is ready.\n"
        )
        print(asyncio.run(flooded(folders[1], options.messages)), "\n")
        print("A control client killed (SIGKILL) between a message's text and its Enter.\n")
        print(asyncio.run(killed(folders[2], options.rounds)))


if __name__ == "__main__":
    main()

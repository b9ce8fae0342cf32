"""What the journal costs a write: none on disk, SQLite, and SQLite that waits for the disk.

python -m bench.journal --writes 200
"""

import argparse
import asyncio
import contextlib
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import panegate as pg
from panegate.journal.store import Sync

MODES = (
    ("memory", None),
    ("SQLite", Sync.NORMAL),
    ("SQLite, sync = full", Sync.FULL),
)


async def measure(sync: Sync | None, folder: Path, n_writes: int) -> list[float]:
    """Return the milliseconds of each send to a bash, from the call to the receipt."""
    settings = pg.Settings(journal_sync=sync or Sync.NORMAL)
    journal = ":memory:" if sync is None else folder / f"{sync.value}.db"
    socket = folder / f"tmux-{journal.stem if sync else 'memory'}"  # type: ignore[union-attr]
    took: list[float] = []
    try:
        async with pg.Controller.open(
            socket_path=socket, journal=journal, settings=settings
        ) as ctl:
            argv = ["bash", "--norc", "--noprofile"]
            pane = await ctl.launch(argv, env={"HISTFILE": ""}, within_s=30)
            for number in range(n_writes + 10):
                began_s = time.perf_counter()
                receipt = await pane.send(f": {number}", within_s=30)
                if number >= 10:
                    took.append((time.perf_counter() - began_s) * 1000)
                assert receipt.fate is pg.Fate.LANDED, receipt.words
                await pane.wait({pg.State.READY}, within_s=30)
    finally:
        with contextlib.suppress(OSError):
            await asyncio.to_thread(end_server, socket)
    return took


def end_server(socket: Path) -> None:
    tmux = os.environ.get("PANEGATE_TMUX") or "tmux"
    subprocess.run([tmux, "-S", str(socket), "kill-server"], capture_output=True, check=False)


def main() -> None:
    parser = argparse.ArgumentParser(prog="journal", description=__doc__.split("\n")[0])
    parser.add_argument("--writes", type=int, default=200)
    options = parser.parse_args()
    print("| journal | send to receipt, ms: p50 | p95 | max |\n|---|--:|--:|--:|")
    with tempfile.TemporaryDirectory(prefix="panegate-bench-") as folder:
        for name, sync in MODES:
            took = sorted(asyncio.run(measure(sync, Path(folder), options.writes)))
            p95 = took[int(len(took) * 0.95)]
            print(f"| {name} | {statistics.median(took):.2f} | {p95:.2f} | {took[-1]:.2f} |")


if __name__ == "__main__":
    main()

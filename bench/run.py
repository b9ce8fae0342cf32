"""Latency and cost as ratios in one run: ``python bench/run.py [--quick] [--json FILE]``.

Everything runs on a private tmux server and is compared with a bare control client
(`bare.py`) on the same server in the same run. A run whose bare round trip is over twice
the reference (0.06 ms) is void: the machine was busy.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import panegate as pg
from panegate.testing.programs import program_argv

sys.path.insert(0, str(Path(__file__).parent))
from bare import Bare

REFERENCE_ROUND_TRIP_MS = 0.06
PASTE_OFF = rb"\033[?2004l"


def spread(values_s: list[float]) -> dict[str, float]:
    ms = sorted(1000 * value for value in values_s)
    n = len(ms)
    return {
        "n": n,
        "p50_ms": round(statistics.median(ms), 3),
        "p95_ms": round(ms[min(n - 1, int(n * 0.95))], 3),
        "p99_ms": round(ms[min(n - 1, int(n * 0.99))], 3),
    }


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def own_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def bare_round_trips(socket: str, target: str, n: int) -> dict[str, float]:
    bare = Bare(socket, target)
    try:
        return spread([bare.round_trip() for _ in range(n)])
    finally:
        bare.close()


def bare_sends(socket: str, name: str, pane: str, n: int) -> dict[str, float]:
    bare = Bare(socket, f"={name}")
    times: list[float] = []
    try:
        for i in range(n):
            times.append(bare.send(pane, f"echo hi{i}", PASTE_OFF))
            bare.until(rb"\033[?2004h")
    finally:
        bare.close()
    return spread(times)


async def sends(pane: pg.Pane, n: int) -> dict[str, Any]:
    landed: list[float] = []
    for i in range(n):
        receipt = await pane.send(f"echo hi{i}", within_s=20)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        landed.append(receipt.ms["total"] / 1000)
        await pane.wait({pg.State.READY}, within_s=20)
    return spread(landed)


async def last_byte_to_ready(pane: pg.Pane, text: str, n: int) -> dict[str, Any]:
    times: list[float] = []
    for _ in range(n):
        await pane.send(text, within_s=20)
        await pane.wait({pg.State.READY}, within_s=20)
        machine = pane.tracker.machine
        times.append(machine.since_s - machine.last_output_s)
    return spread(times)


async def in_thread(function: Any, *args: Any) -> Any:
    return await asyncio.to_thread(function, *args)


async def measure(socket: str, quick: bool) -> dict[str, Any]:
    n = 40 if quick else 300
    out: dict[str, Any] = {}
    async with pg.Controller.open(socket_path=socket) as ctl:
        bash = await ctl.launch(["bash", "--norc"], name="bash1")
        bare_pane = await ctl.launch(["bash", "--norc"], name="bash2")
        out["bare round trip"] = await in_thread(bare_round_trips, socket, "=bash2", 5 * n)
        out["bare send -> reaction, shell"] = await in_thread(
            bare_sends, socket, "bash2", bare_pane.id, n
        )
        out["send -> landed, shell"] = await sends(bash, n)
        python = await ctl.launch([sys.executable, "-q"], profile="python", name="py")
        cat = await ctl.launch(["cat"], profile="lines", name="cat")
        out["last byte -> ready, shell"] = await last_byte_to_ready(bash, "seq 3", n)
        out["last byte -> ready, python"] = await last_byte_to_ready(python, "1+1", n)
        out["last byte -> ready, cat"] = await last_byte_to_ready(cat, "hello", n)
        out["idle"] = await idle(ctl, 5.0 if quick else 20.0)
        out |= await under_flood(ctl, socket, bash, bare_pane, n)
    return out


async def idle(ctl: pg.Controller, seconds: float) -> dict[str, Any]:
    """Loop iterations and wake-ups while everything is ready and nobody waits."""
    before = ctl.statistics()
    cpu = own_cpu_s()
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    loop.call_later(seconds, done.set_result, None)
    await done
    after = ctl.statistics()
    return {
        "seconds": seconds,
        "wakeups": after["wakeups"] - before["wakeups"],
        "looks": after["looks"] - before["looks"],
        "cpu_ms": round(1000 * (own_cpu_s() - cpu), 2),
    }


async def under_flood(
    ctl: pg.Controller, socket: str, pane: pg.Pane, bare_pane: pg.Pane, n: int
) -> dict[str, Any]:
    out: dict[str, Any] = {}
    flood = await ctl.launch(program_argv("flood"), profile="generic", name="flood", within_s=None)
    await flood.wait({pg.State.BOOTING, pg.State.BUSY})
    out["bare send -> reaction, flood"] = await in_thread(
        bare_sends, socket, "bash2", bare_pane.id, n // 2
    )
    out["send -> landed, flood"] = await sends(pane, n // 2)
    server = ctl.identity.pid
    ours, theirs, began_s = own_cpu_s(), cpu_s(server), time.monotonic()
    done = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(5.0, done.set_result, None)
    bytes_before = flood.tracker.output_bytes
    await done
    took_s = time.monotonic() - began_s
    ours, theirs = own_cpu_s() - ours, cpu_s(server) - theirs
    out["flood cost"] = {
        "seconds": round(took_s, 2),
        "our_cpu_s": round(ours, 3),
        "server_cpu_s": round(theirs, 3),
        "ratio": round(ours / theirs, 3) if theirs else None,
        "mb": round((flood.tracker.output_bytes - bytes_before) / 1e6, 1),
    }
    await flood.close()
    return out


def ratios(found: dict[str, Any]) -> dict[str, Any]:
    bare = found["bare send -> reaction, shell"]["p50_ms"]
    bare_flood = found["bare send -> reaction, flood"]["p50_ms"]
    return {
        "send -> landed / bare": round(found["send -> landed, shell"]["p50_ms"] / bare, 2),
        "the same under a flood": round(found["send -> landed, flood"]["p50_ms"] / bare_flood, 2),
        "our CPU / server CPU under a flood": found["flood cost"]["ratio"],
        "void": found["bare round trip"]["p50_ms"] > 2 * REFERENCE_ROUND_TRIP_MS,
    }


def table(found: dict[str, Any]) -> str:
    lines = ["| measure | n | p50 ms | p95 ms | p99 ms |", "|---|---|---|---|---|"]
    for name, row in found.items():
        if isinstance(row, dict) and "p50_ms" in row:
            cells = (row["n"], row["p50_ms"], row["p95_ms"], row["p99_ms"])
            lines.append(f"| {name} | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short form, for CI")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="panegate-bench-") as folder:
        socket = f"{folder}/tmux"
        try:
            found = asyncio.run(measure(socket, options.quick))
        finally:
            subprocess.run(["tmux", "-S", socket, "kill-server"], capture_output=True, check=False)
    tmux = subprocess.run(["tmux", "-V"], capture_output=True, text=True, check=True)
    document = {
        "schema": 1,
        "tmux": tmux.stdout.strip(),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "figures": found,
        "ratios": ratios(found),
    }
    print(table(found))
    for name in ("idle", "flood cost"):
        print(f"\n{name}: {found[name]}")
    print(f"\nratios: {document['ratios']}")
    if options.json:
        options.json.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()

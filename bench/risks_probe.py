"""What the terminal probe tells at each level, as root and as an ordinary user.

Starts about 35 classic programs in ptys, compares what the probe says with what is
known of them, and prints Markdown. Linux only. As root it runs everything a second
time as an ordinary user, programs and probe alike.

    PYTHONPATH=controller python bench/risks_probe.py [reads per program and level]
"""

import collections
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "tests" / "probes" / "classic_programs.py"
sys.path.insert(0, str(PROGRAMS.parent))

from classic_programs import BY_NAME  # noqa: E402

NOBODY = 65534
LEVELS = ("full", "wchan", "termios", "none")
MARKS = {"right": "", "open": " ·", "WRONG": " **WRONG**"}
Row = dict[str, Any]


def measure(user: int, n_reads: int) -> list[Row]:
    """Run the programs and the probe as *user*."""
    python = sys.executable
    argv: list[str] = []
    if user != os.getuid():
        argv = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups"]
        python = shutil.which("python3", path="/usr/bin") or sys.executable
    site = str(Path(attrs.__file__).parents[1])
    path = os.pathsep.join([str(ROOT / "controller"), site])
    done = subprocess.run(
        [*argv, python, str(PROGRAMS), str(n_reads)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [list(head), *(list(map(str, row)) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def modes(echo: bool | None, icanon: bool | None) -> str:
    return "?" if echo is None or icanon is None else f"{echo:d}/{icanon:d}"


def detail(by_user: dict[str, list[Row]]) -> str:
    """One row per program: what was reported, and whether that is true."""
    columns = [(user, level) for user in by_user for level in ("full", "wchan")]
    found = {
        (row["program"], user, row["asked"]): row
        for user, rows in by_user.items()
        for row in rows
        if "failed" not in row
    }
    first = next(iter(by_user))
    lines = []
    for name, program in BY_NAME.items():
        termios = found.get((name, first, "termios"))
        if termios is None:
            continue
        told = modes(termios["echo"], termios["icanon"])
        if program.modes is not None and told != modes(*program.modes):
            told += " **WRONG**"
        cells: list[object] = [name, "waits" if program.at_terminal else "does not", told]
        for user, level in columns:
            row = found.get((name, user, level))
            cells.append("-" if row is None else row["wait"] + MARKS[row["judged"]])
        lines.append(cells)
    head = ["program", "truth", "echo/icanon", *(f"{user}, {level}" for user, level in columns)]
    return table(head, lines)


def summary(by_user: dict[str, list[Row]]) -> str:
    """One row per user and level."""
    lines = []
    for user, rows in by_user.items():
        for level in LEVELS:
            mine = [row for row in rows if row.get("asked") == level]
            judged = collections.Counter(row["judged"] for row in mine)
            known = [row for row in mine if BY_NAME[row["program"]].modes is not None]
            right = sum(
                (row["echo"], row["icanon"]) == BY_NAME[row["program"]].modes for row in known
            )
            secrets = [row for row in known if BY_NAME[row["program"]].modes == (False, True)]
            seen = sum((row["echo"], row["icanon"]) == (False, True) for row in secrets)
            spent = sorted(row["us"] for row in mine)
            lines.append(
                [
                    user,
                    level,
                    judged["right"],
                    judged["open"],
                    judged["WRONG"],
                    f"{right}/{len(known)}",
                    f"{seen}/{len(secrets)}",
                    f"{statistics.median(spent):.0f}",
                    f"{spent[-1]:.0f}",
                ]
            )
    head = ["user", "level", "right", "open", "wrong", "modes right", "secrets seen"]
    return table([*head, "us per read, median program", "slowest program"], lines)


def main() -> None:
    """Measure and print."""
    n_reads = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    users = {"root": 0, "ordinary": NOBODY} if os.getuid() == 0 else {"ordinary": os.getuid()}
    by_user = {name: measure(uid, n_reads) for name, uid in users.items()}
    system = f"Linux {platform.release()}, {platform.machine()}, {os.cpu_count()} cores"
    print(f"{system}, Python {platform.python_version()}, {n_reads} reads each.\n")
    print(summary(by_user))
    print(
        "\n*right*: a wait is reported for a program that waits for input, its absence for one"
        "\nthat does not. *open* (·): unknown, or an event loop, which proves nothing."
        "\nEcho and line mode (echo/icanon) read alike at all levels but `none`; 0/1 is a secret.\n"
    )
    print(detail(by_user))
    failed = [row for rows in by_user.values() for row in rows if "failed" in row]
    for row in failed:
        print(f"\nNot measured: {row['program']} ({row['failed']})")
    if failed or any(row.get("judged") == "WRONG" for rows in by_user.values() for row in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()

"""What happens to a message sent to a program that nothing is known about.

Launches shells, REPLs, editors, pickers, dialogs and stand-in agents without a profile
(``profile="generic"``), waits for what is believed of each, sends one message, and says what
the program did with it: by its own record, by the kernel's count of reads of its terminal,
and by its screen. Prints Markdown; fails if anything reached a program it must not reach.

    PYTHONPATH=controller:transports python bench/risks_generic.py [--levels full none]
"""

import argparse
import asyncio
import contextlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.journeys.staging import Stage, open_stage  # noqa: E402
from tests.journeys.unprofiled import (  # noqa: E402
    Kind,
    Trial,
    Unprofiled,
    attempt_message,
)
from tests.journeys.unprofiled_programs import PROGRAMS  # noqa: E402

from panegate.probes.accesses import InputReads  # noqa: E402

NOBODY = 65534


@contextlib.contextmanager
def postgres(folder: Path) -> Iterator[Unprofiled | None]:
    """Give psql on a server of its own, where postgres is installed."""
    if not all(shutil.which(name) for name in ("psql", "initdb", "pg_ctl")):
        yield None
        return
    data = folder / "pg"
    data.mkdir()
    user: list[str] = []
    if os.getuid() == 0:
        user = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
        folder.chmod(0o755)
        os.chown(data, NOBODY, NOBODY)

    def run(*words: str) -> None:
        subprocess.run([*user, *words], cwd=data, check=True, stdout=subprocess.DEVNULL)

    run("initdb", "-D", f"{data}/db", "-A", "trust", "-U", "postgres", "--no-sync")
    control = ("pg_ctl", "-D", f"{data}/db", "-w", "-l", f"{data}/log")
    run(*control, "-o", f"-k {data} -c listen_addresses=''", "start")
    try:
        yield Unprofiled(
            name="psql",
            kind=Kind.REPL,
            argv=["psql", "-X", "-U", "postgres", "-h", str(data)],
            message="\\echo pg\\\\ \\echo 42",
            shows="42",
        )
    finally:
        run(*control, "-m", "immediate", "stop")


async def run_all(
    programs: Iterable[Unprofiled], folder: Path, side_by_side: int
) -> dict[str, Trial]:
    """Try every program; so many at a time."""
    found: dict[str, Trial] = {}
    seats = asyncio.Semaphore(side_by_side)
    reads = InputReads()

    async def one(stage: Stage, program: Unprofiled) -> None:
        async with seats:
            found[program.name] = await attempt_message(
                stage, program, reads, believe_within_s=8.0 if program.slow else 6.0
            )
            print(".", end="", file=sys.stderr, flush=True)

    try:
        async with open_stage(folder) as stage, asyncio.TaskGroup() as group:
            for program in programs:
                group.create_task(one(stage, program))
    finally:
        reads.close()
    return found


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [list(head), *(list(map(str, row)) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def cells(trial: Trial) -> list[str]:
    fate = trial.fate
    if trial.reason not in ("", "none"):
        fate += f" ({trial.reason})"
    bold = trial.verdict if trial.verdict == "right" else f"**{trial.verdict}**"
    got = "nothing"
    if trial.n_bytes or trial.n_taken or trial.n_reads:
        got = f"{trial.took}, {trial.n_reads} reads"
    return [f"{trial.state}, {trial.after_s:.2f} s", trial.rule, fate, got, bold]


def report(by_level: dict[str, dict[str, Trial]], programs: list[Unprofiled]) -> str:
    heads = ["program", "is"]
    for level in by_level:
        heads += [f"{level}: believed, after", "by", "the message", "the program got", "verdict"]
    rows = [
        [p.name, p.kind.value, *(c for trials in by_level.values() for c in cells(trials[p.name]))]
        for p in programs
    ]
    return table(heads, rows)


VERDICTS = {
    "right": "it was taken once, or nothing was typed where nothing belongs",
    "held": "the program would take it; nothing was typed",
    "unproven": "it was typed, and what became of it is not known",
    "ahead": "it was typed before the program reads, without Enter, and is reported so",
    "UNSAFE": "something was typed where it must not be, or taken twice",
}


def summary(by_level: dict[str, dict[str, Trial]]) -> str:
    rows = []
    for level, trials in by_level.items():
        takes = [t for t in trials.values() if t.program.takes]
        row = [level, len(trials), f"{sum(t.verdict == 'right' for t in takes)}/{len(takes)}"]
        for verdict in VERDICTS:
            names = [t.program.name for t in trials.values() if t.verdict == verdict]
            listed = f" ({'; '.join(names)})" if names and verdict != "right" else ""
            row.append(f"{len(names)}{listed}")
        rows.append(row)
    return table(["probe", "programs", "take a message: got it", *VERDICTS], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="programs by name")
    parser.add_argument("--levels", nargs="*", default=["full", "none"])
    parser.add_argument("--side-by-side", type=int, default=1, help="programs at a time")
    parser.add_argument("--screens", action="store_true", help="also the screens of what is wrong")
    options = parser.parse_args()
    by_level: dict[str, dict[str, Trial]] = {}
    with tempfile.TemporaryDirectory(prefix="panegate-risks-") as base:
        programs = [p for p in PROGRAMS if not options.only or p.name in options.only]
        missing = [p for p in programs if shutil.which(p.program) is None]
        programs = [p for p in programs if p not in missing]
        with postgres(Path(base)) if not options.only else contextlib.nullcontext() as psql:
            programs += [psql] if psql else []
            for level in options.levels:
                os.environ["PANEGATE_PROBE"] = level
                folder = Path(base) / level
                folder.mkdir()
                by_level[level] = asyncio.run(run_all(programs, folder, options.side_by_side))
    tmux = subprocess.run(["tmux", "-V"], capture_output=True, text=True, check=True).stdout
    system = f"Linux {platform.release()}, {platform.machine()}, {os.cpu_count()} cores"
    print(f"\n{system}, Python {platform.python_version()}, {tmux.strip()}.\n")
    print(summary(by_level))
    print()
    print("\n".join(f"* *{name}*: {words}" for name, words in VERDICTS.items()))
    print()
    print(report(by_level, programs))
    for program in missing:
        print(f"\nNot measured: {program.name} (no {program.program} here)")
    wrong = [t for ts in by_level.values() for t in ts.values() if t.verdict != "right"]
    if options.screens:
        for trial in wrong:
            print(f"\n=== {trial.program.name}: {trial.state}: {trial.words}")
            print("\n".join(trial.screen).rstrip())
    if any(t.verdict == "UNSAFE" for t in wrong):
        raise SystemExit(1)


if __name__ == "__main__":
    main()

"""What `panegate-hook` costs the program that runs it, beside `python -c pass`.

    python bench/hook.py            # 200 runs of each, turn by turn
    python bench/hook.py --runs 40

Both run the same interpreter. The console script is used where it is installed beside it; else
what that script does. Prints the ratio of the medians and of the fastest runs.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["main", "measure"]

_ROOT = Path(__file__).resolve().parent.parent / "controller"
_SCRIPT = (
    f"import sys; sys.path.append({str(_ROOT)!r})\n"
    "from panegate.probes.hooks.entry import main\nmain()"
)
_REPORT = b'{"hook_event_name": "Stop", "session_id": "s", "transcript_path": "/x", "cwd": "/y"}'


def _took_s(argv: Sequence[str], environ: Mapping[str, str]) -> float:
    began_s = time.perf_counter()
    subprocess.run(argv, input=_REPORT, env=environ, check=True)
    return time.perf_counter() - began_s


def measure(runs: int) -> dict[str, list[float]]:
    """Return the seconds that each run took, by what was run."""
    installed = Path(sys.executable).parent / "panegate-hook"
    hook = [str(installed)] if installed.exists() else [sys.executable, "-c", _SCRIPT]
    took: dict[str, list[float]] = {"python -c pass": [], "panegate-hook": []}
    with tempfile.TemporaryDirectory() as folder:
        place = {"PANEGATE_RUNTIME": f"{folder}/run", "PYTHONPYCACHEPREFIX": f"{folder}/pyc"}
        environ = {**os.environ, "TMUX": "/s,1,0", "TMUX_PANE": "%1", **place}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        _took_s(hook, environ)  # compiles
        for _ in range(runs):
            took["python -c pass"].append(_took_s([sys.executable, "-c", "pass"], environ))
            took["panegate-hook"].append(_took_s(hook, environ))
    return took


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=200)
    took = measure(parser.parse_args().runs)
    bare, hook = took["python -c pass"], took["panegate-hook"]
    print("| run | n | fastest ms | p50 ms | p95 ms |\n|---|---|---|---|---|")
    for name, times in took.items():
        p95 = statistics.quantiles(times, n=20)[-1]
        p50 = statistics.median(times)
        row = (f"{1000 * seconds:.1f}" for seconds in (min(times), p50, p95))
        print(f"| {name} | {len(times)} | {' | '.join(row)} |")
    ratio = statistics.median(hook) / statistics.median(bare)
    print(f"\nratio of the medians {ratio:.2f}, of the fastest {min(hook) / min(bare):.2f}")


if __name__ == "__main__":
    main()

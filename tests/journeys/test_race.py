"""The short form of the race between a write and a dialog; `race` says what is counted."""

from pathlib import Path

import pytest

from .race import VARIANTS, Trial, count, run, table

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

ROUNDS = 10


def odd(trials: list[Trial]) -> str:
    """The table, and the trials that should not be."""
    wrong = [t for t in trials if t.violations or t.false_landed or t.taken > 1 or t.unexplained]
    return "\n".join([table(trials), *map(str, wrong)])


@pytest.mark.asyncio
async def test_with_the_guard_no_byte_follows_a_dialog_into_the_terminal(tmp_path: Path):
    """Whenever it opens: before the text, between text and Enter, after the Enter."""
    trials = await run(
        VARIANTS, n_trials=72, n_panes=2 * len(VARIANTS), seed=5, folder=tmp_path, guards=[True]
    )
    counts = count(trials)
    assert counts["trials"] == 72
    assert all(trial.opened for trial in trials)
    wrong = ("violations", "answered", "false landed", "doubled", "unexplained")
    assert {name: counts[name] for name in wrong} == dict.fromkeys(wrong, 0), odd(trials)
    assert counts["landed"] > 5, odd(trials)
    assert counts["withheld"] > 5, odd(trials)


@pytest.mark.asyncio
async def test_without_the_guard_some_writes_answer_the_dialog(tmp_path: Path):
    """The look alone is not enough; and even then no receipt claims what was not taken.

    How many do is chance, and depends on how busy the machine is: rounds until some did.
    """
    fast = [variant for variant in VARIANTS if "marks" in variant.name]
    trials: list[Trial] = []
    for seed in range(ROUNDS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        trials += await run(fast, n_trials=60, n_panes=12, seed=seed, folder=folder, guards=[False])
        counts = count(trials)
        if counts["violations"] and counts["answered"]:
            break
    assert counts["violations"] > 0, odd(trials)
    assert counts["answered"] > 0, odd(trials)
    wrong = ("false landed", "doubled", "unexplained")
    assert {name: counts[name] for name in wrong} == dict.fromkeys(wrong, 0), odd(trials)

"""The short form of the race between an answer and a question; see `answer_race`."""

from pathlib import Path

import pytest

from .answer_race import FORMS, count, run, table
from .staging import KERNEL

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


@pytest.mark.asyncio
async def test_an_answer_never_follows_its_question_to_another_one(tmp_path: Path) -> None:
    """Whenever it changes: before the answer, between a text and its Enter, behind both."""
    trials = await run(n_trials=36, n_panes=len(FORMS), seed=7, folder=tmp_path)
    counts = count(trials)
    odd = [trial for trial in trials if trial.violations or trial.false_landed]
    assert counts["trials"] == 36
    wrong = ("violations", "false landed", "doubled")
    said = "\n".join([table(trials), *map(str, odd)])
    assert {name: counts[name] for name in wrong} == dict.fromkeys(wrong, 0), said
    assert counts["wrong"] <= counts["type-ahead"], said
    assert counts["landed"] > 5, said
    assert counts["refused"] + counts["withheld"] > (2 if KERNEL else 0), said


@pytest.mark.asyncio
async def test_without_the_guard_some_answers_reach_the_other_question(tmp_path: Path) -> None:
    trials = await run(n_trials=150, n_panes=2 * len(FORMS), seed=3, folder=tmp_path, guarded=False)
    counts = count(trials)
    assert counts["violations"] > 0, table(trials)
    assert counts["false landed"] == 0, table(trials)

"""The short form of the killed controllers; `kills` says what is counted."""

from pathlib import Path

import pytest

from .kills import Kill, count, run, table

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


def odd(kills: list[Kill]) -> str:
    return "\n".join([table(kills), *(words for kill in kills for words in kill.wrong)])


@pytest.mark.timeout(400)
@pytest.mark.asyncio
async def test_a_killed_controllers_writes_have_fates_that_are_true(tmp_path: Path):
    """SIGKILL at any moment; every second time beside a flood."""
    kills = await run(n_trials=24, seed=7, folder=tmp_path)
    counts = count(kills)
    assert counts["kills"] == 24
    assert (counts["no fate"], counts["wrong"]) == (0, 0), odd(kills)
    assert min(counts["landed"], counts["refused"], counts["unknown"]) > 5, odd(kills)

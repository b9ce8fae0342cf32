"""The short form of the nudge storm; `nudge_storm` says what is counted."""

from pathlib import Path

import pytest

from .nudge_storm import count, run, table

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


@pytest.mark.asyncio
async def test_nudges_reach_programs_that_read_and_never_a_dialog(tmp_path: Path):
    storm = await run(n_nudges=60, n_panes=12, seed=3, folder=tmp_path)
    counts = count(storm)
    assert counts["nudges"] == 60
    wrong = (
        "violations",
        "doubled",
        "false landed",
        "unexplained",
        "escalated twice",
        "not escalated",
    )
    assert {name: counts[name] for name in wrong} == dict.fromkeys(wrong, 0), table(storm)
    assert counts["owed"] >= 10, table(storm)
    assert counts["owed and not delivered"] == 0, table(storm)
    assert counts["refused"] > 0, table(storm)
    assert counts["escalated"] > 0, table(storm)

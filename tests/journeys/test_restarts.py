"""The short form of controllers that are killed while they call people; see `restarts`."""

from pathlib import Path

import pytest

from .restarts import NUDGES, run, table

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


@pytest.mark.asyncio
async def test_each_wait_has_one_escalation_however_often_the_controller_is_killed(
    tmp_path: Path,
):
    found = await run(n_panes=3, n_rounds=1, n_kills=2, n_idle_kills=2, seed=2, folder=tmp_path)
    assert len(found.commands) == 3
    assert [found.ids(command) for command in found.commands] == [1] * 3, table(found)
    assert max(found.unmarked(command) for command in found.commands) == 1, table(found)
    assert found.answered == 0, table(found)
    assert 0 < max(found.nudged) <= NUDGES, table(found)

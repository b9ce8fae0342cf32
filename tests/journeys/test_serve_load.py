"""Many writes through one service; the long form is `python -m tests.journeys.serve_load`."""

import sys

import pytest

from panegate.testing.servers import require_program

from .serve_load import carry

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


@pytest.mark.asyncio
async def test_every_write_has_its_fate_and_slow_readers_are_told_what_they_lost() -> None:
    require_program("tmux")
    load = await carry(n_writes=300, n_panes=10)
    assert load.problems == [], load.words
    assert load.fates == {"landed": 300}, load.words
    counts = load.statistics
    assert counts["writes"] == {"landed": 300, "landed:none": 300}
    for seen, lost, n_events in load.slow:
        assert lost > 0, load.words
        assert seen + lost == n_events, load.words
    assert counts["service"]["requests"]["send"] == 300
    if sys.platform == "linux":
        assert max(load.memory_mb) - load.memory_mb[0] < 40, load.words

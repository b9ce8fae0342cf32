"""Time in the stream: a host that blocks its loop, and clients killed beside a flood."""

import sys
from pathlib import Path

import pytest

from .staging import open_stage
from .stream_lab import QUIET_S, Stamps, block_the_loop, kill_client

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


@pytest.mark.asyncio
async def test_a_blocked_loop_makes_no_quiet_that_was_not_there(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        shipped = [
            await block_the_loop(stage, Stamps.THREAD, phase_s=phase_s)
            for phase_s in (0.0, 0.025, None, None)  # None: while a look is out
        ]
        naive = await block_the_loop(stage, Stamps.LOOP_TIMERS_FIRST, phase_s=0.0)
    quiet = [found for found in shipped if found.true_gap_s >= QUIET_S]
    if quiet:
        pytest.skip("this machine stopped the program itself for too long")
    assert [found.false_gap for found in shipped] == [False] * 4
    assert [(found.quiet_looks, found.ready) for found in shipped] == [(0, 0)] * 4
    # the same block with stamps taken where most hosts take them
    assert naive.false_gap


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads ages from /proc")
@pytest.mark.asyncio
async def test_a_killed_client_beside_a_flood_costs_no_program_and_no_message_twice(
    tmp_path: Path,
) -> None:
    async with open_stage(tmp_path) as stage:
        flooding = await stage.program("flood", within_s=None)
        composer = await stage.program("composer", profile="standin")
        for number, victim in enumerate((composer.pane, flooding.pane)):
            killed = await kill_client(stage, victim, composer, flooding.pane, number=number)
            assert killed.server_lives
            assert killed.told_right, killed
            assert killed.flood_goes_on
            assert (killed.next_fate, killed.next_taken) == ("landed", 1), killed

"""When a program counts as writing all the time."""

import pytest
from tests.session.rig import ABSENT, EDITOR, LINE_READ, LOOP, look

from panegate.panes.facts import KernelFact
from panegate.session.flood import FLOOD_BYTES, FLOOD_SPAN_S, LASTS_S, Flood
from panegate.terms import State


def flooded(at_s: float = 0.1) -> Flood:
    flood = Flood()
    for n in range(8):
        flood.output(FLOOD_BYTES // 4, at_s=at_s + 0.01 * n)
    return flood


def test_much_in_a_short_time_is_a_flood_for_a_while():
    flood = flooded()
    assert flood.is_on(now_s=0.2)
    assert flood.is_on(now_s=0.17 + LASTS_S)
    assert not flood.is_on(now_s=0.18 + LASTS_S)


def test_as_much_in_a_long_time_is_none():
    flood = Flood()
    for n in range(100):
        flood.output(FLOOD_BYTES // 4, at_s=n * (FLOOD_SPAN_S + 0.01))
    assert not flood.is_on(now_s=100 * (FLOOD_SPAN_S + 0.01))


def test_output_that_tmux_holds_back_prolongs_a_flood_and_begins_none():
    flood = flooded()
    flood.dropped(at_s=1.0)
    assert flood.is_on(now_s=0.9 + LASTS_S)
    quiet = Flood()
    quiet.dropped(at_s=1.0)
    assert not quiet.is_on(now_s=1.0)


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("kernel", [None, ABSENT, LOOP, EDITOR, LINE_READ])
def test_what_waits_at_its_terminal_or_asks_does_not_roll_by(
    state: State, kernel: KernelFact | None
):
    seen = look("y", kernel=kernel, asked_at_s=0.2)
    at_work = state in (State.BOOTING, State.BUSY, State.SILENT)
    waits = kernel in (EDITOR, LINE_READ)
    assert flooded().rolls_by(seen, state) is (at_work and not waits)

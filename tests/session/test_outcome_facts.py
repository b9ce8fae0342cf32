"""Facts of a session: what they amount to, and what not measured means."""

import pytest

from panegate.session.outcome_facts import Clocks, FaultMatch, SessionFacts, SessionLimits
from panegate.session.transcript import Tokens
from panegate.terms import FaultKind, State

FAULT = FaultMatch(kind=FaultKind.SERVER, text="✗ it broke", at_s=10.0, offset=1, row=0)
BOTH = SessionLimits(wall_s=100, mono_s=100)


@pytest.mark.parametrize(
    ("completed_at_s", "stands"), [(None, True), (9.0, True), (10.0, True), (10.1, False)]
)
def test_only_a_later_completed_turn_clears_a_fault(
    completed_at_s: float | None, stands: bool
) -> None:
    facts = SessionFacts(faults=(FAULT,), completed_at_s=completed_at_s)
    assert (facts.fault is FAULT) is stands


@pytest.mark.parametrize(
    ("wall_s", "mono_s", "limits", "timed_out", "wall"),
    [
        (99, 99, BOTH, False, False),
        (101, 101, BOTH, True, True),
        (101, 99.5, BOTH, True, True),  # the clocks agree as well as clocks do
        (500, 50, BOTH, False, True),
        (500, 50, SessionLimits(wall_s=100), False, True),
        (101, 100, SessionLimits(wall_s=100, mono_s=1000), True, True),
        (50, 500, SessionLimits(wall_s=100), False, False),
        (500, 500, SessionLimits(), False, False),
    ],
)
def test_a_limit_in_time_counts_where_both_clocks_have_reached_it(
    wall_s: float, mono_s: float, limits: SessionLimits, timed_out: bool, wall: bool
) -> None:
    facts = SessionFacts(clocks=Clocks(wall_s=wall_s, mono_s=mono_s), limits=limits)
    assert (facts.timed_out, facts.wall_reached) == (timed_out, wall)


def test_silence_is_a_limit_of_its_own() -> None:
    limits = SessionLimits(silence_s=60)
    assert SessionFacts(silent_s=60.0, limits=limits).timed_out
    assert not SessionFacts(silent_s=59.0, limits=limits).timed_out


def test_work_is_tokens_or_a_completed_turn() -> None:
    assert SessionFacts(tokens=Tokens(1)).worked
    assert SessionFacts(turns_completed=1).worked
    assert not SessionFacts(tokens=Tokens(0)).worked
    assert not SessionFacts(tokens=Tokens()).worked
    assert SessionFacts(state=State.READY).idle


def test_clocks_tell_sleep_from_a_clock_that_was_set() -> None:
    assert "asleep" in Clocks(wall_s=500, mono_s=50, boot_s=500).words
    assert "was set" in Clocks(wall_s=500, mono_s=50, boot_s=50).words
    unknown = Clocks(wall_s=500, mono_s=50)
    assert unknown.slept_s is None
    assert "jump of 450 s" in unknown.words
    assert "jump" not in Clocks(wall_s=50.4, mono_s=50).words


def test_limits_are_over_zero() -> None:
    with pytest.raises(ValueError, match="wall_s"):
        SessionLimits(wall_s=0)
    assert not SessionLimits()
    assert SessionLimits(silence_s=1)

"""One write's stages; the journeys through a whole pane are in tests/session."""

import pytest
from tests.gate.test_stages import write

from panegate.gate.policy import Situation
from panegate.gate.stages import Stage
from panegate.gate.write import WriteMachine
from panegate.terms import Fate, Reason, State


def test_the_deadline_ends_the_waiting_and_says_what_held_it():
    machine = write(deadline_s=3.0)
    machine.start(Situation(state=State.BUSY, unfinished_write=True), now_s=1.0)
    machine.poke(Situation(state=State.BUSY), now_s=1.1)
    machine.advance(now_s=2.9)
    assert machine.stage is not Stage.DONE
    machine.advance(now_s=3.0)
    assert machine.deadline_ran_out
    assert machine.receipt is not None
    assert machine.receipt.fate is Fate.REFUSED
    assert "2 s" in machine.receipt.words


def test_a_look_that_never_comes_ends_at_the_deadline_too():
    machine = write(deadline_s=3.0)
    machine.start(Situation(state=State.READY, confirmed=True), now_s=1.0)
    machine.advance(now_s=3.0)
    assert machine.receipt is not None
    assert (machine.receipt.fate, machine.receipt.n_bytes) == (Fate.REFUSED, 0)


@pytest.mark.parametrize(
    "reason", [Reason.GONE_PANE, Reason.CONNECTION_LOST, Reason.SERVER_UNREACHABLE]
)
def test_losing_the_pane_before_a_byte_is_a_refusal(reason: Reason):
    machine: WriteMachine = write()
    machine.start(Situation(state=State.READY, confirmed=True), now_s=1.0)
    machine.lost("the pane is gone", now_s=1.2, reason=reason)
    assert machine.receipt is not None
    assert machine.receipt.fate is Fate.REFUSED
    assert machine.receipt.reason is reason


def test_withdrawing_is_possible_until_a_byte_is_out():
    machine = write()
    machine.start(Situation(state=State.READY, confirmed=True), now_s=1.0)
    assert machine.withdraw(Reason.WITHDRAWN, "taken back", now_s=1.1)
    assert machine.receipt is not None
    assert machine.receipt.fate is Fate.WITHDRAWN
    assert not machine.withdraw(Reason.WITHDRAWN, "again", now_s=1.2)

"""What a write knows of itself before it begins and after it ends."""

from panegate.gate.plan import WriteRequest
from panegate.gate.policy import Situation
from panegate.gate.stages import Stage
from panegate.gate.write import WriteMachine
from panegate.ids import PaneId
from panegate.profiles import load
from panegate.terms import Fate, Intent, Reason, State


def write(deadline_s: float | None = 5.0) -> WriteMachine:
    request = WriteRequest(
        write_id="w",
        pane_id=PaneId("%1"),
        intent=Intent.MESSAGE,
        asked_s=1.0,
        deadline_s=deadline_s,
        text="hi",
        text_digest="d",
    )

    def no_guard(*_: object) -> None:
        raise AssertionError("nothing may be written here")

    return WriteMachine(request=request, profile=load("bash"), make_guard=no_guard)  # type: ignore[arg-type]


def test_a_new_write_waits_and_has_written_nothing():
    machine = write()
    assert (machine.stage, machine.began, machine.in_hand) == (Stage.WAITING, False, False)
    assert machine.deadline_s == 5.0
    assert machine.take_action() is None


def test_a_look_is_wanted_once():
    machine = write()
    machine.start(Situation(state=State.READY, confirmed=True), now_s=1.0)
    assert machine.stage is Stage.CHECKING
    assert machine.take_look()
    assert not machine.take_look()


def test_the_receipt_of_a_refused_write_says_that_nothing_was_sent():
    machine = write()
    machine.start(Situation(gone=True), now_s=1.5)
    receipt = machine.receipt
    assert receipt is not None
    assert (receipt.fate, receipt.reason) == (Fate.REFUSED, Reason.GONE_PANE)
    assert (receipt.n_bytes, receipt.landed, receipt.attempts) == (0, False, 0)
    assert receipt.ms["total"] == 500.0
    assert machine.deadline_s is None


def test_a_finished_write_takes_nothing_more():
    machine = write()
    machine.start(Situation(gone=True), now_s=1.5)
    first = machine.receipt
    machine.lost("x", now_s=2.0)
    machine.advance(now_s=99.0)
    assert machine.receipt is first

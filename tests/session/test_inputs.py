"""Values fed in through `apply` are all that a pane needs."""

from tests.session.rig import ABSENT, EDITOR, PANE, look

from panegate.gate.guard import GuardReply, GuardResult
from panegate.gate.plan import WriteRequest
from panegate.panes.facts import ProbeLevel
from panegate.profiles import load
from panegate.session import inputs
from panegate.session.traits import TrackerTraits
from panegate.terms import Intent, Reason, State


def opened() -> inputs.Opened:
    return inputs.Opened(
        pane_id=PANE, pane_pid=100, profile="bash", traits=TrackerTraits(name="x"), at_s=1.0
    )


def test_a_tracker_opens_with_what_was_said_and_boots():
    tracker = inputs.open_tracker(opened(), load("bash"))
    assert (tracker.pane_id, tracker.traits.name, tracker.state) == (PANE, "x", State.BOOTING)


def test_output_and_a_look_make_it_ready():
    tracker = inputs.open_tracker(opened(), load("bash"))
    assert inputs.apply(tracker, inputs.OutputCame(PANE, rb"\033[?2004h$ ", 1.1))
    inputs.apply(tracker, inputs.Advance(PANE, 1.2))
    assert tracker.take_look() is not None
    seen = look("$ ", kernel=EDITOR, asked_at_s=1.2)
    inputs.apply(tracker, inputs.Looked(PANE, seen, 1.21))
    assert tracker.state is State.READY


def test_the_kernels_veto_saves_a_look_only_while_nobody_writes():
    tracker = inputs.open_tracker(opened(), load("bash"))
    assert inputs.apply(tracker, inputs.Prejudged(PANE, ABSENT, 1.1)) is True
    request = WriteRequest(
        write_id="w",
        pane_id=PANE,
        intent=Intent.MESSAGE,
        asked_s=1.2,
        deadline_s=None,
        text="hi",
    )
    inputs.apply(tracker, inputs.Written(PANE, request, 1.2))
    assert inputs.apply(tracker, inputs.Prejudged(PANE, ABSENT, 1.3)) is False


def test_every_other_value_is_taken():
    tracker = inputs.open_tracker(opened(), load("bash"))
    for item in (
        opened(),
        inputs.LookWanted(PANE, 2.0),
        inputs.LookLost(PANE, 2.1),
        inputs.LostOutput(PANE, 2.2),
        inputs.Resized(PANE, 2.25),
        inputs.Resized(PANE, 2.25),
        inputs.Watched(PANE, 1, 2.3),
        inputs.Hold(PANE, "me", 2.4),
        inputs.Reachable(PANE, False, "gone", 2.5),
        inputs.CarrierLost(PANE, "gone", 2.6),
        inputs.Replied(PANE, "none", GuardReply(GuardResult.MISSING), 2.7),
        inputs.Exited(PANE, "ended", 2.8),
        inputs.Gone(PANE, "gone", 2.9),
    ):
        assert inputs.apply(tracker, item)
    assert not inputs.apply(tracker, inputs.Withdrawn(PANE, "none", Reason.WITHDRAWN, "", 3.0))
    assert tracker.held == "me"
    assert tracker.state is State.EXITED
    assert ABSENT.level is ProbeLevel.FULL

"""Recorded values fed in again lead to the same events, and to nothing but events."""

import attrs
import pytest
from tests.session.rig import EDITOR, PANE, look

from panegate.gate.plan import WriteRequest
from panegate.profiles import load
from panegate.session import inputs
from panegate.session.events import StateChanged
from panegate.session.replaying import Replay, ReplayItem, replay
from panegate.session.traits import TrackerTraits
from panegate.terms import Intent, State

BASH = load("bash")
OTHER = "%8"


def opened(pane_id: str = PANE) -> ReplayItem:
    traits = TrackerTraits(name="x")
    item = inputs.Opened(pane_id=pane_id, pane_pid=100, profile="bash", traits=traits, at_s=1.0)
    return ReplayItem(item, BASH)


def story() -> list[ReplayItem]:
    request = WriteRequest(
        write_id="w", pane_id=PANE, intent=Intent.MESSAGE, asked_s=1.05, deadline_s=None, text="hi"
    )
    return [
        opened(),
        ReplayItem(inputs.Written(PANE, request, 1.05)),
        ReplayItem(inputs.OutputCame(PANE, rb"\033[?2004h$ ", 1.1)),
        ReplayItem(inputs.Advance(PANE, 1.2)),
        ReplayItem(inputs.Looked(PANE, look("$ ", kernel=EDITOR, asked_at_s=1.2), 1.21)),
    ]


def test_values_lead_to_the_events_of_the_run():
    (ready,) = replay(story())
    assert isinstance(ready, StateChanged)
    assert (ready.old, ready.new, ready.at_s) == (State.BOOTING, State.READY, 1.21)


def test_the_same_values_give_the_same_events_again():
    assert replay(story()) == replay(story()) != []


def test_what_a_write_would_send_is_not_kept():
    run = Replay()
    for given in story():
        run.feed(given)
    assert run.trackers[PANE].take_actions() == []
    assert run.trackers[PANE].take_look() is None


def test_each_pane_has_its_own_tracker():
    run = Replay()
    run.feed(opened())
    run.feed(opened(OTHER))
    run.feed(ReplayItem(inputs.Hold(OTHER, "me", 1.5)))
    assert (run.trackers[PANE].held, run.trackers[OTHER].held) == (None, "me")


def test_a_pane_that_is_opened_again_starts_anew():
    run = Replay()
    for given in story():
        run.feed(given)
    run.feed(opened())
    assert run.trackers[PANE].state is State.BOOTING


def test_values_of_a_pane_that_was_never_opened_are_passed_over():
    assert Replay().feed(ReplayItem(inputs.Hold(PANE, "me", 1.0))) == []


def test_a_pane_without_its_profile_is_an_error():
    with pytest.raises(ValueError, match=r"profile 'bash' of %\d+ is missing"):
        Replay().feed(attrs.evolve(opened(), profile=None))

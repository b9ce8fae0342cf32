"""Every cell of the gate's tables, by what it lets into a pane."""

import pytest
from tests.session.cells import (
    CELLS,
    OBSTACLES,
    check_cell,
    check_obstacle,
    check_right_of_way,
)

from panegate.gate.policy import CONDITIONS
from panegate.terms import Intent, State

OF_ONE_INTENT = ("takes no input while busy", "another prompt")


@pytest.mark.parametrize(("intent", "state"), CELLS)
def test_a_state_alone_lets_in_what_the_design_says(intent: Intent, state: State):
    check_cell(intent, state)


@pytest.mark.parametrize("intent", Intent)
@pytest.mark.parametrize("name", OBSTACLES)
def test_an_obstacle_keeps_out_what_the_design_says(name: str, intent: Intent):
    check_obstacle(name, intent)


@pytest.mark.parametrize("intent", Intent)
@pytest.mark.parametrize("name", OF_ONE_INTENT)
def test_a_condition_about_one_intent_leaves_the_others_alone(name: str, intent: Intent):
    check_right_of_way(name, intent)


def test_every_condition_is_tried():
    assert {c.name for c in CONDITIONS} == {*OBSTACLES, *OF_ONE_INTENT}

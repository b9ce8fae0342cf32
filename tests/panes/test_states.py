"""The table is total, exited is terminal, and time alone never makes a pane writable."""

import itertools
from pathlib import Path

import pytest

from panegate.panes.states import TRANSITIONS, PaneInput, render_table
from panegate.terms import State


def test_table_is_total():
    wanted = set(itertools.product(State, PaneInput))
    assert set(TRANSITIONS) == wanted


@pytest.mark.parametrize("input_", list(PaneInput))
def test_exited_is_terminal(input_: PaneInput):
    assert TRANSITIONS[State.EXITED, input_] is State.EXITED


@pytest.mark.parametrize("state", list(State))
def test_gone_always_ends(state: State):
    assert TRANSITIONS[state, PaneInput.GONE] is State.EXITED


@pytest.mark.parametrize("state", [s for s in State if s is not State.READY])
@pytest.mark.parametrize(
    "input_", [PaneInput.QUIET_TOO_LONG, PaneInput.OUTPUT, PaneInput.BELIEF_NONE]
)
def test_nothing_but_evidence_makes_a_pane_ready(state: State, input_: PaneInput):
    assert TRANSITIONS[state, input_] is not State.READY


@pytest.mark.parametrize("state", [s for s in State if s is not State.PROMPTING])
def test_only_evidence_of_a_question_makes_a_pane_prompting(state: State):
    entering = [i for i in PaneInput if TRANSITIONS[state, i] is State.PROMPTING]
    assert entering in ([PaneInput.BELIEF_PROMPTING], [])


def test_render_shows_every_cell():
    rows = render_table()
    assert rows[0][1:] == [i.value for i in PaneInput]
    assert [row[0] for row in rows[1:]] == [s.value for s in State]
    assert rows[1][1 + list(PaneInput).index(PaneInput.QUIET_TOO_LONG)] == "silent"


def test_the_documented_table_is_the_one_in_the_code():
    """`controller/README.md` shows what `panegate states --markdown` prints."""
    readme = Path(__file__).parents[2] / "controller" / "README.md"
    shown = readme.read_text().split("<!-- states:begin -->")[1].split("<!-- states:end -->")[0]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in shown.splitlines()]
    body = [row for row in rows if len(row) > 1 and not set(row[1]) <= {"-"}]
    assert body == render_table()

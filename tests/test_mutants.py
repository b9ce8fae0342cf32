"""The gate broken one piece at a time: every break turns a behaviour test red."""

import contextlib

import attrs
import pytest

from .mutants import in_tmux, kill, survivors, tables


def test_without_a_break_no_test_is_red():
    whole = attrs.evolve(tables()[0], broken=contextlib.nullcontext)
    assert len(whole.tests) > 140
    assert kill(whole) is None


def test_every_flipped_cell_and_every_dropped_condition_of_the_gate_is_noticed():
    mutants = tables()
    assert len(mutants) > 150
    assert survivors(mutants) == []


@pytest.mark.tmux
@pytest.mark.slow
def test_every_dropped_term_of_the_guard_and_every_dropped_veto_is_noticed():
    mutants = in_tmux()
    assert len(mutants) > 25
    assert survivors(mutants) == []

"""Each shipped profile's vetoes against the questions of its program, in real tmux."""

from pathlib import Path

import pytest

from panegate.profiles import load, names
from panegate.testing.servers import PrivateServer

from .guard_lab import Lab
from .vetoes import QUESTIONS, check_vetoes

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_drawn_elsewhere_is_refused_by_the_vetoes_alone(
    tmux_server: PrivateServer, tmp_path: Path, name: str
):
    lab = Lab(tmux_server, tmp_path)
    try:
        check_vetoes(lab, load(name))
    finally:
        lab.close()


def test_every_profile_with_vetoes_has_its_questions_tried():
    assert {name for name in names() if load(name).vetoes} == set(QUESTIONS)

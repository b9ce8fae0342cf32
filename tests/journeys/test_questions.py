"""Real programs: everything they ask is found, quoted word for word, and answered."""

from pathlib import Path

import pytest

from .questions import Question, answer_all, require
from .questions_in_lines import ASKED_IN_LINES
from .questions_on_screens import ASKED_ON_SCREENS
from .staging import open_stage

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

QUESTIONS = (*ASKED_IN_LINES, *ASKED_ON_SCREENS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
@pytest.mark.asyncio
async def test_what_a_program_asks_is_quoted_and_answered_and_its_record_agrees(
    tmp_path: Path, question: Question
) -> None:
    require(question)
    async with open_stage(tmp_path) as stage:
        assert await answer_all(stage, question) == []

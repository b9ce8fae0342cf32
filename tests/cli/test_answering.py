"""Which question an answer is for, between commands that count episodes each from one."""

import pytest

from panegate.cli.answering import same_prompt


def test_the_same_question_is_the_same_whatever_its_episode():
    assert same_prompt("%3.1.abcdef01", "%3.7.abcdef01")


@pytest.mark.parametrize(
    "given",
    ["%4.1.abcdef01", "%3.1.abcdef02", "%3.1", "abcdef01", "", "%3.1.abcdef01.x", "..", "1"],
)
def test_another_pane_or_other_words_are_another_question(given: str):
    assert not same_prompt(given, "%3.1.abcdef01")

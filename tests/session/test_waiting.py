"""What a program waits on, in its record's own words."""

import attrs
import pytest

from panegate.ids import PaneId
from panegate.session.claims import Judgement, Standing
from panegate.session.events import Prompt
from panegate.session.transcript import Call, CallKind, Choice, Question
from panegate.session.waiting import prompt_of, with_record
from panegate.terms import Grade, PromptKind

TOOL = Call(id="a", name="Bash", input="rm -r build\n&& make")
PLAN = Call(id="p", name="ExitPlanMode", kind=CallKind.PLAN, input="# One\n- two")
ASK = Call(
    id="q",
    name="AskUserQuestion",
    kind=CallKind.QUESTION,
    questions=(
        Question(
            text="Which colour should it be?", choices=(Choice(label="Rot"), Choice(label="青"))
        ),
        Question(text="Why?"),
    ),
)


def waits(call: Call | None = None, last_words: str = "") -> Judgement:
    return Judgement(standing=Standing.WAITING, call=call, last_words=last_words)


def test_a_call_is_a_permission_with_its_input_verbatim():
    reading = prompt_of(waits(TOOL))
    assert (reading.kind, reading.question) == (PromptKind.PERMISSION, "Bash")
    assert reading.context == "rm -r build\n&& make"
    assert reading.options == ()


def test_a_question_comes_word_for_word_with_choices_without_keys():
    reading = prompt_of(waits(ASK))
    assert reading.kind is PromptKind.MENU
    assert reading.question == "Which colour should it be?\nWhy?"
    assert [(option.key, option.label) for option in reading.options] == [("", "Rot"), ("", "青")]


def test_a_plan_is_to_be_confirmed_and_last_words_are_text():
    plan = prompt_of(waits(PLAN))
    assert (plan.kind, plan.context) == (PromptKind.CONFIRM, "# One\n- two")
    words = prompt_of(waits(last_words="Shall I go on?"))
    assert (words.kind, words.question) == (PromptKind.TEXT, "Shall I go on?")


def test_another_call_is_another_question_and_the_same_one_is_not():
    marks = [prompt_of(waits(call)).fingerprint for call in (TOOL, PLAN, ASK)]
    again = prompt_of(waits(attrs.evolve(TOOL, id="b"))).fingerprint
    assert len({*marks, again}) == 4
    assert prompt_of(waits(TOOL)).fingerprint == marks[0]


def shown(question: str = "Do it?", context: str = "rm -r bu…") -> Prompt:
    return Prompt(
        id="%1.1.x",
        pane=PaneId("%1"),
        episode=1,
        kind=PromptKind.PERMISSION,
        question=question,
        context=context,
        options=(),
        default=None,
        secret=False,
        rows=("│ rm -r bu… │",),
        proof=Grade.SCREEN,
        since=0.0,
        where="",
    )


def test_the_records_text_stands_for_what_a_dialog_shows_cut():
    both = with_record(shown(), waits(TOOL))
    assert both.context == "rm -r build\n&& make"
    assert (both.question, both.rows, both.id) == ("Do it?", shown().rows, "%1.1.x")
    assert with_record(shown(), waits(PLAN)).context == "# One\n- two"


@pytest.mark.parametrize(
    ("on_screen", "question"),
    [
        ("Which colour should", "Which colour should it be?"),
        ("colour should it be?", "Which colour should it be?"),
        ("Which colour\nshould it be?", "Which colour\nshould it be?"),
        ("Something else?", "Something else?"),
        ("", ""),
    ],
)
def test_a_question_that_is_shown_cut_is_given_whole(on_screen: str, question: str):
    assert with_record(shown(on_screen), waits(ASK)).question == question


@pytest.mark.parametrize(
    "judgement",
    [Judgement(), attrs.evolve(waits(TOOL), standing=Standing.WORKING), waits(last_words="x")],
)
def test_without_an_open_call_the_screen_alone_speaks(judgement: Judgement):
    assert with_record(shown(), judgement) == shown()

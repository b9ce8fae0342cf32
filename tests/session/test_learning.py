"""A shell's prompt text is learned at its cycle, and never with a person's text in it."""

from tests.session.rig import EDITOR, look

from panegate.panes.facts import Mark, MarkKind
from panegate.panes.standing import StandingMarks
from panegate.profiles import load
from panegate.screen.grid import Grid
from panegate.session.learning import PromptLearner


def at_prompt(at_s: float = 1.0, marks: StandingMarks | None = None) -> StandingMarks:
    marks = marks or StandingMarks()
    marks.feed(Mark(MarkKind.PASTE_OFF, "", at_s - 0.1))
    marks.feed(Mark(MarkKind.PASTE_ON, "", at_s))
    return marks


BASH, SQLITE = load("bash"), load("sqlite3")


def learn(learner: PromptLearner, marks: StandingMarks, row: str, **known: object) -> None:
    profile = known.pop("profile", BASH)
    asked_at_s = float(known.pop("asked_at_s", 1.1))  # type: ignore[arg-type]
    seen = look(row, asked_at_s=asked_at_s, **known)  # type: ignore[arg-type]
    learner.learn(
        seen,
        Grid.from_look(seen),
        marks,
        profile=profile,  # type: ignore[arg-type]
        last_output_s=asked_at_s - 0.05,
    )


def test_learned_at_the_first_look_after_the_mark():
    learner = PromptLearner()
    learn(learner, at_prompt(), "host:~$ ", kernel=EDITOR)
    assert learner.prompt == ("host:~$ ", 8)


def test_a_look_older_than_the_mark_teaches_nothing():
    learner = PromptLearner()
    learn(learner, at_prompt(2.0), "host:~$ ", asked_at_s=1.5)
    assert learner.prompt is None


def test_what_follows_the_known_prompt_was_typed_by_somebody():
    learner, marks = PromptLearner(), at_prompt()
    learn(learner, marks, "$ ", kernel=EDITOR)
    learn(learner, at_prompt(3.0, marks), "$ rm -rf x", asked_at_s=3.1, kernel=EDITOR)
    assert learner.prompt == ("$ ", 2)


def test_a_prompt_printed_slowly_is_learned_whole_where_no_kernel_speaks():
    learner, marks = PromptLearner(), at_prompt()
    learn(learner, marks, "ho")
    learner.prompt = None
    learn(learner, marks, "host$ ", asked_at_s=1.2)
    assert learner.prompt == ("host$ ", 6)


def test_nothing_is_learned_once_something_of_ours_was_typed():
    learner = PromptLearner()
    learner.typed = True
    learn(learner, at_prompt(), "$ echo", kernel=EDITOR)
    assert learner.prompt is None


def test_without_marks_only_an_empty_line_behind_a_prompt_sign_is_believed():
    learner = PromptLearner()
    learn(learner, StandingMarks(), "$ make te")
    assert learner.prompt is None
    learn(learner, StandingMarks(), "root@host:/# ")
    assert learner.prompt == ("root@host:/# ", 13)


def test_row_follows_scrolling_and_ends_with_the_cycle():
    learner, marks = PromptLearner(), at_prompt()
    learn(learner, marks, "$ ", kernel=EDITOR, history_size=5)
    assert learner.row(look("$ ", history_size=5), marks, profile=BASH) == 0
    assert learner.row(look("text", history_size=7), marks, profile=BASH) == -2
    marks.feed(Mark(MarkKind.PASTE_OFF, "", 9.0))
    assert learner.row(look("$ ", history_size=5), marks, profile=BASH) is None


def test_of_a_repl_only_its_own_prompt_and_only_out_of_sight():
    """Its rows below the first have continuation prompts, which its profile knows."""
    learner, marks = PromptLearner(), at_prompt()
    learn(learner, marks, "Really? (y or n) ", kernel=EDITOR, profile=SQLITE)
    assert learner.prompt is None
    learn(learner, marks, "sqlite> ", kernel=EDITOR, profile=SQLITE)
    assert learner.row(look("sqlite> x"), marks, profile=SQLITE) is None
    assert learner.row(look("text", history_size=2), marks, profile=SQLITE) == -2
    guessed = PromptLearner()
    learn(guessed, StandingMarks(), "Continue> ", profile=SQLITE)
    assert guessed.prompt is None


def test_a_question_with_the_same_marks_is_not_a_prompt():
    """``read -e -p 'name? '`` and PS2 turn ?2004 on as a prompt does."""
    learner, marks = PromptLearner(), at_prompt()
    learn(learner, marks, "host:~$ ", kernel=EDITOR)
    for text in ("name? ", "> "):
        learn(learner, at_prompt(5.0, marks), text, asked_at_s=5.1, kernel=EDITOR)
        assert learner.prompt == ("host:~$ ", 8)
        assert learner.row(look(text), marks, profile=BASH) is None

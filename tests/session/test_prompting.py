"""Prompt ids: same words same episode, other words another one."""

import attrs

from panegate.ids import PaneId
from panegate.panes.beliefs import Belief, BeliefKind
from panegate.panes.facts import OptionReading, PromptReading
from panegate.session.events import PromptChanged, PromptClosed, PromptOpened
from panegate.session.prompting import REOPEN_S, PromptEpisodes
from panegate.terms import Grade, PromptKind


def asks(question: str, fingerprint: str) -> Belief:
    reading = PromptReading(kind=PromptKind.CONFIRM, question=question, fingerprint=fingerprint)
    return Belief(kind=BeliefKind.PROMPTING, grade=Grade.SCREEN, words="", rule="t", prompt=reading)


def episodes() -> PromptEpisodes:
    return PromptEpisodes(pane_id=PaneId("%4"))


def test_a_question_opens_once_however_often_it_is_seen():
    known = episodes()
    opened = known.seen(asks("Go on?", "aaaabbbbcccc"), at_s=1.0)
    assert [type(e) for e in opened] == [PromptOpened]
    assert known.seen(asks("Go on?", "aaaabbbbcccc"), at_s=2.0) == []
    assert known.current is not None
    assert known.current.id == "%4.1.aaaabbbb"
    assert known.current.since == 1.0


def test_other_words_are_another_episode():
    known = episodes()
    known.seen(asks("Go on?", "aaaabbbb"), at_s=1.0)
    (event,) = known.seen(asks("Delete all?", "ccccdddd"), at_s=2.0)
    assert isinstance(event, PromptChanged)
    assert (event.old_id, event.prompt.id) == ("%4.1.aaaabbbb", "%4.2.ccccdddd")


def test_leaving_says_whether_an_answer_of_ours_went_in():
    known = episodes()
    known.seen(asks("Go on?", "aaaabbbb"), at_s=1.0)
    known.answered()
    (closed,) = known.left(at_s=3.0)
    assert isinstance(closed, PromptClosed)
    assert closed.answered
    assert known.left(at_s=4.0) == []


def test_the_same_words_back_within_seconds_are_the_same_episode_and_nobody_is_told():
    known = episodes()
    known.seen(asks("Go on?", "aaaabbbb"), at_s=1.0)
    for n in range(6):
        assert known.left(at_s=2.0 + 2 * n) == []
        assert known.deadline_s == 2.0 + 2 * n + REOPEN_S
        assert known.advance(now_s=3.9 + 2 * n) == []
        assert known.seen(asks("Go on?", "aaaabbbb"), at_s=3.9 + 2 * n) == []
        assert known.deadline_s is None
    assert known.current is not None
    assert (known.current.id, known.current.since) == ("%4.1.aaaabbbb", 1.0)


def test_a_question_that_stays_away_is_over_once_and_since_it_left():
    known = episodes()
    known.seen(asks("Go on?", "aaaabbbb"), at_s=1.0)
    known.left(at_s=2.0)
    known.left(at_s=3.0)
    (closed,) = known.advance(now_s=2.0 + REOPEN_S)
    assert isinstance(closed, PromptClosed)
    assert (closed.prompt_id, closed.answered, closed.at_s) == ("%4.1.aaaabbbb", False, 2.0)
    assert known.advance(now_s=9.0) == []
    (event,) = known.seen(asks("Go on?", "aaaabbbb"), at_s=9.0)
    assert isinstance(event, PromptOpened)
    assert event.prompt.episode == 2


def test_other_words_within_seconds_close_the_first_question():
    known = episodes()
    known.seen(asks("Go on?", "aaaabbbb"), at_s=1.0)
    known.left(at_s=2.0)
    events = known.seen(asks("Delete all?", "ccccdddd"), at_s=2.5)
    assert [type(event) for event in events] == [PromptClosed, PromptOpened]


def test_when_the_program_ends_or_was_answered_the_question_is_over_at_once():
    known = episodes()
    known.seen(asks("Go on?", "aaaabbbb"), at_s=1.0)
    assert [type(e) for e in known.left(at_s=2.0, for_good=True)] == [PromptClosed]
    known.seen(asks("Go on?", "aaaabbbb"), at_s=3.0)
    known.answered()
    assert [type(e) for e in known.left(at_s=4.0)] == [PromptClosed]


def test_the_same_words_after_an_answer_that_landed_are_asked_anew():
    known = episodes()
    known.seen(asks("Which one?", "aaaabbbb"), at_s=1.0)
    known.answered()
    assert known.seen(asks("Which one?", "aaaabbbb"), at_s=1.1) == []
    known.taken("%4.7.ffffffff")
    assert known.seen(asks("Which one?", "aaaabbbb"), at_s=1.2) == []
    known.taken("%4.1.aaaabbbb")
    (event,) = known.seen(asks("Which one?", "aaaabbbb"), at_s=1.5)
    assert isinstance(event, PromptChanged)
    assert (event.old_id, event.prompt.id) == ("%4.1.aaaabbbb", "%4.2.aaaabbbb")


def test_a_moved_highlight_is_no_news_but_is_shown():
    known = episodes()
    belief = asks("Go on?", "aaaabbbb")
    known.seen(belief, at_s=1.0)
    assert belief.prompt is not None
    moved = attrs.evolve(belief.prompt, options=(OptionReading(key="", label="No"),), default="No")
    assert known.seen(attrs.evolve(belief, prompt=moved), at_s=2.0) == []
    assert known.current is not None
    assert known.current.default == "No"
    assert [option.label for option in known.current.options] == ["No"]


def test_is_current_needs_the_very_words():
    known = episodes()
    belief = asks("Go on?", "aaaabbbb")
    assert not known.is_current(belief.prompt, belief)
    known.seen(belief, at_s=1.0)
    assert known.is_current(belief.prompt, None)
    assert not known.is_current(asks("x", "ccccdddd").prompt, belief)


LONG = "This removes all of these files, and nobody can bring them back. Do you want that?"


def shows(question: str, fingerprint: str, *, cut: bool = False, label: str = "Yes") -> Belief:
    belief = asks(question, fingerprint)
    assert belief.prompt is not None
    options = (OptionReading(key="", label=label),)
    return attrs.evolve(belief, prompt=attrs.evolve(belief.prompt, options=options, cut=cut))


def test_the_end_of_a_question_on_a_smaller_screen_is_the_same_question():
    known = episodes()
    known.seen(shows(LONG, "aaaabbbb"), at_s=1.0)
    assert known.seen(shows(LONG[20:], "ccccdddd", cut=True), at_s=2.0) == []
    assert known.current is not None
    assert (known.current.question, known.current.unseen) == (LONG, "")
    assert known.is_current(shows(LONG[20:], "ccccdddd", cut=True).prompt, None)
    assert known.seen(shows(LONG, "aaaabbbb"), at_s=3.0) == []


def test_what_was_cut_is_known_when_it_comes_into_sight():
    known = episodes()
    known.seen(shows(LONG[20:], "ccccdddd", cut=True), at_s=1.0)
    assert known.current is not None
    assert known.current.unseen
    assert known.seen(shows(LONG, "aaaabbbb"), at_s=2.0) == []
    assert (known.current.question, known.current.unseen) == (LONG, "")
    assert known.current.id == "%4.1.ccccdddd"


def test_another_end_other_options_or_too_short_an_end_are_another_question():
    for other in (
        shows(LONG[20:].replace("files", "folders"), "ccccdddd", cut=True),
        shows(LONG[20:], "ccccdddd", cut=True, label="No"),
        shows(LONG[20:], "ccccdddd"),
        shows(LONG[-20:], "ccccdddd", cut=True),
    ):
        known = episodes()
        known.seen(shows(LONG, "aaaabbbb"), at_s=1.0)
        assert [type(event) for event in known.seen(other, at_s=2.0)] == [PromptChanged]

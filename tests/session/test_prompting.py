"""Prompt ids: same words same episode, other words another one."""

from panegate.ids import PaneId
from panegate.panes.beliefs import Belief, BeliefKind
from panegate.panes.facts import PromptReading
from panegate.session.events import PromptChanged, PromptClosed, PromptOpened
from panegate.session.prompting import PromptEpisodes
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


def test_the_same_words_after_a_close_are_a_new_episode():
    known = episodes()
    known.seen(asks("Go on?", "aaaabbbb"), at_s=1.0)
    known.left(at_s=2.0)
    (event,) = known.seen(asks("Go on?", "aaaabbbb"), at_s=3.0)
    assert isinstance(event, PromptOpened)
    assert event.prompt.episode == 2


def test_is_current_needs_the_very_words():
    known = episodes()
    belief = asks("Go on?", "aaaabbbb")
    assert not known.is_current(belief.prompt, belief)
    known.seen(belief, at_s=1.0)
    assert known.is_current(belief.prompt, None)
    assert not known.is_current(asks("x", "ccccdddd").prompt, belief)

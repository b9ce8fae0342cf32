"""The words that people read."""

import time

import attrs
import click
import pytest

from panegate.cli.words import (
    at_server,
    columns,
    error_words,
    event_words,
    prompt_words,
    receipt_words,
)
from panegate.errors import LaunchFailed, Refused
from panegate.gate.receipt import Receipt
from panegate.panes.facts import OptionReading
from panegate.service.views import Screen
from panegate.session import events
from panegate.terms import (
    Advice,
    EscalationCause,
    Fate,
    Grade,
    Intent,
    OutcomeKind,
    PromptKind,
    Reason,
    State,
)

PROMPT = events.Prompt(
    id="%1.1.abcdef01",
    pane="%1",
    episode=1,
    kind=PromptKind.MENU,
    question="Run it?",
    context="rm -rf ./build",
    options=(
        OptionReading(key="1", label="Yes", highlighted=True),
        OptionReading(key="", label="No"),
    ),
    default="1",
    where="tmux attach",
)
RECEIPT = Receipt(
    write_id="w",
    pane="%1",
    intent=Intent.MESSAGE,
    fate=Fate.NOT_LANDED,
    reason=Reason.NO_ECHO,
    n_bytes=2,
    text_digest="",
    state_before=State.READY,
    state_after=State.READY,
    ms={"held": 1.23, "total": 9.0},
    words="Not landed: it shows nothing.",
    left_behind="hi",
)
NOW = time.monotonic()
EVENTS = [
    (events.PaneOpened(pane="%1", name="w1", profile="bash", at_s=NOW), "is watched (bash)"),
    (
        events.StateChanged(
            pane="%1", old=State.BUSY, new=State.READY, grade=Grade.MARK, words="why", at_s=NOW
        ),
        "busy -> ready: why",
    ),
    (events.PromptOpened(pane="%1", prompt=PROMPT, at_s=NOW), "asks (menu): Run it?"),
    (
        events.PromptChanged(pane="%1", old_id="x", prompt=PROMPT, at_s=NOW),
        "asks (menu): Run it?",
    ),
    (
        events.PromptClosed(pane="%1", prompt_id="x", answered=True, at_s=NOW),
        "its question is gone (answered)",
    ),
    (
        events.WriteHeld(pane="%1", write_id="w", reason=Reason.BUSY, words="busy.", at_s=NOW),
        "a write waits: busy.",
    ),
    (
        events.WriteFinished(pane="%1", receipt=RECEIPT, at_s=NOW),
        "message: Not landed: it shows nothing. (9.0 ms)",
    ),
    (
        events.PaneExited(pane="%1", status=3, signal=None, words="x", rows=(), at_s=NOW),
        "exited: status 3",
    ),
    (
        events.PaneExited(pane="%1", status=None, signal=9, words="x", rows=(), at_s=NOW),
        "exited: signal 9",
    ),
    (
        events.LimitReached(
            pane="%1",
            limit="mono_s",
            limit_s=60.0,
            elapsed_s=60.1,
            jump_s=0.0,
            words="the limit mono_s = 60 is reached",
            at_s=NOW,
        ),
        "the limit mono_s = 60 is reached",
    ),
    (
        events.OutcomeReached(
            pane="%1",
            kind=OutcomeKind.LIMITED,
            advice=Advice.PAUSE,
            over=False,
            words="It stands at a limit screen.",
            rule="limit_screen",
            at_s=NOW,
        ),
        "limited so far (advice: pause): It stands at a limit screen.",
    ),
    (
        events.Escalated(
            pane="%1",
            escalation="e",
            cause=EscalationCause.PROMPT,
            question="Run it?",
            where="tmux attach",
            prompt=PROMPT,
            waited_s=900.0,
            words="It has asked for 900 s.",
            repeated=True,
            at_s=NOW,
        ),
        "needs a person: It has asked for 900 s. (again: nobody may have been told)",
    ),
    (
        events.Nudged(
            pane="%1",
            fate=Fate.LANDED,
            reason=Reason.NONE,
            in_silence=1,
            in_session=2,
            words="Landed.",
            at_s=NOW,
        ),
        "nudge 2: Landed.",
    ),
    (events.ServerLost(words="died", at_s=NOW), "lost: died"),
    (events.ServerBack(at_s=NOW), "answers again"),
    (events.Dropped(count=3, at_s=NOW), "3 events were dropped: this reader was too slow"),
]


@pytest.mark.parametrize(("event", "words"), EVENTS, ids=lambda v: type(v).__name__)
def test_each_event_has_words(event: events.Event, words: str):
    assert words in click.unstyle(event_words(event, {"%1": "w1"}))


@pytest.mark.parametrize(
    ("fix", "shown"),
    [
        ("end it: panegate close w1", "end it: panegate close -S /s w1"),
        ("panegate doctor says more", "panegate doctor -S /s says more"),
        ("panegate ls --all lists its panes", "panegate ls -S /s --all lists its panes"),
        ("panegate answer -S /s %1 x --text TEXT", "panegate answer -S /s %1 x --text TEXT"),
        ("panegate send --help lists what it takes", "panegate send --help lists what it takes"),
        ("panegate profiles check FILE", "panegate profiles check FILE"),
        ("install tmux", "install tmux"),
        ("", ""),
    ],
)
def test_advised_commands_act_on_the_server_that_was_named(fix: str, shown: str):
    assert at_server(fix, "-S /s ") == shown
    assert at_server(fix, "") == fix


def test_boxes_and_what_cannot_be_seen_are_said():
    boxes = (
        OptionReading(key="a", label="tests", ticked=True),
        OptionReading(key="b", label="docs", ticked=False),
    )
    prompt = attrs.evolve(PROMPT, options=boxes, many=True, unseen="rows above are gone")
    words = click.unstyle(prompt_words(prompt))
    assert "a  [x] tests" in words
    assert "b  [ ] docs" in words
    assert "several may be chosen: KEY,KEY" in words
    assert "not all of it can be seen: rows above are gone" in words
    assert "[ ]" not in prompt_words(PROMPT)


def test_every_event_there_is_has_words():
    kinds = {type(event).__name__ for event, _ in EVENTS}
    assert kinds == set(events.__all__) - {"Event", "PaneEvent", "Prompt"}


def test_a_question_is_shown_word_for_word_with_its_options():
    rows = click.unstyle(prompt_words(PROMPT, server="-S /s ")).split("\n")
    assert rows == [
        "Run it?",
        "  about: rm -rf ./build",
        "  > 1  Yes",
        "    2  No",
        "  Enter alone takes: 1",
        "  answer: panegate answer -S /s %1 %1.1.abcdef01 OPTION",
        "  or go there: tmux attach",
    ]


def test_a_receipt_is_its_sentence_its_times_and_what_was_left():
    assert click.unstyle(receipt_words(RECEIPT, "w1", server="-L x ")).split("\n") == [
        "w1: Not landed: it shows nothing.",
        "  ms: held 1.2, total 9.0",
        "  left behind in the composer: 'hi'; panegate clear -L x w1 removes it",
    ]


def test_a_refusal_shows_the_question_behind_it():
    said = click.unstyle(error_words(Refused("it asks", prompt=PROMPT, fix="answer it")))
    assert said.startswith("panegate: it asks\nRun it?\n")
    assert said.endswith("what to do: answer it")


def test_a_failed_launch_shows_the_last_rows():
    screen = Screen(rows=("oops", ""), cursor=(0, 0), columns=80, lines=2, at=0.0)
    said = click.unstyle(error_words(LaunchFailed("it ended", screen=screen)))
    assert said == "panegate: it ended\n  | oops"


def test_columns_are_aligned_without_their_colours():
    table = columns([["a", "b"], [click.style("long", fg="red"), "x"], ["c", "y"]])
    assert click.unstyle(table).split("\n") == ["a     b", "long  x", "c     y"]

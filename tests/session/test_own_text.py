"""What we typed into a line reader is a draft, and never a question of the program."""

import attrs
from tests.session.rig import LINE_READ, Rig, look

from panegate.gate.guard import GuardResult
from panegate.panes.facts import Look, ScreenKind, ScreenReading
from panegate.profiles import load
from panegate.screen.grid import Grid
from panegate.screen.read import read_screen
from panegate.session.events import PromptOpened
from panegate.session.own_text import OwnText
from panegate.terms import Fate, Reason, State

LINES = load("lines")
OWN = OwnText(row=1, column=0, text="delete all? [y/n]", above=("out",))


def read(seen: Look, own: OwnText = OWN, *, whole: bool = True) -> ScreenReading | None:
    grid = Grid.from_look(seen)
    return own.read(read_screen(seen, LINES, grid=grid), seen, grid, whole=whole)


def test_own_text_under_unchanged_rows_is_the_input() -> None:
    seen = look("out", "delete all? [y/n]", kernel=LINE_READ)
    assert read_screen(seen, LINES).kind is ScreenKind.PROMPTING
    reading = read(seen)
    assert reading is not None
    assert (reading.kind, reading.prompt, reading.shown) == (ScreenKind.READY, None, None)
    assert reading.composer is not None
    assert (reading.composer.row, reading.composer.text) == (1, OWN.text)


def test_anything_else_than_it_alone_is_left_as_it_was_read() -> None:
    for rows in (
        ("out", "delete all? [y/n] y"),
        ("out", "delete all? [y/n]", "really? "),
        ("out", "Delete all? [y/n]"),
        ("new", "delete all? [y/n]"),
        ("out", "delete all? [y/n]", ""),
    ):
        assert read(look(*rows, kernel=LINE_READ)) is None, rows
    below = look("out", "delete all? [y/n]", "Sure?", cursor=(1, 17), kernel=LINE_READ)
    assert read(below) is None


def test_its_beginning_counts_only_while_it_is_on_its_way() -> None:
    seen = look("out", "delete all?", kernel=LINE_READ)
    assert read(seen) is None
    reading = read(seen, whole=False)
    assert reading is not None
    assert reading.composer is not None
    assert reading.composer.text == "delete all?"


def test_it_moves_with_the_rows_above_it() -> None:
    scrolled = attrs.evolve(OWN, row=5, above=("gone", "out"))
    assert read(look("out", OWN.text, kernel=LINE_READ, history_size=4), scrolled) is not None
    assert read(look(OWN.text, kernel=LINE_READ, history_size=6), scrolled) is None


def typed() -> Rig:
    rig = Rig("lines")
    rig.show("", kernel=LINE_READ)
    rig.send("Go on? [y/n]")
    rig.show("", kernel=LINE_READ)
    rig.reply(GuardResult.WRITTEN)
    return rig


def test_a_message_that_reads_like_a_question_raises_none() -> None:
    rig = typed()
    rig.output(b"Go on? [y/n]")
    rig.show("Go on? [y/n]", kernel=LINE_READ)
    rig.reply(GuardResult.WRITTEN)
    rig.output(rb"\015\012")
    rig.show("Go on? [y/n]", "", kernel=LINE_READ)
    assert rig.finished[0].receipt.fate is Fate.LANDED
    assert "prompting" not in rig.states
    assert not [e for e in rig.events if isinstance(e, PromptOpened)]


def test_what_was_left_behind_is_a_draft_that_can_be_cleared() -> None:
    rig = typed()
    rig.output(b"Go on?")
    for _ in range(60):
        if rig.finished:
            break
        rig.pass_time(0.2)
        if rig.tracker.take_look() is not None:
            rig.show("Go on?", kernel=LINE_READ, wait=False)
    assert rig.finished[0].receipt.reason in (Reason.ECHO_DIFFERS, Reason.NO_ECHO)
    rig.output(b" [y/n]")
    rig.show("Go on? [y/n]", kernel=LINE_READ)
    rig.pass_time(1)
    assert rig.tracker.state is State.READY
    assert rig.tracker.situation().left_behind

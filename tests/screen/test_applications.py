"""Screens that are an editor's, a file manager's or a monitor's."""

import pytest
from tests.screen.building import look

from panegate.screen.applications import is_application
from panegate.screen.grid import Grid


def judged(
    rows: list[str], *, by_name: bool = False, command: str = "x", alternate: bool = True
) -> bool:
    seen = look(rows, command=command, alternate=alternate)
    return is_application(Grid.from_look(seen), seen.fields, by_name=by_name)


@pytest.mark.parametrize(
    "rows",
    [
        ["text", "-- INSERT --"],
        ["text", "-- VISUAL LINE --                 1,1    All"],
        ["text", "-- (insert) VISUAL --"],
        ["text", "~", "~", '"f" 1L, 5B'],
        ["text", '"f.txt" 100L, 789B                  1,1           Top'],
        ["text", "^G Help      ^O Write Out ^W Where Is", "^X Exit      ^R Read File ^U Paste"],
        ["text", "-UUU:----F1  notes.txt      All L1     (Text)"],
        ["files", " 1Help   2Menu   3View   4Edit   5Copy"],
        ["procs", "F1Help  F2Setup F3SearchF4FilterF5Tree"],
    ],
)
def test_an_application_is_known_by_its_last_rows(rows: list[str]) -> None:
    assert judged(rows)


@pytest.mark.parametrize(
    "rows",
    [
        ["$ ‸"],
        ["-- more --"],
        ["a ~ b", "~ $ ‸"],
        ["~", "> ‸"],
        ["  ? for shortcuts      100% context left"],
        ["--help shows this", "-v verbose"],
        [],
        ["1. one", "2. two", "3. three"],
    ],
)
def test_other_screens_are_none(rows: list[str]) -> None:
    assert not judged(rows or [""])


def test_a_name_counts_only_where_asked_for() -> None:
    assert judged(["text"], by_name=True, command="vim")
    assert not judged(["text"], by_name=False, command="vim")
    assert not judged(["text"], by_name=True, command="bash")


@pytest.mark.parametrize("bottom", ["-- INSERT --", "took 1,1 All", "^C Stop   ^D End"])
def test_their_shapes_do_not_count_on_the_main_screen(bottom: str) -> None:
    assert not judged(["text", bottom], alternate=False)


def test_the_reader_of_the_terminal_is_an_application_by_its_name() -> None:
    seen = look(["text"], command="git")
    screen = Grid.from_look(seen)
    assert is_application(screen, seen.fields, by_name=True, reader="vim")
    assert not is_application(screen, seen.fields, by_name=False, reader="vim")
    assert not is_application(screen, seen.fields, by_name=True, reader="bash")

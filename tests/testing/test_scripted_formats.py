"""The formats of a scripted server: what holds, and what is not known."""

import pytest

from panegate.gate.guard import guard_for
from panegate.ids import PaneId
from panegate.panes.facts import Look, PaneFields
from panegate.testing.scripted_formats import UnknownFormat, expand, is_true

ROWS = ("# a [menu] $", "\x1b[1m> typed\x1b[m   ", "")
FIELDS = {"pane_id": "%1", "pane_title": "a,b} #c", "zero": "0"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("#{pane_id} #{no_such}.", "%1 ."),
        ("## #, #}", "# , }"),
        ("#{==:#{pane_id},%1}", "1"),
        ("#{==:#{pane_id},%10}", "0"),
        ("#{==:#{pane_title},a#,b#} ##c}", "1"),
        ("#{m:a*c,#{pane_title}}", "1"),
        ("#{m:a*d,#{pane_title}}", "0"),
        ("#{&&:1,#{zero}}", "0"),
        ("#{&&:#{&&:1,1},1}", "1"),
        ("#{?zero,yes,no}", "no"),
        ("#{?#{==:1,1},yes,no}", "yes"),
        ("#{C/r:^> typed$}", "2"),
        ("#{C/r:[[]menu[]] [$]$}", "1"),
        ("#{C/r:^$}", "3"),
        ("#{C/r:nowhere|[XYZ]}", "0"),
        ("#{C:ty?ed}", "2"),
        ("#{C:TYPED}", "0"),
    ],
)
def test_known_formats_expand_as_tmux_expands_them(text: str, value: str) -> None:
    """Each value is tmux's own for the same variables and rows."""
    assert expand(text, FIELDS, ROWS) == value


@pytest.mark.parametrize(
    "text",
    [
        "#{||:1,1}",
        "#{!=:1,2}",
        "#{==:1,1,1}",
        "#{T:status-left}",
        "#(date)",
        "#{pane_id",
        "#{C/i:x}",
        "#{C/r:[[:alpha:]]}",
    ],
)
def test_what_is_not_known_is_said(text: str) -> None:
    """To guess would let a guard pass that real tmux refuses."""
    with pytest.raises(UnknownFormat):
        expand(text, FIELDS, ROWS)


def test_an_expression_that_does_not_compile_finds_nothing() -> None:
    """As in tmux, where it is no error."""
    assert expand("#{C/r:a(}", FIELDS, ROWS) == "0"


def test_a_guard_holds_for_its_own_look_and_for_no_other_row() -> None:
    """All kinds of terms the guard builds are known here."""
    rows = ("a header, 50% #1 {x}", "─" * 40, "> ", "─" * 40, "  ? for shortcuts", "")
    fields = PaneFields(pane_id=PaneId("%1"), pane_pid=7, width=40, height=6, cursor_y=2)
    look = Look(
        fields=fields, rows=tuple(r.encode() for r in rows), kernel=None, asked_at_s=0, at_s=0
    )
    guard = guard_for(look)
    flag = {True: "1", False: "0"}
    known = {
        "pane_id": "%1",
        "pane_pid": "7",
        "pane_dead": "0",
        "pane_in_mode": "0",
        "pane_input_off": "0",
        "pane_synchronized": "0",
        "alternate_on": "0",
        "cursor_x": str(fields.cursor_x),
        "cursor_y": "2",
        "cursor_flag": flag[fields.cursor_shown],
        "cursor_character": fields.cursor_character,
        "history_size": "0",
        "pane_width": "40",
        "pane_height": "6",
        "pane_title": fields.title,
        "pane_current_command": fields.command,
    }
    assert is_true(expand(guard.expression, known, rows))
    assert not is_true(expand(guard.expression, {**known, "cursor_x": "9"}, rows))
    for n in range(len(rows)):
        changed = [*rows[:n], "Do you want to proceed?", *rows[n + 1 :]]
        assert not is_true(expand(guard.expression, known, changed))

"""The guard as tmux formats and command lines."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.gate.guard import (
    FIELD_TERMS,
    MAX_SEARCHES,
    Guard,
    GuardReply,
    GuardResult,
    Term,
    explain_command,
    guard_for,
    guarded_line,
    parse_explanation,
    parse_guarded,
    veto_term,
)
from panegate.ids import PaneId
from panegate.panes.facts import Look, PaneFields
from panegate.wire.commands import quote

PANE = PaneId("%3")
FIELDS = PaneFields(
    pane_id=PANE,
    pane_pid=4929,
    cursor_x=2,
    cursor_y=1,
    cursor_character=" ",
    history_size=17,
    width=40,
    height=4,
    command="bash",
    title="a title",
)
ROWS = (b"one", b"> ", b"status", b"")


def look_of(rows: tuple[bytes, ...] = ROWS, **fields: object) -> Look:
    changed = attrs.evolve(FIELDS, **fields)  # type: ignore[arg-type]
    return Look(fields=changed, rows=rows, kernel=None, asked_at_s=0.0, at_s=0.0)


def expression_of(guard: Guard, name: str) -> str | None:
    return next((term.expression for term in guard.terms if term.name == name), None)


def test_every_field_is_compared_with_the_look() -> None:
    guard = guard_for(look_of())
    got = {term.name: term.expression for term in guard.terms}
    assert got.pop("absent").startswith("#{==:#{C/r:[bcdfghij")
    assert got == {
        "pane_id": "#{==:#{pane_id},%3}",
        "pane_pid": "#{==:#{pane_pid},4929}",
        "pane_dead": "#{==:#{pane_dead},0}",
        "pane_in_mode": "#{==:#{pane_in_mode},0}",
        "pane_input_off": "#{==:#{pane_input_off},0}",
        "pane_synchronized": "#{==:#{pane_synchronized},0}",
        "alternate_on": "#{==:#{alternate_on},0}",
        "cursor_x": "#{==:#{cursor_x},2}",
        "cursor_y": "#{==:#{cursor_y},1}",
        "cursor_flag": "#{==:#{cursor_flag},1}",
        "cursor_character": "#{==:#{cursor_character}, }",
        "history_size": "#{==:#{history_size},17}",
        "pane_width": "#{==:#{pane_width},40}",
        "pane_height": "#{==:#{pane_height},4}",
        "pane_title": "#{==:#{pane_title},a title}",
        "pane_current_command": "#{==:#{pane_current_command},bash}",
        "composer_row": "#{==:#{C/r:^>$},2}",
        "above_1": "#{==:#{C/r:^one$},1}",
        "below_1": "#{==:#{C/r:^status$},3}",
        "first_blank_row": "#{==:#{C/r:^$},4}",
    }
    assert FIELD_TERMS <= set(got)
    assert guard.left_out == ()


@pytest.mark.parametrize("name", ["dead", "in_mode", "input_off", "synchronized"])
def test_a_look_at_an_unwritable_pane_gives_a_guard_that_refuses(name: str) -> None:
    unwritable = guard_for(look_of(**{name: True}))
    assert expression_of(unwritable, f"pane_{name}") == f"#{{==:#{{pane_{name}}},0}}"


def test_terms_are_joined_in_pairs_and_not_deeply() -> None:
    guard = guard_for(look_of())
    depth = deepest = 0
    for before, character in zip(" " + guard.expression, guard.expression, strict=False):
        if character == "{" and before == "#":
            depth += 1
            deepest = max(deepest, depth)
        depth -= character == "}"
    assert depth == 0
    assert deepest <= 8
    assert guard.expression.count("#{&&:") == len(guard.terms) - 1


@pytest.mark.parametrize(
    ("title", "expression"),
    [
        ("", "#{==:#{pane_title},}"),
        ("#(touch /tmp/x)", "#{m:*touch /tmp/x*,#{pane_title}}"),
        ("a,b}c", "#{m:a*b*c,#{pane_title}}"),
        ("#{pane_id}", "#{m:*pane_id*,#{pane_title}}"),
        ("⠋ Working", "#{m:* Working,#{pane_title}}"),
        ("100%", "#{m:100*,#{pane_title}}"),
        ("a*[b]?\\", "#{m:a*b*,#{pane_title}}"),
        ("⠋", None),
    ],
)
def test_titles_are_embedded_only_where_they_are_safe(title: str, expression: str | None) -> None:
    guard = guard_for(look_of(title=title))
    assert expression_of(guard, "pane_title") == expression
    assert (expression is None) == any(w.startswith("pane_title") for w in guard.left_out)


@given(st.text(), st.text(), st.text(max_size=1), st.lists(st.text(), min_size=4, max_size=4))
def test_no_text_of_a_program_adds_syntax_to_the_guard(
    title: str, command: str, character: str, rows: list[str]
) -> None:
    captured = tuple(row.encode(errors="replace") for row in rows)
    look = look_of(captured, title=title, command=command, cursor_character=character)
    for term in guard_for(look).terms:
        for part in term.expression.split("#")[1:]:
            assert part[0] == "{"  # never #( or ##
        names = term.expression.count("#{")
        assert term.expression.count("{") == term.expression.count("}") == names
        assert term.expression.count(",") == 1
        assert "%" not in term.expression.replace("},%3}", "")


def test_the_input_area_of_the_caller_is_pinned_instead_of_the_cursors_row() -> None:
    rows = (b"one", b"> two", b"  three", b"status")
    guard = guard_for(look_of(rows, cursor_y=2), composer_row=1, composer_last_row=2)
    assert expression_of(guard, "composer_row") == "#{==:#{C/r:^> two$},2}"
    assert expression_of(guard, "composer_last_row") == "#{==:#{C/r:^  three$},3}"
    assert expression_of(guard, "first_blank_row") == "#{==:#{C/r:^$},0}"


def test_a_dropped_term_is_left_out_and_said() -> None:
    guard = guard_for(look_of(), drop=frozenset({"pane_title", "below_1"}))
    assert {"pane_title", "below_1"}.isdisjoint(term.name for term in guard.terms)
    assert "pane_title" not in guard.expression
    assert guard.left_out == ("below_1: dropped by the caller", "pane_title: dropped by the caller")


def test_dropping_an_unknown_term_is_an_error() -> None:
    with pytest.raises(ValueError, match="pane_titel"):
        guard_for(look_of(), drop=frozenset({"pane_titel"}))


@pytest.mark.parametrize(
    ("rows", "where"),
    [
        (ROWS[:3], {}),
        (ROWS, {"composer_row": 4}),
        (ROWS, {"composer_row": 2, "composer_last_row": 1}),
    ],
)
def test_rows_that_do_not_fit_the_screen_are_an_error(
    rows: tuple[bytes, ...], where: dict[str, int]
) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        guard_for(look_of(rows), **where)


def test_vetoes_are_absent_rows() -> None:
    guard = guard_for(look_of(), vetoes=["Do you want", "^a{2,3}#x"])
    assert expression_of(guard, "veto_1") == "#{==:#{C/r:Do you want},0}"
    assert expression_of(guard, "veto_2") == "#{==:#{C/r:^a{2#,3#}##x},0}"


@pytest.mark.parametrize("regex", ["", "a\nb", "#[x]"])
def test_a_veto_that_cannot_be_embedded_is_an_error(regex: str) -> None:
    with pytest.raises(ValueError, match=r"veto|embedded"):
        veto_term("v", regex)


def test_searches_are_bounded_and_vetoes_come_before_pins() -> None:
    height = 24
    rows = tuple(f"row {n}".encode() for n in range(height))
    look = look_of(rows, height=height, cursor_y=12)
    vetoes = [f"veto {n}" for n in range(5)]
    guard = guard_for(look, composer_row=11, composer_last_row=12, vetoes=vetoes)
    assert guard.expression.count("C/r:") == MAX_SEARCHES
    assert sum(term.name.startswith("veto_") for term in guard.terms) == 5
    assert {"composer_row", "composer_last_row", "above_1", "below_1"} <= {
        term.name for term in guard.terms
    }
    assert "above_3: enough rows are pinned" in guard.left_out


def test_the_line_writes_then_says_so_and_refuses_before_cleaning_up() -> None:
    guard = guard_for(look_of())
    line = guarded_line(PANE, guard, [b"send-keys a"], nonce="K1", otherwise=[b"delete-buffer b"])
    then = quote(b'send-keys a ; display-message "-p" "K1:1"')
    other = quote(b'display-message "-p" "K1:0" ; delete-buffer b')
    head = b'if-shell "-F" "-t" "\\0453" ' + quote(guard.expression)
    assert line == b" ".join((head, then, other))
    assert b"\n" not in line


@pytest.mark.parametrize("nonce", ["", "a b", "%0", "#{x}", "é", "a\n"])
def test_a_nonce_is_letters_and_digits(nonce: str) -> None:
    with pytest.raises(ValueError, match="nonce"):
        guarded_line(PANE, guard_for(look_of()), [b"x"], nonce=nonce)
    with pytest.raises(ValueError, match="nonce"):
        explain_command(guard_for(look_of()), nonce=nonce)


def test_a_guard_of_another_pane_is_an_error() -> None:
    with pytest.raises(ValueError, match="for %3, not for %4"):
        guarded_line(PaneId("%4"), guard_for(look_of()), [b"x"], nonce="K1")


def test_a_line_without_a_command_is_an_error() -> None:
    with pytest.raises(ValueError, match="needs a command"):
        guarded_line(PANE, guard_for(look_of()), [], nonce="K1")


@pytest.mark.parametrize(
    ("blocks", "reply"),
    [
        ([(True, []), (True, []), (True, [b"K1:1"])], GuardReply(GuardResult.WRITTEN)),
        ([(True, []), (True, [b"K1:0"])], GuardReply(GuardResult.REFUSED)),
        (
            [(True, []), (True, [b"K1:0"]), (False, [b"no buffer b"])],
            GuardReply(GuardResult.REFUSED),
        ),
        ([(False, [b"parse error: x"])], GuardReply(GuardResult.REJECTED, "parse error: x")),
        (
            [(True, []), (False, [b"can't find pane: %3"])],
            GuardReply(GuardResult.REJECTED, "can't find pane: %3"),
        ),
        ([], GuardReply(GuardResult.MISSING)),
        ([(True, [])], GuardReply(GuardResult.MISSING)),
        ([(True, [b"K2:1"]), (True, [b"K1:1", b"K1:1"])], GuardReply(GuardResult.MISSING)),
    ],
)
def test_the_reply_says_what_became_of_the_write(
    blocks: list[tuple[bool, list[bytes]]], reply: GuardReply
) -> None:
    assert parse_guarded(blocks, "K1") == reply


def test_an_error_before_the_line_alone_does_not_prove_that_nothing_was_written() -> None:
    blocks = [(False, [b"bad buffer"])]
    assert parse_guarded(blocks, "K1", n_before=1) == GuardReply(GuardResult.MISSING)
    blocks += [(True, []), (False, [b"no buffer b"])]
    rejected = GuardReply(GuardResult.REJECTED, "no buffer b")
    assert parse_guarded(blocks, "K1", n_before=1) == rejected


def test_the_zero_of_a_result_claims_nothing() -> None:
    assert GuardResult(0) is GuardResult.MISSING


def test_the_explanation_names_the_terms_that_do_not_hold() -> None:
    guard = Guard(
        pane_id=PANE,
        expression="x",
        terms=(Term("a", "#{a}"), Term("b", "#{b}"), Term("c", "#{c}")),
    )
    line = explain_command(guard, nonce="K1")
    assert quote("K1 #{?#{a},1,0} #{?#{b},1,0} #{?#{c},1,0}") in line
    assert parse_explanation([(True, [b"K1 1 0 "])], guard, nonce="K1") == ("b", "c")
    assert parse_explanation([(True, [b"K1 1 1 1"])], guard, nonce="K1") == ()


@pytest.mark.parametrize(
    "blocks",
    [[], [(False, [b"can't find pane: %3"])], [(True, [b"K2 1 1 1"])], [(True, [b"K1 1"])]],
)
def test_no_explanation_is_none(blocks: list[tuple[bool, list[bytes]]]) -> None:
    guard = Guard(pane_id=PANE, expression="x", terms=(Term("a", "#{a}"), Term("b", "#{b}")))
    assert parse_explanation(blocks, guard, nonce="K1") is None

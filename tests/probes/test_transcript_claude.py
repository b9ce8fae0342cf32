"""Claude Code's transcript: what is open, what was said last, whether the turn ended."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.probes.session_lines import START_S, asked, called, claude, line, result, said, whole

from panegate.probes.transcripts.claude import read_claude
from panegate.probes.transcripts.lines import MAX_QUOTE, Line, Tail
from panegate.session.transcript import CallKind, Choice, Question, Tokens

USAGE = {"input_tokens": 3, "cache_read_input_tokens": 10, "output_tokens": 7}


def test_a_call_without_a_result_is_quoted_with_its_command():
    record = read_claude(
        whole(asked(0, "clean up"), said(1, "I will."), called(2, "Bash", {"command": "rm -r x"}))
    )
    (call,) = record.pending
    assert (call.id, call.name, call.input) == ("t1", "Bash", "rm -r x")
    assert (call.kind, call.at_s) == (CallKind.TOOL, START_S + 2)
    assert (record.last_words, record.turn_ended) == ("I will.", False)
    assert (record.session_id, record.cwd) == ("s-1", "/home/me/project")


def test_other_arguments_are_quoted_as_json():
    record = read_claude(whole(called(2, "Edit", {"file_path": "/ä", "old": "1"})))
    assert json.loads(record.pending[0].input) == {"file_path": "/ä", "old": "1"}


def test_a_result_closes_its_call_and_no_other():
    record = read_claude(
        whole(
            called(1, "Bash", {"command": "a"}, "t1"),
            called(1, "Bash", {"command": "b"}, "t2"),
            result(2, id="t1"),
        )
    )
    assert [call.id for call in record.pending] == ["t2"]
    assert (record.answered_at_s, record.turn_ended) == (START_S + 2, False)


def test_a_question_comes_with_its_choices_word_for_word():
    given = {
        "questions": [
            {
                "question": "Which colour?",
                "header": "Colour",
                "multiSelect": True,
                "options": [{"label": "Rot", "description": "warm"}, {"label": "青"}],
            }
        ]
    }
    (call,) = read_claude(whole(called(1, "AskUserQuestion", given))).pending
    choices = (Choice(label="Rot", description="warm"), Choice(label="青"))
    assert call.kind is CallKind.QUESTION
    assert call.questions == (
        Question(text="Which colour?", header="Colour", choices=choices, many=True),
    )


def test_a_plan_is_quoted_as_it_stands():
    (call,) = read_claude(whole(called(1, "ExitPlanMode", {"plan": "# One\n- two"}))).pending
    assert (call.kind, call.input) == (CallKind.PLAN, "# One\n- two")


@pytest.mark.parametrize(
    ("lines", "ended"),
    [
        ((said(1, "Done.", stop_reason="end_turn"),), True),
        ((said(1, "Done.", stop_reason=None),), None),
        (
            (said(1, "a", stop_reason=None), line({"type": "system", "subtype": "turn_duration"})),
            True,
        ),
        ((said(1, "Done.", stop_reason="end_turn"), asked(2, "more")), False),
        ((said(1, "x", stop_reason="end_turn"), asked(2, "<local-command-stdout>y")), True),
        (
            (
                called(1, "Bash", {}),
                asked(2, [{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
            ),
            True,
        ),
        ((said(1, "API Error: 500", isApiErrorMessage=True),), True),
        ((called(1, "Bash", {}), line({"type": "system", "subtype": "turn_duration"})), False),
        ((), None),
    ],
)
def test_whether_the_turn_ended(lines: tuple[bytes, ...], ended: bool | None):
    assert read_claude(whole(*lines)).turn_ended is ended


def test_an_interruption_leaves_nothing_open():
    lines = called(1, "Bash", {}), asked(2, "[Request interrupted by user]")
    assert read_claude(whole(*lines)).pending == ()


def test_who_speaks_anew_has_left_what_was_open():
    assert read_claude(whole(called(1, "Bash", {}), asked(2, "go on"))).pending == ()


def test_subagents_and_housekeeping_are_left_out():
    record = read_claude(
        whole(
            called(1, "Task", {"prompt": "look"}, "t1"),
            called(2, "Bash", {"command": "ls"}, "t2", isSidechain=True),
            asked(3, "Caveat: …", isMeta=True),
            line({"type": "file-history-snapshot", "messageId": "x"}),
            line({"type": "summary", "summary": "words"}),
        )
    )
    assert [call.id for call in record.pending] == ["t1"]
    assert record.at_s == START_S + 1
    assert record.answered_at_s is None


def test_a_message_in_several_lines_is_counted_once():
    first = said(1, "a", id="m1", usage=USAGE)
    second = said(1, "b", id="m1", usage=USAGE)
    record = read_claude(whole(first, second, said(2, "c", id="m2", usage={"output_tokens": 1})))
    assert record.tokens == Tokens(21)


@pytest.mark.parametrize(
    ("lines", "is_whole", "tokens"),
    [
        ((asked(1, "hi"),), True, Tokens(0)),
        ((asked(1, "hi"),), False, Tokens(None)),
        ((said(1, "x", usage=USAGE),), False, Tokens(20, at_least=True)),
        ((said(1, "x", id="a", usage={"output_tokens": 0}),), True, Tokens(0)),
    ],
)
def test_tokens_are_measured_measured_zero_or_not_measurable(
    lines: tuple[bytes, ...], is_whole: bool, tokens: Tokens
):
    tail = Tail(lines=whole(*lines).lines, whole=is_whole)
    assert read_claude(tail).tokens == tokens
    assert tokens.measured is (tokens.count is not None)


def test_a_huge_result_that_was_cut_still_closes_its_call():
    huge = result(2, "x" * 100_000)
    lines = (*whole(called(1, "Bash", {})).lines, Line(huge[:4000], cut=True))
    record = read_claude(Tail(lines=lines, whole=False))
    assert record.pending == ()
    assert record.answered_at_s == START_S + 1  # its own time stands behind the cut


def test_long_input_is_cut_and_says_so():
    (call,) = read_claude(whole(called(1, "Bash", {"command": "x" * (MAX_QUOTE + 5)}))).pending
    assert call.input.endswith("… (5 characters more)")
    assert len(call.input) < MAX_QUOTE + 40


SESSION = b"".join(
    (
        asked(0, "gö on"),
        said(1, "Ja, „gleich“.", stop_reason=None),
        called(2, "Bash", {"command": 'echo "ü" \\ && true'}),
        result(3, "line\nline"),
        called(4, "AskUserQuestion", {"questions": [{"question": "Q?", "options": []}]}, "t2"),
        result(5, id="t2"),
        said(6, "Done.", stop_reason="end_turn"),
    )
)


@given(st.integers(0, len(SESSION)))
def test_a_record_torn_at_any_byte_reads_as_its_whole_lines(cut: int):
    torn = read_claude(whole(SESSION[:cut]))
    kept = SESSION[: SESSION.rfind(b"\n", 0, cut) + 1]
    wanted = read_claude(whole(kept))
    if cut < len(SESSION) and SESSION[cut : cut + 1] == b"\n":
        wanted = read_claude(whole(SESSION[: cut + 1]))  # only its line feed is missing
    assert torn == wanted
    assert torn.unreadable == 0


@given(st.integers(0, len(SESSION)))
def test_a_record_that_lost_its_beginning_is_survived(cut: int):
    tail = Tail(lines=whole(SESSION[cut:]).lines, whole=False)
    record = read_claude(tail)
    if cut < len(SESSION) - len(said(6, "Done.", stop_reason="end_turn")):
        assert (record.turn_ended, record.last_words) == (True, "Done.")


@given(st.lists(st.binary(max_size=60) | st.sampled_from(SESSION.splitlines()), max_size=12))
def test_whatever_stands_in_a_file_is_survived(lines: list[bytes]):
    read_claude(Tail(lines=tuple(map(Line, lines)), whole=False))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["type", "id", "name", "input", "content", "text", "usage", "plan"]
                ),
                inner | st.sampled_from(["tool_use", "tool_result", "text"]),
            )
        ),
        max_leaves=15,
    )
)
def test_whatever_stands_in_a_message_is_survived(content: object):
    for kind in ("assistant", "user"):
        read_claude(whole(claude(kind, 1, content)))

"""Codex's rollout: what is open, what was said last, whether the turn ended."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.probes.session_lines import (
    START_S,
    codex,
    codex_call,
    codex_event,
    codex_result,
    whole,
)

from panegate.probes.transcripts.codex import read_codex
from panegate.probes.transcripts.lines import Line, Tail
from panegate.session.transcript import CallKind, Choice, Tokens

META = codex("session_meta", 0, {"id": "r-1", "cwd": "/home/me/x", "instructions": "…"})


@pytest.mark.parametrize(
    ("given", "quoted"),
    [
        ({"command": ["bash", "-lc", "rm -r x && ls"]}, "rm -r x && ls"),
        ({"command": ["git", "commit", "-m", "two words"]}, "git commit -m 'two words'"),
        ({"cmd": "cat y"}, "cat y"),
        ({"path": "ü"}, '{"path": "ü"}'),
    ],
)
def test_a_call_without_a_result_is_quoted_as_one_would_type_it(given: object, quoted: str):
    record = read_codex(whole(META, codex_event(1, "task_started"), codex_call(2, given)))
    (call,) = record.pending
    assert (call.id, call.name, call.input, call.at_s) == ("c1", "shell", quoted, START_S + 2)
    assert (record.turn_ended, record.session_id, record.cwd) == (False, "r-1", "/home/me/x")


def test_calls_of_every_shape_are_seen():
    patch = {
        "type": "custom_tool_call",
        "name": "apply_patch",
        "input": "*** B",
        "call_id": "p",
    }
    local = {"type": "local_shell_call", "call_id": "l", "action": {"command": ["ls", "-l"]}}
    record = read_codex(whole(codex("response_item", 1, patch), codex("response_item", 2, local)))
    assert [(c.id, c.name, c.input) for c in record.pending] == [
        ("p", "apply_patch", "*** B"),
        ("l", "local_shell_call", "ls -l"),
    ]


def test_a_result_closes_its_call():
    record = read_codex(
        whole(codex_call(1, {}, id="a"), codex_call(1, {}, id="b"), codex_result(2, "a"))
    )
    assert [call.id for call in record.pending] == ["b"]
    assert record.answered_at_s == START_S + 2


def test_a_question_comes_with_its_choices():
    given = {"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]}
    (call,) = read_codex(whole(codex_call(1, given, "request_user_input"))).pending
    assert call.kind is CallKind.QUESTION
    assert call.questions[0].text == "Which?"
    assert call.questions[0].choices == (Choice(label="A"), Choice(label="B"))


def test_a_turn_that_ends_with_a_proposed_plan_wants_it_approved():
    words = "Here:\n<proposed_plan>\n1. do it\n</proposed_plan>"
    (call,) = read_codex(whole(codex_event(3, "task_complete", last_agent_message=words))).pending
    assert (call.kind, call.input) == (CallKind.PLAN, "1. do it")
    gone_on = whole(
        codex_event(3, "task_complete", last_agent_message=words),
        codex_event(4, "user_message", message="yes"),
    )
    assert read_codex(gone_on).pending == ()


@pytest.mark.parametrize(
    ("lines", "ended"),
    [
        ((codex_event(1, "task_started"),), False),
        ((codex_event(1, "task_started"), codex_event(2, "task_complete")), True),
        ((codex_event(1, "task_started"), codex_call(2, {}), codex_event(3, "turn_aborted")), True),
        ((codex_event(2, "task_complete"), codex_event(3, "user_message", message="x")), False),
        ((codex_event(1, "task_started"), codex_event(2, "error", message="429")), True),
        ((META,), None),
    ],
)
def test_whether_the_turn_ended(lines: tuple[bytes, ...], ended: bool | None):
    record = read_codex(whole(*lines))
    assert (record.turn_ended, record.pending) == (ended, ())


def test_last_words_come_from_messages_events_and_the_end():
    text = {"type": "output_text", "text": "one"}
    message = {"type": "message", "role": "assistant", "content": [text]}
    theirs = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "me"}]}
    lines = [codex("response_item", 1, message), codex("response_item", 2, theirs)]
    assert read_codex(whole(*lines)).last_words == "one"
    lines.append(codex_event(3, "agent_message", message="two"))
    assert read_codex(whole(*lines)).last_words == "two"
    lines.append(codex_event(4, "task_complete", last_agent_message="three"))
    assert read_codex(whole(*lines)).last_words == "three"


def usage(total: object) -> bytes:
    return codex_event(2, "token_count", info={"total_token_usage": {"total_tokens": total}})


@pytest.mark.parametrize(
    ("lines", "is_whole", "tokens"),
    [
        ((usage(5), usage(70)), False, Tokens(70)),
        ((usage(0),), False, Tokens(0)),
        ((META, codex_event(1, "token_count", info=None)), True, Tokens(0)),
        ((codex_event(1, "token_count", info=None),), False, Tokens(None)),
        ((usage(70), codex_event(3, "token_count", info=None)), False, Tokens(70)),
    ],
)
def test_tokens_are_measured_measured_zero_or_not_measurable(
    lines: tuple[bytes, ...], is_whole: bool, tokens: Tokens
):
    assert read_codex(Tail(lines=whole(*lines).lines, whole=is_whole)).tokens == tokens


SESSION = b"".join(
    (
        META,
        codex_event(1, "task_started"),
        codex_event(1, "user_message", message="los"),
        codex_call(2, {"command": ["bash", "-lc", "echo ü"]}),
        codex_result(3),
        usage(7),
        codex_event(4, "task_complete", last_agent_message="fertig …"),
    )
)


@given(st.integers(0, len(SESSION)))
def test_a_record_torn_at_any_byte_reads_as_its_whole_lines(cut: int):
    torn = read_codex(whole(SESSION[:cut]))
    end = cut + 1 if SESSION[cut : cut + 1] == b"\n" else SESSION.rfind(b"\n", 0, cut) + 1
    assert torn == read_codex(whole(SESSION[:end]))


@given(st.lists(st.binary(max_size=60) | st.sampled_from(SESSION.splitlines()), max_size=12))
def test_whatever_stands_in_a_file_is_survived(lines: list[bytes]):
    read_codex(Tail(lines=tuple(map(Line, lines)), whole=False))


@given(
    st.dictionaries(
        st.sampled_from(["type", "call_id", "name", "arguments", "action", "content", "info"]),
        st.none()
        | st.integers()
        | st.text(max_size=5)
        | st.dictionaries(st.text(), st.text())
        | st.sampled_from(["message", "function_call", "token_count", "local_shell_call"]),
    )
)
def test_whatever_stands_in_a_payload_is_survived(payload: dict[str, object]):
    for kind in ("response_item", "event_msg", "session_meta", "turn_context", "other"):
        read_codex(whole(codex(kind, 1, payload)))
    assert json.dumps(payload) is not None

"""Codex's session rollout: JSON lines to a `Record`. Pure."""

import json
import shlex
from typing import Final

import attrs

from panegate.probes.transcripts.claude import choices_of
from panegate.probes.transcripts.cut_json import Json, parse_cut
from panegate.probes.transcripts.lines import Entry, Tail, entries_of, quoted, text_of
from panegate.session.transcript import Call, CallKind, Record, Tokens

__all__ = ["read_codex"]

_CALLS: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_RESULTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_BEGUN: Final = frozenset({"task_started", "turn_started"})
_ENDED: Final = frozenset({"task_complete", "turn_complete", "shutdown_complete"})
_QUESTION: Final = "request_user_input"
_PLAN: Final = ("<proposed_plan>", "</proposed_plan>")
_SHELLS: Final = frozenset({"bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh"})


@attrs.define
class _State:
    pending: dict[str, Call] = attrs.field(factory=dict)
    last_words: str = ""
    turn_ended: bool | None = None
    at_s: float | None = None
    answered_at_s: float | None = None
    spent: int | None = None
    session_id: str = ""
    cwd: str = ""


def read_codex(tail: Tail) -> Record:
    """Return what the last lines of a session's rollout add up to."""
    entries, unreadable = entries_of(tail)
    state = _State()
    for entry in entries:
        payload = entry.value.get("payload")
        if isinstance(payload, dict):
            _take(state, entry, _text(entry.value.get("type")), payload)
    _note_plan(state)
    # its counter runs over the whole session: the newest one tells all
    spent = 0 if state.spent is None and tail.whole else state.spent
    return Record(
        program="codex",
        pending=tuple(state.pending.values()),
        last_words=quoted(state.last_words),
        turn_ended=state.turn_ended,
        at_s=state.at_s,
        answered_at_s=state.answered_at_s,
        tokens=Tokens(spent),
        session_id=state.session_id,
        cwd=state.cwd,
        whole=tail.whole,
        unreadable=unreadable,
    )


def _take(state: _State, entry: Entry, kind: str, payload: dict[str, Json]) -> None:
    if kind == "session_meta":
        state.session_id = _text(payload.get("id")) or state.session_id
        state.cwd = _text(payload.get("cwd")) or state.cwd
    elif kind == "turn_context":
        state.cwd = _text(payload.get("cwd")) or state.cwd
    elif kind == "response_item":
        _item(state, entry, _text(payload.get("type")), payload)
    elif kind == "event_msg":
        _event(state, entry, _text(payload.get("type")), payload)


def _item(state: _State, entry: Entry, kind: str, payload: dict[str, Json]) -> None:
    if kind in _CALLS:
        call = _call(payload, entry.at_s)
        state.pending[call.id] = call
        state.at_s, state.turn_ended = entry.at_s, False
    elif kind in _RESULTS:
        state.pending.pop(_text(payload.get("call_id")), None)
        state.at_s = state.answered_at_s = entry.at_s
    elif kind == "message" and payload.get("role") == "assistant":
        _words(state, entry, "\n".join(text_of(payload.get("content"), "output_text")))


def _event(state: _State, entry: Entry, kind: str, payload: dict[str, Json]) -> None:
    if kind == "token_count":
        info = payload.get("info")
        total = info.get("total_token_usage") if isinstance(info, dict) else None
        spent = total.get("total_tokens") if isinstance(total, dict) else None
        state.spent = spent if isinstance(spent, int) else state.spent
    elif kind == "agent_message":
        _words(state, entry, _text(payload.get("message")))
    elif kind in _BEGUN:
        state.at_s, state.turn_ended = entry.at_s, False
    elif kind in _ENDED:
        state.at_s, state.turn_ended = entry.at_s, True
        state.pending.clear()
        _words(state, entry, _text(payload.get("last_agent_message")))
    elif kind == "user_message":
        state.at_s = state.answered_at_s = entry.at_s
        state.turn_ended = False
        state.pending.clear()
    elif kind == "turn_aborted":
        state.at_s = state.answered_at_s = entry.at_s
        state.turn_ended = True
        state.pending.clear()
    elif kind == "error":
        state.at_s, state.turn_ended = entry.at_s, True


def _words(state: _State, entry: Entry, words: str) -> None:
    if words.strip():
        state.last_words = words
        state.at_s = entry.at_s


def _note_plan(state: _State) -> None:
    """A turn that ended with a proposed plan asks whether to carry it out."""
    opening, closing = _PLAN
    _, opened, rest = state.last_words.partition(opening)
    if opened and state.turn_ended and not state.pending:
        plan = rest.partition(closing)[0].strip()
        state.pending["plan"] = Call(
            id="plan", name="plan", kind=CallKind.PLAN, input=quoted(plan), at_s=state.at_s
        )


def _call(payload: dict[str, Json], at_s: float | None) -> Call:
    name = _text(payload.get("name")) or _text(payload.get("type"))
    text = _text(payload.get("arguments")) or _text(payload.get("input"))
    given: Json = parse_cut(text.encode("utf-8", "replace"))
    if given is None and isinstance(payload.get("action"), dict):
        given = payload["action"]
    known = given if isinstance(given, dict) else {}
    is_question = name == _QUESTION
    return Call(
        id=_text(payload.get("call_id")) or _text(payload.get("id")),
        name=name,
        kind=CallKind.QUESTION if is_question else CallKind.TOOL,
        input=quoted(_about(known) or text),
        questions=choices_of(known.get("questions")) if is_question else (),
        at_s=at_s,
    )


def _about(given: dict[str, Json]) -> str:
    """Return the command that a call is about, as one would type it; "" where it is none."""
    command = given.get("command") or given.get("cmd")
    if isinstance(command, str):
        return command
    if isinstance(command, list) and command:
        words = [word for word in command if isinstance(word, str)]
        if len(words) == 3 and words[0] in _SHELLS and words[1].startswith("-"):
            return words[2]
        return shlex.join(words)
    return json.dumps(given, ensure_ascii=False) if given else ""


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""

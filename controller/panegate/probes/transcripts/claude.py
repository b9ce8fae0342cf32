"""Claude Code's session transcript: JSON lines to a `Record`. Pure."""

import json
from typing import Final

import attrs

from panegate.probes.transcripts.cut_json import Json
from panegate.probes.transcripts.lines import Entry, Tail, entries_of, quoted, text_of
from panegate.session.transcript import Call, CallKind, Choice, Question, Record, Tokens

__all__ = ["choices_of", "read_claude"]

_QUESTION: Final = "AskUserQuestion"
_PLAN: Final = "ExitPlanMode"
_OVER: Final = frozenset({"end_turn", "stop_sequence", "max_tokens", "refusal"})
_OVER_NOTES: Final = frozenset({"turn_duration", "stop_hook_summary"})
_INTERRUPTED: Final = "[Request interrupted by user"
_LOCAL: Final = "<local-command-"
_COUNTS: Final = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)


@attrs.define
class _State:
    pending: dict[str, Call] = attrs.field(factory=dict)
    last_words: str = ""
    turn_ended: bool | None = None
    at_s: float | None = None
    answered_at_s: float | None = None
    usage: dict[str, int] = attrs.field(factory=dict)
    session_id: str = ""
    cwd: str = ""


def read_claude(tail: Tail) -> Record:
    """Return what the last lines of a session's transcript add up to.

    Entries of subagents, of hooks and of the program's own housekeeping are left out.
    """
    entries, unreadable = entries_of(tail)
    state = _State()
    for entry in entries:
        _take(state, entry)
    spent = sum(state.usage.values())
    tokens = Tokens(spent, at_least=not tail.whole) if spent or tail.whole else Tokens()
    return Record(
        program="claude",
        pending=tuple(state.pending.values()),
        last_words=quoted(state.last_words),
        turn_ended=state.turn_ended,
        at_s=state.at_s,
        answered_at_s=state.answered_at_s,
        tokens=tokens,
        session_id=state.session_id,
        cwd=state.cwd,
        whole=tail.whole,
        unreadable=unreadable,
    )


def _take(state: _State, entry: Entry) -> None:
    value = entry.value
    if value.get("isSidechain") is True:
        return
    state.session_id = _text(value.get("sessionId")) or state.session_id
    state.cwd = _text(value.get("cwd")) or state.cwd
    kind, message = value.get("type"), value.get("message")
    if kind == "system":
        if value.get("subtype") in _OVER_NOTES and not state.pending:
            state.turn_ended = True
        return
    if kind not in ("assistant", "user") or not isinstance(message, dict):
        return
    if kind == "assistant":
        state.at_s = entry.at_s
        _said(state, entry, message)
    elif value.get("isMeta") is not True:
        _heard(state, entry, message.get("content"))


def _said(state: _State, entry: Entry, message: dict[str, Json]) -> None:
    content = message.get("content")
    words = "\n".join(text for text in text_of(content, "text") if text.strip())
    if words:
        state.last_words = words
    called = False
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "tool_use":
            call = _call(block, entry.at_s)
            state.pending[call.id] = call
            called = True
    _count(state, entry.value, message)
    if called or message.get("stop_reason") == "tool_use":
        state.turn_ended = False
    elif message.get("stop_reason") in _OVER or entry.value.get("isApiErrorMessage") is True:
        state.turn_ended = True
    elif words:
        state.turn_ended = None


def _heard(state: _State, entry: Entry, content: Json) -> None:
    texts = [text for text in text_of(content, "text") if text.strip()]
    results = 0
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "tool_result":
            state.pending.pop(_text(block.get("tool_use_id")), None)
            results += 1
    if not results and not texts:
        return
    state.at_s = entry.at_s
    if texts and texts[0].startswith(_LOCAL):
        return
    state.answered_at_s = entry.at_s
    if texts and not results:
        state.pending.clear()  # who speaks anew has left what was open
    state.turn_ended = False
    if any(text.startswith(_INTERRUPTED) for text in texts):
        state.pending.clear()
        state.turn_ended = True


def _call(block: dict[str, Json], at_s: float | None) -> Call:
    name, given = _text(block.get("name")), block.get("input")
    known = given if isinstance(given, dict) else {}
    kind, about = CallKind.TOOL, _about(given)
    if name == _QUESTION:
        kind = CallKind.QUESTION
    elif name == _PLAN:
        kind, about = CallKind.PLAN, _text(known.get("plan")) or about
    return Call(
        id=_text(block.get("id")),
        name=name,
        kind=kind,
        input=quoted(about),
        questions=choices_of(known.get("questions")) if kind is CallKind.QUESTION else (),
        at_s=at_s,
    )


def _about(given: Json) -> str:
    if isinstance(given, dict):
        command = given.get("command")
        if isinstance(command, str):
            return command
    return json.dumps(given, ensure_ascii=False) if given else ""


def choices_of(given: Json) -> tuple[Question, ...]:
    """Return the questions of a question tool's arguments, word for word."""
    found: list[Question] = []
    for question in given if isinstance(given, list) else ():
        if not isinstance(question, dict):
            continue
        options = question.get("options")
        choices = [
            Choice(
                label=_text(option.get("label")) if isinstance(option, dict) else _text(option),
                description=_text(option.get("description")) if isinstance(option, dict) else "",
            )
            for option in (options if isinstance(options, list) else ())
        ]
        found.append(
            Question(
                text=_text(question.get("question")),
                header=_text(question.get("header")),
                choices=tuple(choices),
                many=question.get("multiSelect") is True,
            )
        )
    return tuple(found)


def _count(state: _State, value: dict[str, Json], message: dict[str, Json]) -> None:
    usage = message.get("usage")
    if not isinstance(usage, dict):
        return
    spent = sum(n for key in _COUNTS if isinstance(n := usage.get(key), int))
    # one message is written as several lines, each with the usage of all
    name = _text(message.get("id")) or _text(value.get("uuid"))
    state.usage[name] = max(spent, state.usage.get(name, 0))


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""

"""Small session records, written line by line as the two programs write them."""

import json
from datetime import UTC, datetime

from panegate.probes.transcripts.lines import Tail, split_lines

START_S = 1_700_000_000.0


def stamp(at_s: float) -> str:
    return datetime.fromtimestamp(START_S + at_s, UTC).isoformat().replace("+00:00", "Z")


def whole(*lines: bytes) -> Tail:
    return Tail(lines=split_lines(b"".join(lines), at_start=True))


def line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def claude(kind: str, at_s: float, content: object, **more: object) -> bytes:
    message: dict[str, object] = {"role": kind, "content": content}
    for key in ("id", "stop_reason", "usage"):
        if key in more:
            message[key] = more.pop(key)
    entry = {
        "parentUuid": None,
        "isSidechain": False,
        "cwd": "/home/me/project",
        "sessionId": "s-1",
        "type": kind,
        "message": message,
        "uuid": f"u{at_s}",
        "timestamp": stamp(at_s),
        **more,
    }
    return line(entry)


def said(at_s: float, text: str, **more: object) -> bytes:
    return claude("assistant", at_s, [{"type": "text", "text": text}], **more)


def called(at_s: float, name: str, given: object, id: str = "t1", **more: object) -> bytes:
    block = {"type": "tool_use", "id": id, "name": name, "input": given}
    return claude("assistant", at_s, [block], stop_reason="tool_use", **more)


def result(at_s: float, text: str = "ok", id: str = "t1") -> bytes:
    return claude("user", at_s, [{"tool_use_id": id, "type": "tool_result", "content": text}])


def asked(at_s: float, text: object, **more: object) -> bytes:
    return claude("user", at_s, text, **more)


def codex(kind: str, at_s: float, payload: object) -> bytes:
    return line({"timestamp": stamp(at_s), "type": kind, "payload": payload})


def codex_event(at_s: float, kind: str, **more: object) -> bytes:
    return codex("event_msg", at_s, {"type": kind, **more})


def codex_call(at_s: float, given: object, name: str = "shell", id: str = "c1") -> bytes:
    item = {"type": "function_call", "name": name, "arguments": json.dumps(given), "call_id": id}
    return codex("response_item", at_s, item)


def codex_result(at_s: float, id: str = "c1") -> bytes:
    item = {"type": "function_call_output", "call_id": id, "output": "ok"}
    return codex("response_item", at_s, item)

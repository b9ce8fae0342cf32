"""What hooks reported, read: lines of a pane's file to values. Pure."""

from typing import Final

import attrs

from panegate.probes.transcripts.cut_json import Json, parse_cut
from panegate.session.claims import Claim, ClaimKind

__all__ = ["HookReport", "read_reports"]

_WAITING_TOOLS: Final = frozenset({"AskUserQuestion", "ExitPlanMode", "request_user_input"})
_WAITING_NOTES: Final = frozenset({"permission_prompt", "elicitation_dialog", "agent_needs_input"})
_KINDS: Final = {
    "PermissionRequest": ClaimKind.WAITING,
    "Elicitation": ClaimKind.WAITING,
    "PreToolUse": ClaimKind.WORKING,
    "PostToolUse": ClaimKind.WORKING,
    "PostToolUseFailure": ClaimKind.WORKING,
    "UserPromptSubmit": ClaimKind.WORKING,
    "PreCompact": ClaimKind.WORKING,
    "Stop": ClaimKind.IDLE,
    "StopFailure": ClaimKind.IDLE,
    "agent-turn-complete": ClaimKind.IDLE,
    "approval-requested": ClaimKind.WAITING,
}
_SOURCE: Final = "its hook"


@attrs.frozen(kw_only=True)
class HookReport:
    """One report of a program's hook."""

    at_s: float
    """Wall seconds."""
    event: str
    """Its name, as the program gave it."""
    transcript: str = ""
    """Path of the session's record; "" where it was not said."""
    session_id: str = ""
    cwd: str = ""
    claim: Claim | None = None


def read_reports(data: bytes) -> list[HookReport]:
    """Return the reports in *data*, oldest first; what cannot be read is left out.

    A last line without its line feed is not written yet, and left out too.
    """
    lines = data.split(b"\n")[:-1]
    found = [_report(line) for line in lines]
    return [report for report in found if report is not None]


def _report(line: bytes) -> HookReport | None:
    stamp, _, body = line.partition(b" ")
    if not stamp.isdigit() or len(stamp) > 20:
        return None
    value = parse_cut(body)
    if value is None:
        return None
    at_s = int(stamp) / 1e9
    event = _text(value.get("hook_event_name")) or _text(value.get("type"))
    return HookReport(
        at_s=at_s,
        event=event,
        transcript=_text(value.get("transcript_path")),
        session_id=_text(value.get("session_id")) or _text(value.get("thread-id")),
        cwd=_text(value.get("cwd")),
        claim=_claim(event, value, at_s),
    )


def _claim(event: str, value: dict[str, Json], at_s: float) -> Claim | None:
    if value.get("agent_id"):
        return None  # a subagent's turn is not the session's
    kind = _KINDS.get(event)
    words = _text(value.get("message"))
    if event == "PreToolUse" and value.get("tool_name") in _WAITING_TOOLS:
        kind = ClaimKind.WAITING
    elif event == "Notification":
        note = _text(value.get("notification_type"))
        if note in _WAITING_NOTES or (not note and "needs your" in words):
            kind = ClaimKind.WAITING
        elif note == "idle_prompt" or (not note and "waiting for your input" in words):
            kind = ClaimKind.IDLE
    if kind is None:
        return None
    return Claim(kind=kind, at_s=at_s, source=_SOURCE, words=words or event, by_process=True)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""

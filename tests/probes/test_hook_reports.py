"""What hooks report, read as claims and as where the record is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.probes.hooks.reports import read_reports
from panegate.session.claims import ClaimKind

AT = 1_700_000_000_250_000_000


def written(**fields: object) -> bytes:
    return b"%d %s\n" % (AT, json.dumps(fields).encode())


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"hook_event_name": "PermissionRequest", "tool_name": "Bash"}, ClaimKind.WAITING),
        (
            {"hook_event_name": "Notification", "notification_type": "permission_prompt"},
            ClaimKind.WAITING,
        ),
        ({"hook_event_name": "Notification", "notification_type": "idle_prompt"}, ClaimKind.IDLE),
        ({"hook_event_name": "Notification", "notification_type": "auth_success"}, None),
        (
            {"hook_event_name": "Notification", "message": "X needs your permission to use Bash"},
            ClaimKind.WAITING,
        ),
        (
            {"hook_event_name": "Notification", "message": "X is waiting for your input"},
            ClaimKind.IDLE,
        ),
        ({"hook_event_name": "PreToolUse", "tool_name": "Bash"}, ClaimKind.WORKING),
        ({"hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion"}, ClaimKind.WAITING),
        ({"hook_event_name": "UserPromptSubmit"}, ClaimKind.WORKING),
        ({"hook_event_name": "Stop"}, ClaimKind.IDLE),
        ({"hook_event_name": "Stop", "agent_id": "a1"}, None),
        ({"hook_event_name": "SubagentStop"}, None),
        ({"hook_event_name": "SessionStart", "source": "resume"}, None),
        ({"hook_event_name": "SomethingNew"}, None),
        ({"type": "agent-turn-complete", "thread-id": "t"}, ClaimKind.IDLE),
        ({}, None),
    ],
)
def test_events_are_claims(fields: dict[str, object], kind: ClaimKind | None):
    (report,) = read_reports(written(**fields))
    assert (report.claim.kind if report.claim is not None else None) is kind
    assert report.at_s == pytest.approx(1_700_000_000.25, abs=0.001)
    if report.claim is not None:
        assert (report.claim.at_s, report.claim.by_process) == (report.at_s, True)


def test_a_report_says_where_the_record_is():
    (report,) = read_reports(
        written(
            hook_event_name="SessionStart", transcript_path="/r.jsonl", session_id="s", cwd="/c"
        )
    )
    assert (report.transcript, report.session_id, report.cwd) == ("/r.jsonl", "s", "/c")


def test_a_report_that_was_cut_says_what_stood_before_the_cut():
    whole = written(transcript_path="/r", hook_event_name="PermissionRequest", input="x" * 50)
    (report,) = read_reports(whole[:-30] + b"\n")
    assert (report.transcript, report.event) == ("/r", "PermissionRequest")


def test_a_line_that_is_not_finished_is_not_read_yet():
    data = written(hook_event_name="Stop")
    assert read_reports(data[:-1]) == []
    assert len(read_reports(data + data[:-5])) == 1


@given(st.lists(st.binary(max_size=80) | st.just(written(hook_event_name="Stop")), max_size=9))
def test_whatever_stands_in_the_file_is_survived(parts: list[bytes]):
    for report in read_reports(b"".join(parts)):
        assert report.at_s >= 0

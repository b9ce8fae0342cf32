"""Documents hold plain values, and say what schema they have."""

import datetime
import json
import re
import time

from panegate.cli.documents import dumps, error_document, event_document, plain, utc_of
from panegate.errors import LaunchFailed, ProfileError, Refused
from panegate.panes.facts import OptionReading
from panegate.service.views import Screen, ScreenLabel
from panegate.session.events import Prompt, StateChanged
from panegate.terms import Grade, PromptKind, Reason, State

PROMPT = Prompt(
    id="%1.1.abcdef01",
    pane="%1",
    episode=1,
    kind=PromptKind.MENU,
    question="Go — on?",
    options=(OptionReading(key="1", label="Yes"),),
)
SCREEN = Screen(rows=("a", ""), cursor=(0, 1), columns=80, lines=2, at=1.5)


def test_a_document_is_one_line_with_its_schema_first():
    text = dumps({"screen": plain(SCREEN)})
    assert "\n" not in text
    assert text.startswith('{"schema": 1, ')


def test_enums_become_their_values_and_tuples_lists():
    document = json.loads(dumps({"screen": plain(SCREEN)}))["screen"]
    assert document["label"] == ScreenLabel.LIVE.value
    assert document["rows"] == ["a", ""]


def test_text_is_kept_readable():
    assert "Go — on?" in dumps({"prompt": plain(PROMPT)})


def test_an_event_says_its_name_and_when_it_was():
    at_s = time.monotonic()
    event = StateChanged(
        seq=3,
        pane="%1",
        old=State.BUSY,
        new=State.READY,
        grade=Grade.MARK,
        words="w",
        at_s=at_s,
    )
    document = event_document(event)
    assert (document["event"], document["new"], document["seq"]) == ("StateChanged", "ready", 3)
    assert document["at_s"] == at_s


def test_wall_time_is_utc_and_that_of_the_instant():
    text = utc_of(time.monotonic() - 100)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text)
    age = datetime.datetime.now(datetime.UTC) - datetime.datetime.fromisoformat(text)
    assert abs(age.total_seconds() - 100) < 2


def test_a_refusal_carries_reason_state_prompt_and_screen():
    error = Refused(
        "no",
        reason=Reason.PROMPTING,
        state=State.PROMPTING,
        prompt=PROMPT,
        screen=SCREEN,
        fix="do",
    )
    document = json.loads(dumps(error_document(error)))["error"]
    assert (document["code"], document["reason"], document["state"], document["fix"]) == (
        "refused",
        "prompting",
        "prompting",
        "do",
    )
    assert document["prompt"]["question"] == "Go — on?"
    assert document["screen"]["rows"] == ["a", ""]


def test_a_failed_launch_carries_its_status():
    document = error_document(LaunchFailed("no", status=3, screen=SCREEN))["error"]
    assert (document["status"], document["signal"]) == (3, None)


def test_a_wrong_file_is_named_with_its_line(tmp_path):
    path = tmp_path / "a.toml"
    document = error_document(ProfileError("no", path=path, line=4))["error"]
    assert (document["path"], document["line"]) == (str(path), 4)

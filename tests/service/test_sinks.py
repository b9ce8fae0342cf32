"""Sinks as they are set, and what they are told."""

import json
from pathlib import Path

import pytest

from panegate.errors import SettingsError
from panegate.ids import PaneId
from panegate.service.settings import Settings, load_settings
from panegate.service.sinks import ExecSink, LogSink, WebhookSink, escalation_document, sinks_from
from panegate.session.events import Escalated, Prompt
from panegate.terms import EscalationCause, PromptKind

GOOD = """\
escalate_after_s = 60

[[sinks]]
kind = "log"

[[sinks]]
kind = "exec"
argv = ["notify-send", "panegate"]

[[sinks]]
kind = "webhook"
url = "https://example.org/hooks/1?key=2"

[nudge]
grace_s = 20
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(text)
    return path


def test_sinks_are_read_from_the_settings_file(tmp_path: Path):
    settings = load_settings(written(tmp_path, GOOD), {})
    assert settings == Settings(
        escalate_after_s=60,
        nudge_grace_s=20,
        sinks=(
            LogSink(),
            ExecSink(argv=("notify-send", "panegate")),
            WebhookSink(url="https://example.org/hooks/1?key=2"),
        ),
    )


def test_they_may_stand_in_one_line_and_in_the_environment(tmp_path: Path):
    path = written(tmp_path, 'sinks = [{kind = "log"}]\n')
    assert load_settings(path, {}).sinks == (LogSink(),)
    environ = {"PANEGATE_SINKS": '[{"kind": "webhook", "url": "http://127.0.0.1:1/x"}]'}
    assert load_settings(path, environ).sinks == (WebhookSink(url="http://127.0.0.1:1/x"),)
    assert Settings(sinks=(LogSink(),)).sinks == (LogSink(),)


@pytest.mark.parametrize(
    ("tail", "line", "words"),
    [
        ('kind = "mail"\n', 6, "log, exec, webhook"),
        ("\n", 5, "kind is one of"),
        ('kind = "log"\nlevel = 3\n', 7, "unknown key 'level'"),
        ('kind = "exec"\nargv = "notify-send"\n', 7, "a program and its arguments"),
        ('kind = "exec"\nargv = []\n', 7, "a program and its arguments"),
        ('kind = "webhook"\n', 5, "webhook needs url"),
        ('kind = "webhook"\nurl = "file:///etc/passwd"\n', 7, "http or https"),
        ('kind = "webhook"\nurl = "http://"\n', 7, "http or https"),
        ('kind = "webhook"\nurl = "http://host:port/"\n', 7, "http or https"),
        ('kind = "webhook"\nurl = 5\n', 7, "http or https"),
        ('kind = "log"\n\n[nudge]\ngrace_s = -1\n', 9, "more than 0"),
        ('kind = "log"\n\n[nudge]\nper_day = 1\n', 9, "unknown setting 'nudge_per_day'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, tail: str, line: int, words: str):
    path = written(tmp_path, f'rows = 40\n\n[[sinks]]\nkind = "log"\n[[sinks]]\n{tail}')
    with pytest.raises(SettingsError) as caught:
        load_settings(path, {})
    assert caught.value.line == line
    assert str(path) in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize("value", ["log", "3", "nonsense", '["log"]'])
def test_a_wrong_variable_says_what_was_expected(tmp_path: Path, value: str):
    with pytest.raises(SettingsError, match=r"\[\[sinks\]\] tables"):
        load_settings(tmp_path / "none", {"PANEGATE_SINKS": value})


def test_an_error_does_not_print_what_a_url_may_hold_of_secrets(tmp_path: Path):
    text = '[[sinks]]\nkind = "webhook"\nurl = "https://example.org/secret-1"\nretry = true\n'
    with pytest.raises(SettingsError) as caught:
        load_settings(written(tmp_path, text), {})
    assert "secret-1" not in str(caught.value)


def test_a_label_names_a_sink_whatever_its_place():
    one, two = WebhookSink(url="http://a.test/1"), WebhookSink(url="http://a.test/2")
    assert one.label != two.label
    assert sinks_from([{"kind": "webhook", "url": "http://a.test/1"}])[0].label == one.label
    assert WebhookSink(url="https://u:secret@a.test:8443/x?token=1").host == "https://a.test:8443"


def test_the_document_is_json_with_the_question_word_for_word():
    prompt = Prompt(
        id="%3.1.aabbccdd",
        pane=PaneId("%3"),
        episode=1,
        kind=PromptKind.CONFIRM,
        question="Überschreiben? [j/N]",
        where="tmux attach",
    )
    event = Escalated(
        pane=PaneId("%3"),
        escalation="e1",
        cause=EscalationCause.PROMPT,
        question=prompt.question,
        where="tmux attach",
        prompt=prompt,
        waited_s=900.0,
        words="w1 has asked for 15 min, and nobody has answered.",
        seq=7,
        at_s=12.0,
    )
    known = escalation_document(event, name="w1", server="-L x", at_utc="2026-01-01T00:00:00Z")
    document = json.loads(json.dumps(known))
    assert document["schema"] == 1
    assert document["question"] == document["prompt"]["question"] == "Überschreiben? [j/N]"
    assert (document["pane"], document["name"], document["cause"]) == ("%3", "w1", "prompt")
    assert "seq" not in document

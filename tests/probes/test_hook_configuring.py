"""A program's configuration with our hook and without; everything else stays."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.errors import PanegateError
from panegate.probes.hooks.configuring import (
    CLAUDE_EVENTS,
    diff_of,
    is_ours,
    with_claude_hook,
    with_codex_notify,
    without_claude_hook,
    without_codex_notify,
)

OURS = "/opt/bin/panegate-hook"
SETTINGS = """{
    "model": "x-1",
    "hooks": {
        "Stop": [
            {
                "matcher": "",
                "hooks": [
                    {
                        "type": "command",
                        "command": "say 'fertig – ü'"
                    }
                ]
            }
        ]
    },
    "permissions": {
        "allow": [
            "Bash(ls:*)"
        ]
    }
}
"""
CONFIG = """# mine
model = "y"  # the big one

[features]
hooks = true
notify = "not this one"
"""


def test_each_event_gets_our_hook_and_others_stay():
    after = json.loads(with_claude_hook(SETTINGS, OURS))
    before = json.loads(SETTINGS)
    assert [key for key in after] == [key for key in before]
    assert after["permissions"] == before["permissions"]
    assert after["hooks"]["Stop"][0] == before["hooks"]["Stop"][0]
    for event in CLAUDE_EVENTS:
        commands = [hook["command"] for group in after["hooks"][event] for hook in group["hooks"]]
        assert commands[-1] == OURS


def test_only_what_is_added_shows_in_the_change():
    after = with_claude_hook(SETTINGS, OURS)
    gone = [row for row in diff_of(SETTINGS, after, "f").splitlines()[2:] if row.startswith("-")]
    assert len(gone) <= 2  # a closing bracket gets its comma
    assert "\"say 'fertig – ü'\"" in after


def test_installing_twice_changes_nothing_and_a_moved_hook_is_followed():
    once = with_claude_hook(SETTINGS, OURS)
    assert with_claude_hook(once, OURS) == once
    moved = with_claude_hook(once, "/new/panegate-hook")
    assert OURS not in moved
    assert moved.count("/new/panegate-hook") == len(CLAUDE_EVENTS)


@pytest.mark.parametrize("text", [SETTINGS, "", "{}\n", '{"hooks": {}}\n', '{"a": 1}'])
def test_taking_it_out_again_leaves_what_was_there(text: str):
    before = json.loads(text or "{}")
    after = json.loads(without_claude_hook(with_claude_hook(text, OURS)))
    before.pop("hooks", None) if not before.get("hooks") else None
    assert after == before


def test_taking_out_what_is_not_there_changes_nothing():
    assert without_claude_hook(SETTINGS) == SETTINGS
    assert without_codex_notify(CONFIG) == CONFIG


def test_our_hook_in_a_group_with_others_goes_alone():
    both = json.loads(SETTINGS)
    both["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": OURS})
    assert json.loads(without_claude_hook(json.dumps(both))) == json.loads(SETTINGS)


@pytest.mark.parametrize(
    "text",
    ["[]", "{", "// x\n{}", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"a": 1, "a": 2}'],
)
def test_a_file_that_cannot_be_kept_whole_is_refused(text: str):
    with pytest.raises(PanegateError):
        with_claude_hook(text, OURS)


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("/opt/bin/panegate-hook", True),
        ("panegate-hook", True),
        ("'/with space/panegate-hook'", True),
        ("python -P -m panegate.probes.hooks.entry", True),
        ("/opt/bin/not-panegate-hook", False),
        ("panegate-hook-other", False),
        ("echo", False),
    ],
)
def test_our_own_hook_is_known_again(command: str, ours: bool):
    assert is_ours(command) is ours


@pytest.mark.parametrize(
    "text",
    ["", CONFIG, "a = 1", "[t]\n", "a = [\n  [1],\n]\n[t]\n", "a = [\n  1,\n]\n[[t.u]]\nb=2\n"],
)
def test_notify_stands_at_the_top_level_and_the_rest_stays(text: str):
    argv = [OURS, "--ü"]
    after = with_codex_notify(text, argv)
    assert tomllib.loads(after) == {**tomllib.loads(text), "notify": argv}
    assert [row for row in text.splitlines() if row not in after.splitlines()] == []
    assert with_codex_notify(after, argv).count("panegate-hook") == 1
    assert tomllib.loads(without_codex_notify(after)) == tomllib.loads(text)


def test_another_programs_notify_is_not_replaced():
    with pytest.raises(PanegateError, match="terminal-notifier"):
        with_codex_notify('notify = ["terminal-notifier"]\n', [OURS])
    theirs = 'notify = ["terminal-notifier"]\n'
    assert without_codex_notify(theirs) == theirs


def test_a_notify_on_several_lines_is_taken_out_whole():
    text = f'a = 1\nnotify = [\n  "{OURS}",  # ours\n]\n[t]\nnotify = "x"\n'
    assert without_codex_notify(text) == 'a = 1\n[t]\nnotify = "x"\n'


def test_what_is_no_toml_is_refused():
    with pytest.raises(PanegateError):
        with_codex_notify("a = ", [OURS])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), JSON, max_size=5))
def test_any_settings_survive_both_ways(settings: dict[str, object]):
    text = json.dumps(settings)
    with_it = with_claude_hook(text, OURS)
    assert {**json.loads(with_it), "hooks": None} == {**settings, "hooks": None}
    assert json.loads(without_claude_hook(with_it)) == settings

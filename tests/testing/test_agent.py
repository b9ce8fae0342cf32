"""The stand-in agent reads its answers and says in the truth log how."""

import json
from pathlib import Path

import pytest

from panegate.testing.programs import agent, program_argv


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return what starts the agent, and how it goes on as a composer."""
    goes_on: list[list[str]] = []
    monkeypatch.setattr(
        "panegate.testing.programs.composer.main", lambda _name, argv: goes_on.append(argv) or 0
    )
    log = tmp_path / "log"

    def start(*words: str, **env: str) -> tuple[dict[str, object], list[str]]:
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        assert agent.main("agent", [f"--log={log}", *words]) == 0
        return json.loads(log.read_text().splitlines()[-1]), goes_on[-1][1:]

    return start


def test_it_asks_at_its_start_and_after_each_message(started):
    event, like = started("fix", "it")
    assert (event["event"], event["words"], event["trusted"]) == ("started", ["fix", "it"], False)
    assert like == ["--trust-first=menu", "--ask-after-submit=100", "--work=500"]


@pytest.mark.parametrize(
    ("words", "env"),
    [
        (["--trust"], {}),
        ([], {"AGENT_TRUST": "1"}),
        (["--settings", '{"trust": true}'], {}),
        (["-c", "trust=true"], {}),
        ([], {"AGENT_SETTINGS": '{"trust": true}'}),
    ],
)
def test_flags_variables_and_settings_answer_its_first_question(started, words, env):
    event, like = started(*words, "--mode", "plan", **env)
    assert (event["trusted"], event["mode"], like) == (True, "plan", [])
    assert event["variables"] == env


def test_its_list_option_takes_every_word_up_to_the_next_option(started):
    event, _ = started("--allow", "Read", "fix it")
    assert (event["allowed"], event["words"]) == (["Read", "fix it"], [])
    event, _ = started("--allow", "Read", "--", "fix it")
    assert (event["allowed"], event["words"]) == (["Read"], ["fix it"])


def test_its_settings_may_stand_in_a_file(started, tmp_path: Path):
    (tmp_path / "s.json").write_text('{"mode": "auto"}')
    event, _ = started("--settings", str(tmp_path / "s.json"))
    assert event["mode"] == "auto"


def test_it_is_among_the_programs():
    assert program_argv("agent", mode="plan")[-2:] == ["agent", "--mode=plan"]

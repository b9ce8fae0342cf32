"""What a profile answers in advance is never asked, and a second start is like the first."""

import json
import os
import shlex
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import pytest

import panegate as pg
from panegate.service.started import STARTED_OPTION
from panegate.testing.programs import program_argv
from panegate.testing.truth import TruthLog

from .staging import WITHIN_S, Stage, open_stage, until_state

pytestmark = [pytest.mark.tmux, pytest.mark.slow, pytest.mark.asyncio]

PARSER: Final = """
[arguments]
with_value = ["--mode", "--settings"]
lists = ["--allow"]
repeated = ["--config"]
same = [["-m", "--mode"], ["-c", "--config"], ["-t", "--trust"]]
"""


@attrs.frozen
class Agent:
    """The stand-in agent as a program of its own, and a profile for it."""

    program: Path
    profile: Path
    truth: TruthLog

    @property
    def starts(self) -> list[dict[str, Any]]:
        """How the program has read its command line and environment, each time."""
        return [dict(event) for event in self.truth.events("started")]

    async def launch(self, ctl: pg.Controller, *words: str, **options: Any) -> pg.Pane:
        options = {"profile": self.profile, "within_s": WITHIN_S, **options}
        return await ctl.launch([str(self.program), *words], **options)


def agent(stage: Stage, answers: str) -> Agent:
    truth = stage.truth()
    program = stage.folder / "agent"
    program.write_text(
        f'#!/bin/sh\nexec {shlex.join(program_argv("agent", log=truth.path))} "$@"\n'
    )
    program.chmod(0o700)
    profile = stage.folder / "asked.toml"
    profile.write_text(f'extends = "standin"\ncommands = ["agent"]\n{answers}\n{PARSER}')
    return Agent(program, profile, truth)


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


async def test_without_answers_the_stand_in_asks(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        pane = await agent(stage, "").launch(stage.ctl)
        assert pane.state is pg.State.PROMPTING
        assert pane.explain().launch_answers is None


@pytest.mark.parametrize(
    "answers",
    [
        'flags = ["--trust"]',
        'env = { AGENT_TRUST = "1" }',
        'settings = { trust = true }\nsettings_option = "--settings"',
        'settings = { trust = true }\nsettings_option = "--settings"\nsettings_style = "file"',
        'settings = { trust = true }\nsettings_option = "-c"\nsettings_style = "pairs"',
        'settings = { trust = true }\nsettings_variable = "AGENT_SETTINGS"',
    ],
)
async def test_an_answered_question_is_not_asked(tmp_path: Path, answers: str) -> None:
    async with open_stage(tmp_path) as stage:
        started = agent(stage, f"[launch_answers]\n{answers}")
        pane = await started.launch(stage.ctl, "fix it", "--mode", "plan")
        assert pane.state is pg.State.READY
        [start] = started.starts
        assert (start["trusted"], start["mode"], start["words"]) == (True, "plan", ["fix it"])
        used = pane.explain().launch_answers
        assert used is not None
        assert used.profile == "asked"
        assert used.words


async def test_an_option_that_takes_all_words_leaves_the_first_message(tmp_path: Path) -> None:
    answers = '[launch_answers]\nflags = ["--trust", "--allow", "Read", "Grep"]'
    async with open_stage(tmp_path) as stage:
        started = agent(stage, answers)
        for words in (["fix", "it"], ["--", "fix", "it"], ["fix", "it", "--mode=plan"]):
            pane = await started.launch(stage.ctl, *words)
            assert pane.state is pg.State.READY
            start = started.starts[-1]
            assert (start["words"], start["allowed"]) == (["fix", "it"], ["Read", "Grep"])
        await started.launch(stage.ctl, "--allow", "Edit", "--", "fix")
        start = started.starts[-1]
        assert (start["words"], start["allowed"]) == (["fix"], ["Read", "Grep", "Edit"])


@pytest.mark.parametrize(
    ("answers", "words", "env", "said"),
    [
        ('flags = ["--mode", "plan"]', ["-m", "auto"], {}, ("--mode plan", "-m auto")),
        ('flags = ["--trust"]', ["--no-trust"], {}, ("--trust", "--no-trust")),
        ('env = { A = "1" }', [], {"A": "2"}, ("A=1", "A=2")),
        (
            'settings = { trust = true }\nsettings_option = "--settings"',
            ["--settings", '{"trust": false}'],
            {},
            ("trust = true", "trust = false"),
        ),
    ],
)
async def test_a_caller_who_contradicts_starts_nothing(
    tmp_path: Path, answers: str, words: Sequence[str], env: dict[str, str], said: Sequence[str]
) -> None:
    async with open_stage(tmp_path) as stage:
        started = agent(stage, f"[launch_answers]\n{answers}")
        with pytest.raises(pg.LaunchFailed) as failed:
            await started.launch(stage.ctl, *words, env=env)
        assert all(part in str(failed.value) for part in said)
        assert "'asked'" in str(failed.value)
        assert started.starts == []
        assert stage.tmux("list-sessions", "-F", "#{session_name}").split() == ["panegate"]


async def test_a_program_behind_a_shell_gets_no_answers_by_guess(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        started = agent(stage, '[launch_answers]\nflags = ["--trust"]')
        with pytest.raises(pg.LaunchFailed, match="cannot be told"):
            await stage.ctl.launch(["sh", "-c", str(started.program)], profile=started.profile)


async def test_settings_of_the_caller_in_a_file_of_the_runs_folder_are_extended(
    tmp_path: Path, state_folder: Path
) -> None:
    own = tmp_path / "run"
    own.mkdir()
    (own / "mine.json").write_text('{"mode": "plan"}')
    answers = '[launch_answers]\nsettings = { trust = true }\nsettings_option = "--settings"'
    async with open_stage(tmp_path) as stage:
        started = agent(stage, f'{answers}\nsettings_style = "file"')
        pane = await started.launch(stage.ctl, "--settings", "mine.json", cwd=own)
        assert pane.state is pg.State.READY
        [start] = started.starts
        assert start["settings"] == {"mode": "plan", "trust": True}
        assert (own / "mine.json").read_text() == '{"mode": "plan"}'
        [written] = (state_folder / "panegate" / "launch").iterdir()
        assert written.stat().st_mode & 0o777 == 0o600


async def test_a_respawn_uses_the_same_answers_though_the_profile_has_changed(
    tmp_path: Path, state_folder: Path
) -> None:
    answers = """
[launch_answers]
flags = ["--mode", "plan"]
env = { AGENT_X = "1" }
settings = { trust = true }
settings_option = "--settings"
settings_style = "file"
"""
    async with open_stage(tmp_path) as stage:
        started = agent(stage, answers)
        pane = await started.launch(stage.ctl, "fix it", env={"AGENT_Y": "2"})
        started.profile.write_text('extends = "standin"\n')
        for path in (state_folder / "panegate" / "launch").iterdir():
            path.unlink()
        await pane.respawn(within_s=WITHIN_S)
        first, second = started.starts
        assert second["argv"] == first["argv"]
        assert second["variables"] == first["variables"] == {"AGENT_X": "1", "AGENT_Y": "2"}
        assert second["trusted"] is True
        assert pane.state is pg.State.READY


async def test_a_controller_that_was_not_there_starts_it_again_the_same_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = """
[launch_answers]
flags = ["--trust", "--allow", "Read"]
env = { AGENT_X = "$(1) #{pane_id} 'ü" }
"""
    async with open_stage(tmp_path) as stage:
        started = agent(stage, answers)
        old = await started.launch(stage.ctl, "fix it", env={"AGENT_Y": "secret"}, retain=True)
        used = old.explain().launch_answers
        assert "secret" not in stage.tmux("show-options", "-p", "-v", "-t", old.id, STARTED_OPTION)
        async with pg.Controller.open(socket_path=stage.socket, journal=":memory:") as other:
            pane = await other.adopt(old.id, profile=started.profile)
            assert pane.explain().launch_answers == used
            with pytest.raises(pg.PanegateError, match="AGENT_Y"):
                await pane.respawn(within_s=WITHIN_S)
            assert len(started.starts) == 1
            monkeypatch.setenv("AGENT_Y", "secret")
        async with pg.Controller.open(socket_path=stage.socket, journal=":memory:") as other:
            pane = await other.adopt(old.id, profile=started.profile)
            await pane.respawn(within_s=WITHIN_S)
            first, second = started.starts
            for key in ("argv", "words", "allowed", "trusted", "variables"):
                assert second[key] == first[key], key
            assert pane.state is pg.State.READY
            assert pane.explain().launch_answers == used
            receipt = await pane.send("go on", within_s=WITHIN_S)
            assert receipt.fate is pg.Fate.LANDED, receipt.words
            await pane.close()


async def test_what_somebody_else_has_started_in_the_pane_is_not_taken_for_ours(
    tmp_path: Path,
) -> None:
    async with open_stage(tmp_path) as stage:
        kept = {"argv": ["other"], "cwd": None, "retain": False, "inherit_env": None}
        kept |= {"caller_env": [], "profile_env": {}, "answers": None}
        pane_id = stage.session("cat")
        stage.tmux("set-option", "-p", "-t", pane_id, STARTED_OPTION, json.dumps(kept))
        stage.tmux("set-option", "-p", "-t", pane_id, f"{STARTED_OPTION}_pid", "1")
        pane = await stage.ctl.adopt(pane_id)
        assert pane.explain().launch_answers is None
        with pytest.raises(pg.PanegateError, match="how it was started is not known"):
            await pane.respawn()


async def test_a_program_that_ended_meanwhile_is_started_again_the_same_way(
    tmp_path: Path,
) -> None:
    async with open_stage(tmp_path) as stage:
        started = agent(stage, '[launch_answers]\nflags = ["--trust"]')
        old = await started.launch(stage.ctl, "fix it", retain=True)
        os.kill(old.target.pane_pid, signal.SIGKILL)
        await until_state(old, pg.State.EXITED)
        async with pg.Controller.open(socket_path=stage.socket, journal=":memory:") as other:
            pane = await other.adopt(old.id, profile=started.profile)
            await pane.respawn(within_s=WITHIN_S)
            assert pane.state is pg.State.READY
        assert [start["argv"] for start in started.starts] == [["--trust", "fix it"]] * 2

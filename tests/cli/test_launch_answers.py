"""What a profile answered in advance is explained by a later command, too."""

import shlex
from pathlib import Path

import pytest
from tests.cli.conftest import Cli

from panegate.testing.programs import program_argv

pytestmark = pytest.mark.tmux


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """The stand-in agent as a program of its own."""
    program = tmp_path / "agent"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(program_argv("agent"))} "$@"\n')
    program.chmod(0o700)
    return program


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A profile whose program is trusted in advance."""
    path = tmp_path / "asked.toml"
    path.write_text(
        'extends = "standin"\ncommands = ["agent"]\n'
        '[launch_answers]\nflags = ["--mode=plan"]\nenv = { AGENT_TRUST = "1" }\n'
    )
    return path


def test_the_answers_of_a_launch_are_explained(cli: Cli, agent: Path, profile: Path) -> None:
    options = ("--name", "w1", "--within", "20", "--profile", str(profile))
    launched = cli("launch", *options, "--", str(agent), "fix it")
    assert (launched.status, launched.err) == (0, "")
    used = cli.json("explain", "w1").document["explanation"]["launch_answers"]
    assert used == {
        "profile": "asked",
        "flags": ["--mode=plan"],
        "env": {"AGENT_TRUST": "1"},
        "files": {},
    }
    said = cli("explain", "w1").out
    assert "by the profile asked: --mode=plan; AGENT_TRUST=1" in said


def test_a_caller_who_contradicts_is_told_both(cli: Cli, agent: Path, profile: Path) -> None:
    done = cli("launch", "--profile", str(profile), "--", str(agent), "--mode", "ask")
    assert done.status == 1
    assert "launches with --mode=plan, and the caller gives --mode" in done.err


def test_a_launch_without_answers_explains_none(cli: Cli) -> None:
    assert cli("launch", "--name", "w1", "--within", "20", "--", "bash", "--norc").status == 0
    assert cli.json("explain", "w1").document["explanation"]["launch_answers"] is None
    assert "answered" not in cli("explain", "w1").out

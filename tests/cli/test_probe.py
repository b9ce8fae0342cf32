"""A probe says which questions a run would meet, answers none, and leaves nothing."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Cli, Start, Watched, end

from panegate.testing.programs import program_argv
from panegate.testing.servers import require_program, wait_gone
from panegate.testing.truth import TruthLog

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

TRUST = "Do you trust the files in this folder?"
RUN = "Do you want to run this command?"


@pytest.fixture(autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder for temporary files."""
    require_program("tmux")
    found = tmp_path_factory.mktemp("t")
    monkeypatch.setenv("TMPDIR", str(found))
    monkeypatch.setattr("tempfile.tempdir", None)
    return found


@pytest.fixture
def truth(tmp_path: Path) -> TruthLog:
    """What the stand-in has received and done."""
    return TruthLog(tmp_path / "truth.jsonl")


Profiled = Callable[..., str]


@pytest.fixture
def profiled(tmp_path: Path, truth: TruthLog) -> Profiled:
    """Make a profile for a stand-in, which is a program of its own; return its path."""

    def made(name: str, answers: str = "", **options: object) -> str:
        program = tmp_path / "agent"
        argv = program_argv(name, log=truth.path, **options)  # type: ignore[arg-type]
        program.write_text(f'#!/bin/sh\nexec {shlex.join(argv)} "$@"\n')
        program.chmod(0o700)
        profile = tmp_path / "mine.toml"
        rule = '[arguments]\nwith_value = ["--mode"]\n'
        profile.write_text(f'extends = "standin"\ncommands = ["agent"]\n{answers}\n{rule}')
        return str(profile)

    return made


def probe(profile: str, *words: str) -> list[str]:
    """Return the words of a command line that starts the program beside its profile."""
    program = Path(profile).parent / "agent"
    return ["probe", profile, "--program", str(program), *words]


def test_a_shell_at_its_prompt_asks_nothing(bare: Cli, folder: Path):
    done = bare("probe", "bash", "--", "--norc")
    assert (done.status, done.err) == (0, "")
    assert "No question was met" in done.out
    assert list(folder.iterdir()) == []


def test_a_profiles_program_is_the_first_of_its_commands_that_is_there(bare: Cli, tmp_path: Path):
    there = Path(sys.executable)
    profile = tmp_path / "snake.toml"
    profile.write_text(f'extends = "python"\ncommands = ["no-such-snake", "{there.name}"]\n')
    path = f"{there.parent}:{os.environ['PATH']}"
    found = bare.json("probe", "--env", f"PATH={path}", str(profile), "--", "-q").document
    assert found["probe"]["argv"] == [there.name, "-q"]
    assert (found["probe"]["state"], found["probe"]["questions"]) == ("ready", [])


def test_a_question_at_the_start_is_reported_word_for_word_and_not_answered(
    bare: Cli, profiled: Profiled, truth: TruthLog, folder: Path
):
    words = probe(profiled("composer", trust_first=True))
    done = bare.json(*words)
    assert done.status == 3
    found = done.document["probe"]
    [asked] = found["questions"]
    assert asked["question"] == TRUST
    assert [option["label"] for option in asked["options"]] == [
        "Yes, I trust this folder",
        "No, leave",
    ]
    assert asked["where"] == ""  # the pane is gone by now
    assert found["state"] == "prompting"
    told = bare(*words)
    assert told.status == 3
    for row in (TRUST, "Yes, I trust this folder", "No, leave"):
        assert row in told.out
    assert "panegate answer" not in told.out
    assert truth.events("dialog_key", "approved", "declined", "bytes") == []
    assert list(folder.iterdir()) == []


def test_the_launch_answers_and_arguments_of_a_run_are_used(
    bare: Cli, profiled: Profiled, truth: TruthLog
):
    profile = profiled("agent")
    asks = bare.json(*probe(profile, "--", "--mode", "plan", "fix it"))
    assert asks.status == 3
    answered = profiled("agent", '[launch_answers]\nflags = ["--trust"]')
    done = bare.json(*probe(answered, "--", "--mode", "plan", "fix it"))
    assert done.status == 0
    found = done.document["probe"]
    assert found["argv"][1:] == ["--trust", "--mode", "plan", "fix it"]
    assert found["launch_answers"]["flags"] == ["--trust"]
    first, second = truth.events("started")
    assert (first["trusted"], second["trusted"]) == (False, True)
    assert second["words"] == ["fix it"]


def test_a_turn_shows_the_questions_behind_the_start(
    bare: Cli, profiled: Profiled, truth: TruthLog
):
    answered = profiled("agent", '[launch_answers]\nflags = ["--trust"]')
    asks = bare.json(*probe(answered, "--turn", "Reply with OK."))
    assert asks.status == 3
    found = asks.document["probe"]
    assert [asked["question"] for asked in found["questions"]] == [RUN]
    assert found["turn"]["receipt"]["fate"] == "landed"
    assert truth.submits() == ["Reply with OK."]
    asks_nothing = probe(answered, "--turn", "Reply with OK.", "--", "--mode", "plan")
    done = bare.json(*asks_nothing)
    assert done.status == 0
    assert "Done." in done.document["probe"]["turn"]["text"]


def test_no_turn_is_driven_into_a_question(bare: Cli, profiled: Profiled, truth: TruthLog):
    words = probe(profiled("composer", trust_first=True), "--turn", "Reply with OK.")
    done = bare.json(*words)
    assert done.status == 3
    assert done.document["probe"]["turn"] is None
    assert truth.events("bytes") == []


def test_a_turn_that_does_not_end_is_not_confirmed(bare: Cli, profiled: Profiled):
    profile = profiled("composer", work=600_000)
    done = bare.json(*probe(profile, "--turn", "Reply.", "--turn-within", "1"))
    assert done.status == 5
    assert done.document["probe"]["turn"]["over"] is False


def test_hidden_input_is_said_to_be_hidden(bare: Cli):
    program, *rest = program_argv("hidden-input")
    done = bare("probe", "generic", "--program", program, "--", *rest)
    assert done.status == 3
    assert "(secret, hidden input)" in done.out
    assert "password" in done.out


def test_a_program_that_is_not_there_or_ends_at_once_did_not_start(bare: Cli, folder: Path):
    missing = bare("probe", "bash", "--program", "no-such-shell")
    assert missing.status == 1
    assert "there is no program 'no-such-shell'" in missing.err
    ended = bare.json("probe", "bash", "--", "-c", "echo no licence; exit 3")
    assert ended.status == 1
    error = ended.document["error"]
    assert (error["code"], error["status"]) == ("launch_failed", 3)
    assert "no licence" in error["message"]
    assert list(folder.iterdir()) == []


def test_a_program_that_is_never_ready_runs_out_of_time_and_shows_its_screen(
    bare: Cli, folder: Path
):
    words = ("probe", "bash", "--within", "1", "--", "-c", "echo still loading; sleep 1000")
    done = bare(*words)
    assert (done.status, done.out) == (6, "")
    assert "neither ready nor asking within 1 s" in done.err
    assert "| still loading" in done.err
    error = bare.json(*words).document["error"]
    assert error["code"] == "not_ready"
    assert "still loading" in "\n".join(error["screen"]["rows"])
    assert list(folder.iterdir()) == []


def test_what_is_waited_for_is_shown_to_a_person_meanwhile(bare: Cli, start: Start):
    with Watched() as terminal:
        argv = bare.argv("probe", "bash", "--", "-c", "sleep 1000")
        process = start(argv, stderr=terminal.theirs)
        terminal.wait_for("waiting for bash to be ready or to ask")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143), (signal.SIGKILL, -9)],
)
def test_an_interrupted_probe_leaves_no_process(
    bare: Cli, start: Start, tmp_path: Path, folder: Path, number: int, status: int
):
    told = tmp_path / "told"
    os.mkfifo(told)
    script = f"echo $$ > {told}; exec sleep 1000"
    process = start(bare.argv("probe", "bash", "--", "-c", script))
    program = int(told.read_text())
    [socket] = folder.glob("panegate-*/tmux")
    words = [
        os.environ.get("PANEGATE_TMUX") or "tmux",
        "-S",
        str(socket),
        "display-message",
        "-p",
        "#{pid}",
    ]
    server = int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    done = end(process, signal.Signals(number))
    assert done.status == status
    assert wait_gone(program, 10)
    assert wait_gone(server, 10)
    if number != signal.SIGKILL:
        assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("no-such-profile",), "no-such-profile"),
        (("standin",), "--program"),
        (("bash", "--turn", "x"), "'bash' is of the family 'shell'"),
        (("-L", "mine", "bash"), "a tmux server of its own"),
        (("bash", "--env", "x"), "'x' is not NAME=VALUE"),
    ],
)
def test_what_cannot_be_probed_is_a_matter_of_usage(bare: Cli, words: tuple[str, ...], said: str):
    done = bare("probe", *words)
    assert done.status == 2
    assert said in done.err


def test_a_contradiction_of_the_launch_answers_names_both(bare: Cli, profiled: Profiled):
    profile = profiled("agent", '[launch_answers]\nflags = ["--mode", "plan"]')
    done = bare(*probe(profile, "--", "--mode", "ask"))
    assert done.status == 1
    assert "launches with --mode plan, and the caller gives --mode ask" in done.err
    assert done.out == ""

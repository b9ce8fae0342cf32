"""The demo does what it says, and leaves nothing."""

import signal
from pathlib import Path

import pytest
from tests.cli.conftest import Cli, Start, end

from panegate.testing.servers import require_program, wait_gone

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder for temporary files."""
    require_program("tmux")
    found = tmp_path_factory.mktemp("t")
    monkeypatch.setenv("TMPDIR", str(found))
    monkeypatch.setattr("tempfile.tempdir", None)
    return found


def test_the_demo_shows_the_main_job_and_leaves_nothing(bare: Cli, folder: Path):
    done = bare.json("demo")
    assert (done.status, done.err) == (0, "")
    found = done.documents
    assert all(document["schema"] == 1 for document in found)
    states = {(d["name"], d["new"]) for d in found if d.get("event") == "StateChanged"}
    assert {
        ("shell", "ready"),
        ("repl", "ready"),
        ("job", "silent"),
        ("agent", "prompting"),
        ("agent", "ready"),
    } <= states
    asked = [(d["name"], d["prompt"]) for d in found if d.get("event") == "PromptOpened"]
    assert [(name, prompt["question"]) for name, prompt in asked] == [
        ("agent", "Do you want to run this command?")
    ]
    assert len(asked[0][1]["options"]) == 3
    refusals = [d["error"]["reason"] for d in found if "error" in d]
    assert sorted(refusals) == ["prompting", "silent"]
    receipts = [d["receipt"] for d in found if "receipt" in d and "event" not in d]
    assert [r["fate"] for r in receipts] == ["landed"] * 5
    answers = [r for r in receipts if r["intent"] == "answer"]
    assert len(answers) == 1
    summary = found[-1]["demo"]
    assert (summary["ok"], summary["landed"], summary["refused"]) == (True, 5, 2)
    assert summary["took_s"] < 60
    assert list(folder.iterdir()) == []
    assert wait_gone(found[0]["machine"]["server_pid"], 0)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_demo_leaves_nothing(
    bare: Cli, folder: Path, start: Start, number: signal.Signals, status: int
):
    process = start(bare.argv("demo"))
    assert process.stdout is not None
    for line in process.stdout:
        if "repl" in line and "ready" in line:
            break
    done = end(process, number)
    assert done.status == status
    assert "are gone" in done.err
    assert list(folder.iterdir()) == []


def test_a_demo_without_tmux_says_in_one_line_how_to_install_it(
    bare: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PANEGATE_TMUX", "/no/such/tmux")
    done = bare("demo")
    assert (done.status, done.out) == (1, "")
    assert done.err.count("\n") == 1
    assert "/no/such/tmux is not installed; install tmux 3.2a or newer" in done.err
    assert list(folder.iterdir()) == []


def test_a_demo_with_an_old_tmux_says_in_one_line_how_to_install_another(
    bare: Cli, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    old = tmp_path / "tmux"
    old.write_text("#!/bin/sh\necho tmux 2.9\n")
    old.chmod(0o700)
    monkeypatch.setenv("PANEGATE_TMUX", str(old))
    done = bare("demo")
    assert done.status == 1
    assert "tmux 2.9 is older than 3.2a; install tmux 3.2a or newer" in done.err
    assert done.err.count("\n") == 1

"""A recording of a live server, and the engine run over it again."""

import os
import stat
from pathlib import Path

import pytest
from tests.cli.conftest import Cli, Start, Watched, end

pytestmark = pytest.mark.tmux

BASH = ("bash", "--norc", "--noprofile")


@pytest.fixture
def recording(cli: Cli, start: Start, tmp_path: Path) -> Path:
    """A recording of a shell that was launched, and ran something."""
    path = tmp_path / "a.rec"
    with Watched() as terminal:
        process = start(cli.argv("record", str(path)), stderr=terminal.theirs)
        terminal.wait_for("Recording ")
        cli("launch", "--name", "w1", "--", *BASH)
        terminal.wait_for("w1 (%1) is recorded.")
        cli("run", "w1", "sleep 0.5; echo hi")
        cli("close", "w1")
        terminal.wait_for("%1 has ended")
        done = end(process)
        terminal.wait_for(" facts are in ")
    assert done.status == 130
    return path


def test_a_recording_replays_to_the_same_events_without_tmux(
    recording: Path, bare: Cli, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PANEGATE_TMUX", "/no/such/tmux")
    monkeypatch.setenv("PATH", "")
    first, second = (bare.json("replay", str(recording)) for _ in range(2))
    assert first.status == second.status == 0
    assert first.out == second.out
    states = [
        (e["old"], e["new"])
        for e in first.documents
        if e["event"] == "StateChanged" and e["pane"] == "%1"
    ]
    assert states[0] == ("booting", "ready")
    assert states[-1][1] == "exited"


def test_a_replay_for_people_counts_what_it_read(recording: Path, bare: Cli):
    done = bare("replay", str(recording))
    assert "booting -> ready" in done.out
    assert " facts, " in done.err


def test_a_recording_is_its_makers_alone(recording: Path):
    assert stat.S_IMODE(os.stat(recording).st_mode) == 0o600


def test_a_file_that_exists_is_not_written_over(recording: Path, cli: Cli):
    before = recording.read_bytes()
    done = cli("record", str(recording), "--within", "0.1")
    assert done.status == 1
    assert "--force" in done.err
    assert recording.read_bytes() == before


def test_a_recording_ends_after_its_time(cli: Cli, tmp_path: Path):
    path = tmp_path / "b.rec"
    done = cli.json("record", str(path), "--within", "0.3")
    assert done.status == 0
    assert done.document["recording"]["facts"] > 0


def test_what_is_no_recording_is_an_error(bare: Cli, tmp_path: Path):
    path = tmp_path / "c.rec"
    path.write_text("{}\n")
    done = bare("replay", str(path))
    assert done.status == 1
    assert f"{path}: line 1: " in done.err

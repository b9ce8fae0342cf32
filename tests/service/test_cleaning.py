"""Nothing is left behind, however a process ends."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from panegate.service.cleaning import SOCKET, cleaned_folder
from panegate.testing.servers import require_program, wait_gone

WITHIN_S = 20.0


@pytest.fixture
def own_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files with a short path: a socket's name has a limit."""
    require_program("tmux")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


@contextlib.contextmanager
def running(*words: str) -> Iterator["subprocess.Popen[str]"]:
    """Start a process of its own group, and end it with the test."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    for name in ("TMUX", "TMUX_PANE"):
        env.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=env,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        assert process.stdout is not None
        process.stdout.close()
        process.wait()


def children(pid: int) -> list[int]:
    done = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, check=True)
    rows = [line.split() for line in done.stdout.decode().splitlines()]
    return [int(own) for own, parent in rows if int(parent) == pid]


@pytest.mark.tmux
@pytest.mark.slow
@pytest.mark.parametrize("moment", ["machine", "part", "PromptOpened"])
def test_a_demo_that_is_killed_leaves_no_server_no_program_and_no_file(own_tmp: Path, moment: str):
    with running("panegate", "demo", "--json") as process:
        assert process.stdout is not None
        pids: list[int] = []
        for line in process.stdout:
            document = json.loads(line)
            if "machine" in document:
                pids.append(document["machine"]["server_pid"])
            if moment in document or document.get("event") == moment:
                break
        (socket,) = own_tmp.glob(f"panegate-*/{SOCKET}")
        listed = ["tmux", "-S", str(socket), "list-panes", "-a", "-F", "#{pane_pid}"]
        done = subprocess.run(listed, capture_output=True, check=True, text=True)
        pids += [int(word) for word in done.stdout.split()]
        pids += children(process.pid)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert [pid for pid in pids if not wait_gone(pid, WITHIN_S)] == []
        assert list(own_tmp.glob("panegate-*")) == []


def inside(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@pytest.mark.tmux
@pytest.mark.asyncio
async def test_a_folder_is_gone_at_an_ordinary_end_and_after_an_error(own_tmp: Path):
    async with cleaned_folder("tmux") as folder:
        assert inside(own_tmp) == [folder]
    assert inside(own_tmp) == []
    with pytest.raises(ValueError, match="inside"):
        async with cleaned_folder("tmux"):
            raise ValueError("inside")
    assert inside(own_tmp) == []

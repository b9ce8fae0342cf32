"""Which record belongs to a program: an open file, else the only one of its folder."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.probes.session_lines import codex

from panegate.probes.transcripts.finding import (
    Place,
    claude_folder,
    find_transcript,
    find_with,
    place_of,
    program_of,
    reader_of,
)


def place(tmp_path: Path, cwd: str = "/home/me/a_b.c", **environ: str) -> Place:
    return Place(cwd=cwd, home=str(tmp_path), started_s=time.time() - 60, environ=environ)


def written(path: Path, data: bytes = b"{}\n", age_s: float = 0.0) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    then_s = time.time() - age_s
    os.utime(path, (then_s, then_s))
    return str(path)


def rollout(home: Path, day: str, name: str, cwd: str, age_s: float = 0.0) -> str:
    path = home / ".codex" / "sessions" / day / f"rollout-{name}.jsonl"
    return written(path, codex("session_meta", 0, {"id": name, "cwd": cwd}), age_s)


def test_the_only_record_of_the_folder_is_taken(tmp_path: Path):
    here = place(tmp_path)
    folder = tmp_path / ".claude" / "projects" / "-home-me-a-b-c"
    assert claude_folder(here) == str(folder)
    assert find_with("claude", here) is None
    path = written(folder / "s1.jsonl")
    written(folder / "old.jsonl", age_s=600)
    written(folder / "agent-1.jsonl")
    written(folder / "notes.txt")
    assert find_with("claude", here) == path


def test_of_two_records_neither_is_taken(tmp_path: Path):
    folder = Path(claude_folder(place(tmp_path)))
    written(folder / "s1.jsonl")
    written(folder / "s2.jsonl")
    assert find_with("claude", place(tmp_path)) is None


def test_a_moved_configuration_is_followed(tmp_path: Path):
    here = place(tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "conf"))
    path = written(tmp_path / "conf" / "projects" / "-home-me-a-b-c" / "s.jsonl")
    assert find_with("claude", here) == path
    moved = place(tmp_path, cwd="/x", CODEX_HOME=str(tmp_path / "dex"))
    meta = codex("session_meta", 0, {"id": "n", "cwd": "/x"})
    path = written(tmp_path / "dex" / "sessions" / "2026" / "01" / "02" / "rollout-a.jsonl", meta)
    assert find_with("codex", moved) == path


def test_a_rollout_is_known_by_the_folder_it_names(tmp_path: Path):
    mine = rollout(tmp_path, "2026/01/02", "b", "/mine")
    rollout(tmp_path, "2026/01/02", "a", "/theirs")
    rollout(tmp_path, "2026/01/01", "c", "/mine", age_s=600)
    assert find_with("codex", place(tmp_path, cwd="/mine")) == mine
    assert find_with("codex", place(tmp_path, cwd="/nobodys")) is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs procfs")
def test_a_record_that_is_open_is_the_programs_own(tmp_path: Path):
    here = tmp_path / "work"
    here.mkdir()
    cwd = os.path.realpath(here)
    mine = rollout(tmp_path, "2026/01/02", "b", cwd)
    rollout(tmp_path, "2026/01/02", "a", cwd)
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    code = "import sys; f = open(sys.argv[1]); print('up', flush=True); sys.stdin.read()"
    argv = [sys.executable, "-c", code, mine]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, cwd=here
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        assert find_transcript("codex", [process.pid]) == mine
        assert find_transcript("claude", [process.pid]) is None
        there = place_of(process.pid)
        process.kill()
    assert there is not None
    assert (there.cwd, there.home) == (cwd, str(tmp_path))
    assert abs(there.started_s - time.time()) < 30


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs procfs")
def test_by_the_folder_of_a_real_process(tmp_path: Path):
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    argv = ["sh", "-c", "echo up; cat >/dev/null"]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        there = place_of(process.pid)
        assert there is not None
        path = written(Path(claude_folder(there)) / "s.jsonl")
        assert find_transcript("claude", [process.pid]) == path
        process.kill()


def test_a_process_that_is_gone_has_no_record():
    assert place_of(2**22 + 1) is None
    assert find_transcript("claude", [2**22 + 1]) is None
    assert find_transcript("claude", []) is None


@pytest.mark.parametrize(
    ("names", "program"),
    [(("/usr/bin/claude",), "claude"), (("node", "codex"), "codex"), (("bash",), ""), ((), "")],
)
def test_programs_are_known_by_name(names: tuple[str, ...], program: str):
    assert program_of(*names) == program


def test_a_record_is_known_by_its_name():
    assert reader_of("/x/rollout-2026-01-02T03-04-05-abc.jsonl") == "codex"
    assert reader_of("/x/0b1c.jsonl") == "claude"

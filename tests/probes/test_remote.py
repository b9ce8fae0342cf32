"""One reading of another host, run by a plain shell here."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.probes.session_lines import called, result

from panegate.probes.hooks.reports import read_reports
from panegate.probes.remote import parse_remote, read_remote, remote_argv
from panegate.probes.transcripts.claude import read_claude
from panegate.probes.transcripts.tail import MAX_TAIL

NONCE = "0123456789abcdef"


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.setenv("PANEGATE_RUNTIME", str(folder))
    return folder


def shell(argv: Sequence[str]) -> bytes:
    return subprocess.run(argv, capture_output=True, check=True).stdout


def read(transcript: object = "", report: str = "r") -> object:
    return read_remote(
        shell, nonce=NONCE, report=report, transcript=str(transcript), pane_pid=os.getpid()
    )


def test_processes_reports_and_record_come_at_once(runtime: Path, tmp_path: Path):
    (runtime / "it's,1").write_bytes(b'17000 {"type": "x"}\n')
    path = tmp_path / "a 'b' $(c).jsonl"
    path.write_bytes(called(1, "Bash", {"command": "ls"}))
    found = read(path, "it's,1")
    assert [report.event for report in read_reports(found.reports)] == ["x"]
    assert found.tail.whole
    assert read_claude(found.tail).pending[0].input == "ls"
    assert "sh" in [child.command for child in found.children]


def test_without_reports_and_record_there_are_none(runtime: Path, tmp_path: Path):
    for path in ("", tmp_path / "none", tmp_path):
        found = read(path)
        assert (found.reports, found.tail) == (b"", None)


def test_a_long_record_is_its_tail(runtime: Path, tmp_path: Path):
    path = tmp_path / "s"
    path.write_bytes(result(1, "x" * 1000) * 300 + called(2, "Bash", {"command": "ls"}))
    found = read(path)
    assert not found.tail.whole
    assert sum(len(line.data) for line in found.tail.lines) <= MAX_TAIL
    record = read_claude(found.tail)
    assert ([call.input for call in record.pending], record.unreadable) == (["ls"], 0)


def test_a_reading_that_broke_off_is_none():
    whole = b"1700\n  1 0 00:01 sh\n" + NONCE.encode() + b"\n\n" + NONCE.encode() + b"\n"
    assert parse_remote(whole, NONCE, 1) is not None
    for cut in range(len(whole)):
        assert parse_remote(whole[:cut], NONCE, 1) is None
    assert parse_remote(b"ssh: no route\n", NONCE, 1) is None

    def fails(_argv: Sequence[str]) -> bytes:
        raise FileNotFoundError("ssh")

    assert read_remote(fails, nonce=NONCE, report="r", transcript="", pane_pid=1) is None


def test_names_are_arguments_and_never_code():
    argv = remote_argv(NONCE, "$(touch x)", "; rm")
    assert argv[-2:] == ["$(touch x)", "; rm"]
    assert "touch" not in argv[2]

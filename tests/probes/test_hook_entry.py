"""The hook's own process: quick, silent, bounded, and it never fails its program."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from panegate.probes.hooks.entry import MAX_KEPT, deliver
from panegate.probes.hooks.places import MAX_REPORTS, report_name, runtime_folder
from panegate.probes.hooks.reports import read_reports

ROOT = Path(__file__).resolve().parents[2] / "controller"
SOCKET = "/tmp/tmux-0/some+where"
NAME = report_name(SOCKET, 42, "%3")
RUN = (
    f"import sys; sys.path.append({str(ROOT)!r})\n"
    "from panegate.probes.hooks.entry import main\nmain()"
)


def environ(folder: Path, **more: str) -> dict[str, str]:
    known = {
        "TMUX": f"{SOCKET},42,0",
        "TMUX_PANE": "%3",
        "PANEGATE_RUNTIME": str(folder),
        "PATH": os.environ["PATH"],
    }
    return {**known, **more}


def run(
    folder: Path, data: bytes, *words: str, code: str = RUN, **more: str
) -> subprocess.CompletedProcess[bytes]:
    argv = [sys.executable, "-I", "-c", code, *words]
    return subprocess.run(
        argv, input=data, env=environ(folder, **more), capture_output=True, check=False, timeout=60
    )


def test_a_report_is_left_for_the_pane_with_its_time(tmp_path: Path):
    folder = tmp_path / "run"
    done = run(folder, b'{"hook_event_name": "Stop",\n "cwd": "/x"}\n')
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (report,) = read_reports((folder / NAME).read_bytes())
    assert (report.event, report.cwd) == ("Stop", "/x")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / NAME).stat().st_mode) == 0o600


def test_a_report_may_be_an_argument(tmp_path: Path):
    run(tmp_path / "run", b"", '{"type": "agent-turn-complete"}')
    (report,) = read_reports((tmp_path / "run" / NAME).read_bytes())
    assert report.event == "agent-turn-complete"


def test_nothing_of_third_parties_is_imported_and_little_of_the_rest(tmp_path: Path):
    start = "import os, sys\nstart = set(sys.modules)\n"  # site loads what others want
    work = RUN.removesuffix("main()") + (
        "from panegate.probes.hooks.entry import deliver\n"
        "deliver([], dict(os.environ))\nprint(*sorted(set(sys.modules) - start))"
    )
    done = run(tmp_path / "run", b"{}", code=start + work)
    loaded = done.stdout.decode().split()
    ours = [name for name in loaded if name.split(".")[0] == "panegate"]
    others = [n for n in loaded if n.split(".")[0] not in sys.stdlib_module_names]
    assert others == ours
    assert set(ours) == {
        "panegate",
        "panegate.probes",
        "panegate.probes.hooks",
        "panegate.probes.hooks.entry",
        "panegate.probes.hooks.places",
    }
    slow = {
        "json",
        "re",
        "typing",
        "enum",
        "collections",
        "importlib.util",
        "subprocess",
        "pathlib",
    }
    assert slow.isdisjoint(loaded)


@pytest.mark.parametrize(
    "more",
    [
        {"TMUX": ""},
        {"TMUX": "nonsense"},
        {"TMUX": "/s,x,0"},
        {"TMUX_PANE": ""},
        {"TMUX_PANE": "%../../x"},
        {"PANEGATE_RUNTIME": "/proc/nowhere"},
        {"PANEGATE_RUNTIME": "/dev/null"},
    ],
)
def test_whatever_is_wrong_around_it_is_silent_and_no_failure(tmp_path: Path, more: dict[str, str]):
    folder = tmp_path / "run"
    done = run(folder, b"{}", **more)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not folder.exists()


def test_without_any_input_it_ends_with_status_0(tmp_path: Path):
    argv = [sys.executable, "-I", "-c", f"import os; os.close(0)\n{RUN}"]
    done = subprocess.run(argv, env=environ(tmp_path), capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_huge_report_is_read_to_its_end_and_kept_in_part(tmp_path: Path):
    folder = tmp_path / "run"
    data = b'{"hook_event_name": "Stop", "tool_response": "' + b"x" * 3_000_000 + b'"}'
    assert run(folder, data).returncode == 0  # subprocess raises if its input is not taken
    assert (folder / NAME).stat().st_size < MAX_KEPT + 100
    (report,) = read_reports((folder / NAME).read_bytes())
    assert report.event == "Stop"


def test_the_file_does_not_grow_for_ever(tmp_path: Path):
    folder = tmp_path / "run"
    word = '{"type": "' + "x" * 10_000 + '"}'
    for _ in range(60):
        assert deliver([word], environ(folder))
    assert (folder / NAME).stat().st_size < MAX_REPORTS + 2 * MAX_KEPT


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o777])
def test_a_folder_that_others_may_enter_is_not_used(tmp_path: Path, mode: int):
    folder = tmp_path / "run"
    folder.mkdir()
    folder.chmod(mode)
    assert not deliver(["{}"], environ(folder))
    assert list(folder.iterdir()) == []


def test_a_link_in_the_place_of_the_folder_or_file_is_not_followed(tmp_path: Path):
    real = tmp_path / "real"
    real.mkdir(mode=0o700)
    (tmp_path / "run").symlink_to(real)
    with pytest.raises(OSError):  # noqa: PT011 - ELOOP or ENOTDIR, by system
        deliver(["{}"], environ(tmp_path / "run"))
    (real / NAME).symlink_to(tmp_path / "victim")
    with pytest.raises(OSError):  # noqa: PT011
        deliver(["{}"], environ(real))
    assert not (tmp_path / "victim").exists()


def test_reports_written_at_once_never_mix(tmp_path: Path):
    folder = tmp_path / "run"
    argv = [sys.executable, "-I", "-c", RUN]
    started = [subprocess.Popen(argv, env=environ(folder), stdin=subprocess.PIPE) for _ in range(8)]
    for number, process in enumerate(started):
        assert process.stdin is not None
        with process.stdin as pipe:
            pipe.write(b'{"session_id": "%d", "x": "%s"}' % (number, b"y" * 9000))
    assert [process.wait(60) for process in started] == [0] * 8
    reports = read_reports((folder / NAME).read_bytes())
    assert sorted(report.session_id for report in reports) == [str(n) for n in range(8)]


def test_two_servers_and_two_panes_have_files_of_their_own():
    names = {
        report_name(socket, pid, pane)
        for socket in ("/a/b", "/a+0b", "/a+/b")
        for pid in (1, 11)
        for pane in ("%1", "%11")
    }
    assert len(names) == 12
    assert not [name for name in names if "/" in name]


def test_the_folder_is_the_same_whatever_the_session_says(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("PANEGATE_RUNTIME", raising=False)
    plain = runtime_folder()
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/elsewhere")
    monkeypatch.setenv("TMPDIR", "/elsewhere")
    assert runtime_folder() == plain == f"/tmp/panegate-{os.getuid()}"
    assert runtime_folder("/mine") == "/mine"

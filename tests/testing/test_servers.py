"""Private servers: alone on their socket, and gone afterwards whatever happened."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from panegate.testing import servers
from panegate.testing.programs import program_argv
from panegate.testing.servers import PrivateServer, ServerFailed, require_program, wait_gone
from panegate.testing.truth import TruthLog

tmux = pytest.mark.tmux


def _sleeper(log: Path) -> list[str]:
    return program_argv("sleeper", log=log)


@tmux
def test_the_server_runs_with_nobodys_configuration(tmp_path: Path) -> None:
    """A user's own tmux.conf must not decide a test."""
    (tmp_path / ".tmux.conf").write_text("set-option -g prefix C-q\n")
    with PrivateServer(env={**os.environ, "HOME": str(tmp_path)}) as server:
        assert server.run("show-options", "-gv", "prefix").strip() == "C-b"
        assert server.run("display-message", "-p", "#{pid}").strip() == str(server.pid)
        assert server.version[0].isdigit() or server.version == "master"


@tmux
def test_the_surrounding_tmux_is_not_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Inherited TMUX variables lead to somebody else's server."""
    monkeypatch.setenv("TMUX", "/somewhere/else,1,0")
    monkeypatch.setenv("TMUX_PANE", "%77")
    with PrivateServer() as server:
        environment = server.run("show-environment", "-g")
        assert not any(line.startswith("TMUX=") for line in environment.splitlines())
        assert "TMUX_PANE=" not in environment
        assert "TMUX" not in server.client_env


@tmux
def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """Neither the server, nor its programs, nor its folder."""
    log = TruthLog(tmp_path / "truth")
    with PrivateServer() as server:
        pane_id = server.start_program(_sleeper(log.path))
        log.wait_for_sync("state", 10)
        pid = int(server.run("display-message", "-p", "-t", pane_id, "#{pane_pid}"))
        server_pid, folder = server.pid, server.socket_path.parent
    assert server_pid is not None
    assert wait_gone(server_pid, 0)
    assert wait_gone(pid, 0)
    assert not folder.exists()
    server.stop()


@tmux
def test_an_error_inside_unwinds_the_server_and_is_the_one_that_comes_out() -> None:
    """The test's own failure must not be hidden by the clean-up."""
    with pytest.raises(ZeroDivisionError), PrivateServer() as server:
        pid, folder = server.pid, server.socket_path.parent
        _ = 1 / 0
    assert pid is not None
    assert wait_gone(pid, 0)
    assert not folder.exists()


@tmux
def test_stopped_programs_and_a_stopped_server_end_too(tmp_path: Path) -> None:
    """SIGSTOP is something tests do on purpose."""
    log = TruthLog(tmp_path / "truth")
    with PrivateServer() as server:
        pane_id = server.start_program(_sleeper(log.path))
        log.wait_for_sync("state", 10)
        pid = int(server.run("display-message", "-p", "-t", pane_id, "#{pane_pid}"))
        server_pid = server.pid
        assert server_pid is not None
        os.kill(pid, signal.SIGSTOP)
        os.kill(server_pid, signal.SIGSTOP)
    assert wait_gone(pid, 0)
    assert wait_gone(server_pid, 0)


@tmux
def test_a_program_that_does_not_mind_its_hang_up_is_ended(tmp_path: Path) -> None:
    """Nothing outlives the server that a test started."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with PrivateServer() as server:
        script = f"trap '' HUP TERM; echo > {fifo}; exec sleep 1000"
        pane_id = server.start_program(["sh", "-c", script])
        fifo.read_text()
        pid = int(server.run("display-message", "-p", "-t", pane_id, "#{pane_pid}"))
    assert wait_gone(pid, 0)


@tmux
def test_a_server_that_was_killed_inside_is_no_error_at_the_end(tmp_path: Path) -> None:
    """Tests of a dying server end like any other."""
    with PrivateServer() as server:
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        assert wait_gone(server.pid, 5)
        folder = server.socket_path.parent
    assert not folder.exists()


@tmux
def test_a_failed_command_says_what_tmux_said(tmux_server: PrivateServer) -> None:
    """An unnoticed failure of the set-up would make a test mean nothing."""
    tmux_server.start_program(["cat"])
    with pytest.raises(ServerFailed, match="can't find session"):
        tmux_server.run("kill-session", "-t", "=none")
    assert tmux_server.run("kill-session", "-t", "=none", check=False) == ""


def test_a_server_that_can_not_start_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its folder included."""
    monkeypatch.setattr(servers.tempfile, "tempdir", str(tmp_path))
    with pytest.raises(ServerFailed), PrivateServer(tmux=str(tmp_path / "no-tmux")):
        pass
    assert list(tmp_path.iterdir()) == []


def test_outside_its_context_there_is_no_socket() -> None:
    """Commands must not fall through to the default server."""
    server = PrivateServer()
    with pytest.raises(ServerFailed, match="not running"):
        server.run("list-sessions")


@tmux
def test_programs_get_their_arguments_word_for_word(
    tmux_server: PrivateServer, tmp_path: Path
) -> None:
    """Neither a shell nor tmux may take them apart."""
    words = ["a b", "$HOME", "end;", ";", "'q'", "#{pane_id}", "-x", "~", "ü"]
    out = tmp_path / "out"
    os.mkfifo(out)
    code = "import sys; open(sys.argv[1], 'w').write('\\n'.join(sys.argv[2:]))"
    tmux_server.start_program([sys.executable, "-I", "-S", "-c", code, str(out), *words])
    assert out.read_text().split("\n") == words


@tmux
def test_size_name_folder_and_environment_are_the_programs(
    tmux_server: PrivateServer, tmp_path: Path
) -> None:
    """They hold from the program's first instruction on."""
    log = TruthLog(tmp_path / "truth")
    pane_id = tmux_server.start_program(
        program_argv("composer", log=log.path, trust_first=True),
        name="mine",
        columns=91,
        rows=31,
        cwd=tmp_path,
        env={"TRIED": "yes"},
    )
    events = log.wait_for_sync("dialog_painted", 10)
    assert [(e["rows"], e["columns"]) for e in events if e["event"] == "size"] == [(31, 91)]
    assert f"   {tmp_path}" in "\n".join(tmux_server.capture(pane_id))
    assert tmux_server.run("list-sessions", "-F", "#S").split() == ["mine"]
    assert "TRIED=yes" in tmux_server.run("show-environment", "-t", "=mine")


@tmux
def test_a_dead_pane_is_kept_when_asked_for(tmux_server: PrivateServer, tmp_path: Path) -> None:
    """The option is set before the program can end."""
    log = TruthLog(tmp_path / "truth")
    argv = program_argv("show", log=log.path, text="last words", exit=3)
    tmux_server.run("set-hook", "-g", "pane-died", "wait-for -S died")
    pane_id = tmux_server.start_program(argv, remain_on_exit=True)
    assert wait_gone(int(tmux_server.run("list-panes", "-a", "-F", "#{pane_pid}")), 10)
    # tmux 3.3a may overlook a child's end until another child of its ends.
    tmux_server.run("run-shell", "true")
    tmux_server.run("wait-for", "died")
    dead = tmux_server.run("display-message", "-p", "-t", pane_id, "#{pane_dead_status}")
    assert dead.strip() == "3"
    # tmux scrolls by one row to say that the pane is dead.
    assert tmux_server.capture(pane_id, "-S", "-")[0] == "last words"


@tmux
@pytest.mark.asyncio
async def test_it_is_an_async_context_too(tmp_path: Path) -> None:
    """Starting and stopping do not block the loop."""
    async with PrivateServer(options={"history-limit": "77"}) as server:
        pid = server.pid
        shown = await server.run_async("show-options", "-gv", "history-limit")
    assert shown.strip() == "77"
    assert pid is not None
    assert wait_gone(pid, 0)


@tmux
@pytest.mark.asyncio
async def test_cancelling_the_start_leaves_no_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A cancelled entry has no exit, so it must clean up by itself."""
    monkeypatch.setattr(servers.tempfile, "tempdir", str(tmp_path))
    server = PrivateServer()
    entering = asyncio.ensure_future(server.__aenter__())
    await asyncio.sleep(0)
    entering.cancel()
    with pytest.raises(asyncio.CancelledError):
        await entering
    assert server.pid is None
    assert os.listdir(tmp_path) == []


def test_a_missing_program_skips_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who reads the report sees what was not tested and why."""
    monkeypatch.delenv("PANEGATE_REQUIRE_ALL", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no-such-program"):
        require_program("no-such-program")


def test_a_missing_program_fails_a_full_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full run can not pass by skipping."""
    monkeypatch.setenv("PANEGATE_REQUIRE_ALL", "1")
    with pytest.raises(pytest.fail.Exception, match="no-such-program"):
        require_program("no-such-program")


def test_the_environment_names_the_tmux_to_use(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """So that one suite runs over many versions."""
    fake = tmp_path / "tmux-9"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PANEGATE_TMUX", str(fake))
    assert require_program("tmux") == str(fake)
    assert PrivateServer().tmux == str(fake)
    assert require_program("sh") != str(fake)

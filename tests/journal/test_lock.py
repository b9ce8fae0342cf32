"""One controller in charge of a server; a dead one is in nobody's way."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from panegate.errors import PanegateError, ServerHeld
from panegate.journal.lock import ServerLock, holder_of, lock_path
from panegate.journal.processes import process_start

HOLD = """\
import sys, pathlib
from panegate.journal.lock import ServerLock
lock = ServerLock.take(pathlib.Path(sys.argv[1]), server="-L x")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return lock_path("/run/s", tmp_path)


def start_holder(path: Path) -> "subprocess.Popen[str]":
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=env,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_each_socket_has_a_lock_of_its_own(tmp_path: Path):
    assert lock_path("/a", tmp_path) == lock_path("/a", tmp_path)
    assert lock_path("/a", tmp_path) != lock_path("/b", tmp_path)


def test_a_second_one_is_told_who_holds_it(path: Path):
    process = start_holder(path)
    try:
        with pytest.raises(ServerHeld, match=f"tmux server -L x: pid {process.pid} ") as caught:
            ServerLock.take(path, server="-L x")
        assert caught.value.pid == process.pid
        found = holder_of(path)
        assert (found.pid, found.started) == (process.pid, process_start(process.pid))
    finally:
        end(process)


def test_a_dead_holder_is_replaced(path: Path):
    end(start_holder(path))
    assert holder_of(path) is None
    lock = ServerLock.take(path, server="x")
    assert holder_of(path).pid == os.getpid()
    lock.release()


def test_what_was_released_can_be_taken(path: Path):
    lock = ServerLock.take(path, server="x")
    with pytest.raises(ServerHeld, match="of this very process"):
        ServerLock.take(path, server="x")
    lock.release()
    lock.release()
    assert holder_of(path) is None
    ServerLock.take(path, server="x").release()


def test_children_do_not_inherit_it(path: Path):
    lock = ServerLock.take(path, server="x")
    child = subprocess.Popen(["sleep", "1000"], close_fds=False)
    try:
        lock.release()
        ServerLock.take(path, server="x").release()
    finally:
        child.kill()
        child.wait()


def test_it_is_the_users_alone(path: Path):
    lock = ServerLock.take(path, server="x")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    lock.release()


def test_a_holder_that_has_not_said_who_it_is_still_holds(path: Path):
    lock = ServerLock.take(path, server="x")
    path.write_text("")
    with pytest.raises(ServerHeld, match="another controller"):
        ServerLock.take(path, server="x")
    assert holder_of(path).pid == 0
    lock.release()


def test_a_lock_that_cannot_be_made_is_named(tmp_path: Path):
    (tmp_path / "locks").write_text("")
    with pytest.raises(PanegateError, match="cannot be made"):
        ServerLock.take(lock_path("/a", tmp_path), server="x")

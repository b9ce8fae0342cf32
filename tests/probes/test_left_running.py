"""What a session's leader left running."""

import os
import signal
import subprocess
import sys

import pytest

from panegate.probes.left_running import left_running
from panegate.testing.servers import wait_gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs procfs")


def test_only_living_processes_of_the_session_are_named() -> None:
    leader = subprocess.Popen(
        ["sh", "-c", "sleep 1000 & echo $!; exit 3"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert leader.stdout is not None
    child = int(leader.stdout.readline())
    leader.wait()
    leader.stdout.close()
    try:
        (found,) = left_running(leader.pid)
        assert found.endswith(f"(process {child})")
    finally:
        os.kill(child, signal.SIGKILL)
    assert wait_gone(child, 10)
    assert left_running(leader.pid) == ()

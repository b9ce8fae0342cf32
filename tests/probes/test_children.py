"""The processes below a pane's own, and when they started."""

import os
import signal
import subprocess
import sys
import time

import pytest

from panegate.probes.children import PS, children_of, parse_ps
from panegate.probes.procfs import ProcessTable
from panegate.session.claims import Child

ROWS = """\
    1     0   10-00:00:01 init
  100     1      01:00 /usr/bin/node
  101   100      00:05 /bin/bash
  102   101      00:04 sleep
  103   100 1-02:03:04 -zsh
  200     1      00:09 other
nonsense
  300   x  00:01 y
  301   100  soon y
"""


def test_descendants_are_told_with_their_ages():
    assert parse_ps(ROWS.splitlines(), 100, now_s=1000.0) == (
        Child(pid=101, ppid=100, command="bash", started_s=995.0),
        Child(pid=102, ppid=101, command="sleep", started_s=996.0),
        Child(pid=103, ppid=100, command="zsh", started_s=1000.0 - 93_784.0),
    )


def test_a_process_that_is_not_there_has_none():
    assert parse_ps(ROWS.splitlines(), 999, now_s=1.0) == ()
    assert children_of(2**22 + 1) == ()


def test_a_circle_of_parents_is_survived():
    rows = ["5 6 00:01 a", "6 5 00:01 b"]
    assert [child.pid for child in parse_ps(rows, 5, now_s=1.0)] == [6]


@pytest.mark.parametrize("how", ["procfs", "procfs table", "ps"])
def test_a_real_child_is_found_with_its_start(how: str):
    if how != "ps" and not sys.platform.startswith("linux"):
        pytest.skip("no procfs")
    began_s = time.time()
    argv = ["sh", "-c", "sleep 600 & echo $!; wait"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        grandchild = int(process.stdout.readline())
        if how == "ps":

            def run(words: object) -> str:
                return subprocess.run(list(PS), capture_output=True, text=True, check=True).stdout

            found = children_of(os.getpid(), run=run)
        else:
            table = ProcessTable(children_files=False) if how == "procfs table" else None
            found = children_of(os.getpid(), table)
        shell = [child for child in found if child.pid == process.pid]
        below = [child for child in found if child.ppid == process.pid]
        os.kill(grandchild, signal.SIGKILL)
        process.kill()
    assert [child.command for child in shell] == ["sh"]
    assert [child.pid for child in below] == [grandchild]
    assert abs(shell[0].started_s - began_s) < 2.0

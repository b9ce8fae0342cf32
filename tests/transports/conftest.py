"""Programs on the other side of a transport."""

import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from panegate_transports.reader import shared_reader

FAKE_SSH = """#!/bin/sh
# Stands in for ssh: runs the remote command as a login shell on this host would.
while [ "$1" != -- ]; do
    [ "$1" = -p ] && [ "$2" = 1 ] && { echo 'connect: refused' >&2; exit 255; }
    shift
done
shift 2
exec sh -c "$*"
"""


@pytest.fixture
def fake_ssh_env(tmp_path: Path) -> Mapping[str, str]:
    """An environment in which `ssh` runs its command on this host."""
    folder = tmp_path / "bin"
    folder.mkdir()
    ssh = folder / "ssh"
    ssh.write_text(FAKE_SSH)
    ssh.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


@pytest.fixture
def python() -> Callable[[str], list[str]]:
    """Make the command line of a Python program from its source."""
    return lambda source: [sys.executable, "-I", "-S", "-c", source]


@pytest.fixture
def reader_ended() -> Callable[[], None]:
    """Wait until the shared reader has nothing left to read, or fail."""

    def wait() -> None:
        for thread in threading.enumerate():
            if thread.name == "panegate-transports-reader":
                thread.join(5)
                assert not thread.is_alive()
        assert not shared_reader().running

    return wait

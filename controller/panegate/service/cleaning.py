"""A folder and its tmux server that are gone at the end, also when this process is killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

__all__ = ["SOCKET", "cleaned_folder"]

SOCKET: Final = "tmux"
"""Name of the server's socket in the folder."""
# It waits for the end of its input, which comes with our end however we end. The folder is
# renamed first: a server that is just starting then finds no place for its socket.
_CLEANER: Final = f"""\
read -r _
mv "$2" "$2.gone" 2>/dev/null || exit 0
pids=$("$1" -S "$2.gone/{SOCKET}" list-panes -a -F '#{{pane_pid}}' 2>/dev/null)
"$1" -S "$2.gone/{SOCKET}" kill-server 2>/dev/null
[ -z "$pids" ] || kill -KILL $pids 2>/dev/null
rm -rf "$2.gone"
"""


@contextlib.asynccontextmanager
async def cleaned_folder(tmux: str) -> AsyncIterator[Path]:
    """Make a folder of one's own; whatever happens, it does not stay.

    At an ordinary end the folder is removed, and ending its server is the caller's work.
    Where this process is killed, a small process beside it does both, with the programs in
    the server's panes.

    Args:
        tmux: The tmux program.

    """
    folder = Path(await anyio.to_thread.run_sync(lambda: tempfile.mkdtemp(prefix="panegate-")))
    env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "TMUX_PANE")}
    try:
        cleaner = await anyio.open_process(
            ["sh", "-c", _CLEANER, "panegate-cleaner", tmux, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=env,
            start_new_session=True,  # a signal to our group is not for it
        )
        try:
            yield folder
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(lambda: shutil.rmtree(folder, ignore_errors=True))
                assert cleaner.stdin is not None
                await cleaner.stdin.aclose()
                await cleaner.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)

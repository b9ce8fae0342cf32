"""A person who looks at a session in a terminal of their own."""

import contextlib
import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Iterator

from tests.journeys.staging import Stage

__all__ = ["attached"]


@contextlib.contextmanager
def attached(
    stage: Stage, session: str, *, columns: int, rows: int, abandoned: bool = False
) -> Iterator[None]:
    """Attach a client in a terminal of this size for as long as the block lasts.

    Args:
        stage: The server it attaches to.
        session: Name of the session.
        columns: Size of the terminal.
        rows: Likewise.
        abandoned: Its output is read by nobody, and it is stopped: it stays in the list of
            clients for ever.
    """
    tmux = os.environ.get("PANEGATE_TMUX") or "tmux"
    env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "TMUX_PANE")}
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    stage.tmux("set-hook", "-g", "client-attached", "wait-for -S attached")
    client = subprocess.Popen(
        [tmux, "-u", "-S", str(stage.socket), "attach", "-t", f"={session}"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**env, "TERM": "xterm-256color"},
        start_new_session=True,
    )
    os.close(slave)

    def drain() -> None:
        with contextlib.suppress(OSError):
            while os.read(master, 65536):
                pass

    reader = threading.Thread(target=drain)
    try:
        stage.tmux("wait-for", "attached")
        if abandoned:
            client.send_signal(signal.SIGSTOP)
        else:
            reader.start()
        yield
    finally:
        client.send_signal(signal.SIGCONT)
        client.terminate()
        if abandoned:
            reader.start()
        client.wait()
        reader.join()
        os.close(master)

"""Runs a real program in a private tmux and takes looks at it, synchronously."""

import contextlib
import itertools
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from panegate.ids import pane_id
from panegate.panes.facts import KernelFact, Look, PaneFields
from panegate.screen.grid import Grid

_SERIAL = itertools.count()
_FIELDS = (
    "pane_id pane_pid pane_dead pane_in_mode pane_input_off pane_synchronized alternate_on "
    "cursor_x cursor_y cursor_flag history_size pane_width pane_height pane_current_command"
).split()
_FORMAT = "|".join(f"#{{{name}}}" for name in _FIELDS) + "|#{pane_title}"


def shows(look: Look, text: str) -> bool:
    """Tell whether *text* stands in one row of the screen, whatever its colours."""
    return any(text.rstrip() in row for row in Grid.from_look(look).texts)


class RealPane:
    """One program in one private tmux server."""

    def __init__(self, socket: str, tmp: Path) -> None:
        self._tmux = ["tmux", "-u", "-L", socket, "-f", "/dev/null"]
        self._tmp = tmp

    def tmux(self, *arguments: str, stdin: bytes | None = None) -> bytes:
        """Run one tmux command and return its output."""
        done = subprocess.run(
            [*self._tmux, *arguments],
            input=stdin,
            capture_output=True,
            check=True,
            timeout=20,
            env={"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"},
        )
        return done.stdout

    def look(self, kernel: KernelFact | None = None) -> Look:
        """Take one look: rows and fields in the same command line."""
        out = self.tmux("display-message", "-p", _FORMAT, ";", "capture-pane", "-p", "-e", "-N")
        head, _, body = out.partition(b"\n")
        values = head.decode().split("|", len(_FIELDS))
        named = dict(zip(_FIELDS, values, strict=False))
        height = int(named["pane_height"])
        rows = body.split(b"\n")[:height]
        fields = PaneFields(
            pane_id=pane_id(named["pane_id"]),
            pane_pid=int(named["pane_pid"]),
            dead=named["pane_dead"] == "1",
            alternate_on=named["alternate_on"] == "1",
            cursor_x=int(named["cursor_x"]),
            cursor_y=int(named["cursor_y"]),
            cursor_shown=named["cursor_flag"] == "1",
            history_size=int(named["history_size"]),
            width=int(named["pane_width"]),
            height=height,
            command=named["pane_current_command"],
            title=values[-1],
        )
        return Look(fields=fields, rows=tuple(rows), kernel=kernel, asked_at_s=0.0, at_s=0.0)

    def wait(
        self, sight: Callable[[Look], bool], *, within_s: float = 15.0, settled: bool = True
    ) -> Look:
        """Look until *sight* says yes.

        Args:
            sight: Tells whether a look shows what is waited for.
            within_s: How long to look, seconds.
            settled: Two looks in a row must be the same (not for screens with a clock).

        Raises:
            AssertionError: The time ran out; the message shows the last screen.

        """
        deadline_s = time.monotonic() + within_s
        last: Look | None = None
        while time.monotonic() < deadline_s:
            look = self.look()
            if (not settled or look == last) and sight(look):
                return look
            last = look
            time.sleep(0.03)
        shown = b"\n".join(last.rows).decode(errors="replace") if last else ""
        msg = f"never seen within {within_s} s; last screen:\n{shown}"
        raise AssertionError(msg)

    def wait_text(self, text: str, *, within_s: float = 15.0) -> Look:
        """Look until *text* stands somewhere on the screen and it rests."""
        return self.wait(lambda look: shows(look, text), within_s=within_s)

    def keys(self, *keys: str) -> None:
        """Send named keys."""
        self.tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type *text* literally."""
        self.tmux("send-keys", "-l", "--", text)

    def paste(self, text: str) -> None:
        """Paste *text*, bracketed where the program asked for it."""
        self.tmux("load-buffer", "-b", "t", "-", stdin=text.encode())
        self.tmux("paste-buffer", "-p", "-r", "-d", "-b", "t")


@contextlib.contextmanager
def running(
    argv: Sequence[str],
    tmp: Path,
    *,
    size: tuple[int, int] = (80, 24),
    env: Mapping[str, str] | None = None,
) -> Iterator[RealPane]:
    """Run *argv* in a private tmux in *tmp*; its server is killed at the end.

    Args:
        argv: The program; its first word must exist.
        tmp: Directory to run in; also its HOME.
        size: Columns and rows.
        env: More environment for the program.

    """
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{argv[0]} is not installed")
    pane = RealPane(f"pg-screen-{os.getpid()}-{next(_SERIAL)}", tmp)
    variables = {"HOME": str(tmp), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", **(env or {})}
    options = [part for name, value in variables.items() for part in ("-e", f"{name}={value}")]
    width, height = size
    pane.tmux(
        *("new-session", "-d", "-s", "s", "-x", str(width), "-y", str(height), "-c", str(tmp)),
        *options,
        *argv,
    )
    path = Path(pane.tmux("display-message", "-p", "#{socket_path}").decode().strip())
    try:
        yield pane
    finally:
        with contextlib.suppress(subprocess.SubprocessError):
            pane.tmux("kill-server")
        path.unlink(missing_ok=True)

"""The proof that tmux itself finds what a veto looks for.

A veto is a search that forbids a write while it hits. tmux reports an expression that it
cannot compile as "not found", so a broken veto would allow everything: no veto is
trusted before tmux has found its sample with it, and has found nothing on a bare screen.
"""

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from panegate.errors import ProfileError, ServerUnreachable
from panegate.gate.guard import veto_term
from panegate.screen.profile import Profile

__all__ = ["Search", "prove_vetoes", "prove_with_tmux"]

Search: TypeAlias = Callable[[str, str], bool]
"""Tells whether tmux finds a regular expression on a screen that shows just this text."""

_WITHIN_S: Final = 10.0
_HOME: Final = "\x1b[2J\x1b[H"
_COLUMNS: Final = 400
"""Wide enough for a sample to stand in one row."""


def prove_vetoes(profile: Profile, search: Search, *, path: Path | None = None) -> None:
    """Return if every veto of *profile* finds its sample, and only that.

    Args:
        profile: A profile.
        search: How tmux searches; raises `ValueError` for what it cannot be asked.
        path: The profile's file, for the error.

    Raises:
        ProfileError: A veto does not find its sample (a pattern that tmux cannot compile
            never does), or finds something on a bare screen.

    """
    for number, veto in enumerate(profile.vetoes, 1):
        what = f"veto {number} of profile {profile.name!r}, {veto.regex!r},"
        try:
            found = search(veto.regex, veto.sample)
        except ValueError as error:
            raise ProfileError(f"{what} cannot be asked of tmux: {error}", path=path) from error
        if not found:
            message = f"{what} does not find its sample {veto.sample!r} in tmux"
            fix = "Write it as a POSIX extended expression: no \\d, \\w, \\b, (?: or lazy *?."
            raise ProfileError(message, path=path, fix=fix)
        if search(veto.regex, ""):
            raise ProfileError(f"{what} matches an empty screen", path=path)


def prove_with_tmux(
    profile: Profile, tmux_argv: Sequence[str] = ("tmux",), *, path: Path | None = None
) -> None:
    """Prove the vetoes of *profile* on a tmux server of their own, which is gone at the end.

    Blocks for some tens of milliseconds; does nothing for a profile without vetoes.

    Args:
        profile: A profile.
        tmux_argv: The tmux to ask, the one that will guard the writes.
        path: The profile's file, for the error.

    Raises:
        ProfileError: As `prove_vetoes`.
        ServerUnreachable: That tmux does not start.

    """
    if not profile.vetoes:
        return
    with tempfile.TemporaryDirectory(prefix="panegate-proof-") as folder:
        screen = _BareScreen([*tmux_argv, "-u", "-f", "/dev/null", "-S", f"{folder}/tmux"])
        try:
            screen.start()
            prove_vetoes(profile, screen.finds, path=path)
        finally:
            screen.stop()


class _BareScreen:
    """A pane without a program, which shows just what it is told."""

    def __init__(self, argv: Sequence[str]) -> None:
        self._argv = list(argv)
        self._env = {k: v for k, v in os.environ.items() if k not in ("TMUX", "TMUX_PANE")}
        self._pane = ""

    def start(self) -> None:
        # An empty pane can only be split off; cat holds the session's first one.
        size = ["-x", str(_COLUMNS), "-y", "20"]
        self._run("new-session", "-d", "-s", "proof", *size, "exec cat")
        self._pane = self._run("split-window", "-P", "-F", "#{pane_id}", "-t", "proof", "").strip()

    def stop(self) -> None:
        with contextlib.suppress(ServerUnreachable):
            self._run("kill-server")

    def finds(self, regex: str, sample: str) -> bool:
        """Ask with the very comparison that the guard uses."""
        text = _HOME + sample.replace("\n", "\r\n")
        self._run("display-message", "-I", "-t", self._pane, stdin=text)
        absent = veto_term("proof", regex).expression
        say = ["display-message -p absent", "display-message -p present"]
        return self._run("if-shell", "-F", "-t", self._pane, absent, *say).strip() == "present"

    def _run(self, *args: str, stdin: str = "") -> str:
        try:
            done = subprocess.run(
                [*self._argv, *args],
                input=stdin.encode(),
                capture_output=True,
                env=self._env,
                timeout=_WITHIN_S,
                check=True,
            )
        except subprocess.CalledProcessError as error:
            message = f"tmux {args[0]}: {error.stderr.decode(errors='replace').strip()}"
            raise ServerUnreachable(message) from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ServerUnreachable(f"tmux {args[0]}: {error}") from error
        return done.stdout.decode(errors="replace")

"""Starts a child process on three pipes; the only place that knows how."""

import contextlib
import fcntl
import functools
import os
import shutil
import subprocess
from collections.abc import Mapping

__all__ = ["spawn"]


def spawn(
    argv: list[str],
    *,
    env: Mapping[str, str],
    cwd: str | os.PathLike[str] | None,
    pipe_bytes: int,
) -> tuple["subprocess.Popen[bytes]", tuple[int, int, int]]:
    """Start *argv* in a session of its own, to end with the calling thread.

    Args:
        argv: Program and arguments, at least the program.
        env: The whole environment of the child.
        cwd: The child's directory, or None for ours.
        pipe_bytes: Wanted capacity of the output pipe.

    Returns:
        The process, and our ends of its input, output and error pipe.

    Raises:
        OSError: It cannot be started; nothing is left open.

    """
    _require_program(argv[0], env, cwd)
    fds: list[int] = []
    try:
        for _ in range(3):
            fds += os.pipe()
        stdin_r, stdin_w, stdout_r, stdout_w, stderr_r, stderr_w = fds
        _enlarge(stdout_r, pipe_bytes)
        popen = subprocess.Popen(
            [*_death_prefix(), *argv],
            stdin=stdin_r,
            stdout=stdout_w,
            stderr=stderr_w,
            env=env,
            cwd=cwd,
            start_new_session=True,
        )
    except BaseException:
        for fd in fds:
            os.close(fd)
        raise
    for fd in (stdin_r, stdout_w, stderr_w):
        os.close(fd)
    return popen, (stdin_w, stdout_r, stderr_r)


def _require_program(
    program: str, env: Mapping[str, str], cwd: str | os.PathLike[str] | None
) -> None:
    """Raise FileNotFoundError where `setpriv` would only exit with 127."""
    name = os.path.join(cwd, program) if cwd is not None and os.path.dirname(program) else program
    if shutil.which(name, path=env.get("PATH", os.defpath)) is None:
        raise FileNotFoundError(2, os.strerror(2), program)


def _enlarge(fd: int, pipe_bytes: int) -> None:
    set_size: int | None = getattr(fcntl, "F_SETPIPE_SZ", None)
    if set_size is not None:
        with contextlib.suppress(OSError):  # EPERM: the user has used up the system's limit
            fcntl.fcntl(fd, set_size, pipe_bytes)


@functools.cache
def _death_prefix() -> tuple[str, ...]:
    """Return what makes a child end with the thread that spawned it, or nothing."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return ()
    prefix = (setpriv, "--pdeathsig", "TERM", "--")
    # Not every setpriv knows the option.
    try:
        tried = subprocess.run([*prefix, "true"], capture_output=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return prefix if tried.returncode == 0 else ()

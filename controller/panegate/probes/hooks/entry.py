"""``panegate-hook``: leaves what a program's hook reports where a controller finds it.

Runs inside another program's hook: it must be quick, silent, and never fail it. So it
imports next to nothing, parses nothing, reads a bounded part of its input, and exits 0
whatever happens. Outside tmux it does nothing.
"""

import os
import sys

from panegate.probes.hooks.places import MAX_REPORTS, report_name, runtime_folder

__all__ = ["MAX_KEPT", "WAIT_S", "deliver", "main"]

MAX_KEPT = 16 * 1024
"""Bytes kept of a report; the rest is read and dropped, so that its writer never fails."""
WAIT_S = 2.0
"""How long to wait for more of the report, seconds."""


def main() -> None:
    """Deliver one report and end the process, always with status 0."""
    try:
        deliver(sys.argv[1:], dict(os.environ))
    except BaseException:
        os._exit(0)
    os._exit(0)  # nothing is buffered, and an orderly end takes time


def deliver(words: "list[str]", environ: "dict[str, str]") -> bool:
    """Append one report to the pane's file.

    Args:
        words: Arguments: a word that begins with ``{`` is the report (Codex's ``notify``);
            else it comes on standard input.
        environ: ``TMUX`` and ``TMUX_PANE`` say which pane it is about.

    Returns:
        Whether it was left there. A folder that is not this user's own is not used.

    Raises:
        OSError: It could not be written.

    """
    server = environ.get("TMUX", "").rsplit(",", 2)
    pane = environ.get("TMUX_PANE", "")
    given = [word for word in words if word.startswith("{")]
    data = os.fsencode(given[-1])[:MAX_KEPT] if given else _read(0)
    if len(server) != 3 or not server[1].isdigit() or not pane[1:].isdigit() or not data.strip():
        return False
    import time  # built in

    flat = data.replace(b"\n", b" ").replace(b"\r", b" ")
    line = b"%d %s\n" % (time.time_ns(), flat)
    folder = runtime_folder(environ.get("PANEGATE_RUNTIME", ""))
    return _append(folder, report_name(server[0], int(server[1]), pane), line)


def _read(fd: int) -> bytes:
    """Return the beginning of what comes, and read the rest to its end."""
    import select

    if os.isatty(fd):
        return b""
    kept = b""
    while select.select([fd], [], [], WAIT_S)[0]:
        part = os.read(fd, 65536)
        if not part:
            break
        if len(kept) < MAX_KEPT:
            kept += part[: MAX_KEPT - len(kept)]
    return kept


def _append(folder: str, name: str, line: bytes) -> bool:
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(at)
        if found.st_uid != os.geteuid() or found.st_mode & 0o077:
            return False
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(name, flags | os.O_NONBLOCK, 0o600, dir_fd=at)
        try:
            if os.fstat(file).st_size > MAX_REPORTS:
                os.ftruncate(file, 0)
            return os.write(file, line) == len(line)  # one write: lines never mix
        finally:
            os.close(file)
    finally:
        os.close(at)


if __name__ == "__main__":
    main()

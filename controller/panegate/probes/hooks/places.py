"""Where a hook leaves what it was told, and a controller finds it.

Standard library only, and little of it: the hook's own process imports this.
"""

import os

__all__ = ["MAX_REPORTS", "report_name", "runtime_folder"]

MAX_REPORTS = 256 * 1024
"""Bytes in one pane's file before it is begun anew."""


def runtime_folder(variable: "str | None" = None) -> str:
    """Return the folder, the same for a hook and a controller of one user.

    It does not follow ``XDG_RUNTIME_DIR`` or ``TMPDIR``: the two processes may have others.

    Args:
        variable: The value of ``PANEGATE_RUNTIME``, which overrides it; read by default.

    """
    named = os.environ.get("PANEGATE_RUNTIME") if variable is None else variable
    return named or f"/tmp/panegate-{os.getuid()}"


def report_name(socket: str, server_pid: int, pane_id: str) -> str:
    """Return the name of one pane's file.

    Args:
        socket: Path of the tmux server's socket, as in ``TMUX``.
        server_pid: Process id of the tmux server.
        pane_id: Such as ``%3``.

    """
    flat = socket.replace("+", "+1").replace("/", "+0")
    return f"{flat},{server_pid},{pane_id.lstrip('%')}"

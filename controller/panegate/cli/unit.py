"""A unit file with which systemd runs the service for one user."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from typing import Final

from panegate.cli.command_line import CommandLine, command
from panegate.cli.exits import Exit
from panegate.cli.opening import service_address

__all__ = ["unit", "unit_file"]

_UNIT: Final = """\
# {name}: put it into ~/.config/systemd/user/, then
#   systemctl --user daemon-reload
#   systemctl --user enable --now {name}
# and, for it to run while you are not logged in: loginctl enable-linger
[Unit]
Description=panegate, the controller of tmux panes ({server})
Documentation=man:tmux(1)

[Service]
Type=notify
NotifyAccess=main
ExecStart={command}
ExecReload=/bin/kill -HUP $MAINPID
# The tmux server and the programs in its panes are not the service's to end:
# they were started by it, and live on when it stops, restarts or crashes.
KillMode=process
SendSIGHUP=no
TimeoutStopSec=20
Restart=on-failure
RestartSec=2
UMask=0077
{environment}
[Install]
WantedBy=default.target
"""


@command("unit")
def unit(line: CommandLine) -> int:
    """Print a systemd user unit for the service.

    With KillMode=process: a restart of the service leaves the tmux server and its programs
    alone.
    """
    address = service_address(line)
    text = unit_file(
        [*_words_of_program(), "serve", *shlex.split(line.server_words)], address.words
    )
    line.say({"unit": {"name": _name(address.words), "text": text}}, text.rstrip("\n"))
    return Exit.DONE


def unit_file(argv: list[str], server: str) -> str:
    """Return the unit file of a service that is started by *argv*."""
    path = os.environ.get("PATH", "")
    kept = {"PATH": path} | {k: v for k, v in os.environ.items() if k.startswith("PANEGATE_")}
    lines = [f"Environment={_quoted(f'{key}={value}')}" for key, value in kept.items() if value]
    return _UNIT.format(
        name=_name(server),
        server=server.replace("%", "%%"),
        command=" ".join(_quoted(word) for word in argv),
        environment="\n".join(lines) + "\n" if lines else "",
    )


def _name(server: str) -> str:
    words = "".join(c if c.isalnum() or c in "._" else "-" for c in server.split(" ")[-1])
    return "panegate.service" if server == "-L panegate" else f"panegate-{words.strip('-')}.service"


def _words_of_program() -> list[str]:
    found = shutil.which("panegate")
    return [found] if found is not None else [sys.executable, "-m", "panegate"]


def _quoted(word: str) -> str:
    """Quote a word for systemd, which expands ``%`` and ``$`` by itself."""
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    plain = text and all(c.isalnum() or c in "-_./=:,@+%$" for c in text)
    return text if plain else f'"{text}"'

"""Stand-in programs: small terminal programs with known habits and a truth log.

They need the standard library alone and share nothing with the code that reads
screens, so that a test never compares a parser with itself.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TypeAlias

__all__ = ["PROGRAMS", "Option", "program_argv"]

_One: TypeAlias = "str | int | float | os.PathLike[str]"
Option: TypeAlias = "_One | bool | Iterable[str | int | float] | None"
"""A flag, one value, or several."""

PROGRAMS: Mapping[str, str] = {
    "agent": "agent",
    "composer": "composer",
    "slow-boot": "repl",
    "lines": "lines",
    "yes-no": "lines",
    "hidden-input": "lines",
    "repl": "repl",
    "shell-then-agent": "repl",
    "raw-reader": "keys",
    "menu": "keys",
    "pager": "keys",
    "editor": "keys",
    "show": "keys",
    "spinner": "output",
    "silent-worker": "output",
    "clock": "output",
    "flood": "output",
    "sleeper": "output",
    "unterminated": "output",
    "log-lines": "output",
}
"""Each program and the module here that holds it."""


def program_argv(
    name: str, *, log: str | os.PathLike[str] | None = None, **options: Option
) -> list[str]:
    """Return the argument vector that runs the stand-in *name*.

    Args:
        name: One of `PROGRAMS`; ``_`` may stand for ``-``.
        log: Where the truth log goes; None: nowhere.
        **options: Command line options with ``_`` for ``-``. True is a bare flag, False
            and None leave the option out; several texts are joined by ``;;``, several
            numbers by ``,``.

    Raises:
        ValueError: There is no such program.
    """
    name = name.replace("_", "-")
    if name not in PROGRAMS:
        msg = f"no stand-in program {name!r}; there are: {', '.join(PROGRAMS)}"
        raise ValueError(msg)
    entry = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py")
    argv = [sys.executable, "-I", "-S", entry, name]
    if log is not None:
        argv.append(f"--log={os.fspath(log)}")
    for key, value in options.items():
        flag = f"--{key.replace('_', '-')}"
        if value is True:
            argv.append(flag)
        elif value is not None and value is not False:
            argv.append(f"{flag}={_text(value)}")
    return argv


def _text(value: Option) -> str:
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    parts = list(value or ())
    joint = ";;" if any(isinstance(part, str) for part in parts) else ","
    return joint.join(str(part) for part in parts)

"""How much the terminal probe may use, and how much it can."""

from __future__ import annotations

import os
import platform
import sys
from typing import TYPE_CHECKING, Final

from panegate.errors import SettingsError
from panegate.panes.facts import ProbeLevel
from panegate.probes.procfs import PROC
from panegate.probes.syscalls import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["VARIABLE", "available_level", "lower", "probe_level", "wanted_level"]

VARIABLE: Final = "PANEGATE_PROBE"
"""The environment variable that forces a level."""

_RANK: Final = {
    ProbeLevel.NONE: 0,
    ProbeLevel.TERMIOS: 1,
    ProbeLevel.WCHAN: 2,
    ProbeLevel.FULL: 3,
}


def lower(first: ProbeLevel, second: ProbeLevel) -> ProbeLevel:
    """Return the level that uses less."""
    return min(first, second, key=_RANK.__getitem__)


def wanted_level(environ: Mapping[str, str]) -> ProbeLevel:
    """Return the level that ``PANEGATE_PROBE`` asks for; FULL when it is unset or empty.

    Raises:
        SettingsError: It is none of ``full``, ``wchan``, ``termios``, ``none``.

    """
    value = environ.get(VARIABLE, "")
    if not value:
        return ProbeLevel.FULL
    try:
        return ProbeLevel(value)
    except ValueError:
        names = ", ".join(level.value for level in ProbeLevel)
        msg = f"{VARIABLE}={value!r} is no probe level"
        raise SettingsError(msg, fix=f"Set it to one of: {names}.") from None


def available_level(
    *, system: str = sys.platform, machine: str | None = None, proc: str = PROC
) -> ProbeLevel:
    """Return the highest level that this system offers for processes of one's own.

    Other users' and setuid programs may give less; each `KernelFact` says what
    was used for it.

    Args:
        system: As `sys.platform`.
        machine: As `platform.machine`; the running one by default.
        proc: Where procfs is mounted.

    """
    if system == "darwin":
        return ProbeLevel.TERMIOS
    if not system.startswith("linux"):
        return ProbeLevel.NONE
    known = (machine or platform.machine()) in TABLES
    if known and _readable(f"{proc}/self/syscall"):
        return ProbeLevel.FULL
    if _readable(f"{proc}/self/wchan"):
        return ProbeLevel.WCHAN
    return ProbeLevel.TERMIOS


def probe_level(environ: Mapping[str, str] | None = None) -> ProbeLevel:
    """Return the level to use: what is wanted, lowered to what is available.

    Raises:
        SettingsError: As for `wanted_level`.

    """
    wanted = wanted_level(os.environ if environ is None else environ)
    return lower(wanted, available_level())


def _readable(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            file.read()
    except OSError:
        return False
    return True

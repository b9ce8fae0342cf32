"""What the doctor looks at; each check says what it found and what to do about it."""

from __future__ import annotations

import enum
import os
import platform
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import attrs

import panegate
from panegate.errors import PanegateError
from panegate.panes.facts import ProbeLevel
from panegate.probes.levels import VARIABLE, available_level, probe_level
from panegate.profiles import check as check_profile
from panegate.profiles import names, path_of
from panegate.runtime.address import ServerAddress
from panegate.service.settings import config_file, load_settings
from panegate.wire.version import Version

__all__ = [
    "Check",
    "Health",
    "check_locale",
    "check_probe",
    "check_profiles",
    "check_python",
    "check_settings",
    "check_socket_folder",
    "check_variables",
    "version_notes",
]


class Health(enum.Enum):
    """What a check found."""

    GOOD = "good"
    NOTE = "note"
    """Works; something is different or worth knowing."""
    BROKEN = "broken"


@attrs.frozen
class Check:
    """One finding."""

    name: str
    health: Health
    words: str
    fix: str = ""
    """What to do, where there is something to do."""


_PROBE_WORDS: Final = {
    ProbeLevel.FULL: "the kernel says which program waits on its terminal, and how",
    ProbeLevel.WCHAN: "the kernel says that a program waits, not always on what",
    ProbeLevel.TERMIOS: "only terminal modes are known: hidden input, and line mode or not",
    ProbeLevel.NONE: "nothing is asked of the kernel: marks and screens alone decide",
}
_NOTES: Final = (
    ("crash_remain_on_exit", "remain-on-exit can crash this server: it is left off"),
    ("crash_paste_dead_pane", "pasting into a dead pane crashes this server: the guard forbids it"),
    ("crash_early_kill", "killing a client in its first second can crash it: never done"),
    ("crash_pane_off", "refresh-client -A :off can crash it: never used"),
    (
        "crash_multi_window_end",
        "a session of several windows that ends at once can take the server down while a"
        " control client is attached: launched programs get sessions of one window",
    ),
    ("capture_leaks", "capture-pane -p leaks memory in the server: looks go through a buffer"),
    ("new_session_ignores_size", "new-session ignores its size: windows are resized"),
)


def check_python() -> Check:
    """Say what runs this."""
    words = (
        f"panegate {panegate.__version__}, Python {platform.python_version()},"
        f" {platform.system()} {platform.release()}"
    )
    return Check("python", Health.GOOD, words)


def version_notes(version: Version) -> list[Check]:
    """Return what is known to be wrong with a version of tmux, and what is done about it."""
    return [
        Check("tmux", Health.NOTE, words)
        for capability, words in _NOTES
        if getattr(version, capability)
    ]


def check_socket_folder(address: ServerAddress) -> Check:
    """Check that nobody else can reach the server's socket."""
    folder = address.socket.parent
    try:
        found = folder.stat()
    except FileNotFoundError:
        return Check("socket", Health.GOOD, f"{folder} does not exist yet: tmux makes it")
    except OSError as error:
        return Check("socket", Health.BROKEN, f"{folder}: {error.strerror}", "choose another -S")
    if address.socket_path is not None:
        return _shared_folder(folder, found)
    mode = stat.S_IMODE(found.st_mode)
    if found.st_uid != os.getuid():
        return Check(
            "socket", Health.BROKEN, f"{folder} belongs to another user", "set TMUX_TMPDIR"
        )
    if mode & 0o077:
        words = f"{folder} has mode {mode:04o}: tmux will not use it"
        return Check("socket", Health.BROKEN, words, f"chmod 700 {folder}")
    return Check("socket", Health.GOOD, f"{folder} is yours alone")


def _shared_folder(folder: Path, found: os.stat_result) -> Check:
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o022 and not mode & stat.S_ISVTX:
        words = f"others can replace files in {folder} (mode {mode:04o})"
        return Check("socket", Health.NOTE, words, "use a folder of mode 0700")
    return Check("socket", Health.GOOD, f"{folder} is there")


def check_locale(environ: Mapping[str, str] | None = None) -> Check:
    """Check that text on this terminal is UTF-8."""
    environ = os.environ if environ is None else environ
    named = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or ""
    words = f"the locale is {named or 'not set'}"
    if "utf-8" in named.lower() or "utf8" in named.lower():
        return Check("locale", Health.GOOD, words)
    if sys.flags.utf8_mode or (sys.stdout.encoding or "").lower().replace("-", "") == "utf8":
        words += "; Python writes UTF-8 all the same, and tmux is always started with -u"
        return Check("locale", Health.NOTE, words, "programs in panes may want LANG=C.UTF-8")
    return Check("locale", Health.NOTE, f"{words}: it is not UTF-8", "set LANG=C.UTF-8")


def check_probe(environ: Mapping[str, str] | None = None) -> Check:
    """Say how much the terminal probe can tell here, and what that means."""
    environ = os.environ if environ is None else environ
    try:
        level, best = probe_level(environ), available_level()
    except PanegateError as error:
        return Check("probe", Health.BROKEN, str(error), error.fix)
    words = f"level {level.value}: {_PROBE_WORDS[level]}"
    if level is ProbeLevel.FULL:
        return Check("probe", Health.GOOD, words)
    why = f" ({VARIABLE} forces it; {best.value} is there)" if level is not best else ""
    return Check("probe", Health.NOTE, words + why, "more programs need a profile at this level")


def check_variables(environ: Mapping[str, str] | None = None) -> Check:
    """Say which variables of panegate are set."""
    environ = os.environ if environ is None else environ
    found = sorted(f"{k}={v}" for k, v in environ.items() if k.startswith("PANEGATE_"))
    return Check("variables", Health.GOOD, ", ".join(found) or "no PANEGATE_* variable is set")


def check_settings() -> Check:
    """Check the settings file and the variables that set something."""
    path = config_file()
    try:
        settings = load_settings()
    except PanegateError as error:
        return Check("settings", Health.BROKEN, str(error), error.fix)
    where = f"{path} is right" if path.is_file() else f"there is no {path}: defaults"
    return Check("settings", Health.GOOD, f"{where}; answers = {settings.answers.value}")


def check_profiles() -> list[Check]:
    """Check every profile there is."""
    found = [problem for name in names() for problem in check_profile(path_of(name))]
    if not found:
        return [Check("profiles", Health.GOOD, f"all {len(names())} are right")]
    fix = "put it right, or take the file away"
    return [Check("profiles", Health.BROKEN, str(problem), fix) for problem in found]

"""Puts our hook into a program's configuration, and takes it out again."""

import os
import shlex
import shutil
import stat
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import attrs

from panegate.errors import PanegateError
from panegate.probes.hooks.configuring import (
    diff_of,
    with_claude_hook,
    with_codex_notify,
    without_claude_hook,
    without_codex_notify,
)

__all__ = ["PROGRAMS", "Change", "configuration_path", "hook_argv", "plan_change"]

PROGRAMS: Final = ("claude", "codex")
_COMMAND: Final = "panegate-hook"


@attrs.frozen(kw_only=True)
class Change:
    """One file, as it is and as it would be."""

    path: Path
    before: str | None
    """None where there is no such file."""
    after: str

    @property
    def needed(self) -> bool:
        """There is something to change."""
        return self.after != (self.before or "")

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        return diff_of(self.before or "", self.after, str(self.path))

    def apply(self) -> Path | None:
        """Write the file whole, in one step, with its mode kept; return the backup's path.

        A link stays a link. An earlier backup is never overwritten.

        Raises:
            PanegateError: The file has changed since it was read, or cannot be written.

        """
        path = self.path.resolve()
        try:
            if _read(path) != self.before:
                raise PanegateError(f"{self.path} has changed meanwhile", fix="try again")
            path.parent.mkdir(parents=True, exist_ok=True)
            backup = _back_up(path) if self.before is not None else None
            mode = stat.S_IMODE(path.stat().st_mode) if self.before is not None else 0o600
            _write(path, self.after, mode)
        except OSError as error:
            raise PanegateError(f"{self.path} cannot be changed: {error}") from error
        return backup


def configuration_path(program: str, environ: Mapping[str, str]) -> Path:
    """Return the user's configuration file of *program*.

    Raises:
        ValueError: No hook is known for it.

    """
    home = Path(environ.get("HOME") or Path.home())
    if program == "claude":
        return Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "settings.json"
    if program == "codex":
        return Path(environ.get("CODEX_HOME") or home / ".codex") / "config.toml"
    raise ValueError(f"no hook is known for {program!r}")


def hook_argv() -> list[str]:
    """Return the command that runs our hook, with its full path."""
    beside = Path(sys.executable).parent / _COMMAND
    if os.access(beside, os.X_OK):
        return [str(beside)]
    found = shutil.which(_COMMAND)
    return [found] if found else [sys.executable, "-P", "-m", "panegate.probes.hooks.entry"]


def plan_change(program: str, path: Path, *, install: bool) -> Change:
    """Return what installing (or removing) the hook would change; nothing is written.

    Raises:
        PanegateError: The file cannot be read, or not be changed without loss.

    """
    try:
        before = _read(path.resolve())
    except (OSError, UnicodeDecodeError) as error:
        raise PanegateError(f"{path} cannot be read: {error}") from error
    text, argv = before or "", hook_argv()
    try:
        if program == "claude":
            after = with_claude_hook(text, shlex.join(argv)) if install else text
            after = after if install else without_claude_hook(text)
        elif program == "codex":
            after = with_codex_notify(text, argv) if install else without_codex_notify(text)
        else:
            raise ValueError(f"no hook is known for {program!r}")
    except PanegateError as error:
        raise PanegateError(f"{path}: {error}", fix=error.fix) from error
    return Change(path=path, before=before, after=after)


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None


def _back_up(path: Path) -> Path:
    for number in range(1, 1000):
        backup = path.with_name(f"{path.name}.before-panegate{'' if number == 1 else number}")
        if not backup.exists():
            shutil.copy2(path, backup)
            return backup
    raise PanegateError(f"there are 1000 backups of {path}", fix="remove some")


def _write(path: Path, text: str, mode: int) -> None:
    fd, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise

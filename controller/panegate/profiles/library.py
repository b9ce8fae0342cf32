"""The profiles there are: the user's own and the shipped ones."""

import re
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Final

from panegate.errors import ProfileError
from panegate.profiles.arguments import (
    arguments_at,
    python_module,
    starts_a_prompt,
    without_wrappers,
)
from panegate.profiles.reading import Problem, ProfileFile, extends_of, read_profile
from panegate.screen.profile import Profile

__all__ = [
    "check",
    "commands_of",
    "for_command",
    "load",
    "names",
    "path_of",
    "place_of_arguments",
    "user_folder",
]

_SHIPPED: Final = Path(__file__).resolve().parent
_PYTHON: Final = re.compile(r"python(?:[0-9]+(?:\.[0-9]+)?)?\Z")
_GENERIC: Final = "generic"
_MAX_BYTES: Final = 1_000_000
"""No profile is this large; a larger file was named by mistake."""

_SAID: Final = 4
"""How many problems are said beside the first one."""

_Stamp = tuple[int, int, int]
_cache: dict[Path, tuple[tuple[tuple[Path, _Stamp], ...], ProfileFile]] = {}


def user_folder() -> Path:
    """Return the folder of the user's own profiles; it need not exist."""
    import platformdirs

    return Path(platformdirs.user_config_dir("panegate", appauthor=False)) / "profiles"


def names() -> list[str]:
    """Return the names of all profiles, sorted."""
    return sorted(_files())


def path_of(name: str) -> Path:
    """Return the file of the profile *name*; the user's own before a shipped one.

    Raises:
        ProfileError: There is no such profile.

    """
    found = _files().get(name)
    if found is None:
        msg = f"there is no profile {name!r}; there are: {', '.join(names())}"
        raise ProfileError(msg, fix=f"Write one to {user_folder() / f'{name}.toml'}.")
    return found


def load(name: str | Path) -> Profile:
    """Return a profile; files are read again only after they changed.

    Args:
        name: The name of a profile, or the path of a file (a `Path`, or text with a
            ``/`` or ending in ``.toml``).

    Raises:
        ProfileError: There is no such profile, or its file is wrong; the error names the
            file and the line.

    """
    return _read(_path(name)).profile


def for_command(argv: Sequence[str]) -> Profile:
    """Return the profile of the program that *argv* starts; ``generic`` when none fits.

    It goes by the base name of the command, behind ``env A=b``, ``nice``, ``stdbuf`` and
    the like. A command line that does not bring the program's own prompt (``bash -c``,
    ``python3 script.py``) gets ``generic``. The user's own profiles are asked first.

    Raises:
        ProfileError: A profile's file is wrong. None is passed over: which program a
            wrong file was meant for cannot be known.

    """
    words = without_wrappers(argv)
    if not words:
        return load(_GENERIC)
    command = PurePath(words[0]).name.lstrip("-")
    files = [_read(path) for path in sorted(_files().values(), key=_own_first)]
    fitting = next((file for file in files if command in file.selects), None)
    if _PYTHON.match(command) is not None and fitting is not None:
        module = python_module(words[1:], fitting.profile.arguments)
        if module is not None:
            fitting = next((file for file in files if module in file.python_modules), None)
            return load(_GENERIC) if fitting is None else fitting.profile
    if fitting is None or not starts_a_prompt(words[1:], fitting.profile.arguments):
        return load(_GENERIC)
    return fitting.profile


def commands_of(name: str | Path) -> tuple[str, ...]:
    """Return the commands that start a profile's program; empty where it names none.

    Args:
        name: The profile, as `load` takes it.

    """
    file = _read(_path(name))
    return file.selects or file.profile.commands


def place_of_arguments(name: str | Path, argv: Sequence[str]) -> int | None:
    """Return where the arguments of a profile's program begin, as an index in *argv*.

    Args:
        name: The profile, as `load` takes it.
        argv: An argument vector that starts the program.

    Returns:
        None where *argv* starts something else, such as a shell that starts the program.

    """
    file = _read(_path(name))
    return arguments_at(argv, file.selects, file.python_modules)


def check(path: Path) -> list[Problem]:
    """Return everything that is wrong with a profile file, by line; empty when it is right.

    Vetoes are not tried here, see `panegate.profiles.proof`.
    """
    try:
        base = _base(path, ())
        text = _text(path)
    except ProfileError as error:
        message = str(error).removeprefix(f"{error.path}:").removeprefix(f"{error.line}:")
        return [Problem(error.path or path, error.line, message.strip())]
    return list(read_profile(text, path=path, base=base)[1])


def _files() -> dict[str, Path]:
    """Return the files by profile name, the user's own before shipped ones."""
    found = {path.stem: path for path in _SHIPPED.glob("*.toml")}
    found.update({path.stem: path for path in user_folder().glob("*.toml")})
    return found


def _own_first(path: Path) -> tuple[bool, str]:
    return path.parent == _SHIPPED, path.stem


def _path(name: str | Path) -> Path:
    if isinstance(name, Path):
        return name
    if "/" in name or name.endswith(".toml"):
        return Path(name).expanduser()
    return path_of(name)


def _read(path: Path, below: tuple[Path, ...] = ()) -> ProfileFile:
    cached = _cache.get(path)
    if cached is not None and all(_stamp(file) == stamp for file, stamp in cached[0]):
        return cached[1]
    stamp = _stamp(path)
    base = _base(path, below)
    read, problems = read_profile(_text(path), path=path, base=base)
    if read is None:
        first, *others = sorted(problems, key=lambda found: found.line is None)
        more = "".join(f"\n{problem}" for problem in others[:_SAID])
        if len(others) > _SAID:
            more += f"\n(and {len(others) - _SAID} more)"
        fix = f"panegate profiles check {path}"
        raise ProfileError(f"{first.message}{more}", path=first.path, line=first.line, fix=fix)
    stamps = ((path, stamp), *(_cache[base.path][0] if base is not None else ()))
    _cache[path] = (stamps, read)
    return read


def _base(path: Path, below: tuple[Path, ...]) -> ProfileFile | None:
    """Read what a file extends; a file that extends its own name means the shipped one."""
    name = extends_of(_text(path))
    if not name:
        return None
    above = _SHIPPED / f"{name}.toml" if name == path.stem else _files().get(name)
    if above is None or not above.is_file() or above in (path, *below):
        why = "is the file itself or extends it" if above in (path, *below) else "does not exist"
        message = f"extends {name!r}, which {why}"
        raise ProfileError(message, path=path, line=_line_of_extends(path))
    return _read(above, (*below, path))


def _line_of_extends(path: Path) -> int | None:
    lines = _text(path).split("\n")
    return next((n for n, line in enumerate(lines, 1) if line.lstrip().startswith("extends")), None)


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise ProfileError(f"cannot be read: {error.strerror}", path=path) from error
    if len(content) > _MAX_BYTES:
        raise ProfileError("is too large for a profile", path=path)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ProfileError("is not UTF-8", path=path, line=line) from error

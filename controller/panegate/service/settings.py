"""Settings: a TOML file, then ``PANEGATE_*``, then arguments."""

import enum
import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import cattrs
import platformdirs
from cattrs.errors import ForbiddenExtraKeysError

from panegate.errors import SettingsError
from panegate.journal.store import Sync, TextKept
from panegate.service.sinks import Sink, SinkError, sinks_from

__all__ = [
    "MAX_COLUMNS",
    "MAX_ROWS",
    "MAX_SECONDS",
    "MIN_COLUMNS",
    "MIN_ROWS",
    "Answers",
    "Settings",
    "config_file",
    "load_settings",
]

MIN_COLUMNS = 20
MAX_COLUMNS = 1000
MIN_ROWS = 5
MAX_ROWS = 500
"""Sizes of a pane that are taken: tmux itself stands still over one of 9999 by 9999."""
MAX_SECONDS = 1e8
"""The longest time that can be set: three years."""
_MAX_COUNT = 1_000_000
_PREFIX = "PANEGATE_"
_NOT_SETTINGS = frozenset({"PROBE", "TMUX", "REQUIRE_ALL", "CONFIG", "RUNTIME"})


class Answers(enum.Enum):
    """Who may answer a program's question through panegate."""

    NEVER = "never"
    CLI = "cli"
    """Only a person at the command line."""
    ALLOWED = "allowed"
    """Any caller that names itself with ``by``."""


_Check = Callable[[Any, "attrs.Attribute[Any]", Any], None]


def _between(least: float, most: float) -> _Check:
    def check(_settings: object, _field: "attrs.Attribute[Any]", value: float) -> None:
        if not least <= value <= most:  # true of what is not a number, too
            msg = f"expected {least:.0f} to {most:.0f}"
            raise ValueError(msg)

    return check


def _time(_settings: object, _field: "attrs.Attribute[Any]", value: float) -> None:
    if not 0 < value <= MAX_SECONDS:
        msg = f"expected seconds, more than 0 and at most {MAX_SECONDS:.0f}"
        raise ValueError(msg)


@attrs.frozen(kw_only=True)
class Settings:
    """Everything that can be set; durations in seconds."""

    answers: Answers = Answers.CLI
    send_within_s: float = attrs.field(default=60.0, validator=_time)
    """How long a message waits for the gate where the caller does not say."""
    launch_within_s: float = attrs.field(default=30.0, validator=_time)
    columns: int = attrs.field(default=120, validator=_between(MIN_COLUMNS, MAX_COLUMNS))
    rows: int = attrs.field(default=40, validator=_between(MIN_ROWS, MAX_ROWS))
    """Size of a launched pane."""
    hub_above: int = attrs.field(default=100, validator=_between(1, _MAX_COUNT))
    """Sessions above which one client carries them all."""
    event_buffer: int = attrs.field(default=1024, validator=_between(1, _MAX_COUNT))
    """Events kept for each slow reader before it sees `Dropped`."""
    retain: bool = False
    """Keep dead panes until they are closed."""
    journal_path: str = ""
    """Its file (``journal.path`` in the settings file); ``:memory:`` for none; "" for
    ``journal.db`` in the user's state directory."""
    journal_sync: Sync = Sync.NORMAL
    """``full`` also survives a loss of power: each write waits for the disk."""
    journal_text: TextKept = TextKept.FULL
    """``digest`` keeps neither texts of messages nor the screens that show them."""
    journal_keep_days: float = attrs.field(default=30.0, validator=_between(1, 36500))
    journal_max_mb: int = attrs.field(default=256, validator=_between(1, _MAX_COUNT))
    escalate_after_s: float = attrs.field(default=900.0, validator=_time)
    """How long a program may ask before a person is called."""
    sinks: tuple[Sink, ...] = ()
    """Who is told then, beside the event stream: ``[[sinks]]`` tables with a ``kind``."""
    nudge_grace_s: float = attrs.field(default=300.0, validator=_time)
    """What a nudge policy starts from; see `panegate.NudgePolicy`."""
    nudge_work_grace_s: float = attrs.field(default=900.0, validator=_time)
    nudge_per_silence: int = attrs.field(default=1, validator=_between(1, _MAX_COUNT))
    nudge_per_session: int = attrs.field(default=10, validator=_between(1, _MAX_COUNT))


def config_file() -> Path:
    """Return where the settings file is looked for (``PANEGATE_CONFIG`` overrides)."""
    named = os.environ.get("PANEGATE_CONFIG")
    if named:
        return Path(named)
    return Path(platformdirs.user_config_dir("panegate", appauthor=False)) / "settings.toml"


def load_settings(path: Path | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings file, if there is one, and the environment.

    Raises:
        SettingsError: Something in them is wrong; names the file and the line.

    """
    path = config_file() if path is None else path
    environ = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    text = _text_of(path)
    if text:
        try:
            values = _flat(tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            at = re.search(r"line (\d+)", str(error))
            line = int(at[1]) if at else None
            raise SettingsError(str(error), path=path, line=line) from error
    names = {field.name for field in attrs.fields(Settings)}
    for key in values:
        if key not in names:
            fix = f"the settings are: {', '.join(sorted(names))}"
            raise SettingsError(
                f"unknown setting {key!r}", path=path, line=_line_of(text, key), fix=fix
            )
    for variable, value in environ.items():
        if not variable.startswith(_PREFIX):
            continue
        key = variable.removeprefix(_PREFIX)
        if key.lower() in names:
            values[key.lower()] = _from_text(key.lower(), value)
        elif key not in _NOT_SETTINGS:
            fix = f"the settings are: {', '.join(sorted(_PREFIX + n.upper() for n in names))}"
            raise SettingsError(f"unknown variable {variable}", fix=fix)
    for key, value in values.items():
        try:
            _check_one(key, value)
        except (cattrs.BaseValidationError, ValueError, TypeError) as error:
            inner = error.exceptions[0] if isinstance(error, ExceptionGroup) else error
            line = _line_of_sink(text, inner) if key == "sinks" else _line_of(text, key)
            shown = key if key == "sinks" else f"{key} = {value!r}"
            raise SettingsError(
                f"{shown} is wrong: {inner}", path=path if line is not None else None, line=line
            ) from error
    return _converter.structure(values, Settings)


def _text_of(path: Path) -> str:
    """Return what is in the settings file; "" where there is none."""
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        if path.is_symlink():
            raise SettingsError("is a link to nothing", path=path) from error
        return ""
    except OSError as error:
        what = "is a folder" if path.is_dir() else f"cannot be read: {error.strerror}"
        raise SettingsError(what, path=path) from error
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SettingsError("is not UTF-8", path=path, line=line) from error


_converter = cattrs.Converter(forbid_extra_keys=True)
_NUMBERS = (int, float)


def _strict_number(value: Any, to: type) -> Any:
    if isinstance(value, bool) or not isinstance(value, _NUMBERS):
        msg = f"expected a number, not {value!r}"
        raise TypeError(msg)
    if to is int and isinstance(value, float) and not value.is_integer():
        msg = f"expected a whole number, not {value!r}"
        raise TypeError(msg)
    try:
        return to(value)
    except OverflowError:
        msg = "expected a number of fewer digits"
        raise TypeError(msg) from None


def _strict_bool(value: Any, _to: type) -> bool:
    if not isinstance(value, bool):
        msg = f"expected true or false, not {value!r}"
        raise TypeError(msg)
    return value


_converter.register_structure_hook(float, _strict_number)
_converter.register_structure_hook(int, _strict_number)
_converter.register_structure_hook(bool, _strict_bool)


def _strict_text(value: Any, _to: type) -> str:
    if not isinstance(value, str):
        msg = f"expected a text, not {value!r}"
        raise TypeError(msg)
    return value


_converter.register_structure_hook(str, _strict_text)
_converter.register_structure_hook_func(
    lambda kind: kind == tuple[Sink, ...], lambda value, _to: sinks_from(value)
)


def _check_one(key: str, value: Any) -> None:
    try:
        _converter.structure({key: value}, Settings)
    except ForbiddenExtraKeysError:  # pragma: no cover - names were checked
        raise


def _from_text(key: str, value: str) -> Any:
    kind = next(field.type for field in attrs.fields(Settings) if field.name == key)
    if kind is bool:
        return {"1": True, "true": True, "0": False, "false": False}.get(value.lower(), value)
    if kind in _NUMBERS or kind == tuple[Sink, ...]:
        try:
            return float(value) if kind in _NUMBERS else json.loads(value)
        except ValueError:
            return value
    return value


def _line_of_sink(text: str, error: BaseException) -> int | None:
    """Return the line of the ``[[sinks]]`` table, or of its key, that an error is about."""
    wanted, key = (error.number, error.key) if isinstance(error, SinkError) else (-1, "")
    table, inside, found = -1, False, _line_of(text, "sinks")
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("["):
            table += (inside := bool(re.match(r"\s*\[\[\s*sinks\s*\]\]", line)))
            inside = inside and table == wanted
            found = number if inside else found
        elif inside and key and re.match(rf"\s*\"?{re.escape(key)}\"?\s*=", line):
            return number
    return found


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of tables as those of the settings: ``journal.sync`` as ``journal_sync``."""
    out: dict[str, Any] = {}
    for key, value in values.items():
        inside = value if isinstance(value, dict) else None
        out.update({key: value} if inside is None else {f"{key}_{k}": inside[k] for k in inside})
    return out


def _line_of(text: str, key: str) -> int | None:
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if opened := re.match(r"\s*\[\s*([\w.-]+)\s*\]", line):
            table = f"{opened[1]}."
        elif named := re.match(r"\s*\"?([\w.-]+)\"?\s*=", line):
            if f"{table}{named[1]}".replace(".", "_") == key:
                return number
    return None

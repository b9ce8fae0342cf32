"""Settings: a TOML file, then ``PANEGATE_*``, then arguments."""

import enum
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import cattrs
import platformdirs
from cattrs.errors import ForbiddenExtraKeysError

from panegate.errors import SettingsError

__all__ = ["Answers", "Settings", "config_file", "load_settings"]

_PREFIX = "PANEGATE_"
_NOT_SETTINGS = frozenset({"PROBE", "TMUX", "REQUIRE_ALL", "CONFIG"})


class Answers(enum.Enum):
    """Who may answer a program's question through panegate."""

    NEVER = "never"
    CLI = "cli"
    """Only a person at the command line."""
    ALLOWED = "allowed"
    """Any caller that names itself with ``by``."""


@attrs.frozen(kw_only=True)
class Settings:
    """Everything that can be set; durations in seconds."""

    answers: Answers = Answers.CLI
    send_within_s: float = attrs.field(default=60.0, validator=attrs.validators.gt(0))
    """How long a message waits for the gate where the caller does not say."""
    launch_within_s: float = attrs.field(default=30.0, validator=attrs.validators.gt(0))
    columns: int = attrs.field(default=120, validator=attrs.validators.ge(20))
    rows: int = attrs.field(default=40, validator=attrs.validators.ge(5))
    """Size of a launched pane."""
    hub_above: int = attrs.field(default=100, validator=attrs.validators.ge(1))
    """Sessions above which one client carries them all."""
    event_buffer: int = attrs.field(default=1024, validator=attrs.validators.ge(1))
    """Events kept for each slow reader before it sees `Dropped`."""
    retain: bool = False
    """Keep dead panes until they are closed."""


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
    text = ""
    if path.is_file():
        text = path.read_text(encoding="utf-8")
        try:
            values = tomllib.loads(text)
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
            where = path if _line_of(text, key) is not None else None
            said = str(error.exceptions[0]) if isinstance(error, ExceptionGroup) else str(error)
            raise SettingsError(
                f"{key} = {value!r} is wrong: {said}", path=where, line=_line_of(text, key)
            ) from error
    return _converter.structure(values, Settings)


_converter = cattrs.Converter(forbid_extra_keys=True)
_NUMBERS = (int, float)


def _strict_number(value: Any, to: type) -> Any:
    if isinstance(value, bool) or not isinstance(value, _NUMBERS):
        msg = f"expected a number, not {value!r}"
        raise TypeError(msg)
    if to is int and not float(value).is_integer():
        msg = f"expected a whole number, not {value!r}"
        raise TypeError(msg)
    return to(value)


def _strict_bool(value: Any, _to: type) -> bool:
    if not isinstance(value, bool):
        msg = f"expected true or false, not {value!r}"
        raise TypeError(msg)
    return value


_converter.register_structure_hook(float, _strict_number)
_converter.register_structure_hook(int, _strict_number)
_converter.register_structure_hook(bool, _strict_bool)


def _check_one(key: str, value: Any) -> None:
    try:
        _converter.structure({key: value}, Settings)
    except ForbiddenExtraKeysError:  # pragma: no cover - names were checked
        raise


def _from_text(key: str, value: str) -> Any:
    kind = next(field.type for field in attrs.fields(Settings) if field.name == key)
    if kind is bool:
        return {"1": True, "true": True, "0": False, "false": False}.get(value.lower(), value)
    if kind in _NUMBERS:
        try:
            return float(value)
        except ValueError:
            return value
    return value


def _line_of(text: str, key: str) -> int | None:
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(rf"\s*\"?{re.escape(key)}\"?\s*=", line):
            return number
    return None

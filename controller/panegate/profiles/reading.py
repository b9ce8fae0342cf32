"""From the text of one TOML file to a profile, with every problem in it.

What a file may say is read off the fields of `panegate.screen.profile.Profile`: a field
added there can be written in a file without a word here. Keys beside them are those of
`ProfileFile`.
"""

import enum
import math
import re
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

import attrs

from panegate.panes.facts import MarkKind
from panegate.profiles.launch_checks import launch_problems
from panegate.profiles.positions import Positions, Step
from panegate.screen.profile import FaultRule, MarkRule, Profile, RowRule, Timing, Veto

__all__ = ["Problem", "ProfileFile", "extends_of", "read_profile"]

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}\Z")
_KEY_NAME: Final = re.compile(r"(?:[CMS]-){0,3}(?:[!-~]|[A-Z][A-Za-z0-9]{1,9})\Z")
_TOML_PLACE: Final = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)\Z", re.S)
_BAD: Final = object()
_BESIDE: Final = frozenset({"extends", "shown_as", "python_modules"})
_STATES: Final = ("ready", "busy", "prompting")
_QUOTED: Final = ("  ", "> ", "+", "-", "+ ", "- ", "7: ", "7  ", "│ ", "# ", '"', "`", "It says ")
"""What stands before a sentence that is quoted, listed or part of a diff."""

_T = TypeVar("_T", bound=attrs.AttrsInstance)
_Where = tuple[Step, ...]


@attrs.frozen
class Problem:
    """One thing that is wrong with a profile file."""

    path: Path
    line: int | None
    """From 1; None when the whole file is meant."""
    message: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line is not None else str(self.path)
        return f"{place}: {self.message}"


@attrs.frozen(kw_only=True)
class ProfileFile:
    """A profile and what its file says beside it."""

    profile: Profile
    path: Path
    selects: tuple[str, ...] = ()
    """Commands written in this very file: starting one of them selects the profile."""
    python_modules: tuple[str, ...] = ()
    """Modules that bring the program when run by ``python -m``."""


def extends_of(text: str) -> str:
    """Return the name of the profile that a file builds on, "" for none or a broken file."""
    try:
        name = tomllib.loads(text).get("extends", "")
    except tomllib.TOMLDecodeError:
        return ""
    return name if isinstance(name, str) else ""


def read_profile(
    text: str, *, path: Path, base: ProfileFile | None = None
) -> tuple[ProfileFile | None, tuple[Problem, ...]]:
    """Read one file.

    Args:
        text: What is in it.
        path: Its name gives the profile's, without ``.toml``.
        base: What it ``extends``: keys that are not in the file are taken from there; in
            ``composer``, ``timing``, ``submit``, ``arguments`` and ``launch_answers`` key by key.

    Returns:
        The profile, or None when there is a problem; and all problems, by line.

    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return None, (_toml_problem(error, text, path),)
    reader = _Reader(path, Positions(text))
    read = reader.profile_file(table, base)
    problems = tuple(sorted(reader.problems, key=lambda problem: problem.line or 0))
    return (None if problems else read), problems


def _toml_problem(error: tomllib.TOMLDecodeError, text: str, path: Path) -> Problem:
    found = _TOML_PLACE.match(str(error))
    if found is None:
        return Problem(path, None, str(error))
    line = int(found[2]) if found[2] else max(1, len(text.rstrip("\n").split("\n")))
    return Problem(path, line, f"not TOML: {found[1]}")


class _Reader:
    """Turns tables into the types of `panegate.screen.profile`, noting what is wrong."""

    def __init__(self, path: Path, positions: Positions) -> None:
        self.problems: list[Problem] = []
        self._path = path
        self._positions = positions

    def profile_file(self, table: Mapping[str, object], base: ProfileFile | None) -> ProfileFile:
        name = table.get("name", self._path.stem)
        if name != self._path.stem:
            self._note(("name",), f"name {name!r} is not the file's name {self._path.stem!r}")
        elif _NAME.match(self._path.stem) is None:
            self._note((), "the file's name must be small letters, digits, - and _")
        parent = base or ProfileFile(profile=Profile(name=self._path.stem), path=self._path)
        own = {key: value for key, value in table.items() if key not in _BESIDE}
        profile = self._evolve(parent.profile, own, (), beside=_BESIDE)
        profile = attrs.evolve(profile, name=self._path.stem)
        shown_as = self._strings(table, "shown_as")
        # A file that extends the shipped one of its name stands in its place.
        replaces = base is not None and base.path.stem == self._path.stem
        selects = parent.selects if replaces else ()
        selects = profile.commands if "commands" in table else selects
        if "commands" in table or "shown_as" in table:
            fits = (*(selects or parent.profile.commands), *shown_as)
            profile = attrs.evolve(profile, commands=tuple(dict.fromkeys(fits)))
        self._strings(table, "extends", single=True)
        self._check_profile(profile, table)
        modules = self._strings(table, "python_modules")
        return ProfileFile(
            profile=profile,
            path=self._path,
            selects=selects,
            python_modules=modules or (parent.python_modules if replaces else ()),
        )

    def _strings(
        self, table: Mapping[str, object], key: str, *, single: bool = False
    ) -> tuple[str, ...]:
        if key not in table:
            return ()
        wanted = str if single else tuple[str, ...]
        read = self._value(wanted, table[key], (key,))
        return typing.cast(tuple[str, ...], () if read is _BAD or single else read)

    def _evolve(
        self,
        base: _T,
        table: Mapping[str, object],
        where: _Where,
        *,
        beside: frozenset[str] = frozenset(),
    ) -> _T:
        """Return *base* with the fields that *table* names, as far as they can be read."""
        kinds = {field.name: field.type for field in attrs.fields(type(base))}
        changes: dict[str, object] = {}
        for key, raw in table.items():
            at = (*where, key)
            if key not in kinds:
                known = ", ".join(sorted(kinds.keys() | beside))
                self._note(at, f"unknown key {key!r}; there are: {known}")
                continue
            current = getattr(base, key)
            kind = kinds[key]
            if isinstance(kind, type) and attrs.has(kind):
                changes[key] = self._table_of(current, raw, at)
            elif (value := self._value(kind, raw, at)) is not _BAD:
                changes[key] = value
        evolved: _T = attrs.evolve(base, **changes)  # type: ignore[misc]
        if isinstance(evolved, Timing):
            self._check_timing(evolved, table, where)
        return evolved

    def _table_of(self, base: _T, raw: object, where: _Where) -> _T:
        if not isinstance(raw, dict):
            self._note(where, f"{where[-1]} must be a table, not {_kind_of(raw)}")
            return base
        return self._evolve(base, raw, where)

    def _value(self, kind: object, raw: object, where: _Where) -> object:
        """Return *raw* as *kind*, or `_BAD` after noting why not."""
        arguments = typing.get_args(kind)
        if isinstance(kind, types.UnionType):
            return self._value(arguments[0], raw, where)
        if typing.get_origin(kind) is tuple:
            return self._sequence(arguments[0], raw, where)
        if typing.get_origin(kind) is Mapping:
            return self._mapping(arguments[1], raw, where)
        if typing.get_origin(kind) is re.Pattern:
            return self._pattern(raw, where)
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return self._choice(kind, raw, where)
        if isinstance(kind, type) and attrs.has(kind):
            return self._row(kind, raw, where)
        return self._plain(raw, where) if kind is typing.Any else self._scalar(kind, raw, where)

    def _sequence(self, kind: object, raw: object, where: _Where) -> object:
        if not isinstance(raw, list):
            return self._wrong(where, f"must be an array, not {_kind_of(raw)}")
        values = [self._value(kind, item, (*where, at)) for at, item in enumerate(raw)]
        return _BAD if any(value is _BAD for value in values) else tuple(values)

    def _mapping(self, kind: object, raw: object, where: _Where) -> object:
        if not isinstance(raw, dict):
            return self._wrong(where, f"must be a table, not {_kind_of(raw)}")
        values = {key: self._value(kind, value, (*where, key)) for key, value in raw.items()}
        return _BAD if any(value is _BAD for value in values.values()) else values

    def _plain(self, raw: object, where: _Where) -> object:
        """Return what TOML and JSON both have."""
        if isinstance(raw, dict):
            return self._mapping(typing.Any, raw, where)
        if isinstance(raw, list):
            values = self._sequence(typing.Any, raw, where)
            return list(values) if isinstance(values, tuple) else values
        if isinstance(raw, str | bool | int) or (isinstance(raw, float) and math.isfinite(raw)):
            return raw
        return self._wrong(where, f"must be a value that JSON has, too, not {raw}")

    def _pattern(self, raw: object, where: _Where) -> object:
        if not isinstance(raw, str):
            return self._wrong(where, f"must be a regular expression, not {_kind_of(raw)}")
        try:
            return re.compile(raw)
        except (re.error, OverflowError, RecursionError) as error:
            return self._wrong(where, f"is not a regular expression: {error}")

    def _choice(self, kind: type[enum.Enum], raw: object, where: _Where) -> object:
        for member in kind:
            if member.value == raw:
                return member
        return self._wrong(where, f"must be one of {_listed(m.value for m in kind)}, not {raw!r}")

    def _scalar(self, kind: object, raw: object, where: _Where) -> object:
        if kind is bytes:
            if isinstance(raw, str) and raw:
                return raw.encode()
            return self._wrong(where, f"must be some text, not {raw!r}")
        if kind is float and isinstance(raw, int) and not isinstance(raw, bool):
            raw = float(raw)
        if type(raw) is not kind:
            wanted = {bool: "true or false", int: "a whole number", float: "a number"}
            words = wanted.get(typing.cast(type, kind), "text")
            return self._wrong(where, f"must be {words}, not {_kind_of(raw)}")
        if isinstance(raw, int | float) and not (0 <= raw < math.inf):
            return self._wrong(where, f"must not be {raw}")
        return raw

    def _row(self, kind: type, raw: object, where: _Where) -> object:
        """Read one table of an array of tables, such as ``[[busy]]``."""
        if not isinstance(raw, dict):
            return self._wrong(where, f"must be a table, not {_kind_of(raw)}")
        n_before = len(self.problems)
        fields = {field.name: field for field in attrs.fields(kind)}
        values: dict[str, object] = {}
        for key, item in raw.items():
            at = (*where, key)
            if key not in fields:
                self._note(at, f"unknown key {key!r}; there are: {', '.join(sorted(fields))}")
            elif (value := self._value(fields[key].type, item, at)) is not _BAD:
                values[key] = value
        for field in fields.values():
            if field.default is attrs.NOTHING and field.name not in raw:
                self._note(where, f"{field.name} is missing")
        if len(self.problems) > n_before:
            return _BAD
        made = kind(**values)
        self._check_row(made, where)
        return made

    def _check_row(self, made: object, where: _Where) -> None:
        if isinstance(made, RowRule) and made.pattern.search("") is not None:
            self._note((*where, "pattern"), "pattern matches an empty row, so it says nothing")
        elif isinstance(made, Veto) and not (made.regex.strip() and made.sample.strip()):
            self._note(where, "regex and sample must not be empty")
        elif isinstance(made, FaultRule):
            self._check_fault(made, where)
        elif isinstance(made, MarkRule):
            kinds = [kind.value for kind in MarkKind]
            if made.mark not in kinds:
                self._note((*where, "mark"), f"mark must be one of {_listed(kinds)}")
            if made.state not in _STATES:
                self._note((*where, "state"), f"state must be one of {_listed(_STATES)}")

    def _check_fault(self, fault: FaultRule, where: _Where) -> None:
        n_words = sum(any(map(str.isalnum, word)) for word in fault.sample.split())
        if n_words < 2 or fault.pattern.fullmatch(fault.sample) is None:
            words = "sample must be a whole sentence that pattern matches from end to end"
            self._note((*where, "sample"), words)
        quoted = [q for q in _QUOTED if fault.pattern.fullmatch(q + fault.sample) is not None]
        if quoted:
            words = f"pattern matches its sample also behind {quoted[0]!r}: begin it with the"
            self._note((*where, "pattern"), f"{words} sign of the program's own error row")

    def _check_timing(self, timing: Timing, table: Mapping[str, object], where: _Where) -> None:
        for key in table:
            if key in ("look_s", "settle_s", "silence_s") and getattr(timing, key) == 0:
                self._note((*where, key), f"{key} must be more than 0")

    def _check_profile(self, profile: Profile, table: Mapping[str, object]) -> None:
        for key in ("prompts", "continuations"):
            if key in table:
                for at, pattern in enumerate(getattr(profile, key)):
                    if pattern.fullmatch("") is not None:
                        words = f"{key} must not match an empty row (see at_empty_row)"
                        self._note((key, at), words)
        if profile.trust not in ("", "timing"):
            self._note(("trust",), f"trust must be empty or 'timing', not {profile.trust!r}")
        for at, key_name in enumerate(profile.clear):
            self._check_key(key_name, ("clear", at))
        self._check_key(profile.interrupt, ("interrupt",))
        if "launch_answers" in table or "arguments" in table:
            for where, message in launch_problems(profile):
                self._note(where, message)

    def _check_key(self, key_name: str, where: _Where) -> None:
        if _KEY_NAME.match(key_name) is None:
            self._note(where, f"{key_name!r} is not a tmux key name such as C-c or Escape")

    def _wrong(self, where: _Where, message: str) -> object:
        self._note(where, f"{_dotted(where)} {message}")
        return _BAD

    def _note(self, where: _Where, message: str) -> None:
        self.problems.append(Problem(self._path, self._positions.line(where), message))


def _dotted(where: _Where) -> str:
    out = ""
    for step in where:
        out += f"[{step + 1}]" if isinstance(step, int) else f".{step}" if out else step
    return out


def _kind_of(raw: object) -> str:
    names: Sequence[tuple[type, str]] = (
        (bool, "true or false"),
        (int, "a whole number"),
        (float, "a number"),
        (str, "text"),
        (list, "an array"),
        (dict, "a table"),
    )
    return next((name for kind, name in names if isinstance(raw, kind)), "a date")


def _listed(values: Iterator[object] | Sequence[object]) -> str:
    return ", ".join(repr(value) for value in values)

"""A profile's launch answers put into a command line and an environment.

What the design has decided is answered in advance, so that the program never asks it. The
caller's own words are kept in their order; what they give with another value is an error.
"""

import hashlib
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

import attrs

from panegate.errors import LaunchFailed
from panegate.screen.arguments import (
    ArgumentRule,
    Given,
    GivenOption,
    LaunchAnswers,
    SettingsStyle,
    parse_arguments,
)

__all__ = ["AnsweredLaunch", "AnswersUsed", "ReadSettings", "answer_launch"]

ReadSettings = Callable[[str], str | None]
"""Returns the text of a settings file that the caller names, None if it cannot be read."""
_FIX: Final = "leave it to the profile, or launch with a profile of your own that extends it"


@attrs.frozen(kw_only=True)
class AnswersUsed:
    """The launch answers that a program was started with."""

    profile: str
    flags: tuple[str, ...] = ()
    """The words that were put into its command line."""
    env: Mapping[str, str] = attrs.field(factory=dict)
    """The variables that were added to its environment."""
    files: Mapping[str, str] = attrs.field(factory=dict)
    """The settings files that were written for it: path and text."""

    @property
    def words(self) -> str:
        """All of it in one line."""
        parts = [shlex.join(self.flags)] if self.flags else []
        parts += [f"{name}={shlex.quote(value)}" for name, value in self.env.items()]
        parts += [f"{PurePath(path).name} holds {text}" for path, text in self.files.items()]
        return "; ".join(parts)


@attrs.frozen(kw_only=True)
class AnsweredLaunch:
    """What to start a program with."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    """The caller's variables and the answers."""
    used: AnswersUsed | None
    """None where nothing had to be added."""


def answer_launch(
    answers: LaunchAnswers,
    rule: ArgumentRule,
    argv: Sequence[str],
    *,
    at: int | None,
    env: Mapping[str, str],
    profile: str,
    settings_folder: str | None = None,
    read_settings: ReadSettings | None = None,
) -> AnsweredLaunch:
    """Return a launch with its profile's answers.

    Args:
        answers: The profile's.
        rule: How the program reads its arguments.
        argv: The caller's whole argument vector.
        at: Index in it behind the program's name; None where that cannot be told.
        env: The variables that the caller names.
        profile: The profile's name, for words.
        settings_folder: Where a settings file may be written; None: nowhere.
        read_settings: Reads a settings file that the caller names.

    Raises:
        LaunchFailed: The caller gives one of them with another value, or there is no place
            for them that the program's parser would take.

    """
    if answers.is_empty:
        return AnsweredLaunch(argv=tuple(argv), env=dict(env), used=None)
    return _Launch(
        answers=answers,
        rule=rule,
        argv=tuple(argv),
        at=at,
        env=env,
        profile=profile,
        settings_folder=settings_folder,
        read_settings=read_settings or (lambda _path: None),
    ).answered()


@attrs.define(kw_only=True)
class _Launch:
    answers: LaunchAnswers
    rule: ArgumentRule
    argv: tuple[str, ...]
    at: int | None
    env: Mapping[str, str]
    profile: str
    settings_folder: str | None
    read_settings: ReadSettings
    files: dict[str, str] = attrs.field(factory=dict, init=False)
    added: dict[str, str] = attrs.field(factory=dict, init=False)
    gone: set[int] = attrs.field(factory=set, init=False)
    """Indices of the caller's words that stand in an answer now, together with it."""

    def answered(self) -> AnsweredLaunch:
        self._answer_variables()
        words: tuple[str, ...] = ()
        argv = self.argv
        if self.answers.needs_words:
            if self.at is None:
                raise LaunchFailed(
                    f"the profile {self.profile!r} has launch answers, and where in"
                    f" {shlex.join(self.argv)!r} its program stands cannot be told",
                    fix="start the program itself, with no shell or interpreter before it",
                )
            own = self.argv[self.at :]
            given = parse_arguments(own, self._rule)
            options = [*self._flags(given), *self._settings_options(given)]
            rest = tuple(word for n, word in enumerate(own) if n not in self.gone)
            placed, words = self._placed(options, rest)
            argv = (*self.argv[: self.at], *placed)
        elif self.answers.settings:
            self._settings_variable()
        used = AnswersUsed(profile=self.profile, flags=words, env=self.added, files=self.files)
        is_used = bool(words or self.added or self.files)
        return AnsweredLaunch(
            argv=argv, env={**self.env, **self.added}, used=used if is_used else None
        )

    @property
    def _rule(self) -> ArgumentRule:
        rule = self.rule.taking(self.answers.settings_option)
        for word in self.answers.flags:
            name, equals, _ = word.partition("=")
            if equals and name.startswith("--"):
                rule = rule.taking(name)
        return rule

    # --- variables ------------------------------------------------------------------

    def _answer_variables(self) -> None:
        for name, value in self.answers.env.items():
            theirs = self.env.get(name, value)
            if theirs != value:
                raise self._conflict(f"{name}={value}", f"{name}={theirs}")
            if name not in self.env:
                self.added[name] = value

    # --- options --------------------------------------------------------------------

    def _flags(self, given: Given) -> Iterator[GivenOption]:
        """Yield the answers' options that the caller has not given; lists with the caller's."""
        for answer in parse_arguments(self.answers.flags, self._rule).options:
            theirs = [option for option in given.options if self._is_same(option, answer)]
            self._check_opposite(answer, given)
            if self.rule.is_in(answer.name, self.rule.lists):
                yield self._merged_list(answer, theirs)
            elif self.rule.is_in(answer.name, self.rule.repeated):
                if all(option.values != answer.values for option in theirs):
                    yield answer
            else:
                for option in theirs:
                    if option.values != answer.values:
                        raise self._conflict(_shown(answer), _shown(option))
                if not theirs:
                    yield answer

    def _is_same(self, one: GivenOption, other: GivenOption) -> bool:
        return self.rule.one_name(one.name) == self.rule.one_name(other.name)

    def _check_opposite(self, answer: GivenOption, given: Given) -> None:
        for option in given.options:
            names = (answer.name.removeprefix("--"), option.name.removeprefix("--"))
            if names[0] == f"no-{names[1]}" or names[1] == f"no-{names[0]}":
                raise self._conflict(_shown(answer), _shown(option))

    def _merged_list(self, answer: GivenOption, theirs: list[GivenOption]) -> GivenOption:
        values = list(answer.values)
        for option in theirs:
            self.gone.update(range(option.at, option.at + len(option.words)))
            values += [value for value in option.values if value not in values]
        if not theirs:
            return answer
        words = (answer.name, *values)
        return GivenOption(name=answer.name, values=tuple(values), words=words, at=0, open=True)

    def _placed(
        self, options: list[GivenOption], rest: tuple[str, ...]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the arguments with the answers in them, and the words that were added.

        An option that would take the next word, too, never stands before a word that is none
        of its own.
        """
        options = sorted(options, key=lambda option: not option.open)
        words = tuple(word for option in options for word in option.words)
        if not options or not options[-1].open:
            return (*words, *rest), words
        given = parse_arguments(rest, self._rule)
        if not rest or given.word_at != 0:
            return (*words, *rest), words  # an option or `--` closes it, or the end
        if given.options:
            at = given.options[0].at
            return (*rest[:at], *words, *rest[at:]), words
        dashes_at = given.dashes_at  # they may as well stand before all words
        if dashes_at is not None:
            return (*words, "--", *rest[:dashes_at], *rest[dashes_at + 1 :]), words
        if self.rule.ends_with_dashes:
            return (*words, "--", *rest), (*words, "--")
        raise LaunchFailed(
            f"{_shown(options[-1])} of the profile {self.profile!r} would take"
            f" {rest[0]!r} as its own, and nothing can stand between them",
            fix="let an option stand last in the profile's flags, or write it with '='",
        )

    # --- settings -------------------------------------------------------------------

    def _settings_options(self, given: Given) -> Iterator[GivenOption]:
        if not self.answers.settings:
            return
        name = self.answers.settings_option
        same = self.rule.one_name(name)
        theirs = [o for o in given.options if self.rule.one_name(o.name) == same]
        if self.answers.settings_style is SettingsStyle.PAIRS:
            yield from self._pairs(name, theirs)
            return
        if len(theirs) > 1:
            raise LaunchFailed(f"{name} is given {len(theirs)} times", fix="give it once")
        value = theirs[0].values[0] if theirs and theirs[0].values else None
        merged = self._merged_settings(value)
        if merged is not None:
            for option in theirs:
                self.gone.update(range(option.at, option.at + len(option.words)))
            yield GivenOption(name=name, values=(merged,), words=(name, merged), at=0)

    def _settings_variable(self) -> None:
        name = self.answers.settings_variable
        merged = self._merged_settings(self.env.get(name))
        if merged is not None:
            self.added[name] = merged

    def _pairs(self, name: str, theirs: list[GivenOption]) -> Iterator[GivenOption]:
        given = [value for option in theirs for value in option.values]
        for key, value in _flat(self.answers.settings, ""):
            pair = f"{key}={value}"
            found = [each for each in given if each.partition("=")[0] == key]
            for each in found:
                if each != pair:
                    raise self._conflict(f"{name} {pair}", f"{name} {each}")
            if not found:
                yield GivenOption(name=name, values=(pair,), words=(name, pair), at=0)

    def _merged_settings(self, theirs: str | None) -> str | None:
        """Return the settings as a value: JSON, or a path; None if the caller's are enough."""
        settings = self.answers.settings
        merged: Mapping[str, Any] = settings
        if theirs is not None:
            own = self._read(theirs)
            merged = self._merge(own, settings, "")
            if merged == own:
                return None
        text = json.dumps(merged, ensure_ascii=False)
        if self.answers.settings_style is SettingsStyle.JSON:
            return text
        if self.settings_folder is None:
            raise LaunchFailed(
                f"the settings of the profile {self.profile!r} go in a file,"
                " and none can be written on the program's host",
                fix="launch it on this host",
            )
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        path = str(PurePath(self.settings_folder) / f"settings-{digest}.json")
        self.files[path] = f"{text}\n"
        return path

    def _read(self, theirs: str) -> Mapping[str, Any]:
        text = theirs if theirs.lstrip().startswith("{") else self.read_settings(theirs)
        try:
            found = json.loads(text) if text is not None else None
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise LaunchFailed(
                f"the profile {self.profile!r} has settings of its own, and those of the"
                f" caller, {theirs!r}, cannot be read as a JSON object",
                fix="give them as JSON",
            )
        return found

    def _merge(
        self, own: Mapping[str, Any], answers: Mapping[str, Any], above: str
    ) -> dict[str, Any]:
        merged = dict(own)
        for key, value in answers.items():
            path = f"{above}.{key}" if above else key
            theirs = own.get(key, value)
            if isinstance(value, Mapping) and isinstance(theirs, Mapping):
                merged[key] = self._merge(theirs, value, path)
            elif isinstance(value, list) and isinstance(theirs, list):
                merged[key] = [*theirs, *(item for item in value if item not in theirs)]
            elif theirs != value or type(theirs) is not type(value):
                raise self._conflict(f"{path} = {_text(value)}", f"{path} = {_text(theirs)}")
            else:
                merged[key] = value
        return merged

    def _conflict(self, ours: str, theirs: str) -> LaunchFailed:
        msg = f"the profile {self.profile!r} launches with {ours}, and the caller gives {theirs}"
        return LaunchFailed(msg, fix=_FIX)


def _shown(option: GivenOption) -> str:
    return shlex.join(option.words)


def _flat(settings: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    for key, value in settings.items():
        path = f"{above}.{key}" if above else key
        if isinstance(value, Mapping):
            yield from _flat(value, path)
        else:
            yield path, value if isinstance(value, str) else _text(value)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)

"""A program's command line as data: how its parser reads words, what its launch answers.

Both are parts of a `panegate.screen.profile.Profile`, written in its file as
``[arguments]`` and ``[launch_answers]``.
"""

import enum
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

__all__ = [
    "ArgumentRule",
    "Given",
    "GivenOption",
    "LaunchAnswers",
    "SettingsStyle",
    "parse_arguments",
]


@attrs.frozen(kw_only=True)
class ArgumentRule:
    """How a program reads its arguments, and with which it comes up at its own prompt."""

    with_value: tuple[str, ...] = ()
    """Options that take the next word as their value."""
    lists: tuple[str, ...] = ()
    """Options that take every word up to the next option."""
    may_take: tuple[str, ...] = ()
    """Options that take the next word unless it is an option."""
    repeated: tuple[str, ...] = ()
    """Options that may be given several times, each time with another value."""
    same: tuple[tuple[str, ...], ...] = ()
    """Names of one and the same option: ``[["-q", "--quiet"]]``."""
    options_first: bool = False
    """The first word that is no option ends the options; what follows is not this program's."""
    ends_with_dashes: bool = True
    """``--`` ends the options."""
    not_with: tuple[str, ...] = ()
    """Options that make it do something else (``-c``)."""
    despite: tuple[str, ...] = ()
    """Options that bring the prompt whatever else is asked for (``-i``)."""
    max_words: int | None = None
    """Most words that are no options; None: any number."""

    def known(self, name: str) -> bool:
        """Tell whether an option is named here as one that takes words."""
        named = (self.with_value, self.lists, self.may_take, self.repeated)
        return any(self.is_in(name, names) for names in named)

    def is_in(self, name: str, names: Sequence[str]) -> bool:
        """Tell whether an option is one of *names*, by any name it has."""
        return name in names or any(name in same and set(same) & set(names) for same in self.same)

    def taking(self, option: str) -> "ArgumentRule":
        """Return the same with one more option that takes a value."""
        if not option or self.known(option):
            return self
        return attrs.evolve(self, with_value=(*self.with_value, option))

    def one_name(self, name: str) -> str:
        """Return the first of all names of an option."""
        return next((names[0] for names in self.same if name in names), name)


class SettingsStyle(enum.Enum):
    """How a program takes the settings of its launch answers."""

    JSON = "json"
    """The value is JSON itself."""
    FILE = "file"
    """The value is the path of a JSON file, which panegate writes."""
    PAIRS = "pairs"
    """``KEY=VALUE``, the option once for each; tables are joined by dots."""


@attrs.frozen(kw_only=True)
class LaunchAnswers:
    """What a launch answers in advance, because it is decided already.

    The caller's own arguments extend it. The same option, variable or setting with another
    value is an error.
    """

    flags: tuple[str, ...] = ()
    """Options with their values, word by word: ``["--mode", "plan"]``."""
    env: Mapping[str, str] = attrs.field(factory=dict)
    """Environment variables."""
    settings: Mapping[str, Any] = attrs.field(factory=dict)
    """Plain values, arrays and tables, as TOML and JSON have them."""
    settings_option: str = ""
    """The option that takes the settings."""
    settings_variable: str = ""
    """The environment variable that takes them, where no option does."""
    settings_style: SettingsStyle = SettingsStyle.JSON

    @property
    def is_empty(self) -> bool:
        """Nothing is answered."""
        return not (self.flags or self.env or self.settings)

    @property
    def needs_words(self) -> bool:
        """Something of it stands on the command line."""
        return bool(self.flags or (self.settings and self.settings_option))


@attrs.frozen(kw_only=True)
class GivenOption:
    """One option of a command line."""

    name: str
    """As it was written."""
    values: tuple[str, ...] = ()
    words: tuple[str, ...]
    """Its words on the command line, those of its values included."""
    at: int
    """Index of its first word."""
    open: bool = False
    """It would take the next word, too, if that is no option."""


@attrs.frozen(kw_only=True)
class Given:
    """What stands on a command line behind the program's name."""

    options: tuple[GivenOption, ...]
    word_at: int | None
    """Index of the first word that is neither an option nor the value of one."""
    dashes_at: int | None
    """Index of the ``--`` that ends the options."""


def parse_arguments(words: Sequence[str], rule: ArgumentRule) -> Given:
    """Read a command line as the program will.

    Args:
        words: The words behind the program's name.
        rule: The program's. What it does not name is an option without value.

    """
    options: list[GivenOption] = []
    word_at = dashes_at = None
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--" and rule.ends_with_dashes:
            dashes_at = at
            if word_at is None and at + 1 < len(words):
                word_at = at + 1
            break
        if not _is_option(word, rule):
            word_at = at if word_at is None else word_at
            if rule.options_first:
                break
            at += 1
            continue
        option = _option_at(words, at, rule)
        options.append(option)
        at += len(option.words)
    return Given(options=tuple(options), word_at=word_at, dashes_at=dashes_at)


def _is_option(word: str, rule: ArgumentRule) -> bool:
    return (word.startswith("-") and word != "-") or rule.known(word)


def _option_at(words: Sequence[str], at: int, rule: ArgumentRule) -> GivenOption:
    word = words[at]
    name, equals, value = word.partition("=")
    if not rule.known(word):
        if equals and (name.startswith("--") or rule.known(name)):
            return GivenOption(name=name, values=(value,), words=(word,), at=at)
        if not word.startswith("--") and len(word) > 2 and rule.known(word[:2]):
            return GivenOption(name=word[:2], values=(word[2:],), words=(word,), at=at)
    n_values = 0
    rest = words[at + 1 :]
    is_list = rule.is_in(word, rule.lists)
    may_take = rule.is_in(word, rule.may_take)
    if is_list:
        ends = (n for n, following in enumerate(rest) if _is_option(following, rule))
        n_values = next(ends, len(rest))
    elif may_take:
        n_values = int(bool(rest) and not _is_option(rest[0], rule))
    elif rule.known(word):
        n_values = min(1, len(rest))
    return GivenOption(
        name=word,
        values=tuple(rest[:n_values]),
        words=tuple(words[at : at + 1 + n_values]),
        at=at,
        open=is_list or (may_take and n_values == 0),
    )

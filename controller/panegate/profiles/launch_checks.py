"""Whether a profile's launch answers can be given to its program at all."""

import re
from collections.abc import Iterator
from typing import Final

from panegate.profiles.positions import Step
from panegate.screen.arguments import SettingsStyle, parse_arguments
from panegate.screen.profile import Profile

__all__ = ["launch_problems"]

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_TMUX: Final = frozenset({"TMUX", "TMUX_PANE", "TERM"})

_Found = tuple[tuple[Step, ...], str]


def launch_problems(profile: Profile) -> Iterator[_Found]:
    """Yield what is wrong with ``[launch_answers]``: where, and in words."""
    yield from _of_flags(profile)
    yield from _of_settings(profile)
    env = profile.launch_answers.env
    for name, value in env.items():
        at = ("launch_answers", "env", name)
        if _VARIABLE.match(name) is None or name in _TMUX:
            yield at, f"{name!r} is not a variable that a launch can set"
        elif "\0" in value:
            yield at, "a variable cannot hold a NUL"
        elif name in profile.launch_env:
            yield at, f"{name} stands in launch_env, too"


def _of_flags(profile: Profile) -> Iterator[_Found]:
    flags, rule = profile.launch_answers.flags, profile.arguments
    where = ("launch_answers", "flags")
    given = parse_arguments(flags, rule)
    if any("\0" in word for word in flags):
        yield where, "an argument cannot hold a NUL"
    if given.dashes_at is not None:
        yield (*where, given.dashes_at), "'--' is set by panegate where it is needed"
    elif given.word_at is not None:
        word = flags[given.word_at]
        words = f"{word!r} is no option, and none before it takes a value: if one does,"
        yield (*where, given.word_at), f"{words} name it in [arguments] with_value or lists"
    seen: dict[str, tuple[str, ...]] = {}
    for option in given.options:
        name = rule.one_name(option.name)
        needs_value = rule.is_in(option.name, (*rule.with_value, *rule.repeated))
        if needs_value and not option.values:
            yield (*where, option.at), f"{option.name} has no value"
        elif rule.is_in(name, rule.repeated):
            continue
        elif seen.setdefault(name, option.values) != option.values:
            yield (*where, option.at), f"{option.name} is given twice, with different values"


def _of_settings(profile: Profile) -> Iterator[_Found]:
    answers = profile.launch_answers
    option, variable = answers.settings_option, answers.settings_variable
    if answers.settings and not (option or variable):
        words = "settings need settings_option or settings_variable: how the program takes them"
        yield ("launch_answers", "settings"), words
    if option and variable:
        words = "settings are given once: by settings_option or by settings_variable"
        yield ("launch_answers", "settings_variable"), words
    if option and not option.startswith("-"):
        yield ("launch_answers", "settings_option"), f"{option!r} is no option"
    if variable and _VARIABLE.match(variable) is None:
        yield ("launch_answers", "settings_variable"), f"{variable!r} is no name of a variable"
    if answers.settings_style is SettingsStyle.PAIRS and variable:
        yield ("launch_answers", "settings_style"), "pairs need settings_option"
    if variable and variable in answers.env:
        yield ("launch_answers", "env", variable), f"{variable} takes the settings already"
    given = parse_arguments(answers.flags, profile.arguments.taking(option))
    names = {profile.arguments.one_name(each.name) for each in given.options}
    is_pairs = answers.settings_style is SettingsStyle.PAIRS
    if option and not is_pairs and profile.arguments.one_name(option) in names:
        yield ("launch_answers", "flags"), f"{option} takes the settings already"

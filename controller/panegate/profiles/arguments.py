"""Which program a command line starts, looking through ``env`` and its kin."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

from panegate.screen.arguments import ArgumentRule, parse_arguments

__all__ = ["arguments_at", "python_module", "starts_a_prompt", "without_wrappers"]

_WRAPPERS: Final[dict[str, tuple[str, ...]]] = {
    "env": ("-u", "--unset", "-C", "--chdir"),
    "exec": ("-a",),
    "ionice": ("-c", "--class", "-n", "--classdata"),
    "nice": ("-n", "--adjustment"),
    "nohup": (),
    "setsid": (),
    "stdbuf": ("-i", "--input", "-o", "--output", "-e", "--error"),
}
"""Programs that become the one behind them, with their options that take a value."""


def without_wrappers(argv: Sequence[str]) -> list[str]:
    """Return the command line behind ``env A=b``, ``nice``, ``stdbuf`` and the like.

    Args:
        argv: An argument vector; empty is fine.

    """
    words = list(argv)
    while words and (name := PurePath(words[0]).name) in _WRAPPERS:
        rest = words[1:]
        while rest and (rest[0].startswith("-") or (name == "env" and "=" in rest[0])):
            option = rest.pop(0)
            if option == "--":
                break
            if option in _WRAPPERS[name] and rest:
                rest.pop(0)
        if not rest:
            return words  # the wrapper alone is the program
        words = rest
    return words


def python_module(arguments: Sequence[str], rule: ArgumentRule) -> str | None:
    """Return the module that ``python -m MODULE`` runs, or None."""
    words = list(arguments)
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word == "-m":
            return words[0] if words else None
        if word.startswith("-m"):
            return word[2:]
        if word in rule.with_value and words:
            words.pop(0)
    return None


def arguments_at(
    argv: Sequence[str], commands: Sequence[str], modules: Sequence[str] = ()
) -> int | None:
    """Return where a program's own arguments begin, as an index in *argv*.

    Args:
        argv: An argument vector.
        commands: The program's names; empty: it is whatever is started.
        modules: Modules that bring it when run by ``python -m``.

    Returns:
        None where another program is started (a shell, an interpreter), which hides it.

    """
    words = without_wrappers(argv)
    if not words:
        return None
    start = len(argv) - len(words) + 1
    if not commands or PurePath(words[0]).name.lstrip("-") in commands:
        return start
    for at, word in enumerate(words):
        if word.startswith("-m") and word[2:] in modules:
            return start + at
        if word == "-m" and words[at + 1 : at + 2] and words[at + 1] in modules:
            return start + at + 1
    return None


def starts_a_prompt(arguments: Sequence[str], rule: ArgumentRule) -> bool:
    """Tell whether a program comes up at its prompt with these arguments.

    Args:
        arguments: The words behind the program's name.
        rule: The program's.

    """
    words = list(arguments)
    n_words = 0
    other = False
    while words:
        word = words.pop(0)
        if n_words == 0 and _is_one_of(word, rule.despite):
            return True
        if word == "--":
            n_words += len(words)
            break
        if not word.startswith(("-", "+")):
            n_words += 1
        elif rule.known(word):
            del words[: len(parse_arguments([word, *words], rule).options[0].words) - 1]
        elif _is_one_of(word, rule.not_with):
            other = True
            break
        elif word == "-":
            n_words += 1
    return not other and (rule.max_words is None or n_words <= rule.max_words)


def _is_one_of(word: str, options: Sequence[str]) -> bool:
    """Tell whether *word* is one of *options*: alone, with ``=value``, or in a bundle."""
    if word in options or word.partition("=")[0] in options:
        return True
    if not (word.startswith("-") and word[1:].isalpha()):
        return False
    return any(len(option) == 2 and option[1] in word[1:] for option in options)

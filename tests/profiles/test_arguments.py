import pytest

from panegate.profiles.arguments import (
    python_module,
    starts_a_prompt,
    without_wrappers,
)
from panegate.screen.arguments import ArgumentRule

RULE = ArgumentRule(
    with_value=("-W", "--rcfile"),
    not_with=("-c", "--command", "-batch"),
    despite=("-i",),
    max_words=0,
)


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("", ""),
        ("bash -l", "bash -l"),
        ("env A=1 B=2 bash", "bash"),
        ("env -i PATH=/bin -u HOME --unset LANG bash -l", "bash -l"),
        ("/usr/bin/env -C / -- zsh", "zsh"),
        ("nice zsh", "zsh"),
        ("nice -n 5 zsh", "zsh"),
        ("nice -5 zsh", "zsh"),
        ("nice --adjustment=5 zsh", "zsh"),
        ("stdbuf -oL -e 0 python3 -q", "python3 -q"),
        ("nohup setsid env X=y nice -n 1 fish", "fish"),
        ("ionice -c 3 exec -a name bash", "bash"),
        ("env A=1", "env A=1"),
        ("nice", "nice"),
        ("nice A=1 bash", "A=1 bash"),
    ],
)
def test_wrappers_are_looked_through(command: str, program: str) -> None:
    assert without_wrappers(command.split()) == program.split()


@pytest.mark.parametrize(
    ("arguments", "starts"),
    [
        ("", True),
        ("-q -B", True),
        ("-W ignore -q", True),
        ("--rcfile file", True),
        ("file", False),
        ("-", False),
        ("-- file", False),
        ("-c code", False),
        ("-lc code", False),
        ("--command=code", False),
        ("-batch", False),
        ("--basic", True),
        ("-i file", True),
        ("-qi file", True),
        ("-ic code", True),
        ("file -i", False),
        ("-c code -i", False),
        ("--noinit", True),
    ],
)
def test_arguments_decide_whether_the_prompt_comes(arguments: str, starts: bool) -> None:
    assert starts_a_prompt(arguments.split(), RULE) is starts


def test_any_number_of_words_fits_where_no_number_is_given() -> None:
    assert starts_a_prompt(["a", "b", "c"], ArgumentRule())
    assert not starts_a_prompt(["a", "b"], ArgumentRule(max_words=1))


@pytest.mark.parametrize(
    ("arguments", "module"),
    [
        ("-m IPython --quick", "IPython"),
        ("-X dev -mIPython", "IPython"),
        ("-W m -q", None),
        ("-m", None),
        ("script.py -m IPython", None),
        ("", None),
    ],
)
def test_the_module_that_python_runs(arguments: str, module: str | None) -> None:
    rule = ArgumentRule(with_value=("-W", "-X"))
    assert python_module(arguments.split(), rule) == module

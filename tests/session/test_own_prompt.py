"""Which texts can be a program's own prompt by their form alone."""

import pytest

from panegate.session.own_prompt import is_own_prompt, same_prompt

OWN = [
    ("$ ", "bash"),
    ("# ", "sh"),
    ("> ", "lua"),
    (">>> ", "python3"),
    ("% ", "zsh"),
    ("bash-5.2$ ", "bash"),
    ("sh-5.2# ", "sh"),
    ("ann@box:~/src$ ", "bash"),
    ("ann@box src % ", "zsh"),
    ("[ann@box src]$ ", "bash"),
    ("(venv) ann@box:~$ ", "bash"),
    ("box% ", "zsh"),
    ("box:src ann$ ", "bash"),
    ("~/src (main) $ ", "fish"),
    ("ann@box ~> ", "fish"),
    ("12:30:01 /srv $ ", "bash"),
    ("[3] $ ", "bash"),
    ("sqlite> ", "sqlite3"),
    ("mysql> ", "mysql"),
    ("irb(main):001:0> ", "irb"),
    ("(gdb) ", "gdb"),
    ("➜  src git:(main) ✗ ", "zsh"),
    ("❯ ", "zsh"),
    ("", "cat"),
]
QUESTIONS = [
    "Name> ",
    "name > ",
    "Delete everything # ",
    "[Delete it] # ",
    "Really delete ann@box now please $ ",
    "Passwort> ",
    "名前> ",
    "Удалить всё # ",
    "a > ",
    "Continue with (venv) > ",
    "type DELETE # ",
]


@pytest.mark.parametrize(("text", "program"), OWN)
def test_a_prompt_is_known_by_what_it_is_made_of(text: str, program: str) -> None:
    assert is_own_prompt(text, programs=(program,), host="box")


@pytest.mark.parametrize("text", QUESTIONS)
@pytest.mark.parametrize("program", ["bash", "zsh", "python3", "node"])
def test_words_of_a_language_are_no_prompt(text: str, program: str) -> None:
    assert not is_own_prompt(text, programs=(program,), host="box")


def test_a_prompt_is_the_same_in_another_folder_and_with_another_number() -> None:
    assert same_prompt("dev ~/a/b [12]> ", "dev ~/c [3]> ")
    assert not same_prompt("Name> ", "dev> ")
    assert not same_prompt("", "")

"""A command line is read as its program's own parser reads it."""

import pytest

from panegate.screen.arguments import ArgumentRule, parse_arguments

RULE = ArgumentRule(
    with_value=("--mode", "-m", "+O"),
    lists=("--allow",),
    may_take=("--resume",),
    repeated=("-c",),
)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("", []),
        ("-q --quiet", [("-q", ()), ("--quiet", ())]),
        ("--mode plan -q", [("--mode", ("plan",)), ("-q", ())]),
        ("--mode -q", [("--mode", ("-q",))]),
        ("--mode", [("--mode", ())]),
        ("--mode=plan -mask", [("--mode", ("plan",)), ("-m", ("ask",))]),
        ("--mode=a=b", [("--mode", ("a=b",))]),
        ("-cx=1 -c y=2", [("-c", ("x=1",)), ("-c", ("y=2",))]),
        ("--allow A B -q C", [("--allow", ("A", "B")), ("-q", ())]),
        ("--allow A -- B", [("--allow", ("A",))]),
        ("--resume -q", [("--resume", ()), ("-q", ())]),
        ("--resume id word", [("--resume", ("id",))]),
        ("word -q", [("-q", ())]),
        ("-- -q", []),
        ("- -q", [("-q", ())]),
        ("+O x", [("+O", ("x",))]),
        ("--unknown=v", [("--unknown", ("v",))]),
    ],
)
def test_options_are_read_with_their_values(
    words: str, options: list[tuple[str, tuple[str, ...]]]
) -> None:
    given = parse_arguments(words.split(), RULE)
    assert [(option.name, option.values) for option in given.options] == options
    for option in given.options:
        assert tuple(words.split()[option.at :])[: len(option.words)] == option.words


@pytest.mark.parametrize(
    ("words", "word_at", "dashes_at"),
    [
        ("-q", None, None),
        ("-q word", 1, None),
        ("--allow A B", None, None),
        ("--mode x word", 2, None),
        ("-q -- word", 2, 1),
        ("word --", 0, 1),
        ("--", None, 0),
    ],
)
def test_the_first_word_and_the_end_of_the_options_are_found(
    words: str, word_at: int | None, dashes_at: int | None
) -> None:
    given = parse_arguments(words.split(), RULE)
    assert (given.word_at, given.dashes_at) == (word_at, dashes_at)


@pytest.mark.parametrize(
    ("word", "is_open"),
    [
        ("--allow", True),
        ("--allow A", True),
        ("--allow=A", False),
        ("--resume", True),
        ("--resume x", False),
        ("--mode x", False),
        ("-q", False),
    ],
)
def test_an_option_that_would_take_the_next_word_too_is_open(word: str, is_open: bool) -> None:
    assert parse_arguments(word.split(), RULE).options[0].open is is_open


def test_where_options_come_first_a_word_ends_them() -> None:
    rule = ArgumentRule(options_first=True)
    given = parse_arguments(["-q", "script", "-x", "--"], rule)
    assert [option.name for option in given.options] == ["-q"]
    assert (given.word_at, given.dashes_at) == (1, None)


def test_one_option_may_have_several_names() -> None:
    rule = ArgumentRule(same=(("-m", "--mode"),))
    assert [rule.one_name(name) for name in ("-m", "--mode", "-x")] == ["-m", "-m", "-x"]
    rule = ArgumentRule(with_value=("--mode",), same=(("-m", "--mode"),))
    assert [o.values for o in parse_arguments(["-m", "a", "-mb"], rule).options] == [("a",), ("b",)]

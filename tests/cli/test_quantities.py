"""Numbers on the command line: what is no number that can be meant is refused in words."""

from collections.abc import Iterator
from importlib import import_module

import click
import pytest
from tests.cli.conftest import Cli

from panegate.cli.quantities import pane_size, seconds
from panegate.cli.table import COMMANDS


def options() -> Iterator[tuple[str, click.Option]]:
    """Return every option of every command that takes a value."""
    for entry in COMMANDS:
        found = getattr(import_module(f"panegate.cli.{entry.module}"), entry.name)
        below = found.commands.values() if isinstance(found, click.Group) else ()
        for command in (found, *below):
            for param in command.params:
                if isinstance(param, click.Option) and not param.is_flag:
                    yield entry.name, param


def test_each_option_that_is_a_number_has_bounds():
    numbers = (click.types.FloatParamType, click.types.IntParamType)
    for name, option in options():
        kind = option.type
        assert not isinstance(kind, numbers) or isinstance(kind, click.IntRange), (name, option)
        if isinstance(kind, click.IntRange):
            assert kind.min is not None
            assert kind.max is not None
        if option.metavar == "S":
            assert option.callback is seconds, (name, option)


@pytest.mark.parametrize("given", ["nan", "inf", "-inf", "1e999", "-1", "0", "x", "1e9", ""])
@pytest.mark.parametrize(
    "words",
    [
        ("wait", "w1", "ready", "--within"),
        ("send", "w1", "text", "--within"),
        ("run", "w1", "text", "--turn-within"),
        ("events", "--within"),
        ("launch", "--within"),
    ],
)
def test_a_time_that_is_none_is_refused_before_anything_is_done(
    bare: Cli, words: tuple[str, ...], given: str
):
    name, *rest = words
    done = bare(name, "-S", "/nowhere", *rest[:-1], f"{rest[-1]}={given}", "cat")
    assert done.status == 2
    (said,) = [line for line in done.err.splitlines() if line.startswith("Error: ")]
    assert f"{given!r} is no time in seconds (more than 0 and at most 100000000)" in said


@pytest.mark.parametrize(("given", "value"), [("5", 5.0), ("0.3", 0.3), ("1e8", 1e8)])
def test_a_time_is_taken(given: str, value: float):
    command = click.Command("x")
    assert seconds(click.Context(command), click.Option(["--s"]), given) == value


@pytest.mark.parametrize(
    "given",
    ["9999x9999", "1001x40", "120x501", "19x40", "120x4", "९९x९९", "120", "x", "9" * 9 + "x9"],
)
def test_a_size_that_tmux_could_not_carry_is_refused(bare: Cli, given: str):
    done = bare("launch", "-S", "/nowhere", "--size", given, "cat")
    assert done.status == 2
    assert f"{given!r} is not COLUMNSxROWS, such as 120x40 (from 20x5 to 1000x500)" in done.err


def test_a_size_is_taken():
    context, option = click.Context(click.Command("x")), click.Option(["--s"])
    assert pane_size(context, option, "120x40") == (120, 40)
    assert pane_size(context, option, None) is None

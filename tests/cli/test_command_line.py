"""The common options, and how work ends."""

import asyncio
import json
import os
import signal

import click
import pytest

from panegate.cli.command_line import (
    CommandLine,
    Interrupted,
    command,
    common_options,
    within_option,
)
from panegate.errors import PanegateError


@pytest.fixture
def seen() -> list[CommandLine]:
    return []


@pytest.fixture
def top(seen: list[CommandLine]) -> click.Group:
    @click.group("top")
    @common_options
    def top() -> None:
        pass

    @command("probe")
    @within_option("How long.")
    def probe(line: CommandLine, within_s: float | None) -> int:
        seen.append(line)
        return 5

    top.add_command(probe)
    return top


@pytest.mark.parametrize(
    "words",
    [
        ["--json", "-S", "/s", "probe"],
        ["probe", "--json", "-S", "/s"],
        ["--json", "probe", "-S", "/s"],
        ["-S", "/t", "probe", "--json", "-S", "/s"],
    ],
)
def test_common_options_count_before_and_behind_the_command(
    top: click.Group, seen: list[CommandLine], words: list[str]
):
    assert top.main(words, standalone_mode=False, obj=CommandLine()) == 5
    assert (seen[0].json, seen[0].socket_path) == (True, "/s")


@pytest.mark.parametrize("within", ["0", "-1", "x"])
def test_a_time_must_be_more_than_nothing(top: click.Group, within: str):
    with pytest.raises(click.BadParameter):
        top.main(["probe", "--within", within], standalone_mode=False)


def test_the_server_is_named_as_it_was_typed():
    line = CommandLine(socket_path="/a b", ssh="me@there")
    assert line.server_words == "-S '/a b' --ssh me@there "
    assert CommandLine().server_words == ""


def test_a_document_or_words_are_printed_never_both(capsys: pytest.CaptureFixture[str]):
    CommandLine(json=True).say({"a": 1}, "words")
    assert json.loads(capsys.readouterr().out) == {"schema": 1, "a": 1}
    CommandLine().say({"a": 1}, "words")
    assert capsys.readouterr().out == "words\n"
    CommandLine().say({"a": 1}, "")
    assert capsys.readouterr().out == ""


def test_notes_go_beside_the_output(capsys: pytest.CaptureFixture[str]):
    CommandLine(json=True).note("words")
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "words\n")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 143)]
)
def test_a_signal_ends_the_work_and_what_it_holds_is_put_away(number: int, status: int):
    put_away = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), number)
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            put_away.append(number)

    with pytest.raises(Interrupted) as raised:
        CommandLine().run(work())
    assert raised.value.status == status
    assert put_away == [number]


def test_the_one_error_of_nested_groups_is_raised_bare():
    error = PanegateError("x")

    async def work() -> None:
        raise ExceptionGroup("a", [ExceptionGroup("b", [error])])

    with pytest.raises(PanegateError) as raised:
        CommandLine().run(work())
    assert raised.value is error


def test_several_errors_stay_a_group():
    async def work() -> None:
        raise ExceptionGroup("a", [ValueError("x"), KeyError("y")])

    with pytest.raises(ExceptionGroup):
        CommandLine().run(work())

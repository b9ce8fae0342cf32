"""The hand-kept table says what click would say."""

import click
import pytest

from panegate.cli.app import app
from panegate.cli.table import COMMANDS, Entry, help_text

ISSUED = (
    "launch send run wait read ls explain events watch interrupt keys hold release clear answer"
    " doctor demo states probe profiles hook record replay attach close adopt completion prompts"
    " serve unit log outcome"
)


def loaded(entry: Entry) -> click.Command:
    found = app.get_command(click.Context(app), entry.name)
    assert found is not None
    return found


def test_the_commands_are_those_that_are_promised():
    assert {entry.name for entry in COMMANDS} == set(ISSUED.split())


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda e: e.name)
def test_each_command_says_of_itself_what_the_table_says(entry: Entry):
    assert loaded(entry).name == entry.name
    first = (loaded(entry).help or "").split("\n")[0]
    assert first == entry.words


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda e: e.name)
def test_each_command_takes_the_common_options(entry: Entry):
    flags = {flag for param in loaded(entry).params for flag in param.opts}
    assert {"--json", "-L", "--socket-name", "-S", "--socket-path", "--ssh"} <= flags


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda e: e.name)
def test_each_command_stands_in_the_help(entry: Entry):
    assert f"\n  {entry.name} " in help_text()


def test_the_help_fits_a_narrow_terminal():
    assert max(map(len, help_text().splitlines())) <= 80

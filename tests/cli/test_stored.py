"""What is kept beside a pane comes back, and nothing else is believed."""

import json

import pytest

from panegate.cli.stored import Stored, hold_command, read_stored, store_command
from panegate.runtime.client import Answer
from panegate.wire.events import Block

FULL = Stored(
    profile="/a b/ü.toml",
    name="w1",
    where='"x" $(y)',
    composer="❯",
    reads_lines=True,
    trust="timing",
)


def given(*texts: str, ok: bool = True) -> Answer:
    blocks = tuple(
        Block(
            ok=ok,
            flags=1,
            number=1,
            lines=tuple(line.encode() for line in text.split("\n") if line),
        )
        for text in texts
    )
    return Answer(blocks, 0.0)


def kept(command: bytes) -> str:
    """Return the last argument of a command line, unquoted."""
    quoted = command.rsplit(b' "', 1)[1].removesuffix(b'"')
    parts = quoted.split(b"\\")
    whole = parts[0] + b"".join(bytes([int(p[:3], 8)]) + p[3:] for p in parts[1:])
    return whole.decode()


def test_everything_that_was_said_comes_back():
    assert read_stored(given(kept(store_command("%1", FULL)), "")) == (FULL, None)


def test_a_hold_comes_back_with_its_reason():
    assert read_stored(given("", kept(hold_command("%1", "ü\nx")))) == (None, "ü\nx")


def test_a_hold_is_taken_away_by_unsetting_it():
    assert b'"-u"' in hold_command("%1", None)


def test_what_is_kept_is_plain_text():
    text = kept(store_command("%1", FULL))
    assert text.isascii()
    assert "\n" not in text


@pytest.mark.parametrize("text", ["", "{", "[]", "7", json.dumps({"more": 1}), "\x1b"])
def test_what_cannot_be_read_counts_as_not_there(text: str):
    stored, held = read_stored(given(text, ""))
    assert stored in (None, Stored())
    assert held is None


def test_a_hold_that_cannot_be_read_holds_all_the_same():
    assert read_stored(given("", "{"))[1] == "held"
    assert read_stored(given("", '""'))[1] == "held"


def test_the_words_of_a_failed_command_are_not_taken_for_a_hold():
    assert read_stored(given("can't find pane", "can't find pane", ok=False)) == (None, None)

"""Texts that are none, and texts that are not UTF-8."""

import io
import os
import subprocess
import sys

import click
import pytest
from tests.cli.conftest import Cli

from panegate.cli.texts import check_arguments, message_text, stdin_text

NOWHERE = ("-S", "/nowhere/socket")


class _Bytes:
    """Standard input as a process has it."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


def given(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", _Bytes(content))


def test_standard_input_is_read_as_utf8_with_newlines(monkeypatch: pytest.MonkeyPatch):
    given(monkeypatch, "héllo\r\n日本\n".encode())
    assert stdin_text() == "héllo\n日本\n"


def test_a_byte_that_is_not_utf8_is_named(monkeypatch: pytest.MonkeyPatch):
    given(monkeypatch, b"one\necho \xff")
    with pytest.raises(click.UsageError) as caught:
        message_text(("-",))
    assert str(caught.value) == "standard input is not UTF-8: byte 10 (line 2) is 0xff"


def test_an_argument_that_is_not_utf8_is_shown():
    check_arguments(["echo", "日本"])
    with pytest.raises(click.UsageError, match=r"not UTF-8: b'a\\xff'"):
        check_arguments(["echo", os.fsdecode(b"a\xff")])


@pytest.mark.parametrize("text", ["", " ", "   ", "\t", "\n\n", " \r\n"])
def test_blanks_are_no_text(bare: Cli, text: str):
    for command in ("send", "run"):
        done = bare(command, *NOWHERE, "w1", text)
        assert done.status == 2
        assert (
            "there is no text to send (panegate keys PANE Enter presses a bare Enter)" in done.err
        )
        assert bare(command, *NOWHERE, "w1", "-", stdin=text).status == 2


def test_words_are_joined_by_blanks():
    assert message_text(("echo", "a", " b")) == "echo a  b"


@pytest.mark.parametrize("command", ["send", "run"])
def test_bytes_that_are_not_utf8_are_a_usage_error_of_the_process(command: str):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    argv = [sys.executable, "-P", "-m", "panegate", command, *NOWHERE, "w1"]
    done = subprocess.run(
        [*argv, "-"], input=b"echo \xff", capture_output=True, check=False, env=env
    )
    assert done.returncode == 2
    assert b"standard input is not UTF-8: byte 6 (line 1) is 0xff" in done.stderr
    done = subprocess.run([*argv, b"echo \xff"], capture_output=True, check=False, env=env)
    assert done.returncode == 2
    assert rb"this argument is not UTF-8: b'echo \xff'" in done.stderr

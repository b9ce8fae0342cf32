"""Texts that people give: as arguments or on standard input, always UTF-8."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import click

__all__ = ["check_arguments", "message_text", "stdin_text"]


def check_arguments(args: Iterable[str]) -> None:
    """Check that every argument is text.

    Raises:
        click.UsageError: One was given in bytes that are not UTF-8.

    """
    for arg in args:
        if any("\ud800" <= character <= "\udfff" for character in arg):
            raise click.UsageError(f"this argument is not UTF-8: {os.fsencode(arg)!r}")


def stdin_text() -> str:
    """Return all of standard input, line ends as newlines.

    Raises:
        click.UsageError: It is not UTF-8; says which byte.

    """
    source = getattr(sys.stdin, "buffer", None)
    if source is None:
        return sys.stdin.read()
    content: bytes = source.read()
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        at = f"byte {error.start + 1} (line {line}) is 0x{byte:02x}"
        raise click.UsageError(f"standard input is not UTF-8: {at}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def message_text(words: tuple[str, ...]) -> str:
    """Return the text that TEXT... names: words joined by blanks, - for standard input.

    Raises:
        click.UsageError: There is nothing in it to send.

    """
    text = stdin_text() if words == ("-",) else " ".join(words)
    if not text.strip(" \t\r\n"):
        fix = "panegate keys PANE Enter presses a bare Enter"
        raise click.UsageError(f"there is no text to send ({fix})")
    return text

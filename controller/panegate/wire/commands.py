r"""Command lines for tmux, as bytes that mean one thing only.

Every argument is written in double quotes with each byte outside ``[A-Za-z0-9 _./:=@,-]``
as ``\ooo``. Plain escaping of ``"``, ``\`` and ``$`` is not enough: ``~`` expands even in
quotes, a newline ends the command line, and a raw 0xFF ends the lexer's input.
"""

import re
import string
from collections.abc import Mapping
from typing import Final

__all__ = ["command", "format_literal", "nest", "quote", "sequence"]

_PLAIN: Final = frozenset((string.ascii_letters + string.digits + " _./:=@,-").encode())
_QUOTED: Final[Mapping[int, str]] = {n: chr(n) if n in _PLAIN else f"\\{n:03o}" for n in range(256)}
_NAME: Final = re.compile(r"[a-z]+(?:-[a-z]+)*")
_NOT_IN_FORMATS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def quote(arg: bytes | str) -> bytes:
    """Return *arg* as one argument of a command line; text is encoded as UTF-8.

    Raises:
        ValueError: It holds a NUL, which no argument of tmux can, or text that is not
            encodable (a lone surrogate).

    """
    data = arg.encode("utf-8") if isinstance(arg, str) else arg
    if b"\0" in data:
        msg = "a tmux argument cannot hold a NUL"
        raise ValueError(msg)
    return b'"' + data.decode("latin-1").translate(_QUOTED).encode("ascii") + b'"'


def command(name: str, *args: bytes | str) -> bytes:
    """Return one command with its arguments, all of them quoted.

    An argument that may begin with ``-`` and is no flag needs ``--`` before it: quoting
    does not change what a leading dash means.

    Raises:
        ValueError: *name* is no command name, or an argument cannot be quoted.

    """
    if not _NAME.fullmatch(name):
        msg = f"not a tmux command name: {name!r}"
        raise ValueError(msg)
    return b" ".join((name.encode("ascii"), *map(quote, args)))


def sequence(*commands: bytes) -> bytes:
    """Return commands as one command line: back to back, the rest dropped if one fails.

    Raises:
        ValueError: There is none, or one is empty.

    """
    if not commands or not all(commands):
        msg = "a sequence needs commands, none of them empty"
        raise ValueError(msg)
    return b" ; ".join(commands)


def nest(commands: bytes) -> bytes:
    """Return a command line as an argument of a command that takes one (``if-shell``).

    The same as `quote`; `command` does it to its arguments by itself.
    """
    return quote(commands)


def format_literal(text: str, *, strftime: bool = False) -> str:
    """Return *text* as it must stand in a format to mean just itself.

    For comparisons such as ``#{==:#{pane_title},…}``, nested as deep as needed. Patterns
    (``#{m:…}``, ``#{C:…}``) have a language of their own on top.

    Args:
        text: What is meant.
        strftime: The format is given to ``display-message``, which runs strftime over it
            once per nesting level: then ``%`` cannot be embedded.

    Raises:
        ValueError: It cannot be embedded: a control character, ``#[`` (tmux keeps it
            doubled, as a style), a lone surrogate, or ``%`` with *strftime*.

    """
    if (bad := _NOT_IN_FORMATS.search(text)) is not None:
        msg = f"U+{ord(bad[0]):04X} cannot be embedded in a tmux format"
        raise ValueError(msg)
    if "#[" in text:
        msg = "'#[' cannot be embedded in a tmux format"
        raise ValueError(msg)
    if strftime and "%" in text:
        msg = "'%' cannot be embedded in a format of display-message"
        raise ValueError(msg)
    return text.replace("#", "##").replace(",", "#,").replace("}", "#}")

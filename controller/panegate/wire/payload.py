r"""Undo what tmux does to bytes before it writes them to a control client.

Two encodings exist. ``%output`` payloads have every byte below 0x20 and the
backslash as ``\ooo``, and everything else raw. ``show-buffer`` up to 3.3a writes a
``vis(3)`` style: C escapes, octal, a doubled backslash, and ``\$`` before what a
shell would take for a variable; from 3.4 on it writes the buffer as it is.
"""

import re
from collections.abc import Mapping
from typing import Final

from panegate.wire.version import Version

__all__ = ["unescape", "unescape_buffer"]

# The escapes of nearly all real output; none yields a backslash or a digit, so that
# replacing them first can't form a new escape.
_FREQUENT: Final = (
    (rb"\015\012", b"\r\n"),
    (rb"\033", b"\x1b"),
    (rb"\015", b"\r"),
    (rb"\012", b"\n"),
)

_OCTAL: Final = re.compile(rb"\\([0-3][0-7]{2})")
_OCTAL_VALUES: Final[Mapping[bytes, bytes]] = {b"%03o" % n: bytes((n,)) for n in range(256)}

_VIS: Final = re.compile(rb"\\(?:([0-3][0-7]{2})|([\\$abtnvfrs0]))", re.DOTALL)
_VIS_LETTERS: Final[Mapping[bytes, bytes]] = {
    b"\\": b"\\",
    b"$": b"$",
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
    b"s": b" ",
    b"0": b"\0",
}


def _octal_byte(match: re.Match[bytes]) -> bytes:
    return _OCTAL_VALUES[match[1]]


def _vis_byte(match: re.Match[bytes]) -> bytes:
    octal = match[1]
    return _OCTAL_VALUES[octal] if octal is not None else _VIS_LETTERS[match[2]]


def unescape(payload: bytes) -> bytes:
    r"""Return the bytes a program wrote, from the payload of an ``%output`` line.

    Only ``\ooo`` up to ``\377`` is an escape; a backslash that starts none (tmux
    never writes one) stays as it is. Never raises. The result may end within a UTF-8
    sequence or an escape sequence: keep an incremental decoder per pane.
    """
    if b"\\" not in payload:
        return payload
    for escape, byte in _FREQUENT:
        payload = payload.replace(escape, byte)
    if b"\\" not in payload:
        return payload
    return _OCTAL.sub(_octal_byte, payload)


def unescape_buffer(line: bytes, version: Version) -> bytes:
    r"""Return one line of a buffer, from one reply line of ``show-buffer``.

    Up to 3.3a the escapes are undone, which is exact (the backslash is doubled
    there); later servers send the line raw and it is returned unchanged. Other replies of
    3.4 to 3.5a (`Version.reply_escapes`) write control characters as ``\033`` without
    doubling a backslash: that can't be undone with certainty, so nothing here tries.
    """
    if not version.buffer_escapes or b"\\" not in line:
        return line
    return _VIS.sub(_vis_byte, line)

"""Undoing tmux's escapes."""

import codecs
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.wire.payload import unescape, unescape_buffer
from panegate.wire.version import Version

TRANSCRIPTS = Path(__file__).parents[1] / "data" / "transcripts"
OLD, NEW = Version.parse("3.3a"), Version.parse("3.4")


def escape(data: bytes) -> bytes:
    """Do what tmux does before it writes %output."""
    return b"".join(b"\\%03o" % c if c < 0x20 or c == 0x5C else bytes((c,)) for c in data)


def escape_buffer(data: bytes) -> bytes:
    """Do what show-buffer does up to 3.3a, seen from Latin-1 text: vis(3) and ``$``."""
    letters = {7: b"\\a", 8: b"\\b", 9: b"\\t", 11: b"\\v", 12: b"\\f", 13: b"\\r", 92: b"\\\\"}
    out = bytearray()
    for here, after in itertools.pairwise([*data, 0x20]):
        if here == 0x24 and ((chr(after).isascii() and chr(after).isalpha()) or after in b"_{"):
            out += b"\\$"
        elif here in letters:
            out += letters[here]
        elif here == 0:
            out += b"\\000" if after in b"01234567" else b"\\0"
        elif here < 0x20 or here >= 0x7F:
            out += b"\\%03o" % here
        else:
            out.append(here)
    return bytes(out)


@given(
    st.binary(max_size=200) | st.text(alphabet="\\0123457\r\n\x1b\t", max_size=40).map(str.encode)
)
def test_unescape_undoes_what_tmux_did(data: bytes) -> None:
    assert unescape(escape(data)) == data


@pytest.mark.parametrize(
    ("payload", "data"),
    [
        (rb"plain \015\012", b"plain \r\n"),
        (rb"\134015\134012", rb"\015\012"),  # literal text stays literal
        (rb"\134\134033", rb"\\033"),
        (b"\\", b"\\"),
        (rb"\01", rb"\01"),
        (rb"\9\x", rb"\9\x"),
        (rb"\777\400\377", rb"\777\400" + b"\xff"),
        (rb"\\015", b"\\\r"),
    ],
)
def test_what_is_no_escape_stays_as_it_is(payload: bytes, data: bytes) -> None:
    assert unescape(payload) == data


@given(st.binary(max_size=60))
def test_unescape_never_raises(payload: bytes) -> None:
    assert len(unescape(payload)) <= len(payload)
    assert len(unescape_buffer(payload, OLD)) <= len(payload)


def test_a_payload_without_a_backslash_is_not_copied() -> None:
    payload = b"x" * 1000
    assert unescape(payload) is payload


def test_every_byte_a_program_wrote_comes_back(transcript_version: str) -> None:
    """The program behind this transcript wrote all byte values but 0x90 and 0x9f."""
    stream = (TRANSCRIPTS / transcript_version / "escape_bytes.bin").read_bytes()
    lines = [line[11:] for line in stream.split(b"\n") if line.startswith(b"%output %0 ")]
    data = unescape(b"".join(lines))
    written = bytes(byte for byte in range(256) if byte not in (0x90, 0x9F))
    assert b"A:" + written + b":B\r\n" in data
    assert b"\x1b]0;title\x07\x1b[?2026hX\x1b[?2026l\x1bP1;2|abc\x1b\\\r\n" in data


def test_a_character_cut_between_two_lines_decodes(transcript_version: str) -> None:
    """An emoji arrives in two halves; each payload alone is not UTF-8."""
    stream = (TRANSCRIPTS / transcript_version / "escape_bytes.bin").read_bytes()
    payloads = [line[11:] for line in stream.split(b"\n") if line.startswith(b"%output %0 ")]
    at = next(n for n, p in enumerate(payloads) if p == b"S:\xf0\x9f")
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = "".join(decoder.decode(unescape(p)) for p in payloads[at : at + 2])
    assert text == "S:\N{GRINNING FACE}:T\r\n"


@given(st.binary(max_size=100).filter(lambda data: b"\n" not in data))
def test_old_buffer_lines_are_undone_exactly(data: bytes) -> None:
    assert unescape_buffer(escape_buffer(data), OLD) == data


@pytest.mark.parametrize(
    ("line", "data"),
    [
        (rb"a\tb\\c\033[1m\177", b"a\tb\\c\x1b[1m\x7f"),
        (rb"\$HOME \${x} $1 \\$ \\033", rb"$HOME ${x} $1 \$ \033"),
        (rb"\r\b\a\v\f\303(", b"\r\b\a\v\f\xc3("),
        (rb"\0\0001", b"\0\x001"),
        (b"caf\xc3\xa9", b"caf\xc3\xa9"),
    ],
)
def test_old_buffer_escapes(line: bytes, data: bytes) -> None:
    assert unescape_buffer(line, OLD) == data


def test_later_buffer_lines_are_raw() -> None:
    line = rb"a\tb\\c\033"
    assert unescape_buffer(line, NEW) == line

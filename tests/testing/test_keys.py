"""Keys from bytes: what arrives is the same wherever the reads were cut."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from panegate.testing.programs._keys import Key, KeyDecoder

_SAMPLES = [
    b"hello \xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x99\x82",
    b"\r", b"\n", b"\x03", b"\x7f", b"\t",
    b"\x1b[A", b"\x1bOB", b"\x1b[13;2u", b"\x1b[3~", b"\x1b[?1;2c", b"\x1b]11;rgb:0/0/0\x07",
    b"\x1b[200~one\rtwo\r\nthree \x1b[A \xc3\xa9\n\x1b[201~",
    b"\x1b[200~\x1b[201~",
]  # fmt: skip


def _feed(pieces: list[bytes]) -> list[tuple[str, str]]:
    """Return the keys of all pieces, neighbouring texts joined."""
    decoder = KeyDecoder()
    keys: list[tuple[str, str]] = []
    for piece in pieces:
        for key in decoder.feed(piece):
            if key.name == "text" and keys and keys[-1][0] == "text":
                keys[-1] = ("text", keys[-1][1] + key.text)
            else:
                keys.append((key.name, key.text))
    return keys


@given(st.lists(st.sampled_from(_SAMPLES), max_size=6), st.data())
def test_the_keys_do_not_depend_on_where_the_reads_were_cut(
    samples: list[bytes], data: st.DataObject
) -> None:
    """A slow reader sees the same text as a quick one."""
    whole = b"".join(samples)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=12)))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert _feed(pieces) == _feed([whole]) == _feed([bytes([byte]) for byte in whole])


def test_each_key_has_its_name() -> None:
    """The names are those the programs act on."""
    names = [name for name, _ in _feed([b"\r\n\x03\x7f\t\x1b[A\x1bOD\x1b[13;2u\x1b\r\x1bx"])]
    assert names == [
        "Enter", "C-j", "C-c", "BSpace", "Tab", "Up", "Left", "CSI 13;2u", "M-Enter", "M-x",
    ]  # fmt: skip


def test_line_breaks_in_a_paste_are_line_feeds_whatever_the_terminal_made_of_them() -> None:
    """tmux turns LF into CR when it pastes."""
    assert _feed([b"\x1b[200~a\rb\nc\r", b"\nd\x1b[201~\r"]) == [
        ("PasteStart", ""),
        ("text", "a\nb\nc\nd"),
        ("PasteEnd", ""),
        ("Enter", ""),
    ]


def test_a_program_that_knows_no_paste_reads_its_line_breaks_as_enter() -> None:
    """That is why several lines must not be sent to it."""
    keys = KeyDecoder(knows_paste=False).feed(b"\x1b[200~a\rb\x1b[201~")
    assert [key.name for key in keys] == ["CSI 200~", "text", "Enter", "text", "CSI 201~"]


def test_a_key_knows_whether_text_came_before_it_in_the_same_read() -> None:
    """Some programs take an Enter for a line break then."""
    decoder = KeyDecoder()
    assert decoder.feed(b"ab\r")[-1] == Key("Enter", "", after_text=True)
    assert decoder.feed(b"\r") == [Key("Enter")]


@pytest.mark.parametrize("rest", [b"", b"[", b"[20"])
def test_a_lone_escape_is_held_until_it_is_given_up(rest: bytes) -> None:
    """ESC may be a key or the start of one."""
    decoder = KeyDecoder()
    assert decoder.feed(b"\x1b" + rest) == []
    assert decoder.escape_pending
    keys = decoder.flush_escape()
    assert [key.name for key in keys] == ["Escape", *(["text"] if rest else [])]
    assert not decoder.escape_pending
    assert decoder.flush_escape() == []

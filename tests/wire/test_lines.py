"""Bytes to lines."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.errors import RemoteProtocolError
from panegate.wire.lines import MAX_LINE_BYTES, LineSplitter


def feed_all(chunks: list[bytes], *, max_line_bytes: int = MAX_LINE_BYTES) -> list[bytes]:
    splitter = LineSplitter(max_line_bytes=max_line_bytes)
    return [line for chunk in chunks for line in splitter.feed(chunk)]


def test_only_lf_ends_a_line() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"a\r\nb\0c\x0b\x0c\x85\n\nd") == [b"a\r", b"b\0c\x0b\x0c\x85", b""]
    assert splitter.n_pending == 1
    assert splitter.feed(b"e\n") == [b"de"]


@given(st.lists(st.sampled_from([b"a", b"\n", b"%begin 1", b"\r", b"\xff\n", b""]), max_size=30))
def test_cuts_do_not_matter(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    expected = whole.split(b"\n")[:-1]
    assert feed_all([whole]) == expected
    assert feed_all([whole[i : i + 1] for i in range(len(whole))]) == expected
    assert feed_all(pieces) == expected


def test_a_line_of_the_limit_passes_and_one_more_byte_does_not() -> None:
    for chunks in ([b"x" * 9, b"x\n"], [b"x" * 10, b"\n"], [b"x" * 10 + b"\n"]):
        assert feed_all(chunks, max_line_bytes=10) == [b"x" * 10]
    for chunks in ([b"x" * 11], [b"x" * 6, b"x" * 5], [b"x" * 6, b"x" * 5 + b"\n"]):
        with pytest.raises(RemoteProtocolError):
            feed_all(chunks, max_line_bytes=10)


@pytest.mark.parametrize("end", [b"", b"\nb\n"])
def test_lines_before_an_overlong_one_are_kept(end: bytes) -> None:
    """What was complete must not be lost with what is broken behind it."""
    splitter = LineSplitter(max_line_bytes=10)
    assert splitter.feed(b"a\n" + b"x" * 11 + end) == [b"a"]
    for _ in range(2):
        with pytest.raises(RemoteProtocolError):
            splitter.feed(b"c\n")


def test_the_rest_of_a_cut_line_is_given_once() -> None:
    splitter = LineSplitter()
    splitter.feed(b"a\nhalf")
    assert splitter.finish() == b"half"
    assert splitter.finish() == b""


def test_a_huge_line_costs_linear_time_byte_by_byte() -> None:
    """A search that starts over with every chunk would cost 16 times as much here, not 4."""

    def cost_s(n_bytes: int) -> float:
        splitter = LineSplitter()
        began_s = time.process_time()
        for _ in range(n_bytes):
            splitter.feed(b"x")
        assert splitter.feed(b"\n") == [b"x" * n_bytes]
        return time.process_time() - began_s

    small = min(cost_s(40_000) for _ in range(3))
    large = min(cost_s(160_000) for _ in range(3))
    assert large < 9 * small

"""The end of a file that grows, is torn, rotated, cut, or made of one huge line."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.probes.session_lines import called, result, said

from panegate.probes.transcripts.claude import read_claude
from panegate.probes.transcripts.lines import Tail, entries_of
from panegate.probes.transcripts.tail import MAX_HEAD, MAX_TAIL, read_tail


def texts(tail: Tail | None) -> list[bytes]:
    assert tail is not None
    return [line.data for line in tail.lines]


def test_a_file_that_grows_is_read_to_its_end(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"{}\n")
    assert texts(read_tail(str(path))) == [b"{}"]
    with path.open("ab") as file:
        file.write(b'{"a": 1}\n{"b"')
    assert texts(read_tail(str(path))) == [b"{}", b'{"a": 1}', b'{"b"']
    entries, unreadable = entries_of(read_tail(str(path)) or Tail())
    assert (len(entries), unreadable) == (2, 0)


def test_a_file_that_was_rotated_or_cut_is_read_as_it_is_now(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"old\n" * 9)
    assert len(texts(read_tail(str(path)))) == 9
    path.rename(tmp_path / "s.1")
    assert read_tail(str(path)) is None
    path.write_bytes(b"new\n")
    assert texts(read_tail(str(path))) == [b"new"]
    os.truncate(path, 0)
    assert texts(read_tail(str(path))) == []


def test_lines_before_the_tail_are_left_out_and_that_is_said(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(b"%07d\n" % n for n in range(1000)))
    tail = read_tail(str(path), limit=800)
    assert texts(tail) == [b"%07d" % n for n in range(900, 1000)]
    assert tail is not None
    assert not tail.whole


@given(
    st.lists(st.integers(0, 90), min_size=1, max_size=30),
    st.integers(1, 400),
    st.booleans(),
)
def test_the_tail_is_made_of_whole_lines_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], limit: int, ended: bool
):
    path = tmp_path_factory.mktemp("tail") / "s"
    data = b"\n".join(b"%d:" % n + b"x" * length for n, length in enumerate(lengths))
    path.write_bytes(data + (b"\n" if ended else b""))
    tail = read_tail(str(path), limit=limit)
    assert tail is not None
    known = data.split(b"\n")
    whole_lines = [line.data for line in tail.lines if not line.cut]
    # in order, and none made up: a torn last line is the file's own last one
    assert [line for line in known if line in whole_lines] == whole_lines
    if tail.whole:
        assert whole_lines == known
    elif len(known[-1]) < limit // 2 - 1 and ended:
        assert whole_lines[-1] == known[-1]


def test_a_huge_line_at_the_end_keeps_its_head_and_the_lines_before_it(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        said(0, "first") + called(1, "Bash", {"command": "cat big"}) + result(2, "x" * 3_000_000)
    )
    tail = read_tail(str(path))
    assert tail is not None
    assert [line.cut for line in tail.lines] == [False, False, True]
    assert sum(len(line.data) for line in tail.lines) < 2 * MAX_TAIL
    assert len(tail.lines[-1].data) == MAX_HEAD
    record = read_claude(tail)
    assert (record.pending, record.last_words) == ((), "first")


def test_a_huge_line_that_is_still_being_written_says_nothing_yet(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(called(1, "Bash", {"command": "x"}) + result(2, "x" * 600_000)[:-1])
    tail = read_tail(str(path))
    assert tail is not None
    assert [call.id for call in read_claude(tail).pending] == ["t1"]


def test_lines_behind_a_huge_one_are_read_too(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        called(1, "Bash", {"command": "a"}) + result(2, "x" * 600_000) + said(3, "after")
    )
    tail = read_tail(str(path))
    assert tail is not None
    record = read_claude(tail)
    assert (record.pending, record.last_words) == ((), "after")


def test_what_is_no_plain_file_is_not_waited_on(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    assert read_tail(str(tmp_path / "pipe")) is None
    assert read_tail(str(tmp_path)) is None
    assert read_tail(str(tmp_path / "none")) is None
    assert read_tail("/dev/tty") is None

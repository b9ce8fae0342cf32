"""Messages of the service: one object a line, versioned, bounded."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.service.local.messages import (
    VERSION,
    BadMessage,
    Failure,
    LineBuffer,
    Message,
    Note,
    Reply,
    Request,
    decode_message,
    decode_request,
    encode,
)


def test_a_request_comes_back_as_it_was() -> None:
    request = Request(id=7, method="send", params={"pane": "w1", "text": "日本\n\u0000\ud800"})
    line = encode(request)
    assert line.count(b"\n") == 1
    if "\ud800" in line.decode("utf-8", "surrogatepass"):
        request = Request(id=7, method="send", params={"pane": "w1", "text": "日本\n\u0000"})
        line = encode(request)
    assert decode_request(line) == request


@pytest.mark.parametrize(
    "message",
    [
        Reply(id=0, result=None),
        Reply(id=3, result={"a": [1, "x"]}),
        Failure(id=None, error={"code": "bad_message"}),
        Failure(id=4, error={"code": "refused", "message": "no"}),
        Note(sub=2, event={"event": "StateChanged"}),
        Note(sub=2, event={"event": "StateChanged"}, pane={"id": "%1"}),
    ],
)
def test_what_a_server_says_comes_back_as_it_was(message: Message) -> None:
    assert decode_message(encode(message)) == message


def test_a_client_leaves_out_what_it_does_not_know() -> None:
    line = json.dumps({"v": VERSION, "id": 1, "result": 5, "later": True}).encode()
    assert decode_message(line) == Reply(id=1, result=5)


@pytest.mark.parametrize(
    ("fields", "code", "number"),
    [
        ({"v": VERSION + 1, "id": 5, "method": "ls"}, "unsupported_version", 5),
        ({"id": 5, "method": "ls"}, "unsupported_version", 5),
        ({"v": True, "id": 5, "method": "ls"}, "unsupported_version", 5),
        ({"v": VERSION, "method": "ls"}, "bad_message", None),
        ({"v": VERSION, "id": -1, "method": "ls"}, "bad_message", None),
        ({"v": VERSION, "id": True, "method": "ls"}, "bad_message", None),
        ({"v": VERSION, "id": 5}, "bad_message", 5),
        ({"v": VERSION, "id": 5, "method": 3}, "bad_message", 5),
        ({"v": VERSION, "id": 5, "method": "ls", "params": []}, "bad_message", 5),
        ({"v": VERSION, "id": 5, "method": "ls", "extra": 1}, "bad_message", 5),
        ([1], "bad_message", None),
    ],
)
def test_what_is_no_request_is_said_with_its_id_where_it_has_one(
    fields: object, code: str, number: int | None
) -> None:
    with pytest.raises(BadMessage) as raised:
        decode_request(json.dumps(fields).encode())
    assert (raised.value.code, raised.value.id) == (code, number)


@pytest.mark.parametrize("line", [b"", b"{", b"\xff", b"[" * 100_000, b"nul"])
def test_a_line_that_is_no_json_is_a_bad_message(line: bytes) -> None:
    with pytest.raises(BadMessage):
        decode_request(line)
    with pytest.raises(BadMessage):
        decode_message(line)


def test_the_words_about_another_version_say_what_to_do() -> None:
    with pytest.raises(BadMessage) as raised:
        decode_message(b'{"v": 99, "id": 1, "result": 0}')
    assert "99" in str(raised.value)
    assert "restart the service" in raised.value.fix


LINES = st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\n", b"")), max_size=8)


@given(lines=LINES, cuts=st.lists(st.integers(0, 200), max_size=10), limit=st.integers(1, 40))
def test_lines_are_the_same_wherever_the_stream_is_cut(
    lines: list[bytes], cuts: list[int], limit: int
) -> None:
    data = b"".join(line + b"\n" for line in lines)
    buffer, found, at = LineBuffer(limit), [], 0
    for cut in [*sorted(cuts), len(data)]:
        found += buffer.feed(data[at:cut])
        at = max(at, cut)
        assert buffer.n_bytes <= limit
    assert found == [line if len(line) <= limit else None for line in lines]


def test_a_line_without_end_keeps_nothing() -> None:
    buffer = LineBuffer(10)
    for _ in range(1000):
        assert buffer.feed(b"x" * 1000) == []
    assert buffer.n_bytes == 0
    assert buffer.feed(b"\nok\n") == [None, b"ok"]

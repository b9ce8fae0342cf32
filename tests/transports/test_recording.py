import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate_transports.recording import (
    BytesRecord,
    Direction,
    FactRecord,
    Record,
    RecordingDecoder,
    RecordingError,
    RecordingHeader,
    encode_header,
    encode_record,
)

HEADER = RecordingHeader(
    tmux_version="3.4", width=80, height=24, started_utc="2024-05-01T10:00:00Z", extra={"a": [1]}
)
FIRST = encode_header(HEADER)
IN = BytesRecord(direction=Direction.IN, at_s=1.5, client="main", data=b"%begin 1 1 0\n\xff\0")

seconds = st.floats(allow_nan=False, allow_infinity=False)
details = st.recursive(
    st.none() | st.booleans() | st.integers() | seconds | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
records = st.one_of(
    st.builds(
        BytesRecord,
        direction=st.sampled_from(Direction),
        at_s=seconds,
        client=st.text(),
        data=st.binary(),
    ),
    st.builds(FactRecord, at_s=seconds, name=st.text(), detail=details),
)


@given(st.lists(records))
def test_what_is_written_is_read_back(written: list[Record]) -> None:
    lines = [FIRST, *map(encode_record, written)]
    assert all(line.count(b"\n") == 1 and line.endswith(b"\n") for line in lines)
    decoder = RecordingDecoder(lines)
    assert decoder.header == HEADER
    assert list(decoder) == written
    assert decoder.torn_line is None


def test_lines_have_the_documented_shape() -> None:
    assert json.loads(FIRST) == {
        "format": "panegate-recording",
        "version": 1,
        "tmux_version": "3.4",
        "width": 80,
        "height": 24,
        "started_utc": "2024-05-01T10:00:00Z",
        "extra": {"a": [1]},
    }
    assert encode_record(IN) == b'{"k":"in","at":1.5,"c":"main","b":"JWJlZ2luIDEgMSAwCv8A"}\n'
    fact = FactRecord(at_s=2.0, name="exit", detail={"pid": 7})
    assert encode_record(fact) == b'{"k":"fact","at":2.0,"n":"exit","d":{"pid":7}}\n'


@given(st.integers(min_value=0))
def test_torn_last_line_ends_the_recording_and_is_reported(cut: int) -> None:
    last = encode_record(IN)
    torn = last[: 1 + cut % (len(last) - 2)]
    decoder = RecordingDecoder([FIRST, encode_record(IN), torn])
    assert list(decoder) == [IN]
    assert decoder.torn_line == 3
    assert list(decoder) == []


def test_last_line_that_only_lacks_its_line_feed_is_whole() -> None:
    decoder = RecordingDecoder([FIRST, encode_record(IN).rstrip()])
    assert list(decoder) == [IN]
    assert decoder.torn_line is None


def test_records_are_read_one_at_a_time() -> None:
    asked = 0

    def lines() -> Any:
        nonlocal asked
        yield FIRST
        while True:
            asked += 1
            yield encode_record(IN)

    decoder = RecordingDecoder(lines())
    assert asked == 0
    assert next(decoder) == IN
    assert asked == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"\n", "not JSON"),
        (b"[1]\n", "not an object"),
        (b"\xff\n", "not JSON"),
        (b'{"k":"in","at":1.5,"c":"m","b":"!!!!"}\n', "base64"),
        ('{"k":"in","at":1.5,"c":"m","b":"ä"}\n'.encode(), "base64"),
        (b'{"k":"in","at":1.5,"c":"m"}\n', "'b' is missing"),
        (b'{"k":"in","at":1.5,"c":"m","b":1}\n', "'b' is not of type str"),
        (b'{"k":"in","at":"1","c":"m","b":""}\n', "'at' is not a number"),
        (b'{"k":"in","at":true,"c":"m","b":""}\n', "'at' is not a number"),
        (b'{"k":"in","at":NaN,"c":"m","b":""}\n', "NaN"),
        (b'{"k":"in","at":1e999,"c":"m","b":""}\n', "not finite"),
        (b'{"k":"look","at":1.5}\n', "unknown kind 'look'"),
        (b'{"k":"fact","at":1.5,"n":"x","d":1,"z":2}\n', "unknown keys"),
        (b"[" * 100_000 + b"\n", "not JSON"),
    ],
)
def test_bad_line_is_an_error_that_names_it(line: bytes, words: str) -> None:
    decoder = RecordingDecoder([FIRST, line, encode_record(IN)])
    with pytest.raises(RecordingError, match=words) as caught:
        next(decoder)
    assert caught.value.line == 2
    assert str(caught.value).startswith("line 2: ")
    assert list(decoder) == [IN]


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (b"", "not JSON"),
        (b"%begin 1 1 0\n", "not JSON"),
        (FIRST[:20], "not JSON"),
        (FIRST.replace(b"panegate-rec", b"asciinema-"), "not a panegate-recording"),
        (FIRST.replace(b'"version":1', b'"version":2'), "version 2 is not known"),
        (FIRST.replace(b'"width":80', b'"width":"80"'), "'width'"),
        (FIRST.replace(b'"width":80', b'"width":true'), "'width'"),
        (FIRST.replace(b'"extra":{"a":[1]}', b'"extra":[]'), "'extra'"),
        (FIRST.replace(b'"height":24,', b""), "'height' is missing"),
    ],
)
def test_bad_header_is_an_error_of_line_one(first: bytes, words: str) -> None:
    with pytest.raises(RecordingError, match=words) as caught:
        RecordingDecoder([first] if first else [])
    assert caught.value.line == 1


@pytest.mark.parametrize("detail", [float("nan"), {1, 2}, b"bytes", object()])
def test_fact_that_json_cannot_hold_is_refused(detail: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        encode_record(FactRecord(at_s=0.0, name="x", detail=detail))


def test_time_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match=r"."):
        encode_record(FactRecord(at_s=float("inf"), name="x", detail=None))

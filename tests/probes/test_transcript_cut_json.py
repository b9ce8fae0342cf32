"""JSON that was cut is read as far as it goes, and never as something else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.probes.transcripts.cut_json import as_object, parse_cut

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=5)


def is_beginning(part: object, whole: object) -> bool:
    """Tell whether *part* is *whole* with something left out behind a cut."""
    if isinstance(part, str) and isinstance(whole, str):
        return whole.startswith(part)
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(is_beginning, part, whole))
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_beginning(part[key], whole[key]) for key in part)
    return part == whole and type(part) is type(whole)


@given(OBJECTS, st.data(), st.booleans())
def test_what_is_left_of_a_cut_object_is_its_beginning(
    value: dict[str, object], data: st.DataObject, ascii_only: bool
):
    text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    cut = data.draw(st.integers(1, len(text)))
    read = parse_cut(text[:cut])
    assert read is not None
    assert is_beginning(read, value)
    if cut == len(text):
        assert read == value


def test_a_text_that_was_cut_keeps_its_beginning():
    data = b'{"a": 1, "input": {"command": "echo one \\"two'
    assert parse_cut(data) == {"a": 1, "input": {"command": 'echo one "two'}}


@pytest.mark.parametrize(
    ("data", "read"),
    [
        (b'{"a": 12', {}),
        (b'{"a": 12,', {"a": 12}),
        (b'{"a": tru', {}),
        (b'{"a": 1, "b', {"a": 1}),
        (b'{"a": 1, "b"', {"a": 1}),
        (b'{"a": 1, "b":', {"a": 1}),
        (b'{"a": [1, {"b": "x', {"a": [1, {"b": "x"}]}),
        (b'{"a": "x\\u00e', {"a": "x"}),
        (b'{"a": "x\\ud83d', {"a": "x"}),
        ('{"a": "é'.encode()[:-1], {"a": ""}),
        (b"{", {}),
    ],
)
def test_what_was_cut_in_the_middle_is_left_out(data: bytes, read: object):
    assert parse_cut(data) == read


@pytest.mark.parametrize("data", [b"", b"[1", b"nonsense", b'{"a": 1]', b'"text', b"\xff\xfe"])
def test_what_begins_no_object_is_none(data: bytes):
    assert parse_cut(data) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_survived(data: bytes):
    parse_cut(data)
    parse_cut(b"{" + data)
    as_object(data)


def test_a_deep_nest_is_survived():
    assert parse_cut(b'{"a":' + b"[" * 100_000) is not None
    assert as_object(b"[" * 100_000) is None

"""Marks are found wherever the stream is cut, and nothing else is."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panegate.panes.facts import Mark, MarkKind
from panegate.panes.marks import MAX_BODY, MAX_TEXT, MarkScanner

K = MarkKind


def escaped(raw: bytes) -> bytes:
    """Write *raw* as tmux does in ``%output``."""
    return b"".join(b"\\%03o" % b if b < 0x20 or b == 0x5C else bytes([b]) for b in raw)


def scan(*raw: bytes) -> list[tuple[MarkKind, str]]:
    scanner = MarkScanner()
    return [(m.kind, m.text) for chunk in raw for m in scanner.feed(escaped(chunk), 1.0)]


def wrapped(raw: bytes) -> bytes:
    """Wrap *raw* as a passthrough for tmux."""
    return b"\x1bPtmux;" + raw.replace(b"\x1b", b"\x1b\x1b") + b"\x1b\\"


SEQUENCES: dict[bytes, list[tuple[MarkKind, str]]] = {
    b"\x1b]133;A\x07": [(K.PROMPT_START, "")],
    b"\x1b]133;A;k=s\x1b\\": [(K.PROMPT_START, "k=s")],
    b"\x1b]133;B\x1b\\": [(K.PROMPT_END, "")],
    b"\x1b]133;C\x07": [(K.COMMAND_START, "")],
    b"\x1b]133;D\x07": [(K.COMMAND_END, "")],
    b"\x1b]133;D;130\x07": [(K.COMMAND_END, "130")],
    b"\x1b]133;P;k=i\x07": [],
    b"\x1b]7501;state=working\x1b\\": [(K.AGENT, "state=working")],
    b"\x1b]7501;state=blocked:app=codex:kind=question\x07": [
        (K.AGENT, "state=blocked:app=codex:kind=question")
    ],
    b"\x1b]9;4;3\x07": [(K.PROGRESS, "3")],
    b"\x1b]9;4;1;50\x07": [(K.PROGRESS, "1;50")],
    b"\x1b]9;4\x07": [(K.PROGRESS, "")],
    b"\x1b]9;all done\x07": [(K.NOTIFY, "all done")],
    b"\x1b]9;9;/home/u\x07": [],
    b"\x1b]9;12\x07": [],
    b"\x1b]777;notify;Claude Code;needs your permission\x07": [
        (K.NOTIFY, "Claude Code;needs your permission")
    ],
    b"\x1b]777;precmd\x07": [],
    b"\x1b]3008;start=a1;type=shell\x1b\\": [(K.CONTEXT, "start=a1;type=shell")],
    b"\x1b]0;title\x07": [(K.TITLE, "title")],
    b"\x1b]2;\xe2\x9c\xb3 a\\b\x1b\\": [(K.TITLE, "✳ a\\b")],
    b"\x1b]0;\x07": [(K.TITLE, "")],
    b"\x1b]1;icon\x07": [],
    b"\x1b]8;;http://h/\x07link\x1b]8;;\x07": [],
    b"\x1b]52;c;aGk=\x07": [],
    b"\x1b[?2004h": [(K.PASTE_ON, "")],
    b"\x1b[?2004l": [(K.PASTE_OFF, "")],
    b"\x1b[?1049h": [(K.ALTERNATE_ON, "")],
    b"\x1b[?1047l": [(K.ALTERNATE_OFF, "")],
    b"\x1b[?47h": [(K.ALTERNATE_ON, "")],
    b"\x1b[?25l": [(K.CURSOR_HIDDEN, "")],
    b"\x1b[?25;2004h": [(K.CURSOR_SHOWN, ""), (K.PASTE_ON, "")],
    b"\x1b[?1000;25;1006l": [(K.CURSOR_HIDDEN, "")],
    b"\x1b[?2026h\x1b[?2026$p\x1b[?u\x1b[?1;2c": [],
    b"\x1b[>5u": [(K.KEYBOARD, ">5u")],
    b"\x1b[<u": [(K.KEYBOARD, "<u")],
    b"\x1b[=1;2u": [(K.KEYBOARD, "=1;2u")],
    b"\x1b[>4;2m": [(K.KEYBOARD, ">4;2m")],
    b"\x1b[>4m": [(K.KEYBOARD, ">4m")],
    b"\x1b[>0c\x1b[>q\x1b[>41;1m": [],
    b"\x1b[38;5;2mgreen\x1b[0m\r\n\x1b[2004h\x1b[25h": [],
    b"\\033]0;not an escape\\007": [],
}


@pytest.mark.parametrize("raw", SEQUENCES, ids=lambda raw: ascii(raw)[2:-1])
def test_each_sequence_gives_its_marks_bare_and_wrapped_for_tmux(raw: bytes) -> None:
    assert scan(b"a" + raw + b"b") == SEQUENCES[raw]
    assert scan(b"a" + wrapped(raw) + b"b") == SEQUENCES[raw]


@pytest.mark.parametrize("raw", SEQUENCES, ids=lambda raw: ascii(raw)[2:-1])
def test_every_single_cut_gives_the_same_marks(raw: bytes) -> None:
    whole = escaped(b"x" + wrapped(raw) + raw + b"y")
    for cut in range(len(whole) + 1):
        scanner = MarkScanner()
        found = scanner.feed(whole[:cut], 1.0) + scanner.feed(whole[cut:], 1.0)
        assert [(m.kind, m.text) for m in found] == SEQUENCES[raw] * 2, whole[:cut]
        assert scanner.carried_bytes == 0


def test_a_mark_carries_the_time_of_the_payload_that_completed_it() -> None:
    scanner = MarkScanner()
    assert scanner.feed(b"\\033]133;", 1.0) == []
    assert scanner.feed(b"A\\007", 2.0) == [Mark(K.PROMPT_START, "", 2.0)]


def test_order_is_kept_across_kinds() -> None:
    found = scan(b"\x1b[?2004l\r\n\x1b]133;C\x07out\x1b]133;D;1\x07\x1b]0;t\x07$ \x1b[?2004h")
    assert [kind for kind, _ in found] == [
        K.PASTE_OFF,
        K.COMMAND_START,
        K.COMMAND_END,
        K.TITLE,
        K.PASTE_ON,
    ]


def test_text_is_limited_and_free_of_control_characters() -> None:
    ((_, text),) = scan(b"\x1b]0;a\tb\x7fc\n" + b"z" * 1000 + b"\x07")
    assert text == "abc" + "z" * (MAX_TEXT - 3)


def test_invalid_utf8_in_a_title_is_replaced() -> None:
    assert scan(b"\x1b]2;\xff\xfeok\x07") == [(K.TITLE, "��ok")]


def test_an_osc_broken_off_by_another_escape_is_counted_and_the_next_one_found() -> None:
    scanner = MarkScanner()
    found = scanner.feed(escaped(b"\x1b]0;abc\x1b[?25hdef\x1b]0;x\x18y\x1b]133;A\x07"), 0.0)
    assert [m.kind for m in found] == [K.CURSOR_SHOWN, K.PROMPT_START]
    assert scanner.dropped == 2


def test_an_endless_osc_is_dropped_and_what_follows_is_found() -> None:
    scanner = MarkScanner()
    largest = 0
    for _ in range(100):
        assert scanner.feed(b"\\033]52;c;" if not largest else b"A" * 997, 0.0) == []
        largest = max(largest, scanner.carried_bytes)
    assert largest <= 4096
    assert scanner.carried_bytes == 0
    assert scanner.dropped == 1
    assert [m.kind for m in scanner.feed(b"\\007\\033[?2004h", 0.0)] == [K.PASTE_ON]


@pytest.mark.parametrize("n_bytes", [MAX_BODY - 2, MAX_BODY - 1, MAX_BODY + 40])
@pytest.mark.parametrize("terminator", [b"\x07", b"\x1b\\"])
def test_the_size_limit_does_not_depend_on_the_cuts(n_bytes: int, terminator: bytes) -> None:
    payload = escaped(b"\x1b]2;" + b"t" * n_bytes + terminator)
    whole, pieces = MarkScanner(), MarkScanner()
    expected = whole.feed(payload, 0.0)
    found = [m for i in range(len(payload)) for m in pieces.feed(payload[i : i + 1], 0.0)]
    assert found == expected
    assert len(found) == (1 if n_bytes + 2 <= MAX_BODY else 0)
    assert pieces.dropped == whole.dropped == 1 - len(found)


def test_reset_forgets_the_half_sequence() -> None:
    scanner = MarkScanner()
    scanner.feed(b"\\033]133;", 0.0)
    scanner.reset()
    assert scanner.feed(b"A\\007", 0.0) == []
    assert (scanner.dropped, scanner.carried_bytes) == (1, 0)


class StepwiseReader:
    """A slow second opinion: one state per byte, on unescaped bytes."""

    def __init__(self) -> None:
        self.found: list[bytes] = []

    def run(self, raw: bytes) -> list[bytes]:
        i = 0
        while (i := raw.find(b"\x1b", i)) >= 0:
            i += 1
            if raw[i : i + 1] == b"]":
                i = self._string(raw, i + 1)
            elif raw[i : i + 1] == b"[" and raw[i + 1 : i + 2] in (b"?", b">", b"<", b"="):
                end = i + 2
                while raw[end : end + 1] in tuple(b"%c" % c for c in b"0123456789;"):
                    end += 1
                if raw[end : end + 1] in (b"h", b"l", b"m", b"u"):
                    self.found.append(raw[i : end + 1])
                i = end
        return self.found

    def _string(self, raw: bytes, start: int) -> int:
        end = start
        while end < len(raw) and raw[end] not in (0x07, 0x18, 0x1A, 0x1B):
            end += 1
        if end < len(raw) and raw[end] == 0x07:
            self.found.append(b"]" + raw[start:end])
        elif end < len(raw) and raw[end] == 0x1B:
            behind = end
            while behind < len(raw) and raw[behind] == 0x1B:
                behind += 1
            if raw[behind : behind + 1] == b"\\" and behind - end <= 8:
                self.found.append(b"]" + raw[start:end])
        return end


FRAGMENTS = st.sampled_from(
    [
        *SEQUENCES,
        *(wrapped(raw) for raw in SEQUENCES),
        b"\x1b",
        b"\x1b\x1b",
        b"\\",
        b"\\0",
        b"33]",
        b"\x1b[",
        b"\x1b]0;",
        b"\x1b]133;",
        b"\x1b[?",
        b"\x1b[>4;",
        b"25;",
        b"2004",
        b"h",
        b"\x07",
        b"\x18",
        b"\r\n",
        b"plain text ",
        b"\xf0\x9f",
        b"7" * 70,
        b"\x1bPq#0;2;0\x1b\\",
    ]
)
STREAMS = st.lists(st.one_of(FRAGMENTS, st.binary(max_size=4)), max_size=25).map(b"".join)


@given(STREAMS, st.randoms(use_true_random=False))
@settings(max_examples=400, deadline=None)
def test_whole_equals_byte_by_byte_equals_random_cuts(raw: bytes, rng: random.Random) -> None:
    payload = escaped(raw)
    whole = MarkScanner()
    expected = whole.feed(payload, 0.0)
    for widths in (lambda: 1, lambda: rng.randint(1, 9)):
        scanner, found, at = MarkScanner(), [], 0
        while at < len(payload):
            width = widths()
            found += scanner.feed(payload[at : at + width], 0.0)
            at += width
        assert found == expected
        assert (scanner.dropped, scanner.carried_bytes) == (whole.dropped, whole.carried_bytes)


@given(STREAMS)
@settings(max_examples=400, deadline=None)
def test_the_marks_are_those_a_stepwise_reader_finds(raw: bytes) -> None:
    alone = [s for found in StepwiseReader().run(raw) for s in scan(b"\x1b" + found + b"\x07")]
    assert scan(raw) == alone

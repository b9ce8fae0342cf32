"""Which texts may be typed."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panegate.gate.text import (
    LINUX_LINE_BYTES,
    MACOS_LINE_BYTES,
    MAX_TEXT_BYTES,
    TypingMethod,
    asks_for_brackets,
    check_text,
    normalise,
    typing_method,
)
from panegate.screen.profile import Family, Profile, SubmitRule
from panegate.terms import Reason

PLAIN = Profile(name="plain", family=Family.REPL)
AGENT = Profile(
    name="agent",
    family=Family.COMPOSER,
    submit=SubmitRule(multi_line=True, opens_modes="/!@#"),
)
LINES = Profile(name="lines", family=Family.LINES)


def reason_of(text: str, **how: object) -> Reason | None:
    asked: dict[str, object] = {"profile": PLAIN, "bracketed": False, **how}
    fault = check_text(text, **asked)  # type: ignore[arg-type]
    assert fault is None or fault.words.endswith(".")
    return None if fault is None else fault.reason


@pytest.mark.parametrize(
    ("given_text", "typed"),
    [
        ("a", "a"),
        ("a\n", "a"),
        ("a\n\n", "a\n"),
        ("a\r\n", "a"),
        ("a\r\nb", "a\nb"),
        ("a\r", "a\r"),
        ("\n", ""),
        (" a ", " a "),
    ],
)
def test_normalising_drops_exactly_one_newline_at_the_end(given_text: str, typed: str) -> None:
    assert normalise(given_text) == typed


@pytest.mark.parametrize("text", ["", " ", "\t ", "\n\n", " \n "])
def test_nothing_to_type_is_refused(text: str) -> None:
    assert reason_of(text, profile=AGENT, bracketed=True) is Reason.EMPTY


@pytest.mark.parametrize(
    "code",
    [0x00, 0x01, 0x03, 0x07, 0x08, 0x0B, 0x0C, 0x0D, 0x1B, 0x1F, 0x7F, 0x80, 0x9B, 0x9F, 0xDC80],
)
def test_control_characters_are_refused_even_in_a_bracketed_paste(code: int) -> None:
    text = f"a{chr(code)}b"
    assert reason_of(text, profile=AGENT, bracketed=True) is Reason.CONTROL_CHARACTERS


def test_the_end_of_a_paste_cannot_be_smuggled_in() -> None:
    text = "hi\x1b[201~\rrm -rf ."
    fault = check_text(text, profile=AGENT, bracketed=True)
    assert fault is not None
    assert fault.words.startswith("Character 3 is U+001B")


@pytest.mark.parametrize(
    "text",
    ["hello", "日本語", "e\u0301", "👩\u200d💻", "\u00a0x", "echo hi;", "$HOME ~ \\ \" '", "#{x}"],
)
def test_ordinary_text_passes(text: str) -> None:
    assert reason_of(text) is None


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=50))
def test_text_without_controls_passes_wherever_modes_are_meant(text: str) -> None:
    asked = reason_of(text, profile=AGENT, bracketed=True, literal=True)
    assert asked is None or (asked is Reason.EMPTY and not text.strip(" "))


def test_a_tab_is_text_only_where_it_does_not_complete() -> None:
    assert reason_of("a\tb") is Reason.CONTROL_CHARACTERS
    assert reason_of("a\tb", bracketed=True) is None
    assert reason_of("a\tb", canonical=True) is None
    assert reason_of("a\tb", profile=LINES) is None
    assert reason_of("a\tb", profile=LINES, canonical=False) is Reason.CONTROL_CHARACTERS


def test_a_tab_that_the_program_would_lose_is_refused() -> None:
    loses = attrs.evolve(AGENT, submit=SubmitRule(multi_line=True, takes_tabs=False))
    assert reason_of("a\tb", profile=loses, bracketed=True) is Reason.CONTROL_CHARACTERS
    assert reason_of("a\tb", profile=loses, canonical=True) is None


def test_a_text_that_the_program_cannot_show_is_refused() -> None:
    small = attrs.evolve(AGENT, submit=SubmitRule(multi_line=True, one_screen=True))
    room = (20, 3, 5)
    for text in ("a\nb\nc", "x" * 55, "x" * 35 + "\ny"):
        assert reason_of(text, profile=small, bracketed=True, room=room) is None
    for text in ("a\nb\nc\nd", "x" * 56, "日" * 28, "x" * 36 + "\ny"):
        asked = reason_of(text, profile=small, bracketed=True, room=room)
        assert asked is Reason.TEXT_TOO_LONG, text
    assert reason_of("a\nb\nc\nd", profile=AGENT, bracketed=True, room=room) is None


def test_several_lines_need_a_bracketed_paste_and_a_program_that_takes_them() -> None:
    assert reason_of("a\nb", profile=AGENT, bracketed=True) is None
    assert reason_of("a\nb", profile=AGENT) is Reason.MULTI_LINE
    assert reason_of("a\nb", bracketed=True) is Reason.MULTI_LINE
    assert reason_of("a\nb", profile=LINES, canonical=True) is Reason.MULTI_LINE


@pytest.mark.parametrize(
    "how",
    [
        {"profile": LINES},
        {"canonical": True},
        {"profile": Profile(name="generic", submit=SubmitRule(max_plain_chars=9999))},
    ],
)
def test_a_line_longer_than_line_mode_takes_is_refused(how: dict[str, object]) -> None:
    long = SubmitRule(max_plain_chars=9999)
    profile = attrs.evolve(how.get("profile", PLAIN), submit=long)  # type: ignore[type-var]
    how = {**how, "profile": profile}
    assert reason_of("x" * LINUX_LINE_BYTES, **how) is None
    assert reason_of("x" * (LINUX_LINE_BYTES + 1), **how) is Reason.LINE_TOO_LONG
    assert reason_of("é" * 2048, **how) is Reason.LINE_TOO_LONG


def test_raw_programs_have_no_line_limit() -> None:
    long = attrs.evolve(PLAIN, submit=SubmitRule(max_plain_chars=9999))
    assert reason_of("x" * 5000, profile=long) is None
    assert reason_of("x" * 5000, profile=attrs.evolve(long, family=Family.UNKNOWN)) is not None
    unknown_raw = attrs.evolve(long, family=Family.UNKNOWN)
    assert reason_of("x" * 5000, profile=unknown_raw, canonical=False) is None


def test_the_line_limit_is_the_systems() -> None:
    text = "x" * (MACOS_LINE_BYTES + 1)
    assert reason_of(text, profile=LINES) is None
    limited = reason_of(text, profile=LINES, max_line_bytes=MACOS_LINE_BYTES)
    assert limited is Reason.LINE_TOO_LONG


def test_long_text_needs_a_bracketed_paste() -> None:
    assert reason_of("x" * 4000) is None
    assert reason_of("x" * 4001) is Reason.TEXT_TOO_LONG
    assert reason_of("x" * 4001, bracketed=True) is None


def test_even_a_bracketed_paste_has_an_end() -> None:
    assert reason_of("é" * (MAX_TEXT_BYTES // 2), bracketed=True) is None
    assert reason_of("é" * (MAX_TEXT_BYTES // 2) + "x", bracketed=True) is Reason.TEXT_TOO_LONG


@pytest.mark.parametrize("text", ["/exit", "!ls", "@file", "# note"])
def test_a_first_character_that_opens_a_mode_must_be_meant(text: str) -> None:
    assert reason_of(text, profile=AGENT) is Reason.OPENS_A_MODE
    assert reason_of(text, profile=AGENT, literal=True) is None
    assert reason_of(f"see {text}", profile=AGENT) is None
    assert reason_of(text) is None


@pytest.mark.parametrize(
    ("said", "seen", "asks"),
    [(None, True, True), (None, False, False), (True, False, True), (False, True, False)],
)
def test_the_profile_overrides_the_programs_marks(
    said: bool | None, seen: bool, asks: bool
) -> None:
    profile = attrs.evolve(PLAIN, submit=SubmitRule(bracketed=said))
    assert asks_for_brackets(profile, seen=seen) is asks


def test_text_is_pasted_where_brackets_are_asked_for() -> None:
    assert typing_method(bracketed=True) is TypingMethod.PASTE
    assert typing_method(bracketed=False) is TypingMethod.TYPE


def test_a_byte_that_was_no_text_is_said_to_be_none() -> None:
    fault = check_text("echo \udcff", profile=PLAIN, bracketed=False)
    assert fault is not None
    assert fault.reason is Reason.CONTROL_CHARACTERS
    assert "Character 6 is U+DCFF" in fault.words
    assert "not UTF-8" in fault.words

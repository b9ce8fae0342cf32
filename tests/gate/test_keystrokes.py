"""Texts and keys as tmux commands."""

import pytest

from panegate.gate.keystrokes import (
    MAX_HEX_BYTES,
    MAX_SEND_KEYS_BYTES,
    byte_commands,
    is_key,
    key_commands,
    paste_commands,
    type_commands,
)
from panegate.gate.text import TypingMethod
from panegate.ids import PaneId

PANE = PaneId("%3")


def typing(text: str, method: TypingMethod = TypingMethod.TYPE, **how: bool) -> tuple[bytes, ...]:
    made = type_commands(PANE, text, method, buffer_name="b1", **how)
    return (*made.before, *made.commands, *made.otherwise)


def test_short_plain_text_is_typed_with_send_keys() -> None:
    assert typing("-N x;") == (b'send-keys "-t" "\\0453" "-l" "--" "-N x\\073"',)


def test_a_paste_goes_through_a_buffer_that_is_gone_either_way() -> None:
    assert typing("a\nb", TypingMethod.PASTE) == (
        b'set-buffer "-b" "b1" "--" "a\\012b"',
        b'paste-buffer "-d" "-p" "-b" "b1" "-t" "\\0453"',
        b'delete-buffer "-b" "b1"',
    )


def test_newer_servers_are_told_not_to_spell_out_tabs() -> None:
    pasted = typing("a\tb", TypingMethod.PASTE, paste_needs_s=True)
    assert pasted[1] == b'paste-buffer "-d" "-p" "-S" "-b" "b1" "-t" "\\0453"'


def test_long_plain_text_is_pasted_without_brackets() -> None:
    assert len(typing("x" * MAX_SEND_KEYS_BYTES)) == 1
    _, paste, _ = typing("é" * (MAX_SEND_KEYS_BYTES // 2) + "x")
    assert paste == b'paste-buffer "-d" "-b" "b1" "-t" "\\0453"'


def test_a_buffer_that_exists_is_pasted_alone() -> None:
    made = paste_commands(PANE, buffer_name="secret-1", bracketed=False)
    assert made.before == ()
    assert made.otherwise == (b'delete-buffer "-b" "secret-1"',)


@pytest.mark.parametrize("text", ["", "a\x1b[201~b", "a\rb", "a\0b", "a\x9bb", "a\x7fb"])
@pytest.mark.parametrize("method", list(TypingMethod))
def test_unchecked_text_is_an_error(text: str, method: TypingMethod) -> None:
    with pytest.raises(ValueError, match="control characters"):
        typing(text, method)


@pytest.mark.parametrize("name", ["", "-b", "a b", "a;b", "é", "x" * 65, "a\n"])
def test_a_bad_buffer_name_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match="buffer name"):
        type_commands(PANE, "x", TypingMethod.PASTE, buffer_name=name)


def test_enter_is_an_exact_byte() -> None:
    assert key_commands(PANE, ["Enter"]).commands == (b'send-keys "-t" "\\0453" "-H" "0d"',)
    assert key_commands(PANE, ["Enter", "Enter"]).commands[0].endswith(b'"-H" "0d" "0d"')


def test_keys_are_pressed_by_one_command() -> None:
    made = key_commands(PANE, ["Down", "y", " ", "C-c", "Enter"])
    expected = b'send-keys "-t" "\\0453" "--" "Down" "y" "Space" "C-c" "Enter"'
    assert made.commands == (expected,)


@pytest.mark.parametrize("n", [0, MAX_HEX_BYTES + 1])
def test_exact_bytes_are_few(n: int) -> None:
    with pytest.raises(ValueError, match="bytes"):
        byte_commands(PANE, b"x" * n)


@pytest.mark.parametrize(
    "name",
    [
        *("a", "é", "日", ";", "~", " ", "Enter", "Escape", "C-c", "C-[", "C-Space", "M-x", "M-;"),
        *("M-Enter", "F12", "Up", "C-Up", "S-F1", "C-M-Left", "PgDn", "BTab", "M-C-a", "C-A"),
    ],
)
def test_keys_that_exist(name: str) -> None:
    assert is_key(name)


@pytest.mark.parametrize(
    "name",
    [
        *("yes", "enter", "ENTER", "S-Enter", "C-Enter", "C-1", "F13", "S-a", "C-é", "M-é"),
        *("C-C-Up", "S-Tab", "0x41", "^c", "Up Down", "M-C-", "M-C-1", "-l"),
        *("", "\t", "\x1b", "\u00a0"),
    ],
)
def test_names_tmux_would_type_as_text_or_drop_are_no_keys(name: str) -> None:
    assert not is_key(name)
    with pytest.raises(ValueError, match="not a key"):
        key_commands(PANE, ["Up", name])


def test_no_keys_is_an_error() -> None:
    with pytest.raises(ValueError, match="no keys"):
        key_commands(PANE, [])

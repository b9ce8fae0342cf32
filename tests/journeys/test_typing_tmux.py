"""Texts and keys through real tmux: byte for byte, and nothing left over."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs
import pytest

from panegate.gate.keystrokes import key_commands
from panegate.gate.text import TypingMethod
from panegate.testing.servers import PrivateServer

from .guard_lab import REFUSED, WRITTEN, Lab, guard_of, screen

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


@pytest.fixture
def lab(tmux_server: PrivateServer, tmp_path: Path) -> Iterator[Lab]:
    made = Lab(tmux_server, tmp_path)
    yield made
    made.close()


TEXTS: Final = (
    "echo hi;",
    "-N x",
    "--",
    "Enter",
    "C-c",
    "0",
    "#{pane_id}",
    "#(touch x)",
    "$HOME ${HOME} ~ ~root",
    "\"double\" 'single' `tick`",
    "back\\slash \\n \\033 \\\\",
    "日本語 한국어",
    "👩‍💻 🇫🇷 ❤\ufe0f",
    "e\u0301 a\u0308\u0323",
    "; kill-server ;",
    "{ a } % %H",
    " lead and trail ",
    "tab\there",
    "x" * 3000,
    "é" * 3000,
)
LINES: Final = ("one\ntwo\n\nthree; #{x} 日本", "\nx\n", "def f():\n\treturn 1\n")


@pytest.mark.parametrize("method", list(TypingMethod))
def test_text_arrives_byte_for_byte(lab: Lab, method: TypingMethod) -> None:
    bracketed = method is TypingMethod.PASTE
    lab.paint(screen() + (b"\x1b[?2004h" if bracketed else b""))
    guard = guard_of(lab.look())
    start, end = (b"\x1b[200~", b"\x1b[201~") if bracketed else (b"", b"")
    for text in (*TEXTS, *(LINES if bracketed else ())):
        assert lab.write(guard, lab.typing(text, method)) == WRITTEN, text[:40]
        expected = start + text.replace("\n", "\r").encode() + end
        assert lab.log.read(len(expected)) == expected
    stale = guard_of(attrs.evolve(lab.look(), fields=attrs.evolve(lab.look().fields, pane_pid=1)))
    assert lab.write(stale, lab.typing("secret" * 1000, method)) == REFUSED
    assert lab.run("list-buffers")[0].lines == ()


KEYS: Final = {
    "Enter": b"\r",
    "Escape": b"\x1b",
    "Tab": b"\t",
    "Space": b" ",
    "BSpace": b"\x7f",
    "C-c": b"\x03",
    "C-u": b"\x15",
    "C-[": b"\x1b",
    "Up": b"\x1b[A",
    "Down": b"\x1b[B",
    "Right": b"\x1b[C",
    "Left": b"\x1b[D",
    "PageUp": b"\x1b[5~",
    "F1": b"\x1bOP",
    "F12": b"\x1b[24~",
    "BTab": b"\x1b[Z",
    "C-Up": b"\x1b[1;5A",
    "M-x": b"\x1bx",
    "M-Enter": b"\x1b\r",
    "M-;": b"\x1b;",
    "y": b"y",
    ";": b";",
    "~": b"~",
    "é": b"\xc3\xa9",
}


def test_keys_arrive_as_what_they_are(lab: Lab) -> None:
    lab.paint(screen())
    guard = guard_of(lab.look())
    for key, expected in KEYS.items():
        assert lab.write(guard, key_commands(lab.pane, [key])) == WRITTEN
        assert (key, lab.log.read(len(expected))) == (key, expected)
    assert lab.write(guard, key_commands(lab.pane, list(KEYS))) == WRITTEN
    everything = b"".join(KEYS.values())
    assert lab.log.read(len(everything)) == everything

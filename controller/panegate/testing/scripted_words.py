"""Command lines as tmux reads them, as far as panegate writes them."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ["key_bytes", "parse_line", "split_flags"]

_WORD: Final = re.compile(rb'"((?:[^"\\]|\\[0-7]{3})*)"|([A-Za-z0-9_=-]+)|(;)|( +)')
_OCTAL: Final = re.compile(rb"\\([0-7]{3})")
_WITH_VALUE: Final = frozenset({"-t", "-b", "-s", "-F", "-f", "-x", "-y", "-c", "-e", "-A", "-S"})
_WITHOUT: Final = frozenset({("if-shell", "-F"), ("paste-buffer", "-S")})
_KEYS: Final[Mapping[str, bytes]] = {
    "Enter": b"\r",
    "Escape": b"\x1b",
    "Tab": b"\t",
    "Space": b" ",
    "BSpace": b"\x7f",
    "Up": b"\x1b[A",
    "Down": b"\x1b[B",
    "Right": b"\x1b[C",
    "Left": b"\x1b[D",
}


def parse_line(line: bytes) -> list[list[bytes]]:
    """Split a command line into commands of words, with their octal escapes undone.

    Raises:
        ValueError: It holds what panegate never writes, such as single quotes.

    """
    commands: list[list[bytes]] = [[]]
    at = 0
    while at < len(line):
        found = _WORD.match(line, at)
        if found is None:
            msg = f"parse error: {line[at : at + 20]!r}"
            raise ValueError(msg)
        at = found.end()
        if found[3] is not None:
            commands.append([])
        elif found[1] is not None:
            commands[-1].append(_OCTAL.sub(lambda m: bytes((int(m[1], 8),)), found[1]))
        elif found[2] is not None:
            commands[-1].append(found[2])
    if not all(commands):
        msg = "parse error: a command is empty"
        raise ValueError(msg)
    return commands


def split_flags(words: Sequence[bytes]) -> tuple[str, dict[str, bytes], list[bytes]]:
    """Split a command into its name, its flags with their values, and the rest."""
    name = words[0].decode()
    flags: dict[str, bytes] = {}
    at = 1
    while at < len(words) and words[at].startswith(b"-"):
        word = words[at].decode()
        at += 1
        if word == "--":
            break
        takes = word in _WITH_VALUE and (name, word) not in _WITHOUT and at < len(words)
        flags[word] = words[at] if takes else b""
        at += takes
    return name, flags, list(words[at:])


def key_bytes(flags: Mapping[str, bytes], rest: Sequence[bytes]) -> bytes:
    """Return what ``send-keys`` writes to a program.

    Raises:
        ValueError: A key is not known here.

    """
    if "-l" in flags:
        return b"".join(rest)
    if "-H" in flags:
        return bytes(int(word, 16) for word in rest)
    out = b""
    for word in rest:
        name = word.decode()
        if name in _KEYS:
            out += _KEYS[name]
        elif len(name) == 1:
            out += word
        elif re.fullmatch(r"C-[a-z]", name):
            out += bytes((ord(name[2]) & 0x1F,))
        else:
            msg = f"unknown key: {name}"
            raise ValueError(msg)
    return out

"""Bytes from a terminal to keys, at any boundary of the reads."""

import codecs
from typing import NamedTuple

__all__ = ["Key", "KeyDecoder"]

_PASTE_END = b"\x1b[201~"
_NAMES = {
    b"[A": "Up", b"[B": "Down", b"[C": "Right", b"[D": "Left", b"[H": "Home", b"[F": "End",
    b"OA": "Up", b"OB": "Down", b"OC": "Right", b"OD": "Left", b"OH": "Home", b"OF": "End",
    b"[3~": "Delete", b"[Z": "BTab", b"[I": "FocusIn", b"[O": "FocusOut",
    b"[200~": "PasteStart", b"[201~": "PasteEnd",
}  # fmt: skip


class Key(NamedTuple):
    """One key, or a run of printable text."""

    name: str
    """``text``, ``Enter`` (CR), ``C-j`` (LF), ``Escape``, ``Up``, ``C-c``, ``CSI 13;2u`` …"""
    text: str = ""
    """For ``text``: the characters. In a paste, line breaks are among them as ``\\n``."""
    after_text: bool = False
    """The same read held printable text before it."""


class KeyDecoder:
    """Takes bytes in any pieces and gives keys; knows bracketed paste and UTF-8."""

    def __init__(self, *, knows_paste: bool = True) -> None:
        """Start empty; without *knows_paste* the paste markers are keys like any other."""
        self._knows_paste = knows_paste
        self._held = b""
        self._in_paste = False
        self._after_cr = False
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def escape_pending(self) -> bool:
        """A lone ESC, or the start of a sequence, waits for what follows."""
        return self._held.startswith(b"\x1b") and not self._in_paste

    def feed(self, data: bytes) -> list[Key]:
        """Return the keys that *data* completes."""
        self._held += data
        keys: list[Key] = []
        after_text = False
        while self._held:
            before = len(self._held)
            key = self._next_in_paste() if self._in_paste else self._next()
            if key is not None:
                keys.append(key._replace(after_text=after_text))
                after_text = after_text or key.name == "text"
            elif len(self._held) == before:
                break
        return keys

    def flush_escape(self) -> list[Key]:
        """Give up waiting: what is held was a lone Escape and then ordinary keys."""
        if not self.escape_pending:
            return []
        rest, self._held = self._held[1:], b""
        return [Key("Escape"), *self.feed(rest)]

    def _next(self) -> Key | None:
        first = self._held[0]
        if first == 0x1B:
            return self._next_escape()
        if first < 0x20 or first == 0x7F:
            self._held = self._held[1:]
            self._utf8.reset()
            return Key(_control_name(first))
        end = 0
        while end < len(self._held) and self._held[end] >= 0x20 and self._held[end] != 0x7F:
            end += 1
        text = self._utf8.decode(self._held[:end])
        self._held = self._held[end:]
        return Key("text", text) if text else None

    def _next_escape(self) -> Key | None:
        held = self._held
        if len(held) == 1:
            return None
        if held[1:2] in (b"[", b"O"):
            end = 2
            if held[1:2] == b"[":
                while end < len(held) and 0x20 <= held[end] < 0x40:
                    end += 1
            if end >= len(held):
                return None
            body, self._held = held[1 : end + 1], held[end + 1 :]
            name = _NAMES.get(body) or f"CSI {body[1:].decode('ascii', 'replace')}"
            if name.startswith("Paste") and not self._knows_paste:
                name = f"CSI {body[1:].decode('ascii')}"
            self._in_paste = name == "PasteStart"
            return Key(name)
        if held[1:2] in (b"]", b"P", b"_"):
            for end_mark in (b"\x07", b"\x1b\\"):
                if end_mark in held[2:]:
                    body, _, self._held = held[2:].partition(end_mark)
                    return Key(f"Reply {body.decode('utf-8', 'replace')}")
            return None
        if held[1] >= 0x80:
            self._held = held[1:]
            return Key("Escape")
        self._held = held[2:]
        letter = chr(held[1]) if 0x20 <= held[1] < 0x7F else _control_name(held[1])
        return Key(f"M-{letter}")

    def _next_in_paste(self) -> Key | None:
        body, mark, rest = self._held.partition(_PASTE_END)
        if mark and not body:
            self._held, self._in_paste, self._after_cr = rest, False, False
            return Key("PasteEnd")
        if mark:
            self._held = mark + rest
        else:
            keep = next((n for n in range(5, 0, -1) if body.endswith(_PASTE_END[:n])), 0)
            body, self._held = body[: len(body) - keep], body[len(body) - keep :]
        if self._after_cr and body.startswith(b"\n"):
            body = body[1:]
        self._after_cr = body.endswith(b"\r")
        text = self._utf8.decode(body).replace("\r\n", "\n").replace("\r", "\n")
        return Key("text", text) if text else None


def _control_name(byte: int) -> str:
    fixed = {0x0D: "Enter", 0x1B: "Escape", 0x7F: "BSpace", 0x09: "Tab", 0x00: "C-Space"}
    return fixed.get(byte) or f"C-{chr(byte + 0x60)}"

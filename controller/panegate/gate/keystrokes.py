"""Texts and keys as tmux commands, one writing command each.

One is enough on purpose: a line that tmux rejects has then written nothing.
"""

import re
import string
from collections.abc import Sequence
from typing import Final

import attrs

from panegate.gate.text import TypingMethod
from panegate.ids import PaneId
from panegate.wire.commands import command

__all__ = [
    "MAX_HEX_BYTES",
    "MAX_SEND_KEYS_BYTES",
    "Typing",
    "byte_commands",
    "is_key",
    "key_commands",
    "paste_commands",
    "type_commands",
]

MAX_SEND_KEYS_BYTES: Final = 4096
"""Longer plain text goes through a buffer: one paste costs the server less."""
MAX_HEX_BYTES: Final = 64
"""Most bytes given in hexadecimal: their cost grows with the square."""

_BUFFER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_ALONE: Final = frozenset(
    {"Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "IC", "Insert", "DC", "Delete"}
)
_MOVING: Final = frozenset(
    {"Up", "Down", "Left", "Right", "Home", "End"}
    | {"PageUp", "PPage", "PgUp", "PageDown", "NPage", "PgDn"}
    | {f"F{n}" for n in range(1, 13)}
)
_PRINTABLE: Final = frozenset(map(chr, range(0x21, 0x7F)))
_WITH_CONTROL: Final = frozenset(string.ascii_letters) | frozenset("@[\\]^_?") | {"Space"}
_WITH_META: Final = _PRINTABLE | {"Enter", "Escape", "Tab", "BSpace", "Space"}
_SHIFTED: Final = re.compile(r"(?:C-|M-|S-){1,3}(?=[A-Z])")


@attrs.frozen(kw_only=True)
class Typing:
    """The commands of one guarded write."""

    before: tuple[bytes, ...] = ()
    """Lines of their own in front of the guarded line, in the same request."""
    commands: tuple[bytes, ...]
    """Run while the guard holds; exactly one of them writes to the pane."""
    otherwise: tuple[bytes, ...] = ()
    """Run when it does not hold; also the cleaning up after a rejected or missing reply."""


def type_commands(
    pane_id: PaneId,
    text: str,
    method: TypingMethod,
    *,
    buffer_name: str,
    paste_needs_s: bool = False,
) -> Typing:
    r"""Return the commands that type *text* into a pane, without Enter.

    A newline in *text* reaches the program as CR, as in a real terminal's paste.

    Args:
        pane_id: Where.
        text: Checked by `panegate.gate.text.check_text`; newlines and tabs, no other control.
        method: Bracketed paste or plain keys.
        buffer_name: Name of a tmux buffer nobody has; it is gone afterwards.
        paste_needs_s: The server (3.7 and newer) spells out control characters in pastes
            without ``-S``; older ones do not know the flag.

    Raises:
        ValueError: The text is empty or holds a control character, or a bad buffer name.

    """
    if text == "" or _CONTROLS.search(text) is not None:
        msg = "text to type must not be empty and must not hold control characters"
        raise ValueError(msg)
    data = text.encode()
    plain = method is TypingMethod.TYPE and "\n" not in text
    if plain and len(data) <= MAX_SEND_KEYS_BYTES:
        return Typing(commands=(command("send-keys", "-t", pane_id, "-l", "--", data),))
    pasted = paste_commands(
        pane_id,
        buffer_name=buffer_name,
        bracketed=method is TypingMethod.PASTE,
        paste_needs_s=paste_needs_s,
    )
    return attrs.evolve(pasted, before=(command("set-buffer", "-b", buffer_name, "--", data),))


def paste_commands(
    pane_id: PaneId, *, buffer_name: str, bracketed: bool, paste_needs_s: bool = False
) -> Typing:
    """Return the commands that paste a buffer which is there already, and delete it.

    A paste goes past tmux modes and ignores ``synchronize-panes``, and one into a dead pane
    ends a server up to 3.3a: never send it unguarded.

    Args:
        pane_id: Where.
        buffer_name: The buffer, such as a secret put there by ``load-buffer``.
        bracketed: With brackets, where the program has asked tmux for them.
        paste_needs_s: See `type_commands`.

    Raises:
        ValueError: A bad buffer name.

    """
    if _BUFFER.match(buffer_name) is None:
        msg = f"not a buffer name: {buffer_name!r}"
        raise ValueError(msg)
    flags = ("-d", *(("-p",) if bracketed else ()), *(("-S",) if paste_needs_s else ()))
    return Typing(
        commands=(command("paste-buffer", *flags, "-b", buffer_name, "-t", pane_id),),
        otherwise=(command("delete-buffer", "-b", buffer_name),),
    )


def byte_commands(pane_id: PaneId, data: bytes) -> Typing:
    """Return the command that sends a few exact bytes, such as a profile's submit key.

    Raises:
        ValueError: There are none, or more than `MAX_HEX_BYTES`.

    """
    if not 0 < len(data) <= MAX_HEX_BYTES:
        msg = f"{len(data)} bytes: send 1 to {MAX_HEX_BYTES}"
        raise ValueError(msg)
    return Typing(
        commands=(command("send-keys", "-t", pane_id, "-H", *(f"{b:02x}" for b in data)),)
    )


def key_commands(pane_id: PaneId, keys: Sequence[str]) -> Typing:
    """Return the command that presses *keys*, tmux key names or single characters.

    Raises:
        ValueError: There are none, or one is not known: tmux up to 3.4 types the name of an
            unknown key as text.

    """
    if not keys:
        msg = "no keys to press"
        raise ValueError(msg)
    for key in keys:
        if not is_key(key):
            msg = f"not a key: {key!r} (a single character, or a name such as Enter, C-c, Up)"
            raise ValueError(msg)
    if all(key == "Enter" for key in keys) and len(keys) <= MAX_HEX_BYTES:
        return byte_commands(pane_id, b"\r" * len(keys))
    names = ("Space" if key == " " else key for key in keys)
    return Typing(commands=(command("send-keys", "-t", pane_id, "--", *names),))


def is_key(name: str) -> bool:
    """Tell whether *name* is a key that every supported tmux sends as what it says.

    Single printable characters stand for themselves. With modifiers: letters and a few
    signs with ``C-``, printable ASCII and the editing keys with ``M-``, and arrows, paging
    and function keys with any of ``C-``, ``M-``, ``S-``.
    """
    if len(name) == 1:
        return name == " " or (name.isprintable() and not name.isspace())
    if name in _ALONE or name in _MOVING:
        return True
    if (shifted := _SHIFTED.match(name)) is not None and name[shifted.end() :] in _MOVING:
        return len(set(shifted[0].split("-"))) == len(shifted[0].split("-"))
    kind, rest = name[:2], name[2:]
    if kind == "M-" and rest.startswith("C-"):
        return rest[2:] in string.ascii_lowercase and len(rest) == 3
    return (kind == "C-" and rest in _WITH_CONTROL) or (kind == "M-" and rest in _WITH_META)

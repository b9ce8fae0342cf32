"""Which texts may be typed, and how they are typed."""

import enum
from typing import Final

import attrs

from panegate.screen.profile import Family, Profile
from panegate.screen.wrapping import cells
from panegate.terms import Reason

__all__ = [
    "LINUX_LINE_BYTES",
    "MACOS_LINE_BYTES",
    "MAX_TEXT_BYTES",
    "TextFault",
    "TypingMethod",
    "asks_for_brackets",
    "check_text",
    "normalise",
    "typing_method",
]

LINUX_LINE_BYTES: Final = 4095
"""Longest line, without its newline, that a canonical terminal takes on Linux."""
MACOS_LINE_BYTES: Final = 1023
"""The same on macOS."""
MAX_TEXT_BYTES: Final = 1_000_000
"""Longest text at all: it must pass tmux's own buffers in one command."""


class TypingMethod(enum.Enum):
    """How text gets into a pane."""

    PASTE = "paste"
    """As a bracketed paste: the program asked for it."""
    TYPE = "type"
    """As plain keys."""


@attrs.frozen
class TextFault:
    """Why a text may not be typed."""

    reason: Reason
    words: str
    """One sentence: what is wrong and what to do next."""


def normalise(text: str) -> str:
    r"""Return *text* as it is typed.

    CR LF becomes LF, and exactly one newline at the end is dropped: files and pipes end
    with one, and submitting is Enter's work. A second one at the end stays.
    """
    text = text.replace("\r\n", "\n")
    return text[:-1] if text.endswith("\n") else text


def asks_for_brackets(profile: Profile, *, seen: bool) -> bool:
    """Tell whether the program takes bracketed paste.

    Args:
        profile: Its word wins where it has one.
        seen: The program's own marks: ``?2004`` is set.

    """
    said = profile.submit.bracketed
    return seen if said is None else said


def typing_method(*, bracketed: bool) -> TypingMethod:
    """Choose how to type for a program that does or does not take bracketed paste."""
    return TypingMethod.PASTE if bracketed else TypingMethod.TYPE


def check_text(
    text: str,
    *,
    profile: Profile,
    bracketed: bool,
    canonical: bool | None = None,
    literal: bool = False,
    max_line_bytes: int = LINUX_LINE_BYTES,
    room: tuple[int, int, int] | None = None,
) -> TextFault | None:
    """Say why *text* may not be typed into this program, or None.

    Args:
        text: The text as `normalise` gives it.
        profile: The program's.
        bracketed: It takes bracketed paste now, by `asks_for_brackets`.
        canonical: Its terminal is in line mode (ICANON); None when not known.
        literal: The caller means a first character that opens a mode.
        max_line_bytes: Longest line of a terminal in line mode, in bytes.
        room: Columns and rows of the pane, and the column where its input begins.

    """
    for check in (_empty, _controls):
        if (fault := check(text)) is not None:
            return fault
    lines = canonical if canonical is not None else profile.family is Family.LINES
    if "\t" in text and not lines and not (bracketed and profile.submit.takes_tabs):
        fate = "be lost" if bracketed else "complete words"
        return TextFault(
            Reason.CONTROL_CHARACTERS,
            f"A tab would {fate} in this program; replace it by spaces.",
        )
    if "\n" in text and not (bracketed and profile.submit.multi_line):
        return TextFault(
            Reason.MULTI_LINE,
            "This program would take each line as a message of its own; send one line at a time.",
        )
    if (fault := _too_long(text, profile=profile, bracketed=bracketed)) is not None:
        return fault
    if profile.submit.one_screen and room is not None and _n_rows(text, room) > room[1]:
        return TextFault(
            Reason.TEXT_TOO_LONG,
            f"This program cannot show a text of more than its {room[1]} rows; put it in a file and"
            " name the file.",
        )
    if not bracketed and (lines or (canonical is None and profile.family is Family.UNKNOWN)):
        longest = max(len(line.encode()) for line in text.split("\n"))
        if longest > max_line_bytes:
            return TextFault(
                Reason.LINE_TOO_LONG,
                f"A line of {longest} bytes would be cut to {max_line_bytes} by the terminal's"
                " line mode; split it.",
            )
    if not literal and text[0] in profile.submit.opens_modes:
        return TextFault(
            Reason.OPENS_A_MODE,
            f"A first character {text[0]!r} opens a mode of this program; send it as literal if"
            " that is meant.",
        )
    return None


def _empty(text: str) -> TextFault | None:
    if text.strip(" \t\n"):
        return None
    return TextFault(Reason.EMPTY, "There is nothing to type; keys sends a bare Enter.")


def _n_rows(text: str, room: tuple[int, int, int]) -> int:
    width, _, indent = room
    return sum(1 + max(0, indent + cells(line) - 1) // max(1, width) for line in text.split("\n"))


def _controls(text: str) -> TextFault | None:
    for position, character in enumerate(text):
        if "\ud800" <= character <= "\udfff":
            return TextFault(
                Reason.CONTROL_CHARACTERS,
                f"Character {position + 1} is U+{ord(character):04X}, which is no character: the"
                " text was read from bytes that are not UTF-8.",
            )
        if _is_control(character):
            return TextFault(
                Reason.CONTROL_CHARACTERS,
                f"Character {position + 1} is U+{ord(character):04X}, which a terminal obeys or"
                " cannot carry; remove it.",
            )
    return None


def _is_control(character: str) -> bool:
    code = ord(character)
    if code < 0x20:
        return character not in "\t\n"
    return 0x7F <= code <= 0x9F


def _too_long(text: str, *, profile: Profile, bracketed: bool) -> TextFault | None:
    limit = profile.submit.max_plain_chars
    if not bracketed and len(text) > limit:
        return TextFault(
            Reason.TEXT_TOO_LONG,
            f"{len(text)} characters are too many to type without bracketed paste (limit {limit});"
            " put them in a file and name the file.",
        )
    n_bytes = len(text.encode())
    if n_bytes > MAX_TEXT_BYTES:
        return TextFault(
            Reason.TEXT_TOO_LONG,
            f"{n_bytes} bytes are too many (limit {MAX_TEXT_BYTES}); put them in a file and name"
            " the file.",
        )
    return None

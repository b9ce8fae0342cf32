r"""Finds what a program says about itself in its raw output stream.

Works on payloads *as tmux writes them in* ``%output``: every byte below 0x20 and
every backslash is an ``\ooo`` escape, so a backslash always begins an escape and
ESC is always the four bytes ``\033``. Nothing is unescaped but the few sequences
that matter.

Programs may wrap a sequence for tmux (``ESC P tmux; … ESC \`` with every inner ESC
doubled). No unwrapping is needed for that: a doubled ESC reads as one, and a run of
ESC before the backslash of a string terminator counts as one terminator.
"""

import re
from typing import Final

from panegate.panes.facts import Mark, MarkKind

__all__ = ["MAX_BODY", "MAX_TEXT", "MarkScanner"]

MAX_TEXT: Final = 256
"""Characters kept of one mark's text."""
MAX_BODY: Final = 4000
"""Escaped bytes of one OSC; with introducer and terminator it stays within 4 KiB."""

_K = MarkKind
_INTERESTING = re.compile(rb"\\033(?:\]|\[[?><=])")
_UNFINISHED_START = frozenset((b"\\", b"\\0", b"\\03", b"\\033", b"\\033["))
_CSI = re.compile(rb"([?><=])([0-9;]{0,64})([hlmu])")
_CSI_UNFINISHED = re.compile(rb"[?><=][0-9;]{0,64}\Z")
# BEL and ESC end an OSC; CAN and SUB cancel it.
_OSC_END = re.compile(rb"\\0(?:07|33|30|32)")
_OSC_TERMINATOR = re.compile(rb"\\007|(?:\\033){1,8}\\134")
_OSC_TERMINATOR_UNFINISHED = re.compile(rb"(?:\\033){1,8}(?:\\(?:03?|13?)?)?\Z")
_PARTIAL_ESCAPE = re.compile(rb"\\[0-7]{0,2}\Z")
_CONTROL = re.compile(rb"\\0[0-3][0-7]|\x7f")
_OTHER_CONEMU = re.compile(rb"[0-9]{1,2}(?:;|\Z)")

_MODES: Final = {
    (b"2004", b"h"): _K.PASTE_ON,
    (b"2004", b"l"): _K.PASTE_OFF,
    (b"1049", b"h"): _K.ALTERNATE_ON,
    (b"1049", b"l"): _K.ALTERNATE_OFF,
    (b"1047", b"h"): _K.ALTERNATE_ON,
    (b"1047", b"l"): _K.ALTERNATE_OFF,
    (b"47", b"h"): _K.ALTERNATE_ON,
    (b"47", b"l"): _K.ALTERNATE_OFF,
    (b"25", b"h"): _K.CURSOR_SHOWN,
    (b"25", b"l"): _K.CURSOR_HIDDEN,
}
_SHELL_PHASES: Final = {
    b"A": _K.PROMPT_START,
    b"B": _K.PROMPT_END,
    b"C": _K.COMMAND_START,
    b"D": _K.COMMAND_END,
}
_PLAIN_OSC: Final = {
    b"0": _K.TITLE,
    b"2": _K.TITLE,
    b"7501": _K.AGENT,
    b"3008": _K.CONTEXT,
}


class MarkScanner:
    r"""Finds marks in one pane's payloads, wherever they are cut.

    The result does not depend on where the stream was cut: whole, byte by byte or
    at random give the same marks (with the times of the payloads that completed
    them). What a cut leaves unfinished is carried, at most 4 KiB.

    The text of a mark is what follows its introducer: ``state=working`` for
    ``OSC 7501``, the status for ``OSC 133;D``, ``3;50`` for ``OSC 9;4;3;50``,
    ``title;body`` for ``OSC 777;notify``, ``>5u`` for a keyboard mode. Control
    characters in it are removed.

    Attributes:
        dropped: OSC sequences given up: longer than 4 KiB, cancelled (CAN, SUB),
            broken off by another escape, or cut by a gap.

    """

    __slots__ = ("_carry", "dropped")

    def __init__(self) -> None:
        self._carry = b""
        self.dropped = 0

    @property
    def carried_bytes(self) -> int:
        """Bytes kept of a sequence that is not finished."""
        return len(self._carry)

    def reset(self) -> None:
        """Forget an unfinished sequence: the stream has a gap here."""
        if self._carry.startswith(b"\\033]"):
            self.dropped += 1
        self._carry = b""

    def feed(self, payload: bytes, at_s: float) -> list[Mark]:
        """Return the marks that *payload* completes, in order.

        Args:
            payload: Bytes of one ``%output``, escaped as tmux sent them.
            at_s: Monotonic seconds at which they arrived.

        """
        if self._carry:
            payload = self._carry + payload
            self._carry = b""
        marks: list[Mark] = []
        position = 0
        while (found := _INTERESTING.search(payload, position)) is not None:
            start = found.start()
            body = start + 5  # behind ``\033]`` or ``\033[``
            if payload[start + 4] == 0x5D:
                end = self._osc(payload, body, at_s, marks)
            else:
                end = _csi(payload, body, at_s, marks)
            if end < 0:
                self._carry = payload[start:]
                return marks
            position = end
        tail = payload.rfind(b"\\", max(position, len(payload) - 5))
        if tail >= 0 and payload[tail:] in _UNFINISHED_START:
            self._carry = payload[tail:]
        return marks

    def _osc(self, payload: bytes, body: int, at_s: float, marks: list[Mark]) -> int:
        """Read the OSC whose body starts at *body*; -1 when it is unfinished."""
        stop = _OSC_END.search(payload, body)
        if stop is None:
            partial = _PARTIAL_ESCAPE.search(payload, max(body, len(payload) - 3))
            known = len(payload) if partial is None else partial.start()
            if known - body <= MAX_BODY:
                return -1
            self.dropped += 1
            return known
        end = stop.start()
        if end - body > MAX_BODY:
            self.dropped += 1
            return end
        terminator = _OSC_TERMINATOR.match(payload, end)
        if terminator is None:
            if _OSC_TERMINATOR_UNFINISHED.match(payload, end) is not None:
                return -1
            self.dropped += 1
            return end
        mark = _osc_mark(payload[body:end], at_s)
        if mark is not None:
            marks.append(mark)
        return terminator.end()


def _csi(payload: bytes, body: int, at_s: float, marks: list[Mark]) -> int:
    """Read the private CSI whose parameters start at *body*; -1 when unfinished."""
    found = _CSI.match(payload, body)
    if found is None:
        return -1 if _CSI_UNFINISHED.match(payload, body) is not None else body
    lead, parameters, final = found.groups()
    if lead == b"?":
        for parameter in parameters.split(b";"):
            kind = _MODES.get((parameter, final))
            if kind is not None:
                marks.append(Mark(kind, "", at_s))
    elif final == b"u" or (final == b"m" and lead == b">" and _is_modify_keys(parameters)):
        marks.append(Mark(_K.KEYBOARD, found.group().decode("ascii"), at_s))
    return found.end()


def _is_modify_keys(parameters: bytes) -> bool:
    return parameters == b"4" or parameters.startswith(b"4;")


def _osc_mark(body: bytes, at_s: float) -> Mark | None:
    number, _, rest = body.partition(b";")
    kind: MarkKind | None = _PLAIN_OSC.get(number)
    if number == b"133":
        phase, _, rest = rest.partition(b";")
        kind = _SHELL_PHASES.get(phase)
    elif number == b"9":
        if rest == b"4" or rest.startswith(b"4;"):
            kind, rest = _K.PROGRESS, rest[2:]
        elif _OTHER_CONEMU.match(rest) is None:
            kind = _K.NOTIFY
    elif number == b"777" and rest.startswith(b"notify;"):
        kind, rest = _K.NOTIFY, rest[7:]
    return None if kind is None else Mark(kind, _text(rest), at_s)


def _text(escaped: bytes) -> str:
    plain = _CONTROL.sub(b"", escaped).replace(b"\\134", b"\\")
    return plain.decode("utf-8", "replace")[:MAX_TEXT]

"""What a composer tells the terminal beside its rows: titles and stream marks."""

from collections.abc import Callable

__all__ = ["Signs"]

_BRAILLE = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_WORDS = {
    "ready": "◇ Ready (work)",
    "busy": "✦ Working… (work)",
    "dialog": "✋ Action Required (work)",
}
_TITLE_EVERY_S = {"glyph": 0.96, "blink": 1.0}
"""Seconds between two titles where they move."""


def _osc(text: str) -> str:
    return f"\x1b]{text}\x1b\\"


class Signs:
    """Builds titles and marks; every method returns the bytes, empty when switched off."""

    def __init__(self, *, titles: str, marks: str, write: Callable[[str], None]) -> None:
        """Choose the signs.

        Args:
            titles: ``words``, ``glyph``, ``blink`` or empty.
            marks: Any of ``133``, ``7501`` and ``9``, joined by commas.
            write: Puts bytes on the terminal, for titles that move by themselves.
        """
        self._titles = titles
        self._marks = set(marks.split(",")) - {""}
        self._write = write
        self._state = ""
        self._n_ticks = 0

    @property
    def tick_every_s(self) -> float:
        """Seconds between calls of `tick`; 0: never."""
        return _TITLE_EVERY_S.get(self._titles, 0.0)

    def title(self, state: str) -> str:
        """Return the title for ``ready``, ``busy`` or ``dialog``."""
        self._state = state
        return self._title_now()

    def tick(self) -> None:
        """Move a title that moves."""
        self._n_ticks += 1
        moving = {"glyph": "busy", "blink": "dialog"}.get(self._titles)
        if moving is not None and moving == self._state:
            self._write(self._title_now())

    def turn_began(self) -> str:
        """Return the marks of a turn's start."""
        return self._some({"133": "133;C", "7501": "7501;state=working", "9": "9;4;3"})

    def turn_ended(self) -> str:
        """Return the marks of a turn's end."""
        return self._some({"133": "133;D;0", "7501": "7501;state=done", "9": "9;4;0"})

    def blocked(self) -> str:
        """Return the marks of an open dialog."""
        return self._some({"7501": "7501;state=blocked:app=composer:kind=permission"})

    def ready(self, *, first: bool) -> str:
        """Return the marks of a composer that reads: none of 7501 after a turn's ``done``."""
        marks = self._some({"133": "133;A"}) + self._some({"133": "133;B"})
        return marks + (self._some({"7501": "7501;state=idle"}) if first else "")

    def closed(self) -> str:
        """Return the marks of the program's end."""
        return self._some({"7501": "7501;state=clear"})

    def _some(self, marks: dict[str, str]) -> str:
        return "".join(_osc(text) for name, text in marks.items() if name in self._marks)

    def _title_now(self) -> str:
        state, n = self._state, self._n_ticks
        if self._titles == "words":
            return _osc(f"2;{_WORDS[state]}")
        if self._titles == "glyph":
            return _osc(f"2;{'⠂⠐'[n % 2] if state == 'busy' else '✳'} composer")
        if self._titles == "blink":
            busy = f"{_BRAILLE[n % len(_BRAILLE)]} work"
            dialog = f"[ {'!.'[n % 2]} ] Action Required"
            return _osc(f"2;{ {'busy': busy, 'dialog': dialog}.get(state, 'work') }")
        return ""

"""A question with rows to choose from, as agent programs put it."""

from typing import NamedTuple

from panegate.testing.programs._box import cell_width
from panegate.testing.programs._keys import Key
from panegate.testing.programs._paint import Frame, styled, wrap

__all__ = ["DEFAULT_OPTIONS", "DEFAULT_QUESTION", "Choice", "Dialog"]

DEFAULT_QUESTION = "Do you want to run this command?"
DEFAULT_OPTIONS = (
    "Yes",
    "Yes, and don't ask again for similar commands",
    "No, and tell it what to do differently (esc)",
)
_HOTKEYS = {"y": 0, "a": 1, "p": 1, "n": -1}


class Choice(NamedTuple):
    """How a dialog ended."""

    by: str
    """``option``, ``escape``, ``interrupt``, ``itself`` or ``exit``."""
    option: int = 0
    """Number of the option from one; 0 without one."""
    label: str = ""
    approved: bool = False


class Dialog:
    """One open question; keys go in, at most one choice comes out."""

    def __init__(
        self,
        *,
        title: str = "Bash command",
        command: str = "",
        question: str = DEFAULT_QUESTION,
        options: tuple[str, ...] = DEFAULT_OPTIONS,
        footer: str = "Esc to cancel",
        glyph: str = "❯",
        numbered: bool = True,
        hotkeys: bool = False,
        letters: str = "",
    ) -> None:
        """Describe the question.

        Args:
            title: First row.
            command: What it asks about; shown word for word above the question.
            question: The question itself.
            options: Labels of the rows; the last one declines.
            footer: Row below them; empty: none.
            glyph: What marks the highlighted row.
            numbered: Rows carry numbers, and their digits choose at once.
            hotkeys: ``y``, ``a`` or ``p`` and ``n`` choose the first, second and last row.
            letters: Instead of rows: one letter per option that chooses it.
        """
        self.title, self.command, self.question = title, command, question
        self.options, self.footer, self.glyph = options, footer, glyph
        self.numbered, self.hotkeys, self.letters = numbered, hotkeys, letters
        self.highlighted = 0

    def press(self, key: Key) -> Choice | None:
        """Take one key, or the characters of a text one by one; give the choice made."""
        if key.name == "text":
            for character in key.text:
                choice = self._character(character)
                if choice is not None:
                    return choice
            return None
        if key.name == "Enter" and not self.letters:
            return self._choose(self.highlighted)
        if key.name in ("Up", "Down") and not self.letters:
            step = 1 if key.name == "Down" else -1
            self.highlighted = (self.highlighted + step) % len(self.options)
        if key.name == "Escape":
            return Choice("escape", 0, "", approved=False)
        if key.name == "C-c":
            return Choice("interrupt", 0, "", approved=False)
        return None

    def frame(self, width: int, *, shown: bool) -> Frame:
        """Return the rows, with the cursor on the highlighted one."""
        rows = [styled("2", "─" * width)] if not self.letters else []
        if self.title:
            rows += [f" {styled('1', self.title)}", ""]
        for line in self.command.split("\n") if self.command else ():
            rows += [f"   {row}" for row in wrap(line, width - 4)]
        if self.command:
            rows.append("")
        for line in self.question.split("\n"):
            rows += [f" {row}" for row in wrap(line, width - 2)]
        cursor_row, cursor_cell = len(rows) - 1, 1
        for at, label in enumerate(() if self.letters else self.options):
            chosen = at == self.highlighted
            lead = f" {self.glyph if chosen else ' ' * len(self.glyph)} "
            lead += f"{at + 1}. " if self.numbered else ""
            parts = wrap(label, max(8, width - len(lead) - 1))
            if chosen:
                cursor_row, cursor_cell = len(rows), cell_width(lead[:1])
            rows += [
                styled("36" if chosen else "", (lead if n == 0 else " " * len(lead)) + part)
                for n, part in enumerate(parts)
            ]
        if self.footer:
            rows += ["", f" {styled('2', self.footer)}"]
        return Frame(rows, cursor_row, cursor_cell, shown)

    def _character(self, character: str) -> Choice | None:
        if self.letters:
            at = self.letters.find(character)
            return self._choose(at) if at >= 0 else None
        if self.numbered and character.isdigit() and 1 <= int(character) <= len(self.options):
            return self._choose(int(character) - 1)
        if self.hotkeys and character in _HOTKEYS:
            return self._choose(_HOTKEYS[character] % len(self.options))
        return None

    def _choose(self, at: int) -> Choice:
        approved = at < len(self.options) - 1
        return Choice("option", at + 1, self.options[at], approved)

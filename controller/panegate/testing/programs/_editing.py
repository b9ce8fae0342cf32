"""What keys do inside a composer's input box: text, pastes, the cursor and the menu."""

import argparse
import re
import time

from panegate.testing.programs._box import InputBox
from panegate.testing.programs._keys import Key
from panegate.testing.programs._truth import TruthWriter
from panegate.testing.programs._view import POPUP_ROWS

__all__ = ["Editing"]

_WORD_AFTER_POPUP = re.compile(r"/\S*\s+\S")
_NEWLINE_KEYS = ("CSI 13;2u", "CSI 27;2;13~")


class Editing:
    """The box with its pastes and its menu; Enter is the composer's own affair."""

    def __init__(self, options: argparse.Namespace, truth: TruthWriter) -> None:
        self.box = InputBox(options.draft)
        self.popup: int | None = None
        """The highlighted row of the open menu."""
        self.text_at_s = float("-inf")
        """When the last text was read."""
        self._options, self._truth = options, truth
        self._paste: list[str] | None = None
        self._n_pastes = 0
        self._popup_done = False
        self._collapses = bool(options.collapse_over_lines or options.collapse_over_chars)

    def press(self, key: Key) -> bool:
        """Take one key; False when it means nothing in a box."""
        name, box = key.name, self.box
        if name == "text":
            self._text(key.text)
        elif name in ("C-j", "M-Enter"):
            box.insert("\n")
        elif name in _NEWLINE_KEYS and self._options.modify_other_keys:
            box.insert("\n")
        elif name in ("PasteStart", "PasteEnd"):
            self._paste_mark(name)
        elif name in ("Up", "Down") and self.popup is not None:
            self.popup = (self.popup + (1 if name == "Down" else -1)) % len(POPUP_ROWS)
        elif name in ("Left", "Right", "Home", "End"):
            box.move(name)
        elif name in ("C-a", "C-e"):
            box.move("Home" if name == "C-a" else "End")
        elif name == "Delete":
            box.delete()
        elif name in ("BSpace", "C-h"):
            box.backspace()
        elif name == "C-u":
            box.delete_line()
        else:
            return False
        self._update_popup()
        return True

    def clear(self) -> None:
        """Empty the box and close its menu."""
        self.box.clear()
        self.popup, self._popup_done = None, False

    def close_popup(self) -> None:
        """Close the menu; it stays closed for this text."""
        self.popup, self._popup_done = None, True

    def choose_popup(self) -> None:
        """Put the highlighted row in the place of the text."""
        row = POPUP_ROWS[self.popup or 0]
        self._truth.log("popup_chosen", row=row, text=self.box.text)
        self.box.clear()
        self.box.insert(row + " ")
        self.close_popup()

    def _text(self, text: str) -> None:
        self.text_at_s = time.monotonic()
        if self._paste is not None:
            self._paste.append(text)
            if self._collapses:
                return
        self.box.insert(text)

    def _paste_mark(self, name: str) -> None:
        if name == "PasteStart":
            self._paste = []
            return
        text, self._paste = "".join(self._paste or ()), None
        self.text_at_s = time.monotonic()
        n_lines, options = text.count("\n") + 1, self._options
        self._truth.log("paste", n_chars=len(text), n_lines=n_lines)
        if not self._collapses:
            return
        over_lines = options.collapse_over_lines and n_lines > options.collapse_over_lines
        if over_lines or (options.collapse_over_chars and len(text) > options.collapse_over_chars):
            self._n_pastes += 1
            label = options.collapsed.format(n=self._n_pastes, lines=n_lines, chars=len(text))
            self.box.insert_block(label, text)
        else:
            self.box.insert(text)

    def _update_popup(self) -> None:
        if not self._options.slash_popup:
            return
        text = self.box.text
        if not text.startswith("/"):
            self.popup, self._popup_done = None, False
        elif self._popup_done:
            return
        elif _WORD_AFTER_POPUP.match(text):
            self._truth.log("popup_closed", text=text)
            self.clear()
        elif self.popup is None:
            self._truth.log("popup_opened")
            self.popup = 0

"""When a composer asks: the schedule of its dialogs and the log of what they got."""

import argparse
import os
import time
from collections.abc import Callable

from panegate.testing.programs._dialog import DEFAULT_OPTIONS, DEFAULT_QUESTION, Choice, Dialog
from panegate.testing.programs._keys import Key
from panegate.testing.programs._terminal import Loop, Timer

__all__ = ["Asker"]

_TRUST_QUESTION = "Do you trust the files in this folder?"
_TRUST_OPTIONS = ("Yes, I trust this folder", "No, leave")
_TRUST_KEY_QUESTION = "Hit t to trust this, Esc to leave"


class Asker:
    """Opens dialogs on its schedule and closes them by a key, by itself or with the program.

    `current` is the open dialog. The owner's callbacks are told before a dialog is
    painted (``opens``), and after it is closed (``closed``).
    """

    def __init__(
        self,
        options: argparse.Namespace,
        loop: Loop,
        *,
        may_open: Callable[[], bool],
        opens: Callable[[], None],
        closed: Callable[[Choice], None],
        gap: Callable[[], None],
    ) -> None:
        self.current: Dialog | None = None
        self.is_trust = False
        self._options, self._loop, self._truth = options, loop, loop.truth
        self._may_open, self._opens, self._closed, self._gap = may_open, opens, closed, gap
        self._n_opened = 0
        self._chain_left = 0
        self._opened_s = 0.0
        self._closing: Timer | None = None

    def start_schedule(self) -> None:
        """Arm what `--dialog-at`, `--dialog-random` and `--dialog-redraw` ask for."""
        options = self._options
        for at_s in options.dialog_at:
            self._loop.call_after(at_s, self.ask)
        if options.dialog_random:
            import random

            draw = random.Random(options.seed).uniform
            low_s, high_s = options.dialog_random

            def ask_and_go_on() -> None:
                self.ask()
                self._loop.call_after(draw(low_s, high_s), ask_and_go_on)

            self._loop.call_after(draw(low_s, high_s), ask_and_go_on)
        if options.dialog_on_signal:
            self._loop.on_signal = self.ask

    def ask(self) -> None:
        """Open the first dialog of a chain, unless it can not be opened now."""
        if self._chain_left > 0 or not self._may_open():
            self._truth.log("dialog_skipped")
            return
        self._chain_left = self._options.dialog_chain - 1
        self._open_next()

    def ask_trust(self) -> None:
        """Open the dialog of `--trust-first`."""
        by_key = self._options.trust_first == "key"
        self.is_trust = True
        self._show(
            Dialog(
                title="" if by_key else "Trust this folder",
                command="" if by_key else os.getcwd(),
                question=_TRUST_KEY_QUESTION if by_key else _TRUST_QUESTION,
                options=("trust", "leave") if by_key else _TRUST_OPTIONS,
                footer="" if by_key else "Enter to confirm · Esc to leave",
                glyph=self._options.dialog_glyph,
                letters="t" if by_key else "",
            )
        )

    def press(self, key: Key) -> None:
        """Give one key, or one character, to the open dialog; log it first."""
        if self.current is None:
            return
        shown = key.text if key.name == "text" else key.name
        only = self._options.dialog_deaf_only
        deaf = only in (0, self._n_opened)
        if deaf and time.monotonic() - self._opened_s < self._options.dialog_deaf:
            self._truth.log("dialog_key_dropped", key=shown, dialog=self._n_opened)
            return
        self._truth.log("dialog_key", key=shown, dialog=self._n_opened)
        choice = self.current.press(key)
        if choice is not None:
            self.close(choice)

    def close(self, choice: Choice) -> None:
        """Close the open dialog with what was chosen, and open the next of its chain."""
        dialog = self.current
        if dialog is None:
            return
        number, self.current = self._n_opened, None
        if self._closing is not None:
            self._closing.cancel()
        fields = {"dialog": number, "option": choice.option, "label": choice.label}
        if choice.by in ("option", "escape", "interrupt"):
            name = "approved" if choice.approved else "declined"
            self._truth.log(name, **fields, command=dialog.command, by=choice.by)
        self._truth.log("dialog_closed", dialog=number, by=choice.by)
        if self.is_trust or choice.by == "exit" or self._chain_left <= 0:
            self._closed(choice)
            self.is_trust = False
            return
        if self._options.dialog_gap > 0:
            self._gap()
            self._loop.call_after(self._options.dialog_gap, self._open_after_gap)
        else:
            self._open_after_gap()

    def _open_after_gap(self) -> None:
        self._chain_left -= 1
        self._open_next()

    def _open_next(self) -> None:
        options = self._options
        commands = options.dialog_commands
        self._show(
            Dialog(
                title=options.dialog_title,
                command=commands[self._n_opened % len(commands)],
                question=DEFAULT_QUESTION
                if options.dialog_question is None
                else options.dialog_question,
                options=options.dialog_options or DEFAULT_OPTIONS,
                footer=options.dialog_footer,
                glyph=options.dialog_glyph,
                numbered=not options.dialog_bare,
                hotkeys=options.hotkeys,
            )
        )

    def _show(self, dialog: Dialog) -> None:
        self.current = dialog
        self._n_opened += 1
        self._opened_s = time.monotonic()
        self._truth.log(
            "dialog_opened",
            dialog=self._n_opened,
            command=dialog.command,
            question=dialog.question,
            options=list(dialog.options),
            pending_bytes=self._loop.terminal.pending(),
        )
        self._opens()
        self._truth.log("dialog_painted", dialog=self._n_opened)
        if self._options.dialog_closes_after > 0 and not self.is_trust:
            self._closing = self._loop.call_after(
                self._options.dialog_closes_after, lambda: self.close(Choice("itself"))
            )

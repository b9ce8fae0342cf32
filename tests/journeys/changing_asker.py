"""A program that asks one thing, and at a signal another; its log says which got what.

    changing_asker.py FORM LOG PACKAGES

SIGUSR1 takes the question off the screen and asks the other one, unless it was answered;
SIGUSR2 asks the next pair. Every question has words of its own: ``Delete file 7-a?``.
"""

import os
import select
import signal
import sys
import termios

FORM, LOG = sys.argv[1], sys.argv[2]
sys.path.insert(0, sys.argv[3])
from panegate.testing.programs._terminal import Terminal  # noqa: E402
from panegate.testing.programs._truth import TruthWriter  # noqa: E402

LINES = ("line", "secret")
DRAWN = ("digits", "arrows")
CHOICES = ("Yes", "No")


class Asker:
    """The question that stands there, and what was typed at it."""

    def __init__(self) -> None:
        self.terminal = Terminal()
        self.truth = TruthWriter(LOG)
        self.number, self.side = 0, "done"
        self.typed = b""
        self.at = 0
        if FORM in LINES:
            self.terminal.cooked(echo=FORM == "line")
        else:
            self.terminal.raw()
        if FORM in DRAWN:
            self.terminal.write("\x1b[?1049h")

    def ask(self, side: str) -> None:
        """Draw a question; the log has it before the first byte."""
        self.side, self.typed, self.at = side, b"", 0
        self.truth.log("asked", number=self.number, side=side)
        self.draw()

    def draw(self) -> None:
        """Draw all that is asked."""
        what = f"Delete file {self.number}-{self.side}?"
        if FORM in DRAWN:
            rows = [what]
            for n, choice in enumerate(CHOICES):
                key = f"{n + 1}. " if FORM == "digits" else ""
                rows.append(f"{'❯' if n == self.at else ' '} {key}{choice}")
            self.terminal.write("\x1b[?25l\x1b[H\x1b[2J" + "\r\n".join(rows))
        elif FORM == "secret":
            self.terminal.write(f"\r\nPassword for file {self.number}-{self.side}: ")
        elif FORM == "text":
            self.terminal.write(f"\r\n{what[:-1]}, with what words? ")
        else:
            self.terminal.write(f"\r\n{what} [y/n] ")

    def change(self) -> None:
        """Ask the other question."""
        if self.side == "a":
            self.ask("b")
        self.truth.log("changed", number=self.number, side=self.side)

    def next(self) -> None:
        """Ask the next pair; what waits unread is dropped."""
        termios.tcflush(0, termios.TCIFLUSH)
        self.number += 1
        self.ask("a")

    def take(self, answer: str) -> None:
        """An answer is complete."""
        self.truth.log("answered", number=self.number, side=self.side, answer=answer)
        self.side = "done"
        self.terminal.write("\x1b[2J\x1b[H" if FORM in DRAWN else "\r\nTaken.\r\n")

    def read(self, data: bytes) -> None:
        """Take what was typed."""
        self.truth.log("typed", number=self.number, side=self.side, hex=data.hex())
        if self.side == "done":
            return
        if FORM in LINES:
            self.take(data.decode().rstrip("\n"))
        elif FORM == "arrows":
            moves = data.count(b"\x1b[B") + data.count(b"\x1bOB")
            self.at = min(self.at + moves, len(CHOICES) - 1)
            if b"\r" in data:
                self.take(CHOICES[self.at])
            else:
                self.draw()
        elif FORM == "text":
            text, enter, _ = data.partition(b"\r")
            self.typed += text
            self.terminal.write(text)
            if enter:
                self.take(self.typed.decode())
        else:
            keys = "12" if FORM == "digits" else "yn"
            for key in data.decode():
                if key in keys and self.side != "done":
                    self.take(CHOICES[keys.index(key)])


def main() -> None:
    """Ask until the terminal is gone."""
    out, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda *_: None)
    asker = Asker()
    asker.truth.log("started")
    while True:
        ready, _, _ = select.select([0, out], [], [])
        if out in ready:
            for number in os.read(out, 64):
                asker.change() if number == signal.SIGUSR1 else asker.next()
        elif data := os.read(0, 4096):
            asker.read(data)
        else:
            return


main()

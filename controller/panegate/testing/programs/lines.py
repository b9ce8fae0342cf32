"""Programs in line mode: the kernel echoes, the program blocks in a read.

* ``lines`` answers every line and logs it;
* ``yes-no`` asks ``Allow? [y/n]:`` before each round of work;
* ``hidden-input`` asks for a password and logs its length and digest alone.
"""

import argparse
import hashlib
import os
import signal
import sys
import time

from panegate.testing.programs._options import base_parser, milliseconds
from panegate.testing.programs._terminal import Terminal
from panegate.testing.programs._truth import TruthWriter

__all__ = ["main"]


class _LineReader:
    """Reads lines with blocking reads; ends the program at the end of input."""

    def __init__(self, terminal: Terminal, truth: TruthWriter) -> None:
        self._terminal, self._truth = terminal, truth
        self._held = b""

    def read(self, *, secret: bool = False) -> bytes:
        """Return the next line without its line feed."""
        while b"\n" not in self._held:
            try:
                data = os.read(0, 65536)
            except OSError:
                data = b""
            if not data:
                self._truth.log("end_of_input")
                self._terminal.restore()
                self._truth.log("exit", status=0)
                sys.exit(0)
            if not secret:
                self._truth.log_bytes(data)
            self._held += data
        line, _, self._held = self._held.partition(b"\n")
        return line


def main(name: str, argv: list[str]) -> int:
    """Run the program *name*; return its exit status."""
    options = _options(name, argv)
    terminal, truth = Terminal(), TruthWriter(options.log)

    def terminated(number: int, _frame: object) -> None:
        terminal.restore()
        truth.log("terminated", signal=number)
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, terminated)
    signal.signal(signal.SIGINT, terminated)
    terminal.cooked()
    reader = _LineReader(terminal, truth)
    body = {"lines": _lines, "yes-no": _yes_no, "hidden-input": _hidden_input}[name]
    status = body(options, terminal, truth, reader)
    terminal.restore()
    truth.log("exit", status=status)
    return status


def _options(name: str, argv: list[str]) -> argparse.Namespace:
    parser = base_parser(name)
    one = parser.add_argument
    one("--text", default="", help="printed first")
    if name == "lines":
        one("--prompt", default="")
        one("--answer", default="got: {line}", help="printed after each line; empty: nothing")
        one("--exit-after", type=int, default=0, metavar="N", help="lines")
        one("--status", type=int, default=0)
    elif name == "yes-no":
        one("--question", default="Allow? [y/n]: ")
        one("--prompt", default="> ")
        one("--work", type=milliseconds, default=1.0, metavar="MS")
        one("--rounds", type=int, default=3)
    else:
        one("--question", default="[sudo] password for u: ")
        one("--tries", type=int, default=1)
        one("--answer", default="Sorry, try again.", help="after each try but the last")
        one("--then", choices=("exit", "lines"), default="exit")
    return parser.parse_args(argv)


def _lines(
    options: argparse.Namespace, terminal: Terminal, truth: TruthWriter, reader: _LineReader
) -> int:
    if options.text:
        terminal.write(options.text + "\n")
    n_lines = 0
    while True:
        truth.log("state", state="ready")
        terminal.write(options.prompt)
        line = reader.read().decode("utf-8", "replace")
        truth.log("submit", text=line)
        n_lines += 1
        if options.answer:
            terminal.write(options.answer.replace("{line}", line) + "\n")
        if n_lines == options.exit_after:
            return int(options.status)


def _yes_no(
    options: argparse.Namespace, terminal: Terminal, truth: TruthWriter, reader: _LineReader
) -> int:
    if options.text:
        terminal.write(options.text + "\n")
    for number in range(1, options.rounds + 1):
        truth.log("dialog_opened", dialog=number, question=options.question)
        terminal.write(options.question)
        truth.log("dialog_painted", dialog=number)
        line = reader.read().decode("utf-8", "replace")
        event = "approved" if line.strip().lower().startswith("y") else "declined"
        truth.log(event, dialog=number, text=line)
        truth.log("dialog_closed", dialog=number, by="option")
        terminal.write("ok\n")
        truth.log("state", state="busy")
        time.sleep(options.work)
        truth.log("state", state="ready")
        terminal.write(options.prompt)
        truth.log("submit", text=reader.read().decode("utf-8", "replace"))
    options.text, options.answer, options.exit_after = "", "", 0
    return _lines(options, terminal, truth, reader)


def _hidden_input(
    options: argparse.Namespace, terminal: Terminal, truth: TruthWriter, reader: _LineReader
) -> int:
    if options.text:
        terminal.write(options.text + "\n")
    for number in range(1, options.tries + 1):
        terminal.cooked(echo=False)
        truth.log("dialog_opened", dialog=number, question=options.question)
        terminal.write(options.question)
        truth.log("dialog_painted", dialog=number)
        secret = reader.read(secret=True)
        truth.log("secret", n_bytes=len(secret), sha256=hashlib.sha256(secret).hexdigest())
        truth.log("dialog_closed", dialog=number, by="option")
        terminal.cooked()
        terminal.write("\n" + (f"{options.answer}\n" if number < options.tries else ""))
    if options.then == "exit":
        return 0
    options.text, options.prompt, options.answer, options.exit_after = "", "> ", "", 0
    return _lines(options, terminal, truth, reader)

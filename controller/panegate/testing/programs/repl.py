"""Shell-like programs: a raw prompt with its own echo, line mode while a command runs.

* ``repl`` knows a few commands: ``log`` (a pager), ``up`` (a password), ``ask`` (a yes or
  no), ``sleep MS``, ``print TEXT``, ``exit N``; anything else is answered with ``ran: …``;
* ``slow-boot`` is the same after a silent start in line mode;
* ``shell-then-agent`` runs another stand-in under a real shell.
"""

import argparse
import hashlib
import os
import shlex
import sys
from collections.abc import Callable

from panegate.testing.programs._keys import Key, KeyDecoder
from panegate.testing.programs._options import base_parser, milliseconds
from panegate.testing.programs._terminal import Loop, Terminal, run_loop
from panegate.testing.programs._truth import TruthWriter

__all__ = ["Repl", "main"]

_PAGER_ROWS = 20


class Repl:
    """A prompt that reads one line at a time; a command may take the terminal over."""

    def __init__(
        self,
        terminal: Terminal,
        loop: Loop,
        *,
        prompt: str = "$ ",
        cycle: bool = False,
        marks: bool = False,
    ) -> None:
        """Describe the prompt.

        Args:
            terminal: The terminal.
            loop: The loop that reads it.
            prompt: What is printed before each line; may have several rows.
            cycle: Bracketed paste goes on at each prompt and off for each command.
            marks: OSC 133 marks the prompts and commands.
        """
        self._terminal, self._loop, self._truth = terminal, loop, loop.truth
        self._prompt, self._cycle, self._marks = prompt, cycle, marks
        self._keys = KeyDecoder(knows_paste=cycle)
        self._line = ""
        self._held = b""
        self._n_lines = 0

    def prompt(self, status: int | None = None) -> None:
        """Take the terminal and ask for the next line."""
        self._terminal.raw()
        self._truth.log("state", state="ready")
        out = self._mark(f"D;{status}") if status is not None else ""
        prompt = self._prompt.replace("\n", "\r\n")
        out += ("\x1b[?2004h" if self._cycle else "") + self._mark("A") + prompt + self._mark("B")
        self._terminal.write(out)
        self._loop.log_reads = True
        self._loop.on_bytes = self._edit

    def _mark(self, letter: str) -> str:
        return f"\x1b]133;{letter}\x1b\\" if self._marks else ""

    def _edit(self, data: bytes) -> None:
        keys = [*self._keys.feed(data), *self._keys.flush_escape()]
        for at, key in enumerate(keys):
            if self._loop.on_bytes != self._edit:
                self._truth.log("unread_keys", keys=[key.text or key.name for key in keys[at:]])
                return
            self._press(key)

    def _press(self, key: Key) -> None:
        write = self._terminal.write
        if key.name == "text":
            self._line += key.text
            write(key.text.replace("\n", "\r\n"))
        elif key.name in ("Enter", "C-j"):
            line, self._line = self._line, ""
            write("\r\n")
            self._run(line)
        elif key.name in ("BSpace", "C-h") and self._line:
            self._line = self._line[:-1]
            write("\b \b")
        elif key.name == "C-u":
            write("\b \b" * len(self._line))
            self._line = ""
        elif key.name == "C-c":
            self._line = ""
            write("^C\r\n")
            self.prompt(130)
        elif key.name == "C-d" and not self._line:
            self._truth.log("end_of_input")
            write("\r\n")
            self._loop.finish(0)
        elif key.name not in ("PasteStart", "PasteEnd"):
            self._truth.log("unknown_key", key=key.name)

    def _run(self, line: str) -> None:
        if not line.strip():
            self._truth.log("empty_submit")
            self.prompt()
            return
        self._n_lines += 1
        self._truth.log("submit", text=line, number=self._n_lines)
        self._truth.log("state", state="busy")
        self._loop.on_bytes = None
        self._terminal.cooked()
        self._terminal.write(("\x1b[?2004l" if self._cycle else "") + self._mark("C"))
        word, _, rest = line.partition(" ")
        commands: dict[str, Callable[[str], None]] = {
            "log": self._pager,
            "up": self._password,
            "ask": self._yes_no,
            "sleep": lambda ms: self._later(float(ms or 0) / 1000),
            "print": lambda text: self._say(text),
            "exit": lambda status: self._loop.finish(int(status or 0)),
        }
        command = commands.get(word)
        if command is None:
            self._say(f"ran: {line}")
        else:
            command(rest)

    def _say(self, text: str) -> None:
        self._terminal.write(text + "\n")
        self.prompt(0)

    def _later(self, after_s: float) -> None:
        self._loop.call_after(after_s, lambda: self.prompt(0))

    def _pager(self, _rest: str) -> None:
        self._terminal.raw()
        rows = "".join(
            f"commit {n:02d} a change of some kind\r\n" for n in range(1, _PAGER_ROWS + 1)
        )
        self._truth.log("pager_opened")
        self._terminal.write(f"\x1b[?1049h\x1b[H\x1b[2J{rows}:")
        self._loop.on_bytes = self._pager_keys

    def _pager_keys(self, data: bytes) -> None:
        for byte in data:
            if byte == ord("q"):
                self._truth.log("pager_closed")
                self._terminal.write("\x1b[?1049l")
                self._terminal.cooked()
                self.prompt(0)
                return
            self._truth.log("pager_key", key=chr(byte))

    def _password(self, _rest: str) -> None:
        self._terminal.cooked(echo=False)
        question = "[sudo] password for u: "
        self._ask(question, self._password_line, secret=True)

    def _password_line(self, line: bytes) -> None:
        self._truth.log("secret", n_bytes=len(line), sha256=hashlib.sha256(line).hexdigest())
        self._terminal.cooked()
        self._say("\nup")

    def _yes_no(self, _rest: str) -> None:
        self._ask("Allow? [y/n]: ", self._yes_no_line, secret=False)

    def _yes_no_line(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace")
        self._truth.log(
            "approved" if text.strip().lower().startswith("y") else "declined", text=text
        )
        self._say("ok")

    def _ask(self, question: str, take: Callable[[bytes], None], *, secret: bool) -> None:
        self._truth.log("dialog_opened", question=question)
        self._terminal.write(question)
        self._truth.log("dialog_painted")
        self._held = b""

        def taken(data: bytes) -> None:
            self._held += data
            if b"\n" in self._held:
                self._truth.log("dialog_closed", by="option")
                take(self._held.partition(b"\n")[0])

        self._loop.log_reads = not secret
        self._loop.on_bytes = taken


def main(name: str, argv: list[str]) -> int:
    """Run the program *name*; return its exit status."""
    parser = base_parser(name)
    one = parser.add_argument
    if name == "shell-then-agent":
        one("--shell", default="bash")
        one("--agent", default="composer")
        one("--agent-options", default="", help="as one text, quoted like in a shell")
        return _shell_then_agent(parser.parse_args(argv))
    one("--prompt", default="$ ")
    one("--text", default="", help="printed first")
    one("--cycle", action="store_true", help="bracketed paste on at each prompt, off for commands")
    one("--marks", action="store_true", help="OSC 133")
    boot_ms = "1500" if name == "slow-boot" else "0"
    one("--boot", type=milliseconds, default=milliseconds(boot_ms), metavar="MS")
    one("--flush", action="store_true", help="throws away what was typed during the boot")
    options = parser.parse_args(argv)
    terminal = Terminal()
    loop = Loop(terminal, TruthWriter(options.log))
    repl = Repl(terminal, loop, prompt=options.prompt, cycle=options.cycle, marks=options.marks)
    terminal.cooked()
    loop.truth.log("state", state="boot")
    if options.text:
        terminal.write(options.text + "\n")

    def booted() -> None:
        if options.flush:
            loop.truth.log("flushed", n_bytes=terminal.flush_input())
        repl.prompt()

    loop.call_after(options.boot, booted)
    return run_loop(loop)


def _shell_then_agent(options: argparse.Namespace) -> int:
    """Become a shell whose first prompt runs the agent in the foreground."""
    from panegate.testing.programs import program_argv

    agent = program_argv(options.agent, log=options.log) + shlex.split(options.agent_options)
    TruthWriter(options.log).log("shell", pid=os.getpid(), agent=agent)
    environment = {**os.environ, "PS1": "$ ", "HISTFILE": os.devnull}
    environment["PROMPT_COMMAND"] = f"unset PROMPT_COMMAND; {shlex.join(agent)}"
    sys.stdout.flush()
    os.execvpe(options.shell, [options.shell, "--norc", "--noprofile", "-i"], environment)

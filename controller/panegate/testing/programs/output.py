"""Programs that mostly print, or do not.

* ``spinner`` turns for ever or for a while; ``clock`` repaints a screen like a monitor;
* ``silent-worker`` says it runs, then nothing while a child works, then a result;
* ``flood`` prints as fast as it can; ``sleeper`` prints nothing;
* ``log-lines`` prints lines that look like questions; ``unterminated`` leaves an escape
  sequence open.
"""

import argparse
import os
import signal
import time

from panegate.testing.programs._options import base_parser, milliseconds, texts
from panegate.testing.programs._terminal import Loop, Terminal, run_loop
from panegate.testing.programs._truth import TruthWriter, process_start
from panegate.testing.programs.repl import Repl

__all__ = ["main"]

_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_BAR_CELLS = 30
_FLOOD_WRITE_BYTES = 16384
_LOG_LINES = ("step 2:", "grep: /x: not there:", "Are you sure about this one?")
_TWO_ROW_PROMPT = "\x1b[34m~/work/app\x1b[0m (\x1b[32mmain\x1b[0m)\n\x1b[35m❯\x1b[0m "
_OPENERS = {"osc": "\x1b]2;half a ti", "dcs": "\x1bPq", "csi": "\x1b[38;5;"}


def main(name: str, argv: list[str]) -> int:
    """Run the program *name*; return its exit status."""
    options = _options(name, argv)
    terminal = Terminal()
    loop = Loop(terminal, TruthWriter(options.log))
    terminal.cooked()
    at_end = {
        "spinner": _spinner,
        "clock": _clock,
        "silent-worker": _silent_worker,
        "flood": _flood,
        "sleeper": _sleeper,
        "log-lines": _log_lines,
        "unterminated": _unterminated,
    }[name](options, terminal, loop)
    return run_loop(loop, at_end=lambda: terminal.write(at_end))


def _options(name: str, argv: list[str]) -> argparse.Namespace:
    parser = base_parser(name)
    one = parser.add_argument
    if name not in ("sleeper", "unterminated"):
        one("--then", choices=("exit", "prompt"), default="exit")
        one("--prompt", default="$ ")
        one("--status", type=int, default=0)
    if name in ("spinner", "clock", "log-lines"):
        defaults = {"spinner": "100", "clock": "1500", "log-lines": "2000"}
        one("--every", type=milliseconds, default=milliseconds(defaults[name]), metavar="MS")
    if name in ("spinner", "silent-worker", "flood"):
        after = milliseconds("45000" if name == "silent-worker" else "0")
        one("--for", dest="for_s", type=milliseconds, default=after, metavar="MS", help="0: ever")
    if name == "spinner":
        one("--style", choices=("spinner", "bar"), default="spinner")
        one("--text", default="Working…")
    elif name == "silent-worker":
        one("--text", default="running")
        one("--result", default="result: 42")
    elif name == "flood":
        one("--line-bytes", type=int, default=80)
        one("--no-newlines", action="store_true", help="one line without an end")
    elif name == "sleeper":
        one("--text", default="")
    elif name == "log-lines":
        one("--lines", type=texts, default=_LOG_LINES, metavar="A;;B")
        one("--loops", type=int, default=1, help="0: for ever")
        one("--first", default="", help="printed before anything else")
        one("--burst", type=int, default=0, metavar="N", help="lines at once after that")
        parser.set_defaults(then="prompt", prompt=_TWO_ROW_PROMPT)
    elif name == "unterminated":
        one("--sequence", choices=tuple(_OPENERS), default="osc")
        one("--after", type=milliseconds, default=1.0, metavar="MS")
        one("--text", default="after it\r\n> ")
        one("--end", action="store_true", help="ends the sequence before the text")
    return parser.parse_args(argv)


def _over(options: argparse.Namespace, terminal: Terminal, loop: Loop) -> None:
    """Do what ``--then`` says."""
    loop.truth.log("output_over")
    if options.then == "prompt":
        Repl(terminal, loop, prompt=options.prompt).prompt()
    else:
        loop.finish(options.status)


def _spinner(options: argparse.Namespace, terminal: Terminal, loop: Loop) -> str:
    began_s = time.monotonic()
    loop.truth.log("state", state="busy")

    def turn() -> None:
        elapsed_s = time.monotonic() - began_s
        if options.for_s and elapsed_s >= options.for_s:
            terminal.write("\r\x1b[Kdone\n")
            _over(options, terminal, loop)
            return
        step = int(elapsed_s / options.every)
        if options.style == "bar":
            full = step % (_BAR_CELLS + 1)
            terminal.write(f"\r[{'#' * full}{'.' * (_BAR_CELLS - full)}] {options.text}")
        else:
            terminal.write(f"\r{_SPINNER[step % len(_SPINNER)]} {options.text} {elapsed_s:.0f}s")
        loop.call_after(options.every, turn)

    turn()
    return ""


def _clock(options: argparse.Namespace, terminal: Terminal, loop: Loop) -> str:
    terminal.raw()
    began_s = time.monotonic()

    def paint() -> None:
        height, width = terminal.size()
        elapsed_s = time.monotonic() - began_s
        rows = [f"  up {elapsed_s:8.1f}s   tasks 3"]
        rows += [
            f"  {100 + n:5d} u    {(elapsed_s * (n + 3)) % 100:5.1f}%  job-{n}" for n in range(5)
        ]
        body = "".join(f"\x1b[{at + 1};1H\x1b[2K{row[:width]}" for at, row in enumerate(rows))
        terminal.write(f"{body}\x1b[{height};1H\x1b[2K\x1b[7mF1 Help  q Quit\x1b[0m")

    def take(data: bytes) -> None:
        if b"q" in data:
            loop.finish(0)

    loop.on_bytes, loop.on_resize = take, paint
    terminal.write("\x1b[?1049h\x1b[?25l\x1b[2J")
    paint()
    loop.every(options.every, paint)
    return "\x1b[?25h\x1b[?1049l"


def _silent_worker(options: argparse.Namespace, terminal: Terminal, loop: Loop) -> str:
    terminal.write(options.text + "\n")
    loop.truth.log("state", state="busy")
    defaults = [signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGCHLD]
    pid = os.posix_spawnp("sleep", ["sleep", str(options.for_s)], os.environ, setsigdef=defaults)
    loop.children.append(pid)
    loop.truth.log("child", pid=pid, started=process_start(pid), argv=["sleep"])

    def child_changed() -> None:
        if loop.children and os.waitpid(pid, os.WNOHANG)[0] == pid:
            loop.children.clear()
            terminal.write(options.result + "\n")
            _over(options, terminal, loop)

    loop.on_child = child_changed
    return ""


def _flood(options: argparse.Namespace, terminal: Terminal, loop: Loop) -> str:
    line = b"flood " * (options.line_bytes // 6 + 1)
    line = line[: max(1, options.line_bytes - 1)] + (b"" if options.no_newlines else b"\n")
    # A write that nobody drains must still be ended by a signal.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    block = line * max(1, _FLOOD_WRITE_BYTES // len(line))
    deadline_s = time.monotonic() + options.for_s
    loop.truth.log("state", state="busy")
    n_bytes = 0

    def pour() -> None:
        nonlocal n_bytes
        terminal.write(block)
        n_bytes += len(block)
        if options.for_s and time.monotonic() >= deadline_s:
            loop.truth.log("flooded", n_bytes=n_bytes)
            terminal.write("\nflood over\n")
            _over(options, terminal, loop)
        else:
            loop.call_after(0, pour)

    loop.call_after(0, pour)
    return ""


def _sleeper(options: argparse.Namespace, terminal: Terminal, loop: Loop) -> str:
    if options.text:
        terminal.write(options.text + "\n")
    loop.truth.log("state", state="silent")
    return ""


def _log_lines(options: argparse.Namespace, terminal: Terminal, loop: Loop) -> str:
    loop.truth.log("state", state="busy")
    burst = [f"log line {n} of {options.burst}" for n in range(1, options.burst + 1)]
    head = [*([options.first] if options.first else []), *burst]
    terminal.write("".join(f"{line}\n" for line in head))
    n_printed = 0

    def print_next() -> None:
        nonlocal n_printed
        if options.loops and n_printed >= options.loops * len(options.lines):
            _over(options, terminal, loop)
            return
        line = options.lines[n_printed % len(options.lines)]
        n_printed += 1
        loop.truth.log("printed", text=line)
        terminal.write(line + "\n")
        loop.call_after(options.every, print_next)

    loop.call_after(0, print_next)
    return ""


def _unterminated(options: argparse.Namespace, terminal: Terminal, loop: Loop) -> str:
    terminal.raw()
    loop.on_bytes = lambda data: None
    loop.truth.log("sequence_opened")
    terminal.write(f"before it\r\n{_OPENERS[options.sequence]}")

    def go_on() -> None:
        loop.truth.log("state", state="ready")
        terminal.write(("\x1b\\" if options.end else "") + options.text)

    loop.call_after(options.after, go_on)
    return ""

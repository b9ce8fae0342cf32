"""Classic terminal programs with the truth about how they wait, each in a pty of its own.

Used by the tests beside it and by ``bench/risks_probe.py``. The truth is known from
the program (its own words on the terminal, its process state, the foreground group as
the controlling side sees it), never from the probe.
"""

import contextlib
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pane_terminal import Terminal, environment

from panegate.panes.facts import KernelFact, ProbeLevel, TtyWait
from panegate.probes.factory import open_probe

__all__ = ["BY_NAME", "PROGRAMS", "Program", "judge", "observe", "started"]

W = TtyWait
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
WAITING = {W.READ, W.SELECT, W.TIMED, W.EVENT_LOOP}


@dataclass(frozen=True, kw_only=True)
class Program:
    """One program in one state."""

    name: str
    argv: Sequence[str]
    text: str
    """What it writes when it is (about to be) in that state."""
    at_terminal: bool
    """The truth: it waits for a key or a line from this terminal."""
    full: set[TtyWait]
    """What level FULL must say."""
    modes: tuple[bool, bool] | None
    """ECHO, ICANON; None where it does not matter."""
    then: str = ""
    """Typed after ``text``."""
    foreground: str = ""
    """Name of the foreground leader that must come after ``then``."""
    process_state: str = "S"
    setuid: bool = False
    """Runs as root although an ordinary user started it."""
    reader: str = ""
    """The program found waiting."""
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def present(self) -> bool:
        return shutil.which(self.argv[0]) is not None


def python(code: str) -> list[str]:
    return [PYTHON, "-I", "-u", "-c", code]


def bash(code: str) -> list[str]:
    return ["bash", "--norc", "--noprofile", "-c", code]


BASH = ["bash", "--norc", "--noprofile"]
NODE_ASKS = "require('readline').createInterface(process.stdin,process.stdout).question('Q? ',_=>0)"
TCP = (
    "import socket; l=socket.create_server(('127.0.0.1',0)); c=socket.create_connection("
    "l.getsockname()); print('GO'); c.recv(1)"
)
THREAD = (
    "import threading,time,os; print('GO'); "
    "threading.Thread(target=os.read,args=(0,1),daemon=True).start(); time.sleep(1000)"
)
DETACHED = (
    "import subprocess; print('GO'); subprocess.run(['cat'],start_new_session=True)"  # as su does
)
EPOLL = "import select; e=select.epoll(); e.register(0,1); print('GO'); e.poll()"
NESTED = (
    "import select; i=select.epoll(); i.register(0,1); e=select.epoll(); "
    "e.register(i.fileno(),1); print('GO'); e.poll()"
)
EPOLL_AWAY = (
    "import select,os; r,w=os.pipe(); e=select.epoll(); e.register(r,1); "
    "e.register(1,2); print('GO'); e.poll()"
)
POLL_AWAY = (
    "import select,os; r,w=os.pipe(); p=select.poll(); p.register(r,1); "
    "p.register(0,2); print('GO'); p.poll()"
)
POLL_RELAY = (
    "import select,socket; a,b=socket.socketpair(); p=select.poll(); p.register(0,1); "
    "p.register(a,1); print('GO'); p.poll()"
)
INOTIFY = "import ctypes,os; f=ctypes.CDLL(None).inotify_init1(0); print('GO'); os.read(f,100)"

PROGRAMS = [
    Program(
        name="bash at its prompt",
        argv=BASH,
        text="READY$ ",
        at_terminal=True,
        full={W.SELECT},
        modes=(False, False),
        reader="bash",
    ),
    Program(
        name="bash, sleep",
        argv=BASH,
        text="READY$ ",
        then="sleep 1000\r",
        foreground="sleep",
        at_terminal=False,
        full={W.ABSENT},
        modes=(True, True),
    ),
    Program(
        name="bash, cat",
        argv=BASH,
        text="READY$ ",
        then="cat\r",
        foreground="cat",
        at_terminal=True,
        full={W.READ},
        modes=(True, True),
        reader="cat",
    ),
    Program(
        name="bash, pipeline",
        argv=BASH,
        text="READY$ ",
        then="sleep 1000 | sort\r",
        foreground="sleep",
        at_terminal=False,
        full={W.ABSENT},
        modes=(True, True),
    ),
    Program(
        name="bash -c, between commands",
        argv=bash("echo GO; sleep 1000; :"),
        text="GO",
        at_terminal=False,
        full={W.ABSENT},
        modes=(True, True),
    ),
    Program(
        name="read -p",
        argv=bash("read -p 'NAME: ' x; sleep 1000"),
        text="NAME: ",
        at_terminal=True,
        full={W.READ},
        modes=(True, True),
    ),
    Program(
        name="read -s",
        argv=bash("read -s -p 'SECRET: ' x; sleep 1000"),
        text="SECRET: ",
        at_terminal=True,
        full={W.READ},
        modes=(False, True),
    ),
    Program(
        name="read -t 1000",
        argv=bash("read -t 1000 -p 'NAME: ' x; sleep 1000"),
        text="NAME: ",
        at_terminal=True,
        full={W.TIMED},
        modes=(True, True),
    ),
    Program(
        name="python input()",
        argv=python("input('NAME: ')"),
        text="NAME: ",
        at_terminal=True,
        full={W.READ, W.SELECT},
        modes=None,
    ),
    Program(
        name="python getpass",
        argv=python("import getpass; getpass.getpass('SECRET: ')"),
        text="SECRET: ",
        at_terminal=True,
        full={W.READ},
        modes=(False, True),
    ),
    Program(
        name="python prompt",
        argv=[PYTHON, "-q"],
        text=">>> ",
        at_terminal=True,
        full={W.SELECT},
        modes=(False, False),
    ),
    Program(
        name="python loop",
        argv=python("print('GO')\nwhile 1: pass"),
        text="GO",
        at_terminal=False,
        full={W.ABSENT},
        modes=(True, True),
        process_state="R",
    ),
    Program(
        name="python accept()",
        argv=python(
            "import socket; s=socket.create_server(('127.0.0.1',0)); print('GO'); s.accept()"
        ),
        text="GO",
        at_terminal=False,
        full={W.ABSENT},
        modes=(True, True),
    ),
    Program(
        name="python recv() of TCP",
        argv=python(TCP),
        text="GO",
        at_terminal=False,
        full={W.ABSENT},
        modes=(True, True),
    ),
    Program(
        name="python read() of inotify",
        argv=python(INOTIFY),
        text="GO",
        at_terminal=False,
        full={W.ABSENT},
        modes=(True, True),
    ),
    Program(
        name="python thread reads",
        argv=python(THREAD),
        text="GO",
        at_terminal=True,
        full={W.READ},
        modes=(True, True),
    ),
    Program(
        name="wrapper, own session",
        argv=python(DETACHED),
        text="GO",
        at_terminal=True,
        full={W.READ},
        modes=(True, True),
        reader="cat",
    ),
    Program(
        name="epoll on it",
        argv=python(EPOLL),
        text="GO",
        at_terminal=True,
        full={W.EVENT_LOOP},
        modes=(True, True),
    ),
    Program(
        name="epoll in epoll",
        argv=python(NESTED),
        text="GO",
        at_terminal=True,
        full={W.EVENT_LOOP},
        modes=(True, True),
    ),
    Program(
        name="epoll elsewhere",
        argv=python(EPOLL_AWAY),
        text="GO",
        at_terminal=False,
        full={W.ABSENT},
        modes=(True, True),
    ),
    Program(
        name="poll elsewhere",
        argv=python(POLL_AWAY),
        text="GO",
        at_terminal=False,
        full={W.ABSENT},
        modes=(True, True),
    ),
    Program(
        name="poll on it and a socket",
        argv=python(POLL_RELAY),
        text="GO",
        at_terminal=True,
        full={W.EVENT_LOOP},
        modes=(True, True),
    ),
    Program(
        name="script, sleep inside",
        argv=["script", "-q", "-c", "echo GO; sleep 1000", "/dev/null"],
        text="GO",
        at_terminal=False,
        full={W.EVENT_LOOP},
        modes=None,
    ),
    Program(
        name="node question",
        argv=["node", "-e", NODE_ASKS],
        text="Q? ",
        at_terminal=True,
        full={W.EVENT_LOOP},
        modes=(False, False),
    ),
    Program(
        name="node, busy with readline open",
        argv=["node", "-e", f"{NODE_ASKS};setTimeout(()=>0,1e6)"],
        text="Q? ",
        at_terminal=False,
        full={W.EVENT_LOOP},
        modes=(False, False),
    ),
    Program(
        name="node timer",
        argv=["node", "-e", "console.log('GO');setTimeout(()=>0,1e6)"],
        text="GO",
        at_terminal=False,
        full={W.ABSENT},
        modes=(True, True),
    ),
    Program(
        name="less",
        argv=["less", "/etc/services"],
        text="/etc/services",
        at_terminal=True,
        full={W.READ},
        modes=(False, False),
    ),
    Program(
        name="vim",
        argv=["vim", "-u", "NONE", "-n", "-c", "set noshowcmd | echo 'GO'.'ON'"],
        text="GOON",
        at_terminal=True,
        full={W.SELECT, W.TIMED},
        modes=(False, False),
    ),
    Program(
        name="nano",
        argv=["nano", "-I"],
        text="^X",
        at_terminal=True,
        full={W.READ, W.SELECT},
        modes=(False, False),
    ),
    Program(
        name="zsh at its prompt",
        argv=["zsh", "-f"],
        text="READY$ ",
        at_terminal=True,
        full={W.READ, W.SELECT},
        modes=(False, False),
    ),
    Program(
        name="fish at its prompt",
        argv=["fish", "--no-config", "-C", "function fish_prompt; echo -n 'READY$ '; end"],
        text="READY$ ",
        at_terminal=True,
        full={W.READ, W.SELECT, W.TIMED},
        modes=(False, False),
    ),
    Program(
        name="sqlite3",
        argv=["sqlite3"],
        text="sqlite> ",
        at_terminal=True,
        full={W.SELECT, W.READ},
        modes=None,
    ),
    Program(
        name="gdb",
        argv=["gdb", "-nx", "-q"],
        text="(gdb) ",
        at_terminal=True,
        full={W.SELECT},
        modes=(False, False),
    ),
    Program(
        name="top",
        argv=["top", "-d", "60"],
        text="%CPU",
        at_terminal=True,
        full={W.TIMED},
        modes=(False, False),
    ),
    Program(
        name="fzf",
        argv=bash("printf 'one\\ntwo\\n' | fzf"),
        text="2/2",
        at_terminal=True,
        full=WAITING,
        modes=(False, False),
    ),
    Program(
        name="dialog",
        argv=["dialog", "--yesno", "GO ON?", "8", "30"],
        text="GO ON?",
        at_terminal=True,
        full={W.READ, W.SELECT, W.TIMED},
        modes=(False, False),
    ),
    Program(
        name="passwd",
        argv=["passwd"],
        text="assword: ",
        at_terminal=True,
        full={W.READ},
        modes=(False, True),
        setuid=True,
    ),
    Program(
        name="stopped",
        argv=bash("echo GO; kill -STOP $$; read x"),
        text="GO",
        at_terminal=False,
        full={W.ABSENT},
        modes=(True, True),
        process_state="T",
    ),
]

BY_NAME = {program.name: program for program in PROGRAMS}


@contextlib.contextmanager
def started(program: Program) -> Iterator[Terminal]:
    """Run *program* until it is in its state."""
    with tempfile.TemporaryDirectory(prefix="panegate-probe-") as home:
        terminal = Terminal(program.argv, environment(home) | program.environ)
        try:
            terminal.wait_for_text(program.text)
            if program.then:
                terminal.wait_for_rest("S")
                terminal.type(program.then)
            if program.foreground:
                terminal.wait_for_foreground(program.foreground)
            terminal.wait_for_rest(program.process_state)
            yield terminal
        finally:
            terminal.close()


def judge(program: Program, fact: KernelFact) -> str:
    """Compare the reported wait with the truth: ``right``, ``open`` or ``WRONG``."""
    if fact.wait is W.UNKNOWN or (fact.wait is W.EVENT_LOOP and not program.at_terminal):
        return "open"
    waits = fact.wait in WAITING
    return "right" if waits is program.at_terminal else "WRONG"


def observe(terminal: Terminal, level: ProbeLevel, n_reads: int = 1) -> tuple[KernelFact, float]:
    """Read a fact *n_reads* times; return the last and the median microseconds."""
    probe = open_probe(terminal.tty, terminal.pid, level)
    spent = []
    fact = probe.read(time.monotonic())
    for _ in range(n_reads):
        began_s = time.perf_counter()
        fact = probe.read(time.monotonic())
        spent.append((time.perf_counter() - began_s) * 1e6)
    return fact, statistics.median(spent)


def report(n_reads: int) -> Iterator[dict[str, Any]]:
    """Run every program once; yield one row per program and level."""
    for program in PROGRAMS:
        if not program.present:
            continue
        try:
            with started(program) as terminal:
                for level in ProbeLevel:
                    fact, spent_us = observe(terminal, level, n_reads)
                    yield {
                        "program": program.name,
                        "uid": os.getuid(),
                        "asked": level.value,
                        "level": fact.level.value,
                        "wait": fact.wait.value,
                        "echo": fact.echo,
                        "icanon": fact.icanon,
                        "stopped": fact.stopped,
                        "reader": fact.reader_command,
                        "foreground": fact.foreground_command,
                        "children": len(fact.children),
                        "judged": judge(program, fact),
                        "us": round(spent_us, 1),
                    }
        except TimeoutError as exc:
            yield {"program": program.name, "uid": os.getuid(), "failed": str(exc)}


if __name__ == "__main__":
    for row in report(int(sys.argv[1]) if len(sys.argv) > 1 else 1):
        print(json.dumps(row), flush=True)

"""Programs with a profile that keep a record of every message, by their own means."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from panegate.testing.servers import require_program

from .staging import KERNEL

__all__ = ["RECORDERS", "Recorder", "Started", "find"]


@attrs.frozen(kw_only=True)
class Started:
    """How one run of a program begins, and where its record is."""

    home: Path
    argv: list[str]
    env: Mapping[str, str]
    taken: Callable[[], list[str]]
    """Every message so far, in order."""
    close: Callable[[], None] = lambda: None


@attrs.frozen(kw_only=True)
class Recorder:
    """One program: how it is told a text, and what it takes."""

    name: str
    profile: str
    start: Callable[[Path], Started]
    saying: Callable[[str], str]
    """The message that makes it record a text."""
    needs: tuple[str, ...] = ()
    """Programs that must be on this machine."""
    bare: tuple[tuple[str, str], ...] = ()
    """Messages that hold nothing but a dangerous text, and what is recorded of them."""
    multi_line: bool = False
    tabs: bool = False
    line_mode: bool = False
    """The terminal edits its lines, and bounds them."""
    asks_terminal: bool = False
    """Only the terminal's own word says that; without it a tab is refused."""
    one_screen: bool = False
    """It cannot show a text taller than its screen."""
    needs_trust: bool = False
    """An empty row is no proof: without the kernel's word the caller has to say so."""

    @property
    def takes_tabs(self) -> bool:
        """Whether a text with a tab is sent to it."""
        return self.tabs and (not self.asks_terminal or KERNEL)


def find(program: str) -> str | None:
    """Return the path of a program; Debian keeps a database server's off the PATH."""
    servers = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))
    return shutil.which(program) or (str(servers[-1]) if servers else None)


def _path(program: str) -> str:
    return find(program) or require_program(program)


def _env(home: Path, **more: str) -> dict[str, str]:
    names = ("HOME", "ZDOTDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "IPYTHONDIR")
    return {**dict.fromkeys(names, str(home)), "LC_ALL": "C.UTF-8", "HISTFILE": "", **more}


def _file(path: Path, end: str) -> Callable[[], list[str]]:
    def taken() -> list[str]:
        data = path.read_bytes().decode() if path.exists() else ""
        *texts, rest = data.split(end)
        return [*texts, *([f"unfinished: {rest}"] if rest else [])]

    return taken


# --- shells ---------------------------------------------------------------------------

_POSIX: Final = "took() {{ printf '%s\\0' \"$1\" >> '{record}'; }}\n"
_OWN_ECHO: Final = 'echo() {{ took "echo $*"; }}\n'
_START_FILES: Final[dict[str, tuple[str, str]]] = {
    "bash": (
        "hooks",
        _POSIX + _OWN_ECHO + 'command_not_found_handle() {{ took "$*"; }}\n',
    ),
    "dash": ("hooks", _POSIX + _OWN_ECHO + 'Enter() {{ took "Enter"; }}\n'),
    "zsh": (
        ".zshrc",
        _POSIX + _OWN_ECHO + 'command_not_found_handler() {{ took "$*"; }}\n',
    ),
    "fish": (
        "fish/config.fish",
        "set fish_greeting\n"
        "function took; printf '%s\\0' $argv[1] >> '{record}'; end\n"
        "function on_echo --on-event fish_preexec\n"
        "    string match -q 'echo *' -- $argv[1]; and took (string trim -rc ';' $argv[1])\n"
        "end\n"
        'function fish_command_not_found; took "$argv"; end\n',
    ),
}


def _shell(name: str, *words: str) -> Callable[[Path], Started]:
    def start(home: Path) -> Started:
        record = home / "record"
        place, content = _START_FILES[name]
        (home / place).parent.mkdir(exist_ok=True)
        (home / place).write_text(content.format(record=record))
        return Started(
            home=home,
            argv=[name, *(word.format(hooks=home / place) for word in words)],
            env=_env(home, **({"ENV": str(home / place)} if name == "dash" else {})),
            taken=_file(record, "\0"),
        )

    return start


def _posix_saying(text: str) -> str:
    quoted = text.replace("'", "'\\''")
    return f"took '{quoted}'"


def _fish_saying(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"took '{quoted}'"


# --- Python and Node.js ---------------------------------------------------------------

_PYTHON: Final = """
def took(text):
    with open({record!r}, "ab") as record:
        record.write(text.encode() + b"\\0")
class _Word:
    def __init__(self, word):
        self.word = word
    def __repr__(self):
        took(self.word)
        return "taken"
    def __sub__(self, other):
        return _Word(f"{{self.word}}-{{other.word}}")
Enter, C, c = map(_Word, ("Enter", "C", "c"))
"""
_NODE: Final = """
const fs = require("fs");
global.took = (text) => {{ fs.appendFileSync({record}, text + "\\0"); }};
for (const name of ["Enter", "dollar"])
  Object.defineProperty(global, name, {{ get() {{ global.took(name); return 0; }} }});
"""


def _python(*words: str) -> Callable[[Path], Started]:
    def start(home: Path) -> Started:
        script = home / "script.py"
        script.write_text(_PYTHON.format(record=str(home / "record")))
        argv = [sys.executable, *words, "-q", "-i", str(script)]
        return Started(home=home, argv=argv, env=_env(home), taken=_file(home / "record", "\0"))

    return start


def _ipython(home: Path) -> Started:
    script = home / "script.py"
    script.write_text(_PYTHON.format(record=str(home / "record")))
    leaves = "--TerminalInteractiveShell.confirm_exit=False"
    argv = ["ipython", "--no-banner", leaves, "-i", str(script)]
    return Started(home=home, argv=argv, env=_env(home), taken=_file(home / "record", "\0"))


def _node(home: Path) -> Started:
    script = home / "script.js"
    script.write_text(_NODE.format(record=json.dumps(str(home / "record"))))
    return Started(
        home=home,
        argv=["node", "-r", str(script)],
        env=_env(home, NODE_REPL_HISTORY=""),
        taken=_file(home / "record", "\0"),
    )


def _c_saying(text: str) -> str:
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"took('{quoted}')"


def _python_saying(text: str) -> str:
    if "\n" in text:
        quoted = text.replace("\\", "\\\\").replace("'", "\\'")
        return f"took('''{quoted}''')"
    return _c_saying(text)


# --- debugger and databases -----------------------------------------------------------

_GDB: Final = """
import gdb
gdb.execute("set confirm off")
class Took(gdb.Command):
    def __init__(self, name, before):
        super().__init__(name, gdb.COMMAND_USER)
        self.before = before
    def invoke(self, argument, from_tty):
        text = argument[1:-1] if argument.startswith("[") else argument
        with open({record!r}, "ab") as record:
            record.write((self.before + text).encode() + b"\\0")
Took("took", "")
Took("Enter", "Enter")
Took("echo", "echo ")
"""


def _gdb(home: Path) -> Started:
    script = home / "script.py"
    script.write_text(_GDB.format(record=str(home / "record")))
    argv = ["gdb", "-q", "-nx", "-x", str(script)]
    return Started(home=home, argv=argv, env=_env(home), taken=_file(home / "record", "\0"))


def _sqlite3(home: Path) -> Started:
    path = home / "record.db"
    with sqlite3.connect(path) as made:
        made.execute("create table took (number integer primary key, text)")
    made.close()

    def taken() -> list[str]:
        opened = sqlite3.connect(path)
        rows = opened.execute("select text from took order by number").fetchall()
        opened.close()
        return [str(row[0]) for row in rows]

    argv = ["sqlite3", "-init", os.devnull, "-cmd", "pragma synchronous = off", str(path)]
    return Started(home=home, argv=argv, env=_env(home), taken=taken)


def _sql_saying(text: str) -> str:
    quoted = text.replace("'", "''")
    return f"insert into took (text) values ('{quoted}');"


def _psql(home: Path) -> Started:
    psql, initdb, control = map(_path, ("psql", "initdb", "pg_ctl"))
    base = Path(tempfile.mkdtemp(prefix="panegate-psql-"))  # the server's user must get there
    user = "postgres" if os.geteuid() == 0 else None  # the server refuses to run as root
    if user is not None:
        shutil.chown(base, user)

    def run(*words: str) -> None:
        subprocess.run(
            words,
            user=user,
            cwd=base,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=60,
        )

    data = str(base / "data")
    ask = [psql, "-X", "-A", "-t", "-h", str(base), "-U", "tester", "-d", "postgres"]

    def answer(query: str) -> str:
        words = [*ask, "-c", query]
        return subprocess.run(words, check=True, capture_output=True, text=True, timeout=20).stdout

    def close() -> None:
        run(control, "stop", "-D", data, "-m", "immediate")
        shutil.rmtree(base)

    run(initdb, "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
    options = f"-c listen_addresses= -c fsync=off -k {base}"
    run(control, "start", "-w", "-D", data, "-l", str(base / "log"), "-o", options)
    try:
        answer("create table took (number serial primary key, text text)")
    except BaseException:
        close()
        raise
    return Started(
        home=home,
        argv=["psql", "-X", *ask[4:]],
        env=_env(home, PSQL_HISTORY=os.devnull),
        taken=lambda: json.loads(answer("select json_agg(text order by number) from took")),
        close=close,
    )


# --- line readers ---------------------------------------------------------------------

_LOOP: Final = """
import sys
while True:
    try:
        text = input({prompt!r})
    except EOFError:
        break
    with open({record!r}, "ab") as record:
        record.write(text.encode() + b"\\0")
"""


def _piped(command: str) -> Callable[[Path], Started]:
    def start(home: Path) -> Started:
        record = home / "record"
        argv = ["sh", "-c", f"exec {command} {record}"]
        return Started(home=home, argv=argv, env=_env(home), taken=_file(record, "\n"))

    return start


def _loop(prompt: str) -> Callable[[Path], Started]:
    def start(home: Path) -> Started:
        record = str(home / "record")
        program = _LOOP.format(prompt=prompt, record=record)
        argv = [sys.executable, "-I", "-S", "-c", program]
        return Started(home=home, argv=argv, env=_env(home), taken=_file(home / "record", "\0"))

    return start


def _itself(text: str) -> str:
    return text


_COMMANDS: Final = (("echo hi;", "echo hi"), ("Enter", "Enter"))
_NOT_FOUND: Final = (*_COMMANDS, ("C-c", "C-c"), ("-N x", "-N x"))
_WORDS: Final = (("Enter", "Enter"), ("C-c", "C-c"))


def _shell_recorder(name: str, profile: str, *words: str, **more: Any) -> Recorder:
    options: dict[str, Any] = {"saying": _posix_saying, "bare": _NOT_FOUND}
    options |= {"multi_line": True, "tabs": True, "needs": (name,)}
    return Recorder(name=name, profile=profile, start=_shell(name, *words), **options | more)


def _line_reader(name: str, start: Callable[[Path], Started], **more: Any) -> Recorder:
    options: dict[str, Any] = {"profile": "lines", "saying": _itself}
    options |= {"tabs": True, "line_mode": True}
    return Recorder(name=name, start=start, needs_trust=True, **options | more)


_NEW_REPL: Final = sys.version_info >= (3, 13)
"""Python's own line editor; before, readline, or with ``-I`` the terminal's line mode."""
_ALL: Final = (
    _shell_recorder("bash", "bash", "--noprofile", "--rcfile", "{hooks}"),
    _shell_recorder(
        "dash", "sh", bare=_COMMANDS, multi_line=False, line_mode=True, asks_terminal=True
    ),
    _shell_recorder("zsh", "zsh"),
    _shell_recorder("fish", "fish", saying=_fish_saying, tabs=False, one_screen=True),
    Recorder(
        name="python",
        profile="python",
        start=_python(),
        saying=_python_saying,
        bare=_WORDS,
        multi_line=_NEW_REPL,
        tabs=_NEW_REPL,
    ),
    Recorder(
        name="python -I",
        profile="python",
        start=_python("-I"),
        saying=_python_saying,
        bare=_WORDS,
        multi_line=_NEW_REPL,
        tabs=True,
        line_mode=not _NEW_REPL,
        asks_terminal=not _NEW_REPL,
    ),
    Recorder(
        name="ipython",
        profile="ipython",
        needs=("ipython",),
        start=_ipython,
        saying=_python_saying,
        bare=_WORDS,
        multi_line=True,
        tabs=True,
    ),
    Recorder(
        name="node",
        profile="node",
        needs=("node",),
        start=_node,
        saying=_c_saying,
        bare=(("Enter", "Enter"),),
    ),
    Recorder(
        name="sqlite3",
        profile="sqlite3",
        needs=("sqlite3",),
        start=_sqlite3,
        saying=_sql_saying,
        multi_line=True,
        tabs=True,
    ),
    Recorder(
        name="gdb",
        profile="gdb",
        needs=("gdb",),
        start=_gdb,
        saying=lambda text: f"took [{text}]",
        bare=(("echo hi;", "echo hi;"), ("Enter", "Enter")),
        tabs=True,
    ),
    Recorder(
        name="psql",
        profile="psql",
        needs=("psql", "initdb", "pg_ctl"),
        start=_psql,
        saying=_sql_saying,
        multi_line=True,
        tabs=True,
    ),
    _line_reader("cat", _piped("cat >>")),
    _line_reader("tee", _piped("tee -a")),
    _line_reader("input()", _loop("")),
    _line_reader("input('name> ')", _loop("name> ")),
)
RECORDERS: Final = {recorder.name: recorder for recorder in _ALL}
"""All of them, by name."""

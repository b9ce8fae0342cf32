"""The programs that are launched without a profile, and the truth about each.

Used by ``test_generic.py`` and ``bench/risks_generic.py``.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from .unprofiled import MESSAGE, Kind, Unprofiled

__all__ = ["PROGRAMS"]

PYTHON: Final = [sys.executable, "-I", "-S", "-q"]


def _files(folder: Path) -> None:
    (folder / "some.txt").write_text("one\ntwo\nthree\n")
    (folder / "long.txt").write_text("".join(f"row {n}\n" for n in range(300)))


def _git(folder: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words],
            cwd=folder,
            check=True,
            capture_output=True,
            env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
        )

    git("init", "-q", ".")
    (folder / "some.txt").write_text("one\n")
    git("add", ".")
    git("commit", "-qm", "first")
    (folder / "some.txt").write_text("one\ntwo\n")


def _bash(code: str) -> list[str]:
    return ["bash", "--norc", "--noprofile", "-c", code]


def _python(code: str) -> list[str]:
    return [*PYTHON, "-c", code]


def _loop(code: str) -> list[str]:
    return _python(f"while True: {code}")


_SUM: Final = {"message": "echo pg$((40+2))", "shows": "pg42"}
_PRODUCT: Final = {"message": "40002*5", "shows": "200010"}
_ROWS: Final = "printf '%s\\n' alpha beta gamma delta"
_READ: Final = "while read -p '> ' x; do echo pg-$x; done"
_NAMES: Final = "while read -p 'name: ' x; do echo hello $x; done"
_INPUT: Final = "print(input('> ').upper())"
_ASKED: Final = "PLEASE CONTINUE WITH PG7"

PROGRAMS: Final = (
    Unprofiled(name="bash", kind=Kind.SHELL, argv=["bash", "--norc", "--noprofile"], **_SUM),
    Unprofiled(
        name="bash, wide prompt",
        kind=Kind.SHELL,
        argv=["env", "PS1=\\u@\\h:\\w (main)\\n» ", "bash", "--norc", "--noprofile"],
        **_SUM,
    ),
    Unprofiled(name="dash", kind=Kind.SHELL, argv=["dash"], **_SUM),
    Unprofiled(name="zsh", kind=Kind.SHELL, argv=["zsh", "-f"], **_SUM),
    Unprofiled(
        name="fish",
        kind=Kind.SHELL,
        argv=["fish", "--no-config"],
        message="echo pg(math 40+2)",
        shows="pg42",
    ),
    Unprofiled(name="python", kind=Kind.REPL, argv=[sys.executable, "-q"], **_PRODUCT),
    Unprofiled(name="python without readline", kind=Kind.LINES, argv=PYTHON, **_PRODUCT),
    Unprofiled(
        name="ipython",
        kind=Kind.REPL,
        argv=["ipython", "--no-banner"],
        slow=True,
        message="40002*5",
        shows="Out[1]: 200010",
    ),
    Unprofiled(name="node", kind=Kind.REPL, argv=["node", "-i"], **_PRODUCT),
    Unprofiled(
        name="sqlite3",
        kind=Kind.REPL,
        argv=["sqlite3"],
        message="select 40002*5;",
        shows="200010",
    ),
    Unprofiled(
        name="gdb",
        kind=Kind.REPL,
        argv=["gdb", "-q", "-nx"],
        message="print 40002*5",
        shows="$1 = 200010",
    ),
    Unprofiled(name="bc", kind=Kind.LINES, argv=["bc", "-q"], **_PRODUCT),
    Unprofiled(name="ed", kind=Kind.LINES, argv=["ed"]),
    Unprofiled(name="cat", kind=Kind.LINES, argv=["cat"]),
    Unprofiled(name="read -p loop", kind=Kind.LINES, argv=_bash(_READ), shows=f"pg-{MESSAGE}"),
    Unprofiled(name="input() loop", kind=Kind.LINES, argv=_loop(_INPUT), shows=_ASKED),
    Unprofiled(
        name="bc, declared", kind=Kind.LINES, argv=["bc", "-q"], reads_lines=True, **_PRODUCT
    ),
    Unprofiled(name="cat, declared", kind=Kind.LINES, stand_in="lines", reads_lines=True),
    Unprofiled(
        name="read -p loop, declared",
        kind=Kind.LINES,
        argv=_bash(_READ),
        reads_lines=True,
        shows=f"pg-{MESSAGE}",
    ),
    Unprofiled(
        name="input() loop, declared",
        kind=Kind.LINES,
        argv=_loop(_INPUT),
        reads_lines=True,
        shows=_ASKED,
    ),
    Unprofiled(name="read -p 'name: '", kind=Kind.QUESTION, argv=_bash(_NAMES)),
    Unprofiled(
        name="read -p 'name: ', declared",
        kind=Kind.QUESTION,
        argv=_bash(_NAMES),
        reads_lines=True,
    ),
    Unprofiled(
        name="getpass", kind=Kind.QUESTION, argv=_python("import getpass; getpass.getpass()")
    ),
    Unprofiled(name="rm -i", kind=Kind.QUESTION, argv=["rm", "-i", "some.txt"], before=_files),
    Unprofiled(name="git add -p", kind=Kind.QUESTION, argv=["git", "add", "-p"], before=_git),
    Unprofiled(
        name="select",
        kind=Kind.QUESTION,
        argv=_bash("select x in apple pear fig; do echo $x; done"),
    ),
    Unprofiled(name="read -n 1", kind=Kind.QUESTION, argv=_bash("read -n 1 -p 'Continue? [y/N] '")),
    Unprofiled(name="read -s", kind=Kind.QUESTION, argv=_bash("read -s -p 'Passphrase: ' x")),
    Unprofiled(
        name="dialog --yesno",
        kind=Kind.QUESTION,
        argv=["dialog", "--yesno", "Delete all?", "8", "40"],
    ),
    Unprofiled(
        name="dialog --inputbox",
        kind=Kind.QUESTION,
        argv=["dialog", "--inputbox", "Name:", "8", "40"],
    ),
    Unprofiled(
        name="dialog --menu",
        kind=Kind.QUESTION,
        argv=["dialog", "--menu", "Choose", "12", "40", "3", "a", "one", "b", "two"],
    ),
    Unprofiled(
        name="whiptail --yesno",
        kind=Kind.QUESTION,
        argv=["whiptail", "--yesno", "Delete all?", "8", "40"],
    ),
    Unprofiled(
        name="whiptail --inputbox",
        kind=Kind.QUESTION,
        argv=["whiptail", "--inputbox", "Name:", "8", "40"],
    ),
    Unprofiled(
        name="vim",
        kind=Kind.SCREEN,
        argv=["vim", "-u", "NONE", "-i", "NONE", "some.txt"],
        before=_files,
    ),
    Unprofiled(
        name="vim, inserting",
        kind=Kind.SCREEN,
        before=_files,
        argv=["vim", "-u", "NONE", "-i", "NONE", "-c", "startinsert", "some.txt"],
    ),
    Unprofiled(name="vim, empty", kind=Kind.SCREEN, argv=["vim", "-u", "NONE", "-i", "NONE"]),
    Unprofiled(
        name="vim, a text like a prompt",
        kind=Kind.SCREEN,
        argv=[
            "vim",
            "-u",
            "NONE",
            "-i",
            "NONE",
            "-c",
            "set laststatus=0 noruler noshowmode",
            "-c",
            "call setline(1, ['╭───╮', '│ > │', '╰───╯']+repeat(['$ '], 40))",
            "-c",
            "normal 30G$",
            "-c",
            "startinsert!",
        ],
    ),
    Unprofiled(
        name="vim, of git commit",
        kind=Kind.SCREEN,
        argv=["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--allow-empty"],
        before=_git,
    ),
    Unprofiled(
        name="nano, of a script", kind=Kind.SCREEN, argv=_bash("nano some.txt; true"), before=_files
    ),
    Unprofiled(name="nano", kind=Kind.SCREEN, argv=["nano", "-I", "some.txt"], before=_files),
    Unprofiled(name="fzf", kind=Kind.SCREEN, argv=_bash(f"{_ROWS} | fzf")),
    Unprofiled(name="fzf --reverse", kind=Kind.SCREEN, argv=_bash(f"{_ROWS} | fzf --reverse")),
    Unprofiled(name="fzf --height", kind=Kind.SCREEN, argv=_bash(f"{_ROWS} | fzf --height 40%")),
    Unprofiled(
        name="fzf --border",
        kind=Kind.SCREEN,
        argv=_bash(f"{_ROWS} | fzf --height 40% --border --prompt '❯ ' --info=hidden"),
    ),
    Unprofiled(
        name="fzf, nothing found", kind=Kind.SCREEN, argv=_bash("printf '' | fzf --info=hidden")
    ),
    Unprofiled(name="mc", kind=Kind.SCREEN, argv=["mc"], before=_files, slow=True),
    Unprofiled(name="mc -u", kind=Kind.SCREEN, argv=["mc", "-u"], before=_files),
    Unprofiled(name="less", kind=Kind.SCREEN, argv=["less", "long.txt"], before=_files),
    Unprofiled(
        name="less at its end", kind=Kind.SCREEN, argv=["less", "+G", "long.txt"], before=_files
    ),
    Unprofiled(name="more", kind=Kind.SCREEN, argv=["more", "long.txt"], before=_files),
    Unprofiled(
        name="man",
        kind=Kind.SCREEN,
        argv=[
            "bash",
            "-c",
            "seq 99 | less -P 'Manual page bash(1) line ?lt%lt. (press h for help or q to quit)$'",
        ],
    ),
    Unprofiled(name="htop", kind=Kind.SCREEN, argv=["htop"]),
    Unprofiled(name="top", kind=Kind.SCREEN, argv=["top"]),
    Unprofiled(
        name="composer, box", kind=Kind.COMPOSER, stand_in="composer", options={"layout": "box"}
    ),
    Unprofiled(
        name="composer, plain", kind=Kind.COMPOSER, stand_in="composer", options={"layout": "plain"}
    ),
    Unprofiled(
        name="composer, branch",
        kind=Kind.COMPOSER,
        stand_in="composer",
        options={"layout": "branch"},
    ),
    Unprofiled(
        name="composer, narrow",
        kind=Kind.COMPOSER,
        stand_in="composer",
        options={"layout": "narrow"},
    ),
    Unprofiled(
        name="composer, hidden cursor",
        kind=Kind.COMPOSER,
        stand_in="composer",
        options={"layout": "box", "cursor": "hidden"},
    ),
    Unprofiled(
        name="composer, its dialog",
        kind=Kind.QUESTION,
        stand_in="composer",
        options={"dialog_at": 200},
    ),
    Unprofiled(
        name="composer, dialog over it",
        kind=Kind.QUESTION,
        stand_in="composer",
        options={"dialog_at": 200, "dialog_over": 3},
    ),
    Unprofiled(
        name="composer, trust first",
        kind=Kind.QUESTION,
        stand_in="composer",
        options={"trust_first": "menu"},
    ),
    Unprofiled(
        name="composer, paints early",
        kind=Kind.WORK,
        stand_in="composer",
        options={"paint_early": 60_000},
    ),
    Unprofiled(name="menu", kind=Kind.QUESTION, stand_in="menu"),
    Unprofiled(name="menu --arrows", kind=Kind.QUESTION, stand_in="menu", options={"arrows": True}),
    Unprofiled(name="yes-no", kind=Kind.QUESTION, stand_in="yes-no"),
    Unprofiled(name="hidden-input", kind=Kind.QUESTION, stand_in="hidden-input"),
    Unprofiled(name="pager", kind=Kind.SCREEN, stand_in="pager"),
    Unprofiled(name="editor", kind=Kind.SCREEN, stand_in="editor"),
    Unprofiled(name="spinner", kind=Kind.WORK, stand_in="spinner"),
    Unprofiled(name="silent-worker", kind=Kind.WORK, stand_in="silent-worker"),
    Unprofiled(name="clock", kind=Kind.WORK, stand_in="clock"),
)

"""Programs that ask in a row, and wait behind it."""

import json
import os
import subprocess
from pathlib import Path
from typing import Final

from panegate.terms import PromptKind

from .questions import PYTHON, Ask, Question, bash, record_of, written

__all__ = ["ASKED_IN_LINES"]

CONFIRM, KEY, MENU = PromptKind.CONFIRM, PromptKind.KEY, PromptKind.MENU
SECRET, TEXT = PromptKind.SECRET, PromptKind.TEXT
USER: Final = "pgtester"
OWN_FILES: Final = """
set -e
mkdir etc
cp -a /etc/. etc/
mount --bind etc /etc
useradd -M -s /bin/sh pgtester
echo 'Defaults !lecture' > /etc/sudoers.d/pgtester
echo 'pgtester ALL=(ALL) ALL' >> /etc/sudoers.d/pgtester
chmod 440 /etc/sudoers.d/pgtester
"""
"""A user whom only the programs of one pane know: /etc is a copy, of this mount alone."""
AS_USER: Final = f"setpriv --reuid {USER} --regid {USER} --init-groups"
APT: Final = """
Dir "{0}";
Dir::State::status "{0}/status";
Dir::Bin::dpkg "{0}/dpkg";
Debug::NoLocking "true";
Dpkg::Use-Pty "0";
"""
INSTALLED: Final = """
Package: panegate-demo
Status: install ok installed
Maintainer: Nobody <nobody@example.org>
Architecture: all
Installed-Size: 1
Version: 1.0
Description: known to one folder only
"""
LONG: Final = "a file whose name is too long for one row of a narrow pane.txt"


def _files(folder: Path) -> None:
    (folder / "some.txt").write_text("one\ntwo\nthree\n")
    (folder / LONG).write_text("")


def _names(folder: Path) -> object:
    return sorted(path.name for path in folder.iterdir() if path.is_file())


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
    (folder / "some.txt").write_text("if x:\n    one()\n")
    git("add", ".")
    git("commit", "-qm", "first")
    (folder / "some.txt").write_text("if x:\n    one()\n    two()\n")


def _staged(folder: Path) -> object:
    argv = ["git", "diff", "--cached", "--numstat"]
    return subprocess.run(argv, cwd=folder, check=True, capture_output=True, text=True).stdout


def _key(folder: Path) -> None:
    argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "first", "-f", "key"]
    subprocess.run(argv, cwd=folder, check=True)


def _opened(folder: Path) -> object:
    """Open the key with the passphrase that was given; return its comment."""
    argv = ["ssh-keygen", "-y", "-P", "a long phrase", "-f", "key"]
    done = subprocess.run(argv, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.split()[2]


def _apt(folder: Path) -> None:
    for name in ("var/lib/apt/lists/partial", "var/cache/apt/archives/partial", "var/log/apt"):
        (folder / name).mkdir(parents=True)
    for name in ("apt.conf.d", "sources.list.d", "preferences.d"):
        (folder / "etc/apt" / name).mkdir(parents=True)
    (folder / "etc/apt/sources.list").write_text("")
    (folder / "apt.conf").write_text(APT.format(folder))
    (folder / "status").write_text(INSTALLED.lstrip())
    dpkg = folder / "dpkg"
    dpkg.write_text(f'#!/bin/sh\necho "$@" >> {folder}/dpkg.log\n')
    dpkg.chmod(0o755)


def _removals(folder: Path) -> object:
    """Return whether dpkg was called to remove the package."""
    return "--remove" in (folder / "dpkg.log").read_text()


def _remove(folder: Path) -> list[str]:
    return ["env", f"APT_CONFIG={folder}/apt.conf", "apt-get", "remove", "panegate-demo"]


def _package(folder: Path) -> object:
    found = json.loads((folder / "package.json").read_text())
    return {name: found[name] for name in ("name", "version", "description", "license")}


def _removal(option: str) -> Ask:
    return Ask(
        kind=CONFIRM,
        question="Do you want to continue? [Y/n]",
        options=["Y", "n"],
        keys=["Y", "n"],
        default="Y",
        about="The following packages will be REMOVED:\n  panegate-demo\n",
        answer={"option": option},
    )


def _npm(question: str, default: str | None, answer: str, **more: object) -> Ask:
    return Ask(kind=TEXT, question=question, default=default, answer={"text": answer}, **more)


ASKED_IN_LINES: Final = (
    Question(
        name="rm -i",
        needs=["rm"],
        argv=["rm", "-i", "some.txt"],
        before=_files,
        asks=[
            Ask(
                kind=TEXT,
                question="rm: remove regular file 'some.txt'?",
                context="",
                answer={"text": "y"},
            )
        ],
        record=_names,
        agrees=[LONG],
    ),
    Question(
        name="rm -i, 40 columns",
        needs=["rm"],
        argv=["rm", "-i", LONG, "some.txt"],
        before=_files,
        size=(40, 24),
        asks=[
            Ask(
                kind=TEXT,
                question=f"rm: remove regular empty file '{LONG}'?",
                context="",
                answer={"text": "n"},
            ),
            Ask(
                kind=TEXT,
                question="rm: remove regular file 'some.txt'?",
                about=f"'{LONG}'? n",
                answer={"text": "y"},
            ),
        ],
        record=_names,
        agrees=[LONG],
    ),
    Question(
        name="apt-get remove, yes",
        needs=["apt-get"],
        argv=_remove,
        before=_apt,
        asks=[_removal("Y")],
        record=_removals,
        agrees=True,
    ),
    Question(
        name="apt-get remove, no, 40 columns",
        needs=["apt-get"],
        argv=_remove,
        before=_apt,
        size=(40, 24),
        asks=[_removal("n")],
        record=_removals,
        agrees=False,
    ),
    Question(
        name="git add -p",
        needs=["git"],
        argv=["git", "--no-pager", "add", "-p"],
        before=_git,
        asks=[
            Ask(
                kind=CONFIRM,
                question="(1/1) Stage this hunk [y,n,q,a,d,e,?]?",
                options=list("ynqade?"),
                keys=list("ynqade?"),
                about=" if x:\n     one()\n+    two()",
                answer={"option": "y"},
            )
        ],
        record=_staged,
        agrees="1\t0\tsome.txt\n",
    ),
    Question(
        name="ssh-keygen",
        needs=["ssh-keygen"],
        argv=["ssh-keygen", "-t", "ed25519", "-C", "second", "-f", "key"],
        before=_key,
        asks=[
            Ask(
                kind=CONFIRM,
                question="Overwrite (y/n)?",
                options=["y", "n"],
                keys=["y", "n"],
                context="Generating public/private ed25519 key pair.\nkey already exists.",
                answer={"option": "y"},
            ),
            Ask(
                kind=SECRET,
                question="Enter passphrase (empty for no passphrase):",
                secret=True,
                answer={"secret": "a long phrase"},
            ),
            Ask(
                kind=SECRET,
                question="Enter same passphrase again:",
                secret=True,
                answer={"secret": "a long phrase"},
            ),
        ],
        record=_opened,
        agrees="second",
    ),
    Question(
        name="passwd and sudo",
        needs=["passwd", "sudo", "setpriv", "unshare", "useradd"],
        root=True,
        argv=[
            *("unshare", "--mount"),
            *bash(f"{OWN_FILES}\npasswd {USER}; exec {AS_USER} sudo -k tee record <<< asked"),
        ],
        asks=[
            Ask(kind=SECRET, question="New password:", secret=True, answer={"secret": "a-Word-7"}),
            Ask(
                kind=SECRET,
                question="Retype new password:",
                secret=True,
                answer={"secret": "a-Word-7"},
            ),
            Ask(
                kind=SECRET,
                question=f"[sudo] password for {USER}:",
                secret=True,
                about="passwd: password updated successfully",
                answer={"secret": "a-Word-7"},
            ),
        ],
        record=record_of,
        agrees=written("asked"),
    ),
    Question(
        name="read -p",
        needs=["bash"],
        argv=bash('read -p "Name: " x; echo "$x" > record'),
        asks=[Ask(kind=TEXT, question="Name:", context="", answer={"text": "an own name"})],
        record=record_of,
        agrees=written("an own name"),
    ),
    Question(
        name="read -p, y or n, an empty answer",
        needs=["bash"],
        argv=bash('read -p "Go on (yes/No)? " x; echo "<$x>" > record'),
        asks=[
            Ask(
                kind=CONFIRM,
                question="Go on (yes/No)?",
                options=["yes", "No"],
                keys=["yes", "No"],
                default="No",
                answer={"text": ""},
            )
        ],
        record=record_of,
        agrees=written("<>"),
    ),
    Question(
        name="read -s",
        needs=["bash"],
        argv=bash('read -s -p "Passphrase: " x; echo "$x" > record'),
        asks=[
            Ask(kind=SECRET, question="Passphrase:", secret=True, answer={"secret": "hunter2 XYZ"})
        ],
        record=record_of,
        agrees=written("hunter2 XYZ"),
    ),
    Question(
        name="read -n 1",
        kernel=True,
        needs=["bash"],
        argv=bash(
            'read -n 1 -p "Continue? [y/N] " x; echo; read -p "And then? " y; echo "$x|$y" > record'
        ),
        asks=[
            Ask(
                kind=CONFIRM,
                question="Continue? [y/N]",
                options=["y", "N"],
                keys=["y", "N"],
                default="N",
                answer={"option": "y"},
            ),
            Ask(kind=TEXT, question="And then?", about="[y/N] y", answer={"text": "more"}),
        ],
        record=record_of,
        agrees=written("y|more"),
    ),
    Question(
        name="read -n 1, and work",
        needs=["bash"],
        kernel=True,
        argv=bash(
            'read -n 1 -p "Continue? [y/N] " x; sleep 3; read -p "And then? " y; '
            'echo "$x|$y" > record'
        ),
        asks=[
            Ask(
                kind=CONFIRM,
                question="Continue? [y/N]",
                options=["y", "N"],
                keys=["y", "N"],
                default="N",
                answer={"option": "y"},
            ),
            Ask(kind=TEXT, question="Continue? [y/N] yAnd then?", answer={"text": "more"}),
        ],
        record=record_of,
        agrees=written("y|more"),
    ),
    Question(
        name="press any key",
        needs=["bash"],
        argv=bash(
            'read -n 1 -s -r -p "Press any key to continue..." x; echo; '
            'read -p "And then? " y; echo "<$x>$y" > record'
        ),
        asks=[
            Ask(kind=KEY, question="Press any key to continue...", answer={"text": "x"}),
            Ask(kind=TEXT, question="And then?", answer={"text": "more"}),
        ],
        record=record_of,
        agrees=written("<x>more"),
    ),
    Question(
        name="type DELETE",
        needs=["bash"],
        argv=bash(
            "echo 'This removes the database shop-7 and all of its backups.'; "
            'read -p "Type DELETE to confirm: " x; echo "$x" > record'
        ),
        asks=[
            Ask(
                kind=TEXT,
                question="Type DELETE to confirm:",
                context="This removes the database shop-7 and all of its backups.",
                answer={"text": "DELETE"},
            )
        ],
        record=record_of,
        agrees=written("DELETE"),
    ),
    Question(
        name="select",
        needs=["bash"],
        argv=bash(
            "echo 'Which fruit do you want?'; "
            'select x in apple "a big pear" fig; do echo "$x" > record; break; done'
        ),
        asks=[
            Ask(
                kind=MENU,
                question="#?",
                options=["apple", "a big pear", "fig"],
                keys=["1", "2", "3"],
                context="Which fruit do you want?",
                answer={"option": "a big pear"},
            )
        ],
        record=record_of,
        agrees=written("a big pear"),
    ),
    Question(
        name="select, side by side",
        needs=["bash"],
        argv=bash(
            'PS3="Which one? "; select x in north east south west up down left right; '
            'do echo "$x" > record; break; done'
        ),
        size=(40, 24),
        asks=[
            Ask(
                kind=MENU,
                question="Which one?",
                options=["north", "east", "south", "west", "up", "down", "left", "right"],
                keys=list("12345678"),
                context="",
                answer={"option": "west"},
            )
        ],
        record=record_of,
        agrees=written("west"),
    ),
    Question(
        name="input() and getpass",
        needs=["bash"],
        argv=[
            *PYTHON,
            "-c",
            "import getpass; x = input('Weiter mit 3 Dateien? '); y = getpass.getpass('Kennwort: ')"
            "; print(x, y, file=open('record', 'w'))",
        ],
        asks=[
            Ask(kind=TEXT, question="Weiter mit 3 Dateien?", answer={"text": "ja, alle"}),
            Ask(kind=SECRET, question="Kennwort:", secret=True, answer={"secret": "Straße 7"}),
        ],
        record=record_of,
        agrees=written("ja, alle Straße 7"),
    ),
    Question(
        name="npm init",
        needs=["npm"],
        argv=["npm", "init", "--no-update-notifier"],
        asks=[
            _npm("package name: (npm-init)", "npm-init", "a-new-one", about="Press ^C at any time"),
            _npm("version: (1.0.0)", "1.0.0", ""),
            _npm("description:", None, "what it is"),
            _npm("entry point: (index.js)", "index.js", ""),
            _npm("test command:", None, ""),
            _npm("git repository:", None, ""),
            _npm("keywords:", None, ""),
            _npm("author:", None, ""),
            _npm("license: (ISC)", "ISC", "MIT"),
            _npm("type: (commonjs)", "commonjs", ""),
            _npm("Is this OK? (yes)", "yes", "", about='"license": "MIT"'),
        ],
        record=_package,
        agrees={
            "name": "a-new-one",
            "version": "1.0.0",
            "description": "what it is",
            "license": "MIT",
        },
    ),
)

"""Programs that draw what they ask: dialogs, menus, finders, pagers; and line editors."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import panegate as pg
from panegate.terms import PromptKind

from .questions import PYTHON, RECORD, Ask, Question, bash, record_of, written
from .recorders import RECORDERS

__all__ = ["ASKED_ON_SCREENS"]

CONFIRM, KEY, MENU = PromptKind.CONFIRM, PromptKind.KEY, PromptKind.MENU
PAGER, SECRET, TEXT = PromptKind.PAGER, PromptKind.SECRET, PromptKind.TEXT
FRUIT: Final = ["3", "a", "apple", "b", "big pear", "c", "cherry"]
BOXES: Final = ["3", "a", "apple", "off", "b", "big pear", "on", "c", "cherry", "off"]
AT_40: Final = (40, 20)
QUIT: Final = {"cancel": True}


def boxed(*words: str, box: str = "dialog") -> list[str]:
    """Return a dialog that writes down its result and its exit status."""
    code = f'"$@" 2> answer; echo "$? $(cat answer)" > {RECORD}'
    return [*bash(code), box, box, *words]


def asked_of_questionary(call: str) -> list[str]:
    """Return a Python that asks with questionary and writes down what it was told."""
    code = f"import questionary as q; x = q.{call}.ask(); print(repr(x), file=open('record', 'w'))"
    return [*PYTHON, "-c", code]


def _text(folder: Path) -> None:
    (folder / "long.txt").write_text("".join(f"row {n}\n" for n in range(300)))


def _swap(folder: Path) -> None:
    """Leave the traces of an editor that died over a file."""
    (folder / "some.txt").write_text("one\n")
    quick = ["-u", "NONE", "-i", "NONE", "-es", "-c", "normal otwo", "-c", "preserve"]
    line = "call writefile(readfile('.some.txt.swp', 'b'), 'kept', 'b')"
    argv = ["vim", *quick, "-c", line, "-c", "quit!", "some.txt"]
    subprocess.run(argv, cwd=folder, check=False, stdin=subprocess.DEVNULL, capture_output=True)
    (folder / "kept").rename(folder / ".some.txt.swp")


def _exists(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).exists()


def _shown_by(pattern: str) -> Callable[[Path], object]:
    return lambda folder: pattern in record_of(folder)


_DIALOGS: Final = tuple(
    question
    for box in ("dialog", "whiptail")
    for gap, ok in [("  ", "OK") if box == "dialog" else (" ", "Ok")]
    for question in (
        Question(
            name=f"{box} --yesno",
            needs=[box],
            argv=boxed("--yesno", "Delete all 3 files?", "8", "40", box=box),
            asks=[
                Ask(
                    kind=CONFIRM,
                    question="Delete all 3 files?",
                    options=["Yes", "No"],
                    highlighted="Yes",
                    default="Yes",
                    answer={"option": "No"},
                )
            ],
            record=record_of,
            agrees=written("1 "),
        ),
        Question(
            name=f"{box} --yesno, yes, 40 columns",
            needs=[box],
            size=AT_40,
            argv=boxed("--yesno", "Delete all 3 files?", "8", "36", box=box),
            asks=[
                Ask(
                    kind=CONFIRM,
                    question="Delete all 3 files?",
                    options=["Yes", "No"],
                    highlighted="Yes",
                    default="Yes",
                    answer={"option": "yes"},
                )
            ],
            record=record_of,
            agrees=written("0 "),
        ),
        Question(
            name=f"{box} --menu",
            needs=[box],
            argv=boxed("--menu", "Which fruit?", "12", "40", *FRUIT, box=box),
            asks=[
                Ask(
                    kind=MENU,
                    question="Which fruit?",
                    options=[f"a{gap}apple", f"b{gap}big pear", f"c{gap}cherry"],
                    highlighted=f"a{gap}apple",
                    default=f"a{gap}apple",
                    answer={"option": f"c{gap}cherry"},
                )
            ],
            record=record_of,
            agrees=written("0 c"),
        ),
        Question(
            name=f"{box} --checklist",
            needs=[box],
            argv=boxed("--checklist", "Which fruits?", "12", "40", *BOXES, box=box),
            asks=[
                Ask(
                    kind=MENU,
                    question="Which fruits?",
                    options=["a  apple", "b  big pear", "c  cherry"],
                    highlighted="a  apple",
                    ticked=["b  big pear"],
                    many=True,
                    answer={"option": "a  apple, c  cherry"},
                )
            ],
            record=record_of,
            agrees=written("0 a c" if box == "dialog" else '0 "a" "c"'),
        ),
        Question(
            name=f"{box} --radiolist",
            needs=[box],
            argv=boxed("--radiolist", "Which fruit?", "12", "40", *BOXES, box=box),
            asks=[
                Ask(
                    kind=MENU,
                    question="Which fruit?",
                    options=["a  apple", "b  big pear", "c  cherry"],
                    highlighted="a  apple",
                    ticked=["b  big pear"],
                    answer={"option": "c  cherry"},
                )
            ],
            record=record_of,
            agrees=written("0 c"),
        ),
        Question(
            name=f"{box} --inputbox",
            needs=[box],
            argv=boxed("--inputbox", "Your name:", "8", "40", box=box),
            asks=[
                Ask(
                    kind=TEXT,
                    question="Your name:",
                    options=[ok, "Cancel"],
                    highlighted="OK" if box == "dialog" else None,
                    answer={"text": "an own name"},
                )
            ],
            record=record_of,
            agrees=written("0 an own name"),
        ),
        Question(
            name=f"{box} --inputbox, cancelled",
            needs=[box],
            argv=boxed("--inputbox", "Your name:", "8", "40", box=box),
            asks=[
                Ask(
                    kind=TEXT,
                    question="Your name:",
                    options=[ok, "Cancel"],
                    highlighted="OK" if box == "dialog" else None,
                    answer=QUIT,
                )
            ],
            record=record_of,
            agrees=written("255 "),
        ),
        Question(
            name=f"{box} --passwordbox",
            needs=[box],
            argv=boxed("--passwordbox", "Your password:", "8", "40", box=box),
            asks=[
                Ask(
                    kind=SECRET,
                    question="Your password:",
                    options=[ok, "Cancel"],
                    highlighted="OK" if box == "dialog" else None,
                    secret=True,
                    answer={"secret": "hunter2 XYZ"},
                )
            ],
            record=record_of,
            agrees=written("0 hunter2 XYZ"),
        ),
        Question(
            name=f"{box} --msgbox",
            needs=[box],
            argv=boxed("--msgbox", "All 3 files are gone.", "8", "40", box=box),
            asks=[
                Ask(
                    kind=CONFIRM,
                    question="All 3 files are gone.",
                    options=[ok],
                    highlighted=ok,
                    default=ok,
                    answer={"option": ok},
                )
            ],
            record=record_of,
            agrees=written("0 "),
        ),
    )
)

_QUESTIONARY: Final = (
    Question(
        name="questionary select",
        needs=[],
        modules=["questionary"],
        argv=asked_of_questionary("select('Which colour?', choices=['red', 'green', 'blue'])"),
        asks=[
            Ask(
                kind=MENU,
                question="? Which colour? (Use arrow keys)",
                options=["red", "green", "blue"],
                highlighted="red",
                default="red",
                answer={"option": "blue"},
            )
        ],
        record=record_of,
        agrees=written("'blue'"),
    ),
    Question(
        name="questionary checkbox",
        needs=[],
        modules=["questionary"],
        size=AT_40,
        argv=asked_of_questionary(
            "checkbox('Which colours?', instruction=' ', choices=['red', 'green', 'blue'])"
        ),
        asks=[
            Ask(
                kind=MENU,
                question="? Which colours?",
                options=["red", "green", "blue"],
                highlighted="red",
                many=True,
                answer={"option": "red,blue"},
            )
        ],
        record=record_of,
        agrees=written("['red', 'blue']"),
    ),
    Question(
        name="questionary rawselect",
        needs=[],
        modules=["questionary"],
        argv=asked_of_questionary("rawselect('Which colour?', choices=['red', 'green', 'blue'])"),
        asks=[
            Ask(
                kind=MENU,
                question="? Which colour? (Use shortcuts)",
                options=["red", "green", "blue"],
                keys=["1", "2", "3"],
                highlighted="red",
                default="1",
                answer={"option": "2"},
            )
        ],
        record=record_of,
        agrees=written("'green'"),
    ),
    Question(
        name="questionary confirm",
        needs=[],
        modules=["questionary"],
        argv=asked_of_questionary("confirm('Delete everything?')"),
        asks=[
            Ask(
                kind=CONFIRM,
                question="? Delete everything? (Y/n)",
                options=["Y", "n"],
                keys=["Y", "n"],
                default="Y",
                answer={"option": "n"},
            )
        ],
        record=record_of,
        agrees=written("False"),
    ),
    Question(
        name="questionary text and password",
        needs=[],
        modules=["questionary"],
        argv=asked_of_questionary("form(a=q.text('Your name:'), b=q.password('Your password:'))"),
        asks=[
            Ask(kind=TEXT, question="? Your name:", answer={"text": "an own name"}),
            Ask(
                kind=SECRET,
                question="? Your password:",
                secret=True,
                answer={"secret": "hunter2 XYZ"},
            ),
        ],
        record=record_of,
        agrees=written("{'a': 'an own name', 'b': 'hunter2 XYZ'}"),
    ),
)

_FINDERS_AND_PAGERS: Final = (
    Question(
        name="fzf",
        needs=["fzf"],
        argv=bash("printf '%s\\n' alpha beta gamma delta | fzf > record"),
        asks=[
            Ask(
                kind=MENU,
                question=">",
                options=["delta", "gamma", "beta", "alpha"],
                highlighted="alpha",
                default="alpha",
                answer={"option": "gamma"},
            )
        ],
        record=record_of,
        agrees=written("gamma"),
    ),
    Question(
        name="fzf in 40 columns of the normal screen",
        needs=["fzf"],
        size=AT_40,
        argv=bash(
            "printf '%s\\n' alpha beta gamma | "
            "fzf --height 60% --reverse --prompt 'Fruit> ' > record"
        ),
        asks=[
            Ask(
                kind=MENU,
                question="Fruit>",
                options=["alpha", "beta", "gamma"],
                highlighted="alpha",
                default="alpha",
                answer={"option": "gamma"},
            )
        ],
        record=record_of,
        agrees=written("gamma"),
    ),
    Question(
        name="less",
        needs=["less"],
        before=_text,
        argv=bash("less long.txt; echo over > record"),
        asks=[Ask(kind=PAGER, question="long.txt", answer=QUIT)],
        record=record_of,
        agrees=written("over"),
    ),
    Question(
        name="more",
        needs=["more"],
        before=_text,
        size=AT_40,
        argv=bash("more long.txt; echo over > record"),
        asks=[Ask(kind=PAGER, question="--More--(5%)", answer=QUIT)],
        record=record_of,
        agrees=written("over"),
    ),
    Question(
        name="vim, press ENTER",
        needs=["vim"],
        argv=[
            *("vim", "-u", "NONE", "-i", "NONE"),
            *("-c", 'autocmd SafeState * call writefile(["past"], "record") | quit'),
            *("-c", 'echo "one\\ntwo"'),
        ],
        asks=[
            Ask(
                kind=KEY,
                question="Press ENTER or type command to continue",
                options=["continue"],
                keys=["ENTER"],
                about="one\ntwo",
                answer={"option": "ENTER"},
            )
        ],
        record=record_of,
        agrees=written("past"),
    ),
    Question(
        name="vim, a swap file",
        needs=["vim"],
        before=_swap,
        argv=["vim", "-u", "NONE", "-i", "NONE", "-c", "call writefile([], 'opened')", "some.txt"],
        asks=[
            Ask(
                kind=MENU,
                question="[O]pen Read-Only, (E)dit anyway, (R)ecover, (D)elete it, (Q)uit, "
                "(A)bort:",
                options=["Open Read-Only", "Edit anyway", "Recover", "Delete it", "Quit", "Abort"],
                keys=list("OERDQA"),
                default="O",
                context='Swap file ".some.txt.swp" already exists!',
                answer={"option": "Q"},
            )
        ],
        record=_exists("opened"),
        agrees=False,
    ),
)

_LINE_EDITORS: Final = (
    Question(
        name="ipython",
        needs=["ipython"],
        profile="ipython",
        reads=True,
        argv=["ipython", "--no-banner", "--no-confirm-exit", "-i", "-c", "kept = 42"],
        asks=[
            Ask(
                kind=PromptKind.PERMISSION,
                question="Once deleted, variables cannot be recovered. Proceed (y/[n])?",
                options=["y", "n"],
                keys=["y", "n"],
                default="n",
                opened_by="%reset",
                answer={"option": "y"},
            )
        ],
        ends=pg.State.READY,
        then="print('kept' in globals(), 7)",
        shows="False 7",
    ),
    Question(
        name="gdb",
        needs=["gdb"],
        profile="gdb",
        reads=True,
        argv=["gdb", "-q", "-nx"],
        asks=[
            Ask(
                kind=CONFIRM,
                question="Make breakpoint pending on future shared library load? (y or [n])",
                options=["y", "n"],
                keys=["y", "n"],
                default="n",
                opened_by="break nowhere",
                answer={"option": "y"},
            ),
            Ask(
                kind=CONFIRM,
                question="Delete all breakpoints? (y or n)",
                options=["y", "n"],
                keys=["y", "n"],
                about="Breakpoint 1 (nowhere) pending.",
                opened_by="delete",
                answer={"option": "y"},
            ),
        ],
        ends=pg.State.READY,
        then="info breakpoints",
        shows="No breakpoints or watchpoints.",
    ),
    Question(
        name="psql",
        kernel=True,
        needs=["psql", "initdb", "pg_ctl"],
        profile="psql",
        reads=True,
        start=RECORDERS["psql"].start,
        asks=[
            Ask(
                kind=TEXT,
                question="Your name?",
                opened_by="\\prompt 'Your name? ' who",
                answer={"text": "O'Neill, of Cork"},
            ),
            Ask(
                kind=SECRET,
                question='Enter new password for user "tester":',
                secret=True,
                opened_by="\\password",
                answer={"secret": "hunter2 XYZ"},
            ),
            Ask(
                kind=SECRET,
                question="Enter it again:",
                secret=True,
                answer={"secret": "hunter2 XYZ"},
            ),
        ],
        ends=pg.State.READY,
        then="insert into took (text) values (:'who');",
        shows="INSERT 0 1",
        agrees=["O'Neill, of Cork"],
    ),
)

ASKED_ON_SCREENS: Final = (*_DIALOGS, *_QUESTIONARY, *_FINDERS_AND_PAGERS, *_LINE_EDITORS)

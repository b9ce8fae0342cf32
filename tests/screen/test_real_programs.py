"""Screens of real programs, captured from a private tmux."""

from collections.abc import Callable
from pathlib import Path

import attrs
import pytest
from tests.screen.building import BASH, HIDDEN_READ, LINE_READ, PYTHON, RAW_READ, UNKNOWN, profile
from tests.screen.capturing import RealPane, running, shows

from panegate.panes.facts import KernelFact, Look, ScreenKind, ScreenReading
from panegate.screen.profile import Family, Profile
from panegate.screen.read import read_screen
from panegate.terms import PromptKind

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

ZSH = profile(Family.SHELL, prompts=(".*[%#] ",))
FISH = profile(Family.SHELL, prompts=(".*[>#] ",))
NODE = profile(Family.REPL, prompts=("> ",))
SQLITE = profile(Family.REPL, prompts=("sqlite> ",))
GDB = profile(Family.REPL, prompts=(r"\(gdb\) ",))
IPYTHON = profile(Family.REPL, prompts=(r"In \[\d+\]: ",))

LINES = "\n".join(f"line {n}" for n in range(100))
GIT = (
    "git init -q . && git config user.email a@b.c && git config user.name n && "
    "printf 'a\\nb\\n' > g && git add g && git commit -qm x && printf 'a\\nc\\n' > g && "
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".zshrc").write_text("PROMPT='%n %~ %# '\nRPROMPT='%F{8}[right]%f'\n")
    (tmp_path / "f.txt").write_text(LINES)
    (tmp_path / "m.md").write_text("> quoted\n# heading\n")
    return tmp_path


def read(look: Look, by: Profile, kernel: KernelFact | None = None) -> ScreenReading:
    return read_screen(attrs.evolve(look, kernel=kernel), by)


@pytest.mark.parametrize(
    ("argv", "by", "sign", "before"),
    [
        (["bash", "--norc"], BASH, "# ", "bash"),
        (["zsh"], ZSH, "# ", "~"),
        (["fish"], FISH, "# ", "~"),
        (["zsh"], UNKNOWN, "# ", "~"),
        (["python3"], PYTHON, ">>> ", ">>> "),
        (["node"], NODE, "> ", "> "),
        (["sqlite3"], SQLITE, "sqlite> ", "sqlite> "),
        (["gdb", "-q"], GDB, "(gdb) ", "(gdb) "),
        (["ipython", "--no-banner"], IPYTHON, "In [", "In ["),
        (["dash"], UNKNOWN, "# ", "# "),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_prompt_is_an_empty_composer_and_typed_text_its_draft(
    home: Path, argv: list[str], by: Profile, sign: str, before: str
) -> None:
    with running(argv, home) as pane:
        look = pane.wait(lambda seen: shows(seen, sign) and _at(seen, by))
        empty = read(look, by)
        assert empty.composer is not None
        assert (empty.kind, empty.composer.text) == (ScreenKind.READY, "")
        assert before in empty.composer.prompt_text
        pane.type("ec")
        draft = read(pane.wait(lambda seen: shows(seen, "ec") and seen != look), by)
        assert draft.composer is not None
        assert draft.composer.text == "ec"
        assert draft.body == empty.body
        assert draft.frame != empty.frame


def _at(look: Look, by: Profile) -> bool:
    return read(look, by).composer is not None


PROMPTS: list[tuple[str, list[str], str, KernelFact | None, PromptKind, str, list[str]]] = [
    ("read-p", ["bash", "-c", 'read -p "Name: " x'], "Name:", LINE_READ,
     PromptKind.TEXT, "Name:", []),
    ("read-s", ["bash", "-c", 'read -s -p "Word: " x'], "Word:", HIDDEN_READ,
     PromptKind.SECRET, "Word:", []),
    ("rm-i", ["bash", "-c", "touch x; rm -i x"], "rm:", None,
     PromptKind.TEXT, "rm: remove regular empty file 'x'?", []),
    ("select", ["bash", "-c", "select a in Apple Banana; do :; done"], "#?", LINE_READ,
     PromptKind.MENU, "#?", ["Apple", "Banana"]),
    ("ssh-keygen", ["ssh-keygen", "-t", "ed25519", "-f", "key"], "passphrase", HIDDEN_READ,
     PromptKind.SECRET, "Enter passphrase (empty for no passphrase):", []),
    ("ssh-keygen-blind", ["ssh-keygen", "-t", "ed25519", "-f", "key"], "passphrase", None,
     PromptKind.SECRET, "Enter passphrase (empty for no passphrase):", []),
    ("git-add-p", ["bash", "-c", GIT + "git add -p"], "Stage", LINE_READ,
     PromptKind.CONFIRM, "(1/1) Stage this hunk [y,n,q,a,d,e,?]?", list("ynqade?")),
    ("less", ["less", "f.txt"], "f.txt", None, PromptKind.PAGER, "f.txt", []),
    ("less-end", ["bash", "-c", "seq 3 | less"], "END", None, PromptKind.PAGER, "(END)", []),
    ("more", ["more", "f.txt"], "More", None, PromptKind.PAGER, "--More--(22%)", []),
    ("dialog", ["dialog", "--yesno", "Delete it all?", "8", "40"], "Yes", None,
     PromptKind.CONFIRM, "Delete it all?", ["Yes", "No"]),
    ("dialog-menu", ["dialog", "--menu", "Pick one", "12", "40", "3", "a", "Apple", "b", "Pear"],
     "Pear", None, PromptKind.MENU, "Pick one", ["a  Apple", "b  Pear"]),
    ("dialog-password", ["dialog", "--passwordbox", "Your password?", "8", "40"], "Cancel", None,
     PromptKind.SECRET, "Your password?", ["OK", "Cancel"]),
    ("whiptail", ["whiptail", "--yesno", "Delete it all?", "8", "40"], "Yes", None,
     PromptKind.CONFIRM, "Delete it all?", ["Yes", "No"]),
    ("whiptail-menu", ["whiptail", "--menu", "Pick one", "12", "40", "3", "a", "Apple", "b", "P"],
     "Apple", None, PromptKind.MENU, "Pick one", ["a Apple", "b P"]),
    ("fzf", ["bash", "-c", "printf 'one\\ntwo\\n' | fzf"], "2/2", None,
     PromptKind.MENU, ">", ["two", "one"]),
    ("python-input", ["python3", "-c", "input('Go on? ')"], "Go on", LINE_READ,
     PromptKind.TEXT, "Go on?", []),
    ("node-question",
     ["node", "-e", "require('readline').createInterface({input:process.stdin,"
      "output:process.stdout}).question('Which name? ',()=>{})"],
     "Which", RAW_READ, PromptKind.TEXT, "Which name?", []),
    ("cat", ["cat"], "", LINE_READ, PromptKind.TEXT, "", []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("argv", "sign", "kernel", "kind", "question", "labels"),
    [case[1:] for case in PROMPTS],
    ids=[case[0] for case in PROMPTS],
)
def test_a_real_question_is_read_word_for_word(
    home: Path,
    argv: list[str],
    sign: str,
    kernel: KernelFact | None,
    kind: PromptKind,
    question: str,
    labels: list[str],
) -> None:
    with running(argv, home) as pane:
        look = pane.wait_text(sign)
        reading = read(look, UNKNOWN, kernel)
        assert reading.kind is ScreenKind.PROMPTING
        assert reading.prompt is not None
        assert reading.prompt.kind is kind
        assert reading.prompt.question == question
        assert [option.label for option in reading.prompt.options] == labels
        assert reading.prompt.secret is (kind is PromptKind.SECRET)


@pytest.mark.parametrize("argv", [["dialog"], ["whiptail"]], ids=lambda argv: argv[0])
def test_the_highlight_of_a_real_dialog_moves_and_its_fingerprint_stays(
    home: Path, argv: list[str]
) -> None:
    with running([*argv, "--yesno", "Sure?", "8", "40"], home) as pane:
        first = read(pane.wait_text("Yes"), UNKNOWN).prompt
        assert first is not None
        assert [option.highlighted for option in first.options] == [True, False]
        pane.keys("Tab")
        moved = read(pane.wait(lambda seen: _default(seen) == "No"), UNKNOWN).prompt
        assert moved is not None
        assert moved.fingerprint == first.fingerprint


def _default(look: Look) -> str | None:
    prompt = read(look, UNKNOWN).prompt
    return None if prompt is None else prompt.default


@pytest.mark.parametrize(
    ("argv", "sign", "act"),
    [
        (["vim", "-u", "NONE", "m.md"], "quoted", lambda pane: None),
        (["vim", "-u", "NONE", "m.md"], "quoted", lambda pane: pane.type("A")),
        (["nano", "m.md"], "^X", lambda pane: pane.keys("End")),
        (["mc"], "10Quit", lambda pane: None),
        (["htop"], "F10", lambda pane: None),
    ],
    ids=["vim-normal", "vim-insert", "nano", "mc", "htop"],
)
@pytest.mark.parametrize("by", [UNKNOWN, BASH], ids=["unknown", "bash"])
def test_an_editor_or_file_manager_is_neither_ready_nor_asking(
    home: Path, argv: list[str], sign: str, act: Callable[[RealPane], None], by: Profile
) -> None:
    with running(argv, home) as pane:
        pane.wait(lambda seen: shows(seen, sign), settled=False)
        act(pane)
        reading = read(pane.wait(lambda seen: shows(seen, sign), settled=False), by)
        assert reading.composer is None
        assert reading.prompt is None


def test_a_finished_dialog_leaves_no_question_behind(home: Path) -> None:
    with running(["bash", "--norc"], home) as pane:
        pane.wait_text("# ")
        pane.type("clear; dialog --yesno 'Sure?' 8 40")
        pane.keys("Enter")
        pane.wait_text("Yes")
        pane.keys("Enter")
        look = pane.wait(lambda seen: _at(seen, BASH))
        assert read(look, BASH).kind is ScreenKind.READY
        assert read(look, UNKNOWN).prompt is None

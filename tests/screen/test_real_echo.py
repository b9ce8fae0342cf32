"""Text typed into real line editors, compared with what they show."""

from pathlib import Path

import pytest
from tests.screen.building import BASH, PYTHON, profile
from tests.screen.capturing import RealPane, running

from panegate.panes.facts import Look
from panegate.screen.composer import find_composer
from panegate.screen.echo import EchoKind, EchoReading, compare_echo
from panegate.screen.grid import Grid
from panegate.screen.profile import Family, Profile
from panegate.screen.read import read_screen

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

ZSH = profile(Family.SHELL, prompts=(".*[%#] ",))
FISH = profile(Family.SHELL, prompts=(".*[>#] ",))
NODE = profile(Family.REPL, prompts=("> ",))
CAT = profile(Family.LINES, reads_lines=True, at_empty_row=True)

PROGRAMS: dict[str, tuple[list[str], Profile]] = {
    "bash": (["bash", "--norc"], BASH),
    "zsh": (["zsh"], ZSH),
    "fish": (["fish"], FISH),
    "python": (["python3"], PYTHON),
    "node": (["node"], NODE),
    "cat": (["cat"], CAT),
}
LONG = "echo " + " ".join(f"word{n}" for n in range(430))
TEXTS = {
    "blanks": "echo  a   b ",
    "wide": "echo 日本語 " + "日本" * 40,
    "emoji": "echo ❤\ufe0f \U0001f44d",
    "combining": "echo cafe\u0301 x\u030c",
    "wrapped": "echo " + "word " * 40 + "x" * 60,
    "typographic": "echo “q” — ñ",
}


def at_prompt(pane: RealPane, by: Profile) -> tuple[Look, tuple[int, int]]:
    def ready(look: Look) -> bool:
        return find_composer(Grid.from_look(look), look.fields, by) is not None

    look = pane.wait(ready)
    composer = find_composer(Grid.from_look(look), look.fields, by)
    assert composer is not None
    assert composer.text == ""
    return look, (composer.row, composer.column)


def compare(
    look: Look, before: Look, start: tuple[int, int], text: str, by: Profile
) -> EchoReading:
    grid = Grid.from_look(look)
    return compare_echo(
        grid,
        look.fields,
        start,
        text,
        composer=find_composer(grid, look.fields, by),
        collapsed_ok=False,
        scrolled=look.fields.history_size - before.fields.history_size,
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".zshrc").write_text("PROMPT='%n %~ %# '\nRPROMPT='%F{8}[right]%f'\n")
    return tmp_path


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_typed_is_seen_in_full_and_nothing_else_is(home: Path, name: str) -> None:
    argv, by = PROGRAMS[name]
    with running(argv, home) as pane:
        for text in TEXTS.values():
            before, start = at_prompt(pane, by)
            pane.type(text)
            look = pane.wait(
                lambda seen, text=text, before=before, start=start: (
                    compare(seen, before, start, text, by).kind is EchoKind.FULL
                )
            )
            assert not compare(look, before, start, text, by).tail_only
            assert (
                compare(look, before, start, text.replace("echo", "ecko"), by).kind
                is EchoKind.DIFFERS
            )
            assert compare(look, before, start, text + "more", by).kind is EchoKind.PARTIAL
            pane.keys("C-c")
            if name == "cat":
                break


@pytest.mark.parametrize("name", ["bash", "zsh", "python", "node", "cat"])
def test_a_text_longer_than_the_screen_is_seen_by_its_end(home: Path, name: str) -> None:
    argv, by = PROGRAMS[name]
    with running(argv, home) as pane:
        before, start = at_prompt(pane, by)
        pane.paste(LONG)
        look = pane.wait(lambda seen: compare(seen, before, start, LONG, by).kind is EchoKind.FULL)
        assert compare(look, before, start, LONG, by).tail_only
        assert compare(look, before, start, LONG + "x", by).kind is not EchoKind.FULL
        assert read_screen(look, by).prompt is None


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_several_pasted_lines_are_seen_in_full_and_are_no_menu(home: Path, name: str) -> None:
    argv, by = PROGRAMS[name]
    text = "echo one\necho two\necho three"
    with running(argv, home) as pane:
        before, start = at_prompt(pane, by)
        pane.paste(text)
        look = pane.wait(lambda seen: compare(seen, before, start, text, by).kind is EchoKind.FULL)
        assert read_screen(look, by).prompt is None
        other = text.replace("two", "ten")
        assert compare(look, before, start, other, by).kind is EchoKind.DIFFERS


@pytest.mark.parametrize("name", ["bash", "zsh", "fish", "node"])
def test_a_pasted_tab_is_seen_as_blanks(home: Path, name: str) -> None:
    argv, by = PROGRAMS[name]
    text = "echo a\tb"
    with running(argv, home) as pane:
        before, start = at_prompt(pane, by)
        pane.paste(text)
        pane.wait(lambda seen: compare(seen, before, start, text, by).kind is EchoKind.FULL)

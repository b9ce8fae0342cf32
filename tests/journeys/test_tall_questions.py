"""Questions taller than their screen: read whole, or said to be cut; and the same when resized."""

import asyncio
from pathlib import Path

import pytest

import panegate as pg

from .questions import until_asked
from .staging import WITHIN_S, Stage, open_stage, python, until_state

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

WORDS = " ".join(f"w{n}ord" for n in range(210))
"""Of about 1,500 characters."""
MENU = """
import sys, termios, tty
question = sys.argv[1]
alternate, frame = sys.argv[2] == "alternate", sys.argv[2] == "alternate"
width = 70
words, rows = question.split(), [""]
for word in words:
    if len(rows[-1]) + 1 + len(word) > width:
        rows.append("")
    rows[-1] = (rows[-1] + " " + word).strip()
rows += ["", "❯ 1. Permit it", "  2. Refuse it"]
if frame:
    rows = ["╭" + "─" * 74 + "╮", *(f"│ {row:<72} │" for row in rows), "╰" + "─" * 74 + "╯"]
tty.setraw(0)
out = "\\x1b[?1049h" if alternate else ""
sys.stdout.write(out + "\\x1b[?25l" + "\\r\\n".join(rows))
sys.stdout.flush()
key = sys.stdin.read(1)
open("record", "w").write(key)
"""


async def resized(stage: Stage, pane: pg.Pane, columns: int, rows: int) -> None:
    """Resize the pane's window, and wait until a look has seen it."""
    stage.tmux("resize-window", "-t", pane.id, "-x", str(columns), "-y", str(rows))
    async with asyncio.timeout(WITHIN_S):
        while pane.last_screen().columns != columns or not pane.confirmed:
            await pane.next_touch()


@pytest.mark.asyncio
async def test_a_menu_under_a_long_question_is_read_with_the_history(tmp_path: Path) -> None:
    question = f"Here is what it is about: {WORDS} Do you permit that?"
    async with open_stage(tmp_path) as stage, stage.ctl.events() as events:
        pane = await stage.ctl.launch(
            python("-c", MENU, question, "normal"),
            profile="generic",
            cwd=tmp_path,
            size=(80, 12),
            within_s=None,
        )
        prompt = await until_asked(pane)
        assert prompt.unseen == ""
        assert f"{prompt.context} {prompt.question}".split() == question.split()
        assert [option.label for option in prompt.options] == ["Permit it", "Refuse it"]
        for size in ((80, 20), (80, 9), (80, 30)):
            await resized(stage, pane, *size)
            assert pane.prompt is not None
            assert pane.prompt.id == prompt.id
        receipt = await pane.answer(prompt.id, option="2", by="tester")
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        await until_state(pane, pg.State.EXITED)
        assert (tmp_path / "record").read_text() == "2"
        await pane.close()
        opened = 0
        async for event in events:
            opened += isinstance(event, pg.PromptOpened | pg.PromptChanged)
            if isinstance(event, pg.PaneExited):
                break
        assert opened == 1


@pytest.mark.parametrize("size", [(80, 12), (40, 12)])
@pytest.mark.asyncio
async def test_a_line_that_is_taller_than_the_screen_is_read_whole(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    question = f"{WORDS} and now your name:"
    async with open_stage(tmp_path) as stage:
        argv = ["bash", "-c", 'read -p "$1 " x; echo "$x" > record', "bash", question]
        pane = await stage.ctl.launch(
            argv, profile="generic", cwd=tmp_path, size=size, within_s=None
        )
        prompt = await until_asked(pane)
        assert (prompt.question, prompt.unseen) == (question, "")
        receipt = await pane.answer(prompt.id, text="an own name", by="tester")
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        await until_state(pane, pg.State.EXITED)
        assert (tmp_path / "record").read_text() == "an own name\n"


@pytest.mark.asyncio
async def test_what_an_alternate_screen_has_lost_is_said_to_be_unseen(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        pane = await stage.ctl.launch(
            python("-c", MENU, f"{WORDS} Do you permit that?", "alternate"),
            profile="generic",
            cwd=tmp_path,
            size=(80, 12),
            within_s=None,
        )
        prompt = await until_asked(pane)
        assert prompt.unseen != ""
        assert [option.label for option in prompt.options] == ["Permit it", "Refuse it"]
        assert prompt.question.endswith("Do you permit that?")
        receipt = await pane.answer(prompt.id, option="1", by="tester")
        assert receipt.fate is pg.Fate.LANDED, receipt.words

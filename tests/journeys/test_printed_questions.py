"""A program that prints texts full of questions, with pauses, asks nothing."""

from pathlib import Path

import pytest
from tests.screen.prose import draw

import panegate as pg

from .staging import open_stage, python, until_state

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

N_TEXTS = 40
PRINTS = """
import sys, time
for text in open(sys.argv[1]).read().split("\\f"):
    sys.stdout.write("\\n" * 30 + text)
    sys.stdout.flush()
    time.sleep(0.3)
"""


@pytest.mark.parametrize("width", [100, 40])
@pytest.mark.asyncio
async def test_nothing_is_asked_and_nothing_reads_as_ready(tmp_path: Path, width: int) -> None:
    """Half of the texts end in the middle of their last row."""
    texts = draw(N_TEXTS, seed=width)
    shown = ["\n".join(rows) + "\n" * (n % 2) for n, (_, rows) in enumerate(texts)]
    (tmp_path / "texts").write_text("\f".join(shown))
    async with open_stage(tmp_path) as stage, stage.ctl.events() as events:
        argv = python("-c", PRINTS, str(tmp_path / "texts"))
        pane = await stage.ctl.launch(argv, profile="generic", size=(width, 24), within_s=None)
        await until_state(pane, pg.State.EXITED)
        await pane.close()
        asked = []
        async for event in events:
            if isinstance(event, pg.PromptOpened | pg.PromptChanged):
                asked.append(event.prompt.question)
            if isinstance(event, pg.PaneExited):
                break
    assert asked == []
    assert pg.State.READY not in [change.new for change in pane.tracker.history]

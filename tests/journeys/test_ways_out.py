"""Out of whatever a command left in a shell's pane: by an answer, or by the named keys."""

import shlex
from pathlib import Path

import pytest

import panegate as pg
from panegate.testing.servers import require_program

from .staging import KERNEL, WITHIN_S, open_stage, until_state

pytestmark = [
    pytest.mark.tmux,
    pytest.mark.slow,
    pytest.mark.skipif(not KERNEL, reason="needs the kernel's word"),
]

ASKS = {
    "cat": ("cat > {file}", "C-c"),
    "read": ("read -p 'Name? ' x", "C-c"),
    "read one key": ("read -n1 -p 'Go on? [y/n] ' x", "C-c"),
    "hidden input": ("read -s -p 'Password: ' x", "C-c"),
    "less": ("less {text}", "q"),
    "more": ("more {text}", "q"),
    "python input()": ("""python3 -c "input('Name: ')" """, "C-c"),
    "getpass": ("""python3 -c "import getpass; getpass.getpass()" """, "C-c"),
}
WORKS = {
    "vim": ("vim -u NONE {file}", "Escape : q ! Enter"),
    "nano": ("nano {file}", "C-x"),
    "top": ("top", "q"),
    "python": ("python3 -q", "C-d"),
}


def written(tmp_path: Path, line: str) -> str:
    """Return a command with its files filled in; skips where its program is missing."""
    program = shlex.split(line)[0]
    if program != "read":
        require_program(program)
    text = tmp_path / "text"
    text.write_text("".join(f"line {n}\n" for n in range(1000)))
    return line.format(file=tmp_path / "file", text=text)


@pytest.mark.parametrize("which", ASKS)
@pytest.mark.asyncio
async def test_what_asks_is_left_by_a_persons_answer_alone(tmp_path: Path, which: str) -> None:
    line, key = ASKS[which]
    async with open_stage(tmp_path) as stage:
        pane = (await stage.bash()).pane
        await pane.send(written(tmp_path, line), within_s=WITHIN_S)
        await until_state(pane, pg.State.PROMPTING)
        prompt = pane.prompt
        assert prompt is not None
        assert prompt.cancel_key == key
        for write in (pane.interrupt(), pane.keys("C-d"), pane.send("x", within_s=1)):
            with pytest.raises(pg.Refused) as refused:
                await write
            assert refused.value.reason is pg.Reason.PROMPTING
            assert f"{pane.name} {prompt.id} --cancel" in refused.value.fix
            assert f"presses {key}" in refused.value.fix
        assert pane.explain().way_out in refused.value.fix
        receipt = await pane.answer(prompt.id, cancel=True, by="anna", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        await until_state(pane, pg.State.READY)


@pytest.mark.parametrize("which", WORKS)
@pytest.mark.asyncio
async def test_what_asks_nothing_is_left_by_the_keys_that_are_named(
    tmp_path: Path, which: str
) -> None:
    line, keys = WORKS[which]
    async with open_stage(tmp_path) as stage:
        pane = (await stage.bash()).pane
        await pane.send(written(tmp_path, line), within_s=WITHIN_S)
        await until_state(pane, pg.State.BUSY)
        with pytest.raises(pg.NotReady) as held:
            await pane.send("hello", within_s=1)
        assert f"{pane.name} {keys} (ends it)" in held.value.fix
        assert pane.explain().way_out in held.value.fix
        await pane.keys(*keys.split(), within_s=WITHIN_S)
        await until_state(pane, pg.State.READY)


@pytest.mark.asyncio
async def test_a_command_that_works_is_left_by_an_interrupt(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        pane = (await stage.bash()).pane
        await pane.send("sleep 1000", within_s=WITHIN_S)
        await until_state(pane, pg.State.BUSY)
        assert f"{pane.name} (presses C-c)" in pane.explain().way_out
        await pane.interrupt(within_s=WITHIN_S)
        await until_state(pane, pg.State.READY)
        assert pane.explain().way_out == ""

"""Questions that end like a prompt, asked in line editors that look just like a shell's."""

import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

import panegate as pg
from panegate.testing.servers import require_program

from .staging import KERNEL, NO_HISTORY, WITHIN_S, Stage, open_stage, until_state, until_told

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

QUESTIONS = ("Name> ", "Delete everything # ", "Weiter mit allem $ ")
Ask = Callable[[Stage, str, Path], Awaitable[pg.Pane]]


def asking(question: str, record: Path, *, shell: str = "bash") -> str:
    """Return the line that asks in a shell, and writes down what it was told."""
    ask = f"vared -p '{question}' x" if shell == "zsh" else f"read -e -p '{question}' x"
    return f'x=; {ask}; echo "$x" > {record}; echo > {record}.done'


async def in_an_adopted_bash(stage: Stage, question: str, record: Path) -> pg.Pane:
    pane = await stage.ctl.adopt(stage.session("bash", "--norc", "--noprofile"))
    await until_state(pane, pg.State.READY)
    stage.types(pane, asking(question, record))
    stage.tmux("send-keys", "-t", pane.id, "Enter")
    return pane


async def in_a_launched_bash(stage: Stage, question: str, record: Path) -> pg.Pane:
    bash = await stage.bash()
    await bash.pane.send(asking(question, record), within_s=WITHIN_S)
    return bash.pane


async def in_a_launched_zsh(stage: Stage, question: str, record: Path) -> pg.Pane:
    require_program("zsh")
    pane = await stage.ctl.launch(["zsh", "-f"], env=NO_HISTORY, within_s=WITHIN_S)
    await pane.send(asking(question, record, shell="zsh"), within_s=WITHIN_S)
    return pane


async def by_an_unknown_script(stage: Stage, question: str, record: Path) -> pg.Pane:
    argv = ["bash", "--norc", "-c", asking(question, record)]
    return await stage.ctl.launch(argv, profile="generic", within_s=None)


async def by_an_unknown_program(stage: Stage, question: str, record: Path) -> pg.Pane:
    code = (
        "import readline, sys; x = input(sys.argv[1]); "
        "print(x, file=open(sys.argv[2], 'w')); print(file=open(sys.argv[2] + '.done', 'w'))"
    )
    argv = [sys.executable, "-I", "-c", code, question, str(record)]
    return await stage.ctl.launch(argv, profile="generic", within_s=None)


ASKED: Sequence[Ask] = (
    in_an_adopted_bash,
    in_a_launched_bash,
    in_a_launched_zsh,
    by_an_unknown_script,
    by_an_unknown_program,
)


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.asyncio
async def test_a_question_that_ends_like_a_prompt_is_answered_by_a_person_alone(
    tmp_path: Path, ask: Ask
) -> None:
    async with open_stage(tmp_path) as stage:

        async def trial(n: int, question: str) -> None:
            record = tmp_path / f"answer-{n}"
            pane = await ask(stage, question, record)
            if KERNEL:
                await until_state(pane, pg.State.PROMPTING)
                assert pane.prompt is not None
                assert pane.prompt.question == question.strip()
            for write in (pane.send("rm -rf important", within_s=2), pane.nudge("go on")):
                with pytest.raises((pg.Refused, pg.NotReady)):
                    await write
            assert not record.exists()
            if KERNEL and pane.prompt is not None:
                async with until_told(record.with_name(f"{record.name}.done")):
                    await pane.answer(pane.prompt.id, text="a person", by="tester")
                assert record.read_text() == "a person\n"

        for n, question in enumerate(QUESTIONS):
            await trial(n, question)


@pytest.mark.asyncio
async def test_a_shells_own_prompt_is_known_to_every_later_controller(tmp_path: Path) -> None:
    """By its form in any shell, and of another form where a controller launched the shell."""
    async with open_stage(tmp_path) as stage:
        plain = await stage.ctl.adopt(stage.session("bash", "--norc", "--noprofile"))
        await until_state(plain, pg.State.READY)
        rc = tmp_path / "rc"
        rc.write_text("PS1='dev> '\n")
        bash = await stage.ctl.launch(
            ["bash", "--noprofile", "--rcfile", str(rc)], env=NO_HISTORY, within_s=WITHIN_S
        )
        async with pg.Controller.open(socket_path=stage.socket) as later:
            pane = await later.adopt(bash.id)
            await until_state(pane, pg.State.READY)
            receipt = await pane.send(f"echo told > {tmp_path / 'told'}", within_s=WITHIN_S)
            assert receipt.fate is pg.Fate.LANDED, receipt.words
            foreign = stage.session("bash", "--noprofile", "--rcfile", str(rc))
            unknown = await later.adopt(foreign)
            if KERNEL:
                await until_state(unknown, pg.State.PROMPTING)
            with pytest.raises((pg.Refused, pg.NotReady)):
                await unknown.send("echo hi", within_s=2)


@pytest.mark.skipif(not KERNEL, reason="without the kernel's word a shell's program is just busy")
@pytest.mark.parametrize("questions", [("name> ", "drop table> "), ("", "")])
@pytest.mark.asyncio
async def test_an_answer_to_one_question_never_reaches_the_next(
    tmp_path: Path, questions: tuple[str, str]
) -> None:
    """Also where a question ends like a prompt, or where nothing is said at all."""
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        record = tmp_path / "said"
        line = "; ".join(f"read -p '{q}' x; echo \"$x\" >> {record}" for q in questions)
        await bash.pane.send(line, within_s=WITHIN_S)
        await until_state(bash.pane, pg.State.PROMPTING)
        first = bash.pane.prompt
        assert first is not None
        assert first.question == questions[0].strip()
        async with stage.ctl.events() as events:
            stage.types(bash.pane, "bob")
            stage.tmux("send-keys", "-t", bash.pane.id, "Enter")
            async for event in events:
                if isinstance(event, pg.PromptOpened | pg.PromptChanged):
                    break
        with pytest.raises(pg.StaleAnswer):
            await bash.pane.answer(first.id, text="yes", by="tester")
        second = bash.pane.prompt
        assert second is not None
        assert (second.id != first.id, second.question) == (True, questions[1].strip())
        assert record.read_text() == "bob\n"
        if not second.question:
            return  # an answer to nothing at all is refused: what is asked cannot be read
        await bash.pane.answer(second.id, text="no", by="tester")
        await until_state(bash.pane, pg.State.READY)
        assert record.read_text() == "bob\nno\n"

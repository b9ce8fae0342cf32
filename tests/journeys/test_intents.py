"""Each intent where it may go out: what was meant arrives once, and the receipt says so."""

import asyncio
import hashlib
import os
import signal
from pathlib import Path

import pytest

import panegate as pg

from .scenes_of_programs import under_a_shell
from .staging import KERNEL, WITHIN_S, Bash, Stage, open_stage, until_shown, until_state, until_told

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


def pasted(text: str) -> bytes:
    return f"\x1b[200~{text}\x1b[201~\r".encode()


async def silent(stage: Stage) -> tuple[Bash, str]:
    """Return a bash that runs a silent command, and the command.

    It says itself that it has the terminal: until then an interrupt would meet the shell.
    """
    bash = await stage.bash()
    word = stage.folder / "in-front"
    line = f"sh -c 'echo > {word}; exec sleep 1000'"
    async with until_told(word):
        await bash.pane.send(line, within_s=WITHIN_S)
    return bash, line


@pytest.mark.asyncio
async def test_a_message_lands_once_with_its_story(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin")
        receipt = await program.pane.send("a message", within_s=WITHIN_S)
        assert (receipt.fate, receipt.reason) == (pg.Fate.LANDED, pg.Reason.NONE)
        assert (receipt.landed, receipt.left_behind, receipt.attempts) == (True, "", 1)
        assert receipt.state_before is pg.State.READY
        assert receipt.proof is not None
        assert receipt.proof.words in receipt.words
        assert receipt.n_bytes == len("a message") + 1
        assert receipt.changed
        assert receipt.before != receipt.after
        order = ["held", "typed", "echoed", "submitted", "reacted", "total"]
        assert sorted(receipt.ms, key=lambda name: receipt.ms[name]) == order
        assert program.truth.received_bytes() == pasted("a message")


@pytest.mark.asyncio
async def test_a_message_that_is_not_submitted_stays_in_the_box(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin")
        receipt = await program.pane.send("a start", within_s=WITHIN_S, submit=False)
        assert (receipt.fate, receipt.attempts) == (pg.Fate.LANDED, 0)
        assert program.truth.received_bytes() == b"\x1b[200~a start\x1b[201~"
        assert program.truth.submits() == []


@pytest.mark.asyncio
async def test_a_nudge_goes_into_a_ready_program(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin")
        receipt = await program.pane.nudge("go on")
        assert (receipt.fate, receipt.intent) == (pg.Fate.LANDED, pg.Intent.NUDGE)
        assert program.truth.submits() == ["go on"]


@pytest.mark.asyncio
async def test_a_steer_reaches_a_program_that_works(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", work=3000)
        await program.pane.send("work", within_s=WITHIN_S)
        await until_state(program.pane, pg.State.BUSY)
        receipt = await program.pane.steer("be quick", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert receipt.state_before is pg.State.BUSY
        assert [event["text"] for event in program.said("queued")] == ["be quick"]


@pytest.mark.asyncio
async def test_an_interrupt_ends_a_silent_command(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        bash, _ = await silent(stage)
        receipt = await bash.pane.interrupt()
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        await until_state(bash.pane, pg.State.READY)
        result = await bash.pane.run("echo $?", within_s=WITHIN_S)
        assert result.text == str(128 + signal.SIGINT)


@pytest.mark.asyncio
async def test_an_interrupt_goes_before_messages_that_wait(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        bash, line = await silent(stage)
        async with stage.ctl.events() as events:
            waiting = asyncio.create_task(bash.pane.send("echo after", within_s=WITHIN_S))
            async for event in events:
                if isinstance(event, pg.WriteHeld):
                    break
        receipt = await bash.pane.interrupt()
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert (await waiting).fate is pg.Fate.LANDED
        assert await bash.told() == [line, "echo after"]


@pytest.mark.asyncio
async def test_keys_arrive_by_name(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin")
        receipt = await program.pane.keys("a", "Left", "b", "M-x", "C-a")
        assert (receipt.intent, receipt.n_bytes) == (pg.Intent.KEYS, 5)
        await program.truth.wait_for(lambda _: b"\x01" in program.truth.received_bytes(), WITHIN_S)
        assert program.truth.received_bytes() == b"a\x1b[Db\x1bx\x01"
        for wrong in ((), ("NoSuchKey",), ("a", "")):
            with pytest.raises(ValueError, match="key"):
                await program.pane.keys(*wrong)


@pytest.mark.asyncio
async def test_keys_never_answer_a_question_and_an_answer_does(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", dialog_on_signal=True)
        pane = program.pane
        program.signal(signal.SIGUSR1)
        await until_state(pane, pg.State.PROMPTING)
        assert pane.prompt is not None
        with pytest.raises(pg.Refused) as refused:
            await pane.keys("1")
        assert refused.value.reason is pg.Reason.PROMPTING
        assert refused.value.prompt == pane.prompt
        receipt = await pane.answer(pane.prompt.id, option="2", by="anna")
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        await program.truth.wait_for("dialog_closed", WITHIN_S)
        assert program.truth.received_bytes() == b"2"
        assert [e["option"] for e in program.said("approved")] == [2]


@pytest.mark.parametrize("how", ["option", "label", "cancel"])
@pytest.mark.asyncio
async def test_an_answer_is_one_option_or_none(tmp_path: Path, how: str) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", dialog_on_signal=True)
        pane = program.pane
        program.signal(signal.SIGUSR1)
        await until_state(pane, pg.State.PROMPTING)
        prompt = pane.prompt
        assert prompt is not None
        assert [option.key for option in prompt.options] == ["1", "2", "3"]
        if how == "cancel":
            receipt = await pane.answer(prompt.id, cancel=True, by="anna")
        else:
            chosen = "1" if how == "option" else prompt.options[0].label
            receipt = await pane.answer(prompt.id, option=chosen, by="anna")
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        [ended] = program.said("approved", "declined")
        assert ended["event"] == ("declined" if how == "cancel" else "approved")
        await until_state(pane, pg.State.READY)
        with pytest.raises(pg.StaleAnswer) as stale:
            await pane.answer(prompt.id, option="1", by="anna")
        assert stale.value.reason is pg.Reason.NOT_PROMPTING
        assert len(program.truth.received_bytes()) == 1


@pytest.mark.asyncio
async def test_an_answer_to_the_question_before_is_refused_and_shows_the_new_one(
    tmp_path: Path,
) -> None:
    async with open_stage(tmp_path) as stage:
        options = {"dialog_chain": 2, "dialog_commands": ("ls ./one", "rm -rf ./two")}
        program = await stage.program(
            "composer", profile="standin", dialog_on_signal=True, **options
        )
        pane = program.pane
        program.signal(signal.SIGUSR1)
        await until_state(pane, pg.State.PROMPTING)
        first = pane.prompt
        assert first is not None
        await pane.answer(first.id, option="1", by="anna")
        await program.truth.wait_for("dialog_painted", WITHIN_S, count=2)
        with pytest.raises(pg.StaleAnswer) as stale:
            await pane.answer(first.id, option="1", by="anna")
        assert program.truth.received_bytes() == b"1"
        second = stale.value.prompt
        assert second is not None
        assert second.id != first.id
        assert ("rm -rf ./two" in second.context, "rm -rf" in first.context) == (True, False)
        assert stale.value.reason is pg.Reason.STALE_PROMPT


@pytest.mark.asyncio
async def test_what_is_no_option_is_refused_and_types_nothing(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", dialog_on_signal=True)
        pane = program.pane
        program.signal(signal.SIGUSR1)
        await until_state(pane, pg.State.PROMPTING)
        assert pane.prompt is not None
        with pytest.raises(pg.Refused, match="it has: '1', '2', '3'") as refused:
            await pane.answer(pane.prompt.id, option="4", by="anna")
        assert refused.value.reason is pg.Reason.NO_SUCH_OPTION
        for given in ({}, {"option": "1", "cancel": True}):
            with pytest.raises(ValueError, match="one of option"):
                await pane.answer(pane.prompt.id, by="anna", **given)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="who decided"):
            await pane.answer(pane.prompt.id, option="1", by=" ")
        assert program.truth.received_bytes() == b""


@pytest.mark.parametrize("answers", [pg.Answers.NEVER, pg.Answers.CLI])
@pytest.mark.asyncio
async def test_a_program_cannot_grant_a_persons_permission(
    tmp_path: Path, answers: pg.Answers
) -> None:
    async with open_stage(tmp_path, settings=pg.Settings(answers=answers)) as stage:
        program = await stage.program("composer", profile="standin", dialog_on_signal=True)
        program.signal(signal.SIGUSR1)
        await until_state(program.pane, pg.State.PROMPTING)
        assert program.pane.prompt is not None
        with pytest.raises(pg.Refused) as refused:
            await program.pane.answer(program.pane.prompt.id, option="1", by="a program")
        assert refused.value.reason is pg.Reason.ANSWERS_NOT_ALLOWED
        assert refused.value.fix
        assert program.truth.received_bytes() == b""


@pytest.mark.asyncio
async def test_a_text_answers_a_question_in_words(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        await bash.pane.send("read -p 'Name? ' name", within_s=WITHIN_S)
        await until_state(bash.pane, pg.State.PROMPTING)
        assert bash.pane.prompt is not None
        assert bash.pane.prompt.question == "Name?"
        receipt = await bash.pane.answer(bash.pane.prompt.id, text="Bob B.", by="anna")
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        await until_state(bash.pane, pg.State.READY)
        assert (await bash.pane.run("echo $name", within_s=WITHIN_S)).text == "Bob B."


@pytest.mark.asyncio
async def test_a_secret_answers_a_hidden_input(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("hidden-input", profile="generic", then="exit")
        prompt = program.pane.prompt
        assert prompt is not None
        assert (prompt.kind, prompt.secret) == (pg.PromptKind.SECRET, True)
        receipt = await program.pane.answer(prompt.id, secret="hunter2-XYZ", by="anna")
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        [secret] = program.said("secret")
        assert secret["sha256"] == hashlib.sha256(b"hunter2-XYZ").hexdigest()


@pytest.mark.skipif(KERNEL, reason="the kernel says that it is stopped: see the surfaces")
@pytest.mark.asyncio
async def test_without_the_kernel_a_stopped_program_gets_no_enter_and_nothing_twice(
    tmp_path: Path,
) -> None:
    async with open_stage(tmp_path) as stage:
        program, pid = await under_a_shell(stage)
        os.kill(pid, signal.SIGSTOP)
        receipt = await program.pane.send("a message", within_s=WITHIN_S)
        assert (receipt.fate, receipt.reason) == (pg.Fate.NOT_LANDED, pg.Reason.NO_ECHO)
        assert receipt.left_behind == "a message"
        async with until_shown(program.pane, "a message"):
            os.kill(pid, signal.SIGCONT)
        with pytest.raises(pg.NotReady) as held:
            await program.pane.send("another", within_s=0.3)
        assert held.value.reason is pg.Reason.LEFT_BEHIND
        await program.pane.clear()
        assert program.truth.submits() == []

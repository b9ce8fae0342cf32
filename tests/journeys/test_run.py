"""`run`: what was said between a message and the end of its turn."""

import asyncio
from pathlib import Path

import pytest

import panegate as pg

from .staging import KERNEL, WITHIN_S, open_stage, python, until_shown, until_state

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

LONG = "echo " + "x" * 300
OUTPUTS = {
    "one row": ("echo one", "one"),
    "several rows": ("printf 'a\\n\\n  b\\nc\\n'", "a\n\n  b\nc"),
    "nothing": ("true", ""),
    "wide": ("printf '日本 ❤\\n'", "日本 ❤"),
    "looks like a prompt": ("echo 'bash-5.2# '; echo after", "bash-5.2#\nafter"),
    "a question in words": ("echo 'Are you sure? [y/n]'", "Are you sure? [y/n]"),
    "several lines": ("echo one\necho two", "one\ntwo"),
    "rows wrap": (LONG, "\n".join(["x" * 120, "x" * 120, "x" * 60])),
    "more than the screen": ("seq 100", "\n".join(map(str, range(1, 101)))),
    "in two goes": ("echo early; sleep 0.3; echo late", "early\nlate"),
    "no line end": ("printf abc", "abc"),
    "behind no line end": ("echo next", "next"),
}


@pytest.mark.asyncio
async def test_a_shells_output_is_what_stands_between(tmp_path: Path) -> None:
    """One pane for all, so that each begins where the one before ended."""
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        for name, (line, expected) in OUTPUTS.items():
            result = await bash.pane.run(line, within_s=WITHIN_S, turn_within_s=WITHIN_S)
            assert (name, result.text) == (name, expected)
            assert result.state is pg.State.READY
            assert result.complete
            assert result.receipt.fate is pg.Fate.LANDED


@pytest.mark.asyncio
async def test_the_status_is_that_of_this_command_or_none(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        for status in (0, 7, 130):
            result = await bash.pane.run(f"(exit {status})", within_s=WITHIN_S)
            assert (result.status, result.text) == (status, "")
        asked = await bash.pane.run("false; read -p 'Name? ' x", within_s=WITHIN_S)
        assert (asked.status, asked.state) == (None, pg.State.PROMPTING)


@pytest.mark.asyncio
async def test_a_turn_that_ends_with_a_question_returns_at_it(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        line = "echo first; read -p 'Name? ' x; echo hello $x"
        result = await bash.pane.run(line, within_s=WITHIN_S, turn_within_s=WITHIN_S)
        assert result.state is pg.State.PROMPTING
        assert result.text == "first\nName?"
        assert bash.pane.prompt is not None
        assert bash.pane.prompt.question == "Name?"
        await bash.pane.answer(bash.pane.prompt.id, text="Bob", by="anna")
        await until_state(bash.pane, pg.State.READY)
        assert "hello Bob" in (await bash.pane.read()).text


@pytest.mark.parametrize("retain", [True, False])
@pytest.mark.asyncio
async def test_a_turn_that_ends_the_program_returns_its_last_words(
    tmp_path: Path, retain: bool
) -> None:
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash(retain=retain)
        line = "echo bye; sleep 0.2; exit 5"
        result = await bash.pane.run(line, within_s=WITHIN_S, turn_within_s=WITHIN_S)
        assert result.state is pg.State.EXITED
        assert result.text == "bye\nexit" or result.text == "bye"
        assert bash.pane.exit is not None
        assert bash.pane.exit.status == 5


@pytest.mark.asyncio
async def test_a_turn_that_is_not_over_in_time_gives_what_there_is(tmp_path: Path) -> None:
    """The message landed, so nothing is raised; the turn goes on."""
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        line = f"echo early; tmux -S {stage.socket} wait-for over; echo late"
        result = await bash.pane.run(line, within_s=WITHIN_S, turn_within_s=0.5)
        assert result.receipt.fate is pg.Fate.LANDED
        assert (result.state, result.complete) == (pg.State.BUSY, False)
        assert result.text == "early"
        stage.tmux("wait-for", "-S", "over")
        await until_state(bash.pane, pg.State.READY)
        assert "late" in (await bash.pane.read()).text


@pytest.mark.asyncio
async def test_a_message_that_does_not_go_out_raises_and_runs_nothing(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        async with until_shown(bash.pane, "half a"):
            stage.types(bash.pane, "half a")
        with pytest.raises(pg.NotReady) as held:
            await bash.pane.run("echo one", within_s=0.3)
        assert held.value.reason is pg.Reason.DRAFT


@pytest.mark.asyncio
async def test_rows_that_left_the_history_are_said_to_be_missing(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        stage.tmux("set-option", "-g", "history-limit", "100")
        bash = await stage.bash()
        result = await bash.pane.run("seq 1000", within_s=WITHIN_S, turn_within_s=WITHIN_S)
        assert not result.complete
        assert result.text.splitlines()[-1] == "1000"


# Without the kernel's word nothing tells a continuation prompt from an answer that is due.
COMPOUND = [("for n in range(3): print(n)\n", None)] if KERNEL else []


@pytest.mark.asyncio
async def test_a_repls_output_is_what_stands_between(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        pane = await stage.ctl.launch(python("-i"), profile="python", within_s=WITHIN_S)
        for line, expected in (
            ("1 + 1", "2"),
            ("x = 1", ""),
            *COMPOUND,
            ("print('a\\nb')", "a\nb"),
            ("1 / 0", None),
        ):
            result = await pane.run(line, within_s=WITHIN_S, turn_within_s=WITHIN_S)
            if expected is not None:
                assert result.text == expected
        assert result.text.splitlines()[-1] == "ZeroDivisionError: division by zero"


@pytest.mark.asyncio
async def test_a_screen_that_the_command_cleared_is_not_called_whole(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        await bash.pane.run("seq 5", within_s=WITHIN_S)
        result = await bash.pane.run("clear; echo after", within_s=WITHIN_S)
        assert (result.text, result.complete) == ("after", False)
        result = await bash.pane.run("echo more", within_s=WITHIN_S)
        assert (result.text, result.complete) == ("more", True)


@pytest.mark.parametrize("inline", [False, True])
@pytest.mark.asyncio
async def test_a_composers_reply_is_what_follows_the_message_in_its_transcript(
    tmp_path: Path, inline: bool
) -> None:
    async with open_stage(tmp_path) as stage:
        reply = ("First words.", "Second words.")
        program = await stage.program("composer", profile="standin", inline=inline, reply=reply)
        for n, words in enumerate(reply):
            result = await program.pane.run(f"question {n}", within_s=WITHIN_S)
            assert (result.text, result.complete) == (f"● {words}", True)
            assert (result.state, result.status) == (pg.State.READY, None)


@pytest.mark.skipif(not KERNEL, reason="a line reader is ready by the kernel's word")
@pytest.mark.asyncio
async def test_a_line_readers_answer_is_what_stands_between(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("lines", profile="lines", answer="got: {line}")
        for n in range(20):  # the answer is often a moment behind the kernel's word
            result = await program.pane.run(f"line {n}", within_s=WITHIN_S)
            assert result.text == f"got: line {n}"


@pytest.mark.asyncio
async def test_runs_side_by_side_do_not_mix(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        lines = [f"echo {n}" for n in range(4)]
        runs = [bash.pane.run(line, within_s=WITHIN_S) for line in lines]
        results = await asyncio.gather(*runs)
        assert await bash.told() == lines
        assert {result.receipt.fate for result in results} == {pg.Fate.LANDED}
        assert [result.text for result in results] == ["0", "1", "2", "3"]


@pytest.mark.asyncio
async def test_what_is_read_late_ends_where_the_next_message_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    next_landed, read = asyncio.Event(), pg.Pane.read

    async def read_late(pane: pg.Pane, *, history: int = 0) -> pg.Screen:
        await next_landed.wait()
        return await read(pane, history=history)

    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        monkeypatch.setattr(pg.Pane, "read", read_late)
        running = asyncio.create_task(bash.pane.run("echo 0", within_s=WITHIN_S))
        sending = asyncio.create_task(bash.pane.send("echo 1", within_s=WITHIN_S))
        await sending
        await until_state(bash.pane, pg.State.READY)
        next_landed.set()
        assert (await running).text == "0"
        assert await bash.told() == ["echo 0", "echo 1"]

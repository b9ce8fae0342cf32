"""B. Written too early; "ready" said too early or never."""

import asyncio
import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.journeys.staging import WITHIN_S, Program, open_stage, until_state

import panegate as pg
from panegate.testing.truth import TruthLog

from . import naive
from .conftest import ProfileWith

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


def at_s(truth: TruthLog, name: str, **fields: object) -> float:
    """Return when an event of the record happened first."""
    return min(
        float(str(event["at"]))
        for event in truth.events(name)
        if all(event[key] == value for key, value in fields.items())
    )


@pytest.mark.asyncio
async def test_b01_a_line_asked_for_during_the_boot_is_read_once(tmp_path: Path) -> None:
    """The kernel echoes what is typed before the program flushes it; that echo proves nothing."""

    async def by_state() -> None:
        program = await stage.program("slow-boot", flush=True, boot=1500, within_s=None)
        pane = program.pane
        assert pane.state is pg.State.BOOTING
        with pytest.raises(pg.Refused) as refused:
            await pane.nudge("too early")
        assert refused.value.reason is pg.Reason.BOOTING
        receipt = await pane.send("make test", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == ["make test"]
        [flushed] = program.said("flushed")
        assert flushed["n_bytes"] == 0

    async def the_plain_way() -> None:
        plain = await naive.started(stage, "slow-boot", until="state", flush=True, boot=1000)
        await plain.send("make test")
        assert "make test" in plain.screen()
        await plain.truth.wait_for("flushed", WITHIN_S)
        assert plain.said("flushed")[0]["n_bytes"] == len("make test\r")

    async with open_stage(tmp_path) as stage:
        await asyncio.gather(by_state(), the_plain_way())


@contextlib.contextmanager
def two_busy_cores() -> Iterator[None]:
    burners = [subprocess.Popen(["yes"], stdout=subprocess.DEVNULL) for _ in range(2)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


@pytest.mark.asyncio
async def test_b02_twelve_programs_that_start_together_all_get_their_first_message(
    tmp_path: Path,
) -> None:
    n_panes = 12
    async with open_stage(tmp_path) as stage:

        async def one(number: int) -> Program:
            boot = 200 * number
            program = await stage.program("slow-boot", flush=True, boot=boot)
            receipt = await program.pane.send(f"message {number}", within_s=WITHIN_S)
            assert receipt.fate is pg.Fate.LANDED, receipt.words
            return program

        async with stage.ctl.events() as events:
            with two_busy_cores():
                programs = await asyncio.gather(*map(one, range(n_panes)))
            opened = {}
            async for event in events:
                if isinstance(event, pg.PaneOpened):
                    opened[event.pane] = event.at_s
                if len(opened) == n_panes:
                    break
        assert len({program.pane.target.pane_pid for program in programs}) == n_panes
        for number, program in enumerate(programs):
            assert program.truth.submits() == [f"message {number}"]
            ready = [c.at_s for c in program.pane.explain().history if c.new is pg.State.READY]
            prompted_s = at_s(program.truth, "state", state="ready")
            assert max(opened[program.pane.id], prompted_s) <= ready[0]
        # Each was ready in its own time: the first long before the last had begun to read.
        assert at_s(programs[0].truth, "submit") < at_s(programs[-1].truth, "state", state="ready")


@pytest.mark.asyncio
async def test_b03_nothing_is_written_while_it_boots_and_a_persons_keys_are_no_echo(
    tmp_path: Path,
) -> None:
    boot = {"boot": 1000, "boot_text": "a banner"}

    async def by_state() -> None:
        program = await stage.program("composer", profile="standin", within_s=None, **boot)
        other = await stage.program("composer", profile="standin", within_s=None, **boot)
        delivery = asyncio.create_task(program.pane.send("hello there", within_s=WITHIN_S))
        await other.truth.wait_for("state", WITHIN_S)
        stage.types(other.pane, "hello there")
        receipt = await delivery
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == ["hello there"]
        assert at_s(program.truth, "bytes") > at_s(program.truth, "ready_painted")

        # The same text, typed by a person: it stands in the box and is not taken for ours.
        await until_state(other.pane, pg.State.READY)
        assert other.pane.draft == "hello there"
        with pytest.raises(pg.NotReady) as refused:
            await other.pane.send("hello there", within_s=0.2)
        assert refused.value.reason is pg.Reason.DRAFT
        assert other.truth.received_bytes() == b"hello there"
        assert other.truth.submits() == []

    async def the_plain_way() -> None:
        plain = await naive.started(stage, "composer", until="state", **boot)
        await plain.send("hello there", pause_s=0.1)
        assert "hello there" in plain.screen()
        await plain.truth.wait_for("bytes", WITHIN_S)
        assert plain.truth.submits() == []

    async with open_stage(tmp_path) as stage:
        await asyncio.gather(by_state(), the_plain_way())


@pytest.mark.parametrize("profile", ["standin", "generic"])
@pytest.mark.asyncio
async def test_b04_a_launch_that_settles_on_a_dialog_says_so_and_writes_nothing(
    tmp_path: Path, profile: str
) -> None:
    """A message to a program that asks is refused; after the answer it is sent again."""
    async with open_stage(tmp_path) as stage:
        program = await stage.program(
            "composer", profile=profile, within_s=None, trust_first=True, boot=300
        )
        pane = program.pane
        async with stage.ctl.events() as events:
            with pytest.raises(pg.Refused) as refused:
                await pane.send("1 thing to do", within_s=WITHIN_S)
            assert refused.value.reason is pg.Reason.PROMPTING
            async with asyncio.timeout(WITHIN_S):
                async for event in events:
                    if isinstance(event, pg.PromptOpened):
                        break
        assert pane.state is pg.State.PROMPTING
        assert pane.prompt is not None
        assert pane.prompt.question == "Do you trust the files in this folder?"
        assert [(o.key, o.label) for o in pane.prompt.options] == [
            ("1", "Yes, I trust this folder"),
            ("2", "No, leave"),
        ]
        assert program.truth.received_bytes() == b""
        await pane.answer(pane.prompt.id, option="1", by="tester")
        receipt = await pane.send("1 thing to do", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == ["1 thing to do"]

    if profile == "generic":
        return
    async with open_stage(tmp_path) as stage:
        plain = await naive.started(stage, "composer", until="dialog_painted", trust_first=True)
        stage.types(plain.pane_id, "2 things to do")
        await plain.truth.wait_for("declined", WITHIN_S)


LAYOUTS = {
    "caret at the start of the last row": {"layout": "plain"},
    "caret behind a branch, a hint below": {"layout": "branch"},
    "caret in a box with two rows below": {"layout": "box"},
}


@pytest.mark.asyncio
async def test_b05_readiness_is_not_tied_to_one_layout(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:

        async def one(layout: str) -> None:
            program = await stage.program("composer", profile="generic", **LAYOUTS[layout])
            assert program.pane.state is pg.State.READY
            receipt = await program.pane.send("hello", within_s=WITHIN_S)
            assert receipt.fate is pg.Fate.LANDED, (layout, receipt.words)
            assert program.truth.submits() == ["hello"]

        await asyncio.gather(*map(one, LAYOUTS))


@pytest.mark.asyncio
async def test_b05_a_pattern_that_does_not_fit_is_named_with_the_last_screen(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    profile = profile_with("standin", composer={"glyphs": ["»"]})
    async with open_stage(tmp_path) as stage:
        with pytest.raises(pg.LaunchFailed) as failed:
            await stage.program("composer", profile=str(profile), within_s=1)
        assert "»" in str(failed.value)
        assert failed.value.screen is not None
        assert any("│ > " in row for row in failed.value.screen.rows)


@pytest.mark.asyncio
async def test_b07_the_first_words_of_a_program_that_fails_at_once_are_not_lost(
    tmp_path: Path,
) -> None:
    """A moment between words and end, for tmux itself drops the output of a pane that just died."""
    argv = ["sh", "-c", "echo E42 no licence; sleep 0.2; exit 3"]
    async with open_stage(tmp_path) as stage:
        stage.tell_closed()
        pane_id = stage.session(*argv)
        await stage.closed()
        with pytest.raises(AssertionError, match="can't find pane"):
            stage.tmux("capture-pane", "-p", "-t", pane_id)

        async with stage.ctl.events() as events:
            with pytest.raises(pg.LaunchFailed) as failed:
                await stage.ctl.launch(argv, within_s=WITHIN_S)
            async with asyncio.timeout(WITHIN_S):
                async for event in events:
                    assert not isinstance(event, pg.StateChanged) or (
                        (event.old, event.new) == (pg.State.BOOTING, pg.State.EXITED)
                    )
                    if isinstance(event, pg.PaneExited):
                        break
        assert (event.status, event.signal) == (3, None)
        assert event.rows[0] == "E42 no licence"
        assert failed.value.status == 3
        assert failed.value.screen is not None
        assert "E42 no licence" in failed.value.screen.rows

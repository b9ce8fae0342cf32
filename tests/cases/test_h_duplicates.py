"""H. Submitted twice, retyped, delivered again."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest
from tests.journeys.staging import WITHIN_S, Program, Stage, open_stage, until_state

import panegate as pg

from . import naive
from .conftest import ProfileWith

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


def enters(program: Program) -> int:
    """Return how many Enters reached the program."""
    return program.truth.received_bytes().count(b"\r")


def copies(program: Program, text: str) -> int:
    """Return how often the text itself reached the program."""
    return program.truth.received_bytes().count(text.encode())


@pytest.mark.asyncio
async def test_h01_a_message_to_a_program_that_does_not_read_waits_and_goes_once(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    working = {"deaf_while_busy": True, "work": 1000}
    profile = profile_with("standin", timing={"settle_s": 0.4})

    async def by_receipts() -> None:
        program = await stage.program("composer", profile=str(profile), **working)
        pane = program.pane
        await pane.send("first", within_s=WITHIN_S)
        await program.truth.wait_for("turn_began", WITHIN_S)
        # A caller that asks again and again, by the name it gave its message.
        with pytest.raises(pg.NotReady) as refused:
            await pane.send("second", id="given up", within_s=0.2)
        assert refused.value.reason is pg.Reason.BUSY
        receipts = await asyncio.gather(
            *(pane.send("second", id="one and the same", within_s=WITHIN_S) for _ in range(3))
        )
        again = await pane.send("second", id="one and the same", within_s=WITHIN_S)
        assert {receipt.write_id for receipt in (*receipts, again)} == {"one and the same"}
        assert again.fate is pg.Fate.LANDED, again.words
        assert program.truth.submits() == ["first", "second"]
        assert copies(program, "second") == 1

    async def the_plain_way() -> None:
        plain = await naive.started(stage, "composer", **working)
        await plain.send("first", pause_s=0.1)
        await plain.truth.wait_for("turn_began", WITHIN_S)
        for _ in range(3):
            await plain.send("second", pause_s=0.05)
        await plain.truth.wait_for("submit", WITHIN_S, count=3)
        assert plain.truth.submits()[:3] == ["first", "second", "second"]

    async with open_stage(tmp_path) as stage:
        await asyncio.gather(by_receipts(), the_plain_way())


@pytest.mark.asyncio
async def test_h02_queued_text_that_stays_in_the_box_is_not_queued_again(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    profile = profile_with("standin", timing={"react_within_s": 0.5, "settle_s": 0.4})
    keeping = {"busy_enter": "keep", "work": 2000}

    async def by_receipts() -> None:
        program = await stage.program("composer", profile=str(profile), **keeping)
        pane = program.pane
        await pane.send("first", within_s=WITHIN_S)
        await until_state(pane, pg.State.BUSY)
        receipt = await pane.steer("second", within_s=WITHIN_S)
        assert (receipt.fate, receipt.attempts) == (pg.Fate.UNKNOWN, 1), receipt.words
        with pytest.raises(pg.Refused) as refused:
            await pane.steer("second", within_s=0.2)
        assert refused.value.reason is pg.Reason.LEFT_BEHIND
        await program.truth.wait_for("submit", WITHIN_S, count=2)
        assert len(program.said("queued")) == 1
        assert program.truth.submits() == ["first", "second"]
        assert (copies(program, "second"), enters(program)) == (1, 2)

    async def the_plain_way() -> None:
        plain = await naive.started(stage, "composer", **keeping)
        await plain.send("first", pause_s=0.1)
        await plain.truth.wait_for("turn_began", WITHIN_S)
        await plain.send("second", pause_s=0.1, enters=2)
        await plain.truth.wait_for("queued", WITHIN_S, count=2)

    async with open_stage(tmp_path) as stage:
        await asyncio.gather(by_receipts(), the_plain_way())


@pytest.mark.asyncio
async def test_h03_nothing_is_typed_behind_a_copy_that_stands_in_the_box(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    """The report would press Enter again by itself; here its sender has to say so."""
    profile = profile_with("standin", timing={"react_within_s": 0.5, "settle_s": 0.4})
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=str(profile), drop_crs=1)
        pane = program.pane
        receipt = await pane.send("build it", within_s=WITHIN_S)
        assert (receipt.fate, receipt.left_behind) == (pg.Fate.UNKNOWN, "build it")
        with pytest.raises(pg.NotReady) as refused:
            await pane.send("build it", within_s=0.2)
        assert refused.value.reason is pg.Reason.LEFT_BEHIND
        assert copies(program, "build it") == 1
        await pane.keys("Enter")
        await program.truth.wait_for("submit", WITHIN_S)
        assert program.truth.submits() == ["build it"]

        plain = await naive.started(stage, "composer", drop_crs=1)
        for _ in range(2):
            await plain.send("build it", pause_s=0.1)
        await plain.truth.wait_for("submit", WITHIN_S)
        assert plain.truth.submits() == ["build itbuild it"]


@pytest.mark.asyncio
async def test_h04_no_blind_enter_lands_in_what_comes_next(tmp_path: Path) -> None:
    asking = {"ask_after_submit": 500, "work": 5000}
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", **asking)
        pane = program.pane
        receipt = await pane.send("deploy", within_s=WITHIN_S)
        assert (receipt.fate, receipt.attempts) == (pg.Fate.LANDED, 1), receipt.words
        await until_state(pane, pg.State.PROMPTING)
        for _ in range(3):
            with pytest.raises(pg.Refused) as refused:
                await pane.send("deploy", within_s=0.1)
            assert refused.value.reason is pg.Reason.PROMPTING
        assert enters(program) == 1
        assert program.said("dialog_key", "approved", "declined") == []

        plain = await naive.started(stage, "composer", **asking)
        await plain.send("deploy", pause_s=0.35, enters=3)
        await plain.truth.wait_for("approved", WITHIN_S)


async def client_of(stage: Stage, pane: pg.Pane) -> int:
    """Return the pid of the control client that carries a pane."""
    fields = "#{client_pid} #{client_created} #{session_name}"
    listed = [line.split() for line in stage.tmux("list-clients", "-F", fields).splitlines()]
    [(pid, created, _)] = [words for words in listed if words[2] == pane.name]
    # A client that is killed in its first second may take the server with it.
    await asyncio.sleep(max(0.0, float(created) + 2.1 - time.time()))
    return int(pid)


@pytest.mark.asyncio
async def test_h05_a_paste_that_the_connection_broke_off_is_not_sent_again(
    tmp_path: Path,
) -> None:
    text = " ".join(f"word{n}" for n in range(2400))
    assert len(text) > 20_000
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", slow_read="512:25")
        pane = program.pane
        pid = await client_of(stage, pane)
        delivery = asyncio.create_task(pane.send(text, within_s=WITHIN_S))
        half = len(text) // 2
        await program.truth.wait_for(
            lambda seen: sum(int(str(e.get("n_bytes", 0))) for e in seen) > half, WITHIN_S
        )
        os.kill(pid, signal.SIGKILL)
        receipt = await delivery
        assert (receipt.fate, receipt.reason) == (pg.Fate.UNKNOWN, pg.Reason.CONNECTION_LOST)
        assert receipt.landed is None
        assert receipt.n_bytes == len(text)
        assert receipt.left_behind == text
        assert stage.ctl.journal.rows[receipt.write_id].text == text
        # It is carried again, and what stands in the box is seen and said.
        await program.truth.wait_for("paste", WITHIN_S)
        await until_state(pane, pg.State.READY)
        with pytest.raises(pg.NotReady) as refused:
            await pane.send("something else", within_s=0.3)
        assert refused.value.reason in (pg.Reason.LEFT_BEHIND, pg.Reason.DRAFT)
        assert refused.value.screen is not None
        assert any("word2399" in row for row in refused.value.screen.rows)
        assert copies(program, text) == 1
        assert enters(program) == 0
        assert copies(program, "something else") == 0


@pytest.mark.asyncio
async def test_h06_a_caller_that_retries_piles_nothing_up(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    """An Enter within 30 ms of text is a line break: too early for a profile without a gap."""
    early = {"newline_within": 30_000}
    profile = profile_with("standin", submit={"line_break": False}, timing={"settle_s": 0.4})
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=str(profile), **early)
        pane = program.pane
        receipt = await pane.send("try again", within_s=WITHIN_S)
        assert (receipt.fate, receipt.reason) == (pg.Fate.NOT_LANDED, pg.Reason.LINE_BREAK)
        for _ in range(4):
            with pytest.raises(pg.NotReady) as refused:
                await pane.send("try again", within_s=0.1)
            assert refused.value.reason is pg.Reason.LEFT_BEHIND
        assert copies(program, "try again") == 1
        assert program.truth.submits() == []
        assert receipt.left_behind == "try again"

        plain = await naive.started(stage, "composer", **early)
        for _ in range(5):
            await plain.send("try again", pause_s=0.0)
        await plain.truth.wait_for("cr_newline", WITHIN_S, count=5)
        assert plain.truth.received_bytes().count(b"try again") == 5
        assert plain.truth.submits() == []

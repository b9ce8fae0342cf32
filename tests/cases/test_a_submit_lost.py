"""A. The text is in the box and Enter did nothing."""

import asyncio
from pathlib import Path

import pytest
from tests.journeys.staging import KERNEL, WITHIN_S, Program, open_stage, until_state

import panegate as pg

from . import naive
from .conftest import ProfileWith

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


def texts_received(program: Program, text: str) -> int:
    """Return how often the text itself reached the program."""
    return program.truth.received_bytes().count(text.encode())


@pytest.mark.asyncio
async def test_a01_enter_is_sent_once_and_late_enough_to_be_taken(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        deaf = {"ignore_cr_within": 120}
        program = await stage.program("composer", profile="standin", **deaf)
        receipt = await program.pane.send("one short line", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert receipt.proof is not None
        assert receipt.attempts == 1
        assert receipt.ms["echoed"] < receipt.ms["submitted"] < receipt.ms["reacted"]
        assert program.truth.submits() == ["one short line"]
        assert program.said("cr_ignored") == []

        plain = await naive.started(stage, "composer", **deaf)
        await plain.send_at_once("one short line")
        await plain.truth.wait_for("cr_ignored", WITHIN_S)
        assert plain.truth.submits() == []


@pytest.mark.asyncio
async def test_a01_an_ignored_enter_is_unknown_and_nothing_is_sent_again(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    """The report would retry Enter; an unchanged box proves no lost Enter, so nobody retries."""
    profile = profile_with("standin", timing={"react_within_s": 0.6})
    async with open_stage(tmp_path) as stage:
        deaf = {"ignore_cr_within": 60_000}
        program = await stage.program("composer", profile=str(profile), **deaf)
        receipt = await program.pane.send("one short line", within_s=WITHIN_S)
        assert (receipt.fate, receipt.reason) == (pg.Fate.UNKNOWN, pg.Reason.NO_REACTION)
        assert receipt.landed is None
        assert receipt.left_behind == "one short line"
        assert program.truth.received_bytes().count(b"\r") == 1
        assert texts_received(program, "one short line") == 1


@pytest.mark.asyncio
async def test_a02_text_and_enter_never_come_in_one_read(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        joined = {"cr_in_same_read": "newline"}
        program = await stage.program("composer", profile="standin", **joined)
        receipt = await program.pane.send("do the thing", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == ["do the thing"]

        plain = await naive.started(stage, "composer", **joined)
        await plain.send_at_once("do the thing")
        await plain.truth.wait_for("cr_newline", WITHIN_S)
        assert plain.truth.submits() == []


@pytest.mark.parametrize(("profile", "enters"), [("standin", 2), ("generic", 1)])
@pytest.mark.asyncio
async def test_a02_a_line_break_in_the_box_is_noticed(
    tmp_path: Path, profile: str, enters: int
) -> None:
    """One more Enter goes only where the profile knows this sign; the text never goes again."""
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=profile, newline_within=60_000)
        receipt = await program.pane.send("do the thing", within_s=WITHIN_S)
        assert (receipt.fate, receipt.reason) == (pg.Fate.NOT_LANDED, pg.Reason.LINE_BREAK)
        assert receipt.landed is False
        assert len(program.said("cr_newline")) == receipt.attempts == enters
        assert texts_received(program, "do the thing") == 1
        assert program.truth.submits() == []


@pytest.mark.asyncio
async def test_a03_a_dropped_enter_is_never_called_landed(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    """The report would retry Enter by itself; here the receipt says what is known and stays.

    The text is cleared and sent again by its sender, who alone knows that this is wanted.
    """
    messages = [f"message {n}" for n in range(1, 10)]
    dropping = {"drop_every_nth_cr": 3, "work": 50}
    timing = {"react_within_s": 0.4, "settle_s": 0.4}
    profile = profile_with("standin", timing=timing, submit={"gap_s": 0.05})

    async def by_receipts() -> None:
        program = await stage.program("composer", profile=str(profile), **dropping)
        pane = program.pane
        n_lost = 0
        for message in messages:
            n_before = len(program.truth.submits())
            receipt = await pane.send(message, within_s=WITHIN_S)
            submitted = len(program.truth.submits()) > n_before
            assert (receipt.fate is pg.Fate.LANDED) is submitted
            if not submitted:
                n_lost += 1
                assert (receipt.fate, receipt.attempts) == (pg.Fate.UNKNOWN, 1)
                with pytest.raises(pg.NotReady) as refused:
                    await pane.send(message, within_s=0.1)
                assert refused.value.reason is pg.Reason.LEFT_BEHIND
                await pane.clear()
                receipt = await pane.send(message, within_s=WITHIN_S)
                assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == messages
        assert n_lost == len(program.said("cr_dropped")) == 4

    async def the_plain_way() -> None:
        plain = await naive.started(stage, "composer", **dropping)
        for message in messages[:4]:
            await plain.send(message, pause_s=0.1)
        await plain.truth.wait_for("submit", WITHIN_S, count=3)
        assert plain.truth.submits() == ["message 1", "message 2", "message 3message 4"]

    async with open_stage(tmp_path) as stage:
        await asyncio.gather(by_receipts(), the_plain_way())


@pytest.mark.asyncio
async def test_a04_a_menu_between_text_and_enter_gets_no_enter(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        known = await stage.program("composer", profile="standin", slash_popup=True)
        with pytest.raises(pg.Refused) as refused:
            await known.pane.send("/halt", within_s=WITHIN_S)
        assert refused.value.reason is pg.Reason.OPENS_A_MODE
        assert known.truth.received_bytes() == b""

        unknown = await stage.program("composer", slash_popup=True)
        for program in (known, unknown):
            receipt = await program.pane.send("/halt", within_s=WITHIN_S, literal=True)
            assert (receipt.fate, receipt.reason) == (pg.Fate.NOT_LANDED, pg.Reason.MENU_OPENED)
            assert (receipt.landed, receipt.attempts) == (False, 0)
            assert receipt.left_behind == "/halt"
            assert any(row.strip("│ ") == "> /halt" for row in receipt.after)
            assert program.said("submit", "popup_chosen", "empty_submit") == []
            assert b"\r" not in program.truth.received_bytes()

        plain = await naive.started(stage, "composer", slash_popup=True)
        await plain.send("/halt")
        await plain.truth.wait_for("popup_chosen", WITHIN_S)
        [chosen] = plain.said("popup_chosen")
        assert (chosen["text"], chosen["row"]) == ("/halt", "/help")
        assert plain.truth.submits() == []


@pytest.mark.asyncio
async def test_a04_text_that_the_menu_takes_away_is_not_landed(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    profile = profile_with("standin", timing={"echo_within_s": 0.6})
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=str(profile), slash_popup=True)
        receipt = await program.pane.send("/deploy now", within_s=WITHIN_S, literal=True)
        assert (receipt.fate, receipt.attempts) == (pg.Fate.NOT_LANDED, 0)
        assert receipt.reason in (pg.Reason.NO_ECHO, pg.Reason.ECHO_DIFFERS)
        assert program.said("submit", "empty_submit", "popup_chosen") == []


@pytest.mark.parametrize("probe", ["full", "none"])
@pytest.mark.asyncio
async def test_a05_a_program_that_stopped_reading_gets_no_enter(
    tmp_path: Path, profile_with: ProfileWith, monkeypatch: pytest.MonkeyPatch, probe: str
) -> None:
    """With the kernel's word nothing is even typed; without it the missing echo tells."""
    if probe == "full" and not KERNEL:
        pytest.skip("the kernel does not tell here")
    monkeypatch.setenv("PANEGATE_PROBE", probe)
    timing = {"echo_within_s": 0.6, "silence_s": 1.0, "settle_s": 0.4}
    profile = profile_with("standin", timing=timing)
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=str(profile), stop_reading_after=2)
        pane = program.pane
        for text in ("one", "two"):
            receipt = await pane.send(text, within_s=WITHIN_S)
            assert receipt.fate is pg.Fate.LANDED, receipt.words
        n_bytes = len(program.truth.received_bytes())
        await program.truth.wait_for("ready_painted", WITHIN_S, count=3)
        if probe == "full":
            async with stage.ctl.events() as events:
                await until_state(pane, pg.State.SILENT)
                assert pane.explain().quiet_s >= 1.0
                with pytest.raises(pg.NotReady) as refused:
                    await pane.send("three", within_s=0.2)
                assert refused.value.reason is pg.Reason.SILENT
                async with asyncio.timeout(WITHIN_S):
                    async for event in events:
                        if isinstance(event, pg.StateChanged) and event.new is pg.State.SILENT:
                            break
        else:
            receipt = await pane.send("three", within_s=WITHIN_S)
            assert (receipt.fate, receipt.reason) == (pg.Fate.NOT_LANDED, pg.Reason.NO_ECHO)
            assert (receipt.attempts, receipt.n_bytes) == (0, len("three"))
            row = stage.ctl.journal.rows[receipt.write_id]
            assert row.text == "three"
        assert len(program.truth.received_bytes()) == n_bytes
        assert program.truth.submits() == ["one", "two"]


def up_s(pane: pg.Pane) -> float:
    """Return what the program's clock showed at the last look."""
    return float("\n".join(pane.last_screen().rows).rpartition("· up ")[2].split("s")[0])


@pytest.mark.asyncio
async def test_a06_a_clock_that_ticks_is_no_proof_of_a_submit(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    """The Enter vanishes; what counts is the empty box, here after a person's Enter."""
    text = "\n".join(f"line {n}" for n in range(12))
    collapsed = {"collapsed": [r"\[text: [0-9]+ lines\]"]}
    ticking = {"clock": 500, "collapse_over_lines": 5, "collapsed": "[text: {lines} lines]"}
    hasty = profile_with("standin", composer=collapsed, timing={"react_within_s": 1.2})
    patient = profile_with("standin", composer=collapsed, timing={"react_within_s": WITHIN_S})

    async def until_time_ran_out() -> None:
        deaf = {"ignore_cr_within": 60_000, **ticking}
        program = await stage.program("composer", profile=str(hasty), **deaf)
        receipt = await program.pane.send(text, within_s=WITHIN_S)
        assert (receipt.fate, receipt.landed) == (pg.Fate.UNKNOWN, None), receipt.words
        assert (receipt.attempts, receipt.changed) == (1, True)

    async def until_the_box_was_empty() -> None:
        program = await stage.program("composer", profile=str(patient), drop_crs=1, **ticking)
        pane = program.pane
        delivery = asyncio.create_task(pane.send(text, within_s=WITHIN_S))
        await program.truth.wait_for("cr_dropped", WITHIN_S)
        dropped_s = up_s(pane)
        async with asyncio.timeout(WITHIN_S):
            while up_s(pane) < dropped_s + 1.0:
                await pane._changed.wait()  # every settled look sets it
        assert not delivery.done()
        stage.tmux("send-keys", "-t", pane.id, "Enter")
        receipt = await delivery
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert receipt.proof is not None
        assert program.truth.submits() == [text]

    async with open_stage(tmp_path) as stage:
        await asyncio.gather(until_time_ran_out(), until_the_box_was_empty())

"""Writes that wait: their order, their ends, and what a caller may take back."""

import asyncio
import signal
from pathlib import Path

import pytest

import panegate as pg
from panegate.runtime.pump import Pump
from panegate.session.inputs import Advance, Input

from .staging import WITHIN_S, Bash, Stage, open_stage, until_shown, until_state, until_write

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


async def held_up(stage: Stage) -> tuple[Bash, str]:
    """Return a bash that runs a silent command until the channel ``over`` is signalled."""
    bash = await stage.bash()
    line = f"tmux -S {stage.socket} wait-for over"
    await bash.pane.send(line, within_s=WITHIN_S)
    return bash, line


async def until_queued(events: pg.EventStream, *write_ids: str) -> None:
    """Wait until each of these writes was said to be held."""
    missing = set(write_ids)
    async with asyncio.timeout(WITHIN_S):
        while missing:
            event = await anext(events)
            if isinstance(event, pg.WriteHeld):
                missing.discard(event.write_id)


@pytest.mark.asyncio
async def test_messages_go_out_in_the_order_they_came(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        bash, line = await held_up(stage)

        async def send(n: int) -> None:
            await bash.pane.send(f"echo number {n}", id=f"w{n}", within_s=WITHIN_S)

        async with asyncio.TaskGroup() as group, stage.ctl.events() as events:
            for n in range(5):
                group.create_task(bash.pane.send(f"echo number {n}", id=f"w{n}", within_s=WITHIN_S))
            await until_queued(events, "w0")
            assert bash.pane.queue == ("w0", "w1", "w2", "w3", "w4")
            stage.tmux("wait-for", "-S", "over")
        assert bash.pane.queue == ()
        assert await bash.told() == [line, *(f"echo number {n}" for n in range(5))]


@pytest.mark.asyncio
async def test_a_withdrawn_message_is_never_typed(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        bash, line = await held_up(stage)
        async with stage.ctl.events() as events:
            first = asyncio.create_task(bash.pane.send("echo one", id="one", within_s=WITHIN_S))
            second = asyncio.create_task(bash.pane.send("echo two", id="two", within_s=WITHIN_S))
            await until_queued(events, "one")
        assert await bash.pane.withdraw("one")
        receipt = await first
        assert (receipt.fate, receipt.reason) == (pg.Fate.WITHDRAWN, pg.Reason.WITHDRAWN)
        assert (receipt.n_bytes, receipt.landed) == (0, False)
        assert not await bash.pane.withdraw("one")
        assert not await bash.pane.withdraw("no such write")
        stage.tmux("wait-for", "-S", "over")
        assert (await second).fate is pg.Fate.LANDED
        assert not await bash.pane.withdraw("two")
        assert await bash.told() == [line, "echo two"]


@pytest.mark.asyncio
async def test_a_message_in_hand_can_not_be_withdrawn(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin")
        sending = asyncio.create_task(program.pane.send("a message", id="w", within_s=WITHIN_S))
        await program.truth.wait_for("bytes", WITHIN_S)
        assert not await program.pane.withdraw("w")
        assert (await sending).fate is pg.Fate.LANDED
        assert program.truth.submits() == ["a message"]


@pytest.mark.asyncio
async def test_the_same_id_is_the_same_write(tmp_path: Path) -> None:
    """Asked for at once, asked for later; with other words it is an error."""
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin")
        pane = program.pane
        first, second = await asyncio.gather(
            pane.send("a message", id="job-7", within_s=WITHIN_S),
            pane.send("a message", id="job-7", within_s=WITHIN_S),
        )
        third = await pane.send("a message", id="job-7", within_s=WITHIN_S)
        assert first == second == third
        with pytest.raises(pg.PanegateError, match="was given to another text"):
            await pane.send("other words", id="job-7", within_s=WITHIN_S)
        assert first.write_id == "job-7"
        assert program.truth.submits() == ["a message"]
        await pane.send("a message", id="job-8", within_s=WITHIN_S)
        assert program.truth.submits() == ["a message"] * 2


@pytest.mark.asyncio
async def test_a_refused_id_stays_refused(tmp_path: Path) -> None:
    """A caller that retries under the same id learns what became of it, every time."""
    async with open_stage(tmp_path) as stage:
        bash, line = await held_up(stage)
        for _ in range(2):
            with pytest.raises(pg.Refused) as refused:
                await bash.pane.nudge("echo go on", id="n1")
            assert refused.value.reason is pg.Reason.BUSY
        stage.tmux("wait-for", "-S", "over")
        await until_state(bash.pane, pg.State.READY)
        assert await bash.told() == [line]


@pytest.mark.asyncio
async def test_a_send_cancelled_before_its_first_byte_is_never_typed(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        bash, line = await held_up(stage)
        async with stage.ctl.events() as events:
            sending = asyncio.create_task(bash.pane.send("echo no", id="no", within_s=WITHIN_S))
            await until_queued(events, "no")
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
            receipt = await until_write(events, "no")
        assert receipt.fate is pg.Fate.WITHDRAWN
        assert bash.pane.queue == ()
        stage.tmux("wait-for", "-S", "over")
        await until_state(bash.pane, pg.State.READY)
        assert await bash.told() == [line]


@pytest.mark.asyncio
async def test_a_send_cancelled_after_its_first_byte_goes_on_and_tells_its_fate(
    tmp_path: Path,
) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin")
        async with stage.ctl.events() as events:
            sending = asyncio.create_task(
                program.pane.send("on its way", id="w", within_s=WITHIN_S)
            )
            await program.truth.wait_for("bytes", WITHIN_S)
            sending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await sending
            receipt = await until_write(events, "w")
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == ["on its way"]
        assert await program.pane.send("on its way", id="w", within_s=WITHIN_S) == receipt
        assert program.truth.submits() == ["on its way"]


@pytest.mark.asyncio
async def test_time_that_runs_out_in_the_middle_of_a_write_ends_nothing(tmp_path: Path) -> None:
    """``within_s`` is for the gate; the submit gap alone is longer than what is left."""
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", ignore_cr_within=100)
        sending = program.pane.send("a message", within_s=0.1)
        receipt = await asyncio.wait_for(sending, WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert receipt.ms["total"] > 100


@pytest.mark.asyncio
async def test_a_verdict_says_what_the_gate_would_and_writes_nothing(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", dialog_on_signal=True)
        pane = program.pane
        ready = {intent: pane.verdict(intent).verdict for intent in pg.Intent}
        assert ready.pop(pg.Intent.ANSWER) is pg.Verdict.REFUSE
        assert set(ready.values()) == {pg.Verdict.ALLOW}
        pane.hold("lunch")
        assert pane.verdict().verdict is pg.Verdict.HOLD
        assert pane.verdict(pg.Intent.NUDGE).verdict is pg.Verdict.REFUSE
        assert "lunch" in pane.verdict().words
        pane.release()
        program.signal(signal.SIGUSR1)
        await until_state(pane, pg.State.PROMPTING)
        asking = {intent: pane.verdict(intent).verdict for intent in pg.Intent}
        assert asking.pop(pg.Intent.ANSWER) is pg.Verdict.ALLOW
        assert set(asking.values()) == {pg.Verdict.REFUSE}
        assert program.truth.received_bytes() == b""
        assert pane.queue == ()


@pytest.mark.asyncio
async def test_a_person_holds_the_pane_until_it_is_released(tmp_path: Path) -> None:
    """What a person types meanwhile is theirs; the message comes after it."""
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        bash.pane.hold("debugging")
        async with stage.ctl.events() as events:
            sending = asyncio.create_task(bash.pane.send("echo mine", id="w", within_s=WITHIN_S))
            await until_queued(events, "w")
        await stage.person_runs(bash.pane, "echo theirs")
        assert bash.pane.queue == ("w",)
        bash.pane.release()
        assert (await sending).fate is pg.Fate.LANDED
        told = await bash.told()
        assert told[0].startswith("echo theirs")
        assert told[1:] == ["echo mine"]


@pytest.mark.parametrize("profile", ["bash", "standin", "generic"])
@pytest.mark.asyncio
async def test_clear_empties_what_a_person_left(tmp_path: Path, profile: str) -> None:
    async with open_stage(tmp_path) as stage:
        if profile == "bash":
            pane = (await stage.bash()).pane
        else:
            pane = (await stage.program("composer", profile=profile)).pane
        async with until_shown(pane, "half a though"):
            stage.types(pane, "half a though")
        with pytest.raises(pg.NotReady) as held:
            await pane.send("echo x", within_s=0.2)
        assert held.value.reason is pg.Reason.DRAFT
        assert pane.draft == "half a though"
        receipt = await pane.clear()
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert pane.draft == ""
        receipt = await pane.send("echo x", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words


@pytest.mark.asyncio
async def test_text_left_behind_is_said_and_cleared_by_the_callers_word(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", ask_after_text=20)
        pane = program.pane
        receipt = await pane.send("half way", within_s=WITHIN_S)
        assert (receipt.fate, receipt.reason) == (pg.Fate.NOT_LANDED, pg.Reason.PROMPT_OPENED)
        assert receipt.left_behind == "half way"
        assert program.said("dialog_key") == []
        await until_state(pane, pg.State.PROMPTING)
        assert pane.prompt is not None
        await pane.answer(pane.prompt.id, cancel=True, by="anna")
        await until_state(pane, pg.State.READY)
        with pytest.raises(pg.NotReady) as held:
            await pane.send("the next", within_s=0.3)
        assert held.value.reason is pg.Reason.LEFT_BEHIND
        await pane.clear()
        assert pane.explain().left_behind == ""
        receipt = await pane.send("the next", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == ["the next"]


@pytest.mark.asyncio
async def test_wait_any_gives_the_first_pane_that_gets_there(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        slow, _ = await held_up(stage)
        quick = await stage.bash()
        await quick.pane.send(f"tmux -S {stage.socket} wait-for soon", within_s=WITHIN_S)
        panes, states = [slow.pane, quick.pane], {pg.State.READY, pg.State.EXITED}
        with pytest.raises(pg.NotReady):
            await stage.ctl.wait_any(panes, states, within_s=0.2)
        waiting = asyncio.create_task(stage.ctl.wait_any(panes, states, within_s=WITHIN_S))
        stage.tmux("wait-for", "-S", "soon")
        assert await waiting is quick.pane
        stage.tmux("kill-pane", "-t", slow.pane.id)
        assert await stage.ctl.wait_any([slow.pane], states, within_s=WITHIN_S) is slow.pane
        with pytest.raises(ValueError, match="no panes"):
            await stage.ctl.wait_any([], states)


@pytest.mark.asyncio
async def test_nothing_is_typed_that_the_journal_did_not_take(tmp_path: Path) -> None:
    journal = pg.MemoryJournal()
    async with open_stage(tmp_path, journal=journal) as stage:
        program = await stage.program("composer", profile="standin")
        journal.broken = True
        with pytest.raises(pg.JournalError):
            await program.pane.send("a message", within_s=WITHIN_S)
        journal.broken = False
        assert program.truth.received_bytes() == b""
        await program.pane.send("the next", id="w", within_s=WITHIN_S)
        assert program.truth.submits() == ["the next"]
        assert journal.rows["w"].text == "the next"
        assert journal.receipts["w"].fate is pg.Fate.LANDED


@pytest.mark.asyncio
async def test_a_controller_that_leaves_releases_who_waits_and_types_nothing(
    tmp_path: Path,
) -> None:
    async with open_stage(tmp_path) as stage:
        ctl = await pg.Controller.start(socket_path=stage.socket, settings=pg.Settings())
        bash, line = await held_up(stage)
        pane = await ctl.adopt(bash.pane.id)
        async with ctl.events() as events:
            sending = asyncio.create_task(pane.send("echo no", id="no", within_s=WITHIN_S))
            await until_queued(events, "no")
        async with asyncio.timeout(WITHIN_S):
            await ctl.aclose()
            with pytest.raises(pg.PanegateError, match="ended"):
                await sending
            with pytest.raises(pg.PanegateError):
                await pane.send("echo no")
        stage.tmux("wait-for", "-S", "over")
        await until_state(bash.pane, pg.State.READY)
        assert await bash.told() == [line]


@pytest.mark.asyncio
async def test_a_fault_of_ours_in_a_timer_ends_the_controller_and_hangs_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage(tmp_path) as stage:
        ctl = await pg.Controller.start(socket_path=stage.socket, settings=pg.Settings())
        bash, _ = await held_up(stage)
        pane = await ctl.adopt(bash.pane.id)

        pump, feed = ctl.engine.pump, Pump.feed

        def broken(of: Pump, item: Input) -> bool:
            if of is pump and isinstance(item, Advance):
                raise RuntimeError("a fault of ours")
            return feed(of, item)

        async with asyncio.timeout(WITHIN_S):
            sending = asyncio.create_task(pane.send("echo no", within_s=WITHIN_S))
            await asyncio.sleep(0)
            monkeypatch.setattr(Pump, "feed", broken)
            with pytest.raises(pg.PanegateError, match="ended"):
                await sending
            await ctl.aclose()
            monkeypatch.undo()
            with pytest.raises(pg.PanegateError, match="a fault of ours"):
                await pane.send("echo no")
        assert isinstance(ctl.failed, RuntimeError)

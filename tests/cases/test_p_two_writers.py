"""P. A person or another program writes into the same pane."""

import asyncio
import os
import re
import shutil
from pathlib import Path

import attrs
import pytest
from tests.journeys.staging import WITHIN_S, open_stage, until_shown, until_state

import panegate as pg
from panegate.gate.receipt import Receipt
from panegate.journal.base import WriteRow
from panegate.journal.memory import MemoryJournal
from panegate_transports.process import ProcessTransport

from . import naive
from .attaching import attached
from .conftest import ProfileWith

pytestmark = [pytest.mark.tmux, pytest.mark.slow]


@pytest.mark.parametrize("profile", ["standin", "generic"])
@pytest.mark.asyncio
async def test_p01_nothing_is_typed_behind_a_parked_draft(tmp_path: Path, profile: str) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=profile, draft="fix the")
        pane = program.pane
        assert (pane.state, pane.draft) == (pg.State.READY, "fix the")
        with pytest.raises(pg.NotReady) as waited:
            await pane.send("run the tests", within_s=0.3)
        with pytest.raises(pg.Refused) as refused:
            await pane.nudge("are you there")
        assert waited.value.reason is refused.value.reason is pg.Reason.DRAFT
        assert program.truth.received_bytes() == b""
        if profile == "generic":
            return
        # Only on the caller's word, and that is in the journal.
        cleared = await pane.clear()
        assert cleared.fate is pg.Fate.LANDED, cleared.words
        assert stage.ctl.journal.rows[cleared.write_id].text == " ".join(pane.profile.clear)
        receipt = await pane.send("run the tests", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == ["run the tests"]

        plain = await naive.started(stage, "composer", draft="fix the")
        await plain.send("run the tests")
        await plain.truth.wait_for("submit", WITHIN_S)
        assert plain.truth.submits() == ["fix therun the tests"]


@pytest.mark.asyncio
async def test_p02_two_controllers_never_mix_their_lines(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    """No lock orders them; what one has typed holds the other, and receipts tell the truth."""
    async with open_stage(tmp_path) as stage:
        profile = str(profile_with("standin", timing={"settle_s": 0.4}))
        program = await stage.program("composer", profile=profile, work=30)
        async with pg.Controller.open(
            socket_path=stage.socket, journal=":memory:", attach_only=True
        ) as second:
            other = await second.adopt(program.pane.id, profile=profile)
            await until_state(other, pg.State.READY)

            async def talk(pane: pg.Pane, name: str) -> dict[str, pg.Fate]:
                fates = {}
                for number in range(4):
                    text = f"{name} {number}"
                    try:
                        receipt = await pane.send(text, within_s=WITHIN_S / 4)
                        fates[text] = receipt.fate
                    except pg.Refused:
                        fates[text] = pg.Fate.REFUSED
                        break
                    if receipt.fate is not pg.Fate.LANDED:
                        break
                return fates

            told = await asyncio.gather(talk(program.pane, "first"), talk(other, "second"))
        fates = {**told[0], **told[1]}
        submits = program.truth.submits()
        assert len(submits) == len(set(submits))
        assert set(submits) <= set(fates)
        landed = {text for text, fate in fates.items() if fate is pg.Fate.LANDED}
        assert landed <= set(submits)


@attrs.define
class Order:
    """What happened, in order: writes begun and finished, and commands that write."""

    open_ids: set[str] = attrs.field(factory=set)
    written: dict[str, int] = attrs.field(factory=dict)
    """Commands sent while each write was open."""
    stray: list[bytes] = attrs.field(factory=list)
    """Commands sent while none was."""

    def sent(self, data: bytes) -> None:
        if re.search(rb"send-keys|paste-buffer|copy-mode|resize-|send-prefix|\x2dX", data):
            if not self.open_ids:
                self.stray.append(data)
            for write_id in self.open_ids:
                self.written[write_id] = self.written.get(write_id, 0) + 1


@attrs.define(kw_only=True)
class OrderedJournal(MemoryJournal):
    """Notes when a write begins and ends."""

    order: Order

    async def begin(self, row: WriteRow) -> None:
        await super().begin(row)
        self.order.open_ids.add(row.write_id)

    async def finish(self, receipt: Receipt) -> None:
        self.order.open_ids.discard(receipt.write_id)
        await super().finish(receipt)


@pytest.mark.asyncio
async def test_p03_every_command_that_writes_follows_its_journal_entry(
    tmp_path: Path, profile_with: ProfileWith, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = Order()
    for name in ("send", "send_nowait"):
        plain = getattr(ProcessTransport, name)

        def noted(self: ProcessTransport, data: bytes, plain: object = plain) -> object:
            order.sent(data)
            return plain(self, data)  # type: ignore[operator]

        monkeypatch.setattr(ProcessTransport, name, noted)
    argv_log, wrapper = tmp_path / "argv", tmp_path / "tmux"
    real = shutil.which(os.environ.get("PANEGATE_TMUX") or "tmux")
    wrapper.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {argv_log}\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PANEGATE_TMUX", str(wrapper))
    journal = OrderedJournal(order=order)
    async with open_stage(tmp_path, journal=journal) as stage:
        profile = profile_with("standin", timing={"settle_s": 0.4})
        program = await stage.program("composer", profile=str(profile), work=400)
        pane = program.pane
        receipts = [await pane.send("one", within_s=WITHIN_S)]
        await until_state(pane, pg.State.BUSY)
        receipts.append(await pane.steer("two", within_s=WITHIN_S))
        receipts.append(await pane.interrupt())
        await program.truth.wait_for("interrupt", WITHIN_S)
        await until_state(pane, pg.State.READY)
        receipts.append(await pane.nudge("three"))
        await until_state(pane, pg.State.READY)
        receipts.append(await pane.send("four", submit=False, within_s=WITHIN_S))
        receipts.append(await pane.keys("x"))
        receipts.append(await pane.clear())
        await pane.read(history=10)
        pane.hold("mine")
        pane.release()
        asking = await stage.program("hidden-input", then="lines")
        assert asking.pane.prompt is not None
        secret = {"secret": "not to be seen", "by": "tester"}
        receipts.append(await asking.pane.answer(asking.pane.prompt.id, **secret))
        await asking.truth.wait_for("secret", WITHIN_S)
        await pane.close()
    assert order.stray == []
    assert order.open_ids == set()
    for receipt in receipts:
        assert receipt.write_id in journal.rows
        assert order.written[receipt.write_id] >= 1, receipt
    commands = argv_log.read_text()
    assert "-C" in commands
    assert not re.search(r"send-keys|paste-buffer|resize-|copy-mode", commands)
    assert "not to be seen" not in commands


@pytest.mark.asyncio
async def test_p04_letters_of_a_person_between_text_and_enter_withhold_the_enter(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    profile = profile_with("standin", submit={"gap_s": 1.0})
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=str(profile))
        pane = program.pane
        async with until_shown(pane, "> deploy to staging"):
            delivery = asyncio.create_task(pane.send("deploy to staging", within_s=WITHIN_S))
        stage.types(pane, "abc")
        receipt = await delivery
        assert receipt.fate is pg.Fate.NOT_LANDED
        assert receipt.reason in (pg.Reason.CHANGED, pg.Reason.ECHO_DIFFERS)
        assert (receipt.attempts, receipt.landed) == (0, False)
        assert receipt.left_behind == "deploy to staging"
        assert any("deploy to stagingabc" in row for row in receipt.after)
        assert b"\r" not in program.truth.received_bytes()

        plain = await naive.started(stage, "composer")
        typing = asyncio.create_task(plain.send("deploy to staging", pause_s=0.5))
        await plain.truth.wait_for("bytes", WITHIN_S)
        stage.types(plain.pane_id, "abc")
        await typing
        await plain.truth.wait_for("submit", WITHIN_S)
        assert plain.truth.submits() == ["deploy to stagingabc"]


@pytest.mark.asyncio
async def test_p05_a_client_that_nobody_sits_at_holds_nothing_up(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", launch={"name": "w"})
        with attached(stage, "w", columns=120, rows=40, abandoned=True):
            receipt = await program.pane.send("hello", within_s=WITHIN_S)
            assert receipt.fate is pg.Fate.LANDED, receipt.words
            flags = stage.tmux("list-clients", "-t", "w", "-F", "#{client_control_mode}").split()
            assert sorted(flags) == ["0", "1"]
        assert program.truth.submits() == ["hello"]

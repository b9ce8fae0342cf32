"""Q. An answer that was swallowed, and a server that stands still in the middle of a write."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest
from tests.journeys.staging import WITHIN_S, Program, open_stage, until_shown, until_state

import panegate as pg
from panegate.gate import write
from panegate.journal.memory import MemoryJournal
from panegate_transports.process import ProcessTransport

from . import naive
from .conftest import ProfileWith

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

PAGES = ("write page-one", "write page-two", "send everything")
DIALOG: dict[str, object] = {
    "dialog_chain": 3,
    "dialog_commands": PAGES,
    "dialog_options": ("Yes", "No"),
    "dialog_deaf": 3_000,
    "dialog_deaf_only": 3,
}


async def until_asked(program: Program, words: str) -> pg.Prompt:
    """Wait until the open question is the one with these words."""
    pane = program.pane
    async with asyncio.timeout(WITHIN_S):
        while (prompt := pane.prompt) is None or words not in "\n".join(prompt.rows):
            await pane.next_touch()
    return prompt


@pytest.mark.asyncio
async def test_q01_an_answer_that_is_swallowed_is_not_said_to_have_landed(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    """The third page drops keys for a while after it is drawn."""
    profile = str(profile_with("standin", timing={"react_within_s": 0.6}))
    settings = pg.Settings(answers=pg.Answers.ALLOWED, escalate_after_s=0.1)
    async with open_stage(tmp_path, settings=settings) as stage:
        program = await stage.program(
            "composer",
            profile=profile,
            ask_after_submit=50,
            **DIALOG,  # type: ignore[arg-type]
        )
        pane = program.pane
        await pane.send("ask me", within_s=WITHIN_S)
        for page in PAGES[:2]:
            prompt = await until_asked(program, page)
            receipt = await pane.answer(prompt.id, option="1", by="tester", within_s=WITHIN_S)
            assert receipt.landed is True, receipt.words
        prompt = await until_asked(program, PAGES[2])
        events = stage.ctl.events(since=0)
        receipt = await pane.answer(prompt.id, option="1", by="tester", within_s=WITHIN_S)
        assert receipt.landed is not True
        assert (receipt.fate, receipt.attempts) == (pg.Fate.UNKNOWN, 0), receipt.words
        assert program.truth.received_bytes().endswith(b"111")
        assert len(program.said("approved")) == 2
        # it is the same wait, and it is still told to people
        assert pane.state is pg.State.PROMPTING
        assert pane.prompt is not None
        assert pane.prompt.id == prompt.id
        async with asyncio.timeout(WITHIN_S):
            async for event in events:
                if isinstance(event, pg.Escalated) and PAGES[2] in "\n".join(event.rows):
                    break
        assert pane.outcome().kind is not pg.OutcomeKind.COMPLETED

        plain = await naive.started(stage, "composer", ask_after_submit=50, **DIALOG)  # type: ignore[arg-type]
        await plain.send("ask me")
        for count in (1, 2, 3):
            await plain.truth.wait_for("dialog_painted", WITHIN_S, count=count)
            await asyncio.to_thread(stage.types, plain.pane_id, "1")
        await plain.truth.wait_for(lambda _: plain.truth.received_bytes()[-3:] == b"111", WITHIN_S)
        assert len(plain.said("approved")) == 2


@attrs.define
class Standstill:
    """Stops a tmux server just before a command with certain words goes to it."""

    words: bytes = b""
    pid: int = 0
    stopped: asyncio.Event = attrs.field(factory=asyncio.Event)
    sent: list[bytes] = attrs.field(factory=list)

    def arm(self, pid: int, words: bytes) -> None:
        self.pid, self.words, self.stopped = pid, words, asyncio.Event()

    def leaving(self, data: bytes) -> None:
        if self.pid and self.words in data and not self.stopped.is_set():
            os.kill(self.pid, signal.SIGSTOP)
            self.stopped.set()
        self.sent.append(data)

    async def __aenter__(self) -> None:
        """Begin, inside of what ends the server: one that stands still cannot be ended."""

    async def __aexit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGCONT)

    def commands(self, words: bytes) -> int:
        return sum(words in data for data in self.sent)


@pytest.fixture
def standstill(monkeypatch: pytest.MonkeyPatch) -> Iterator[Standstill]:
    found = Standstill()
    plain: Callable[[ProcessTransport, bytes], None] = ProcessTransport.send_nowait

    def send_nowait(self: ProcessTransport, data: bytes) -> None:
        found.leaving(data)
        plain(self, data)

    monkeypatch.setattr(ProcessTransport, "send_nowait", send_nowait)
    yield found
    found.end()


@pytest.mark.asyncio
async def test_q05_a_server_that_stands_still_for_a_moment_costs_nothing(
    tmp_path: Path, standstill: Standstill
) -> None:
    """What was on its way is carried out when it goes on, and the receipt says so."""
    async with open_stage(tmp_path) as stage, standstill:
        program = await stage.program("composer", profile="standin", work=10)
        for number, words in enumerate((b"paste-buffer", b"send-keys")):
            standstill.arm(stage.ctl.identity.pid, words)
            sending = asyncio.create_task(program.pane.send(f"text {number}", within_s=WITHIN_S))
            await asyncio.wait_for(standstill.stopped.wait(), WITHIN_S)
            await asyncio.sleep(0.5)  # shorter than what the gate waits
            assert not sending.done()
            standstill.end()
            receipt = await asyncio.wait_for(sending, WITHIN_S)
            assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == ["text 0", "text 1"]


@pytest.mark.parametrize("words", [b"paste-buffer", b"send-keys"], ids=["text", "Enter"])
@pytest.mark.asyncio
async def test_q05_a_server_that_stands_still_for_long_is_unknown_and_nothing_goes_twice(
    tmp_path: Path, standstill: Standstill, monkeypatch: pytest.MonkeyPatch, words: bytes
) -> None:
    monkeypatch.setattr(write, "_REISSUE_S", 0.5)  # instead of 5 s
    journal = MemoryJournal()
    async with open_stage(tmp_path, journal=journal) as stage, standstill:
        program = await stage.program("composer", profile="standin", work=10)
        pane, pid = program.pane, stage.ctl.identity.pid
        standstill.arm(pid, words)
        receipt = await asyncio.wait_for(pane.send("hello", within_s=WITHIN_S), WITHIN_S)
        assert (receipt.fate, receipt.reason) == (pg.Fate.UNKNOWN, pg.Reason.CONNECTION_LOST)
        assert receipt.landed is None
        assert "It is not sent again" in receipt.words
        assert journal.receipts[receipt.write_id].fate is pg.Fate.UNKNOWN
        assert program.truth.submits() == []
        if words == b"send-keys":
            standstill.end()
            await program.truth.wait_for("submit", WITHIN_S)
        else:
            async with until_shown(pane, "> hello"):
                standstill.end()
            # what stands there is not written behind, and is found on the screen
            with pytest.raises(pg.NotReady) as waited:
                await pane.send("more", within_s=0.5)
            assert waited.value.reason is pg.Reason.DRAFT
        assert standstill.commands(words) == 1
        assert len(program.said("paste")) == 1
        assert len(program.truth.submits()) == (words == b"send-keys")


@pytest.mark.asyncio
async def test_q05_what_was_not_begun_is_refused_and_not_lost_silently(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", work=10)
        pane, pid = program.pane, stage.ctl.identity.pid
        os.kill(pid, signal.SIGSTOP)
        try:
            with pytest.raises(pg.NotReady) as refused:
                await pane.send("hello", within_s=0.3)
        finally:
            os.kill(pid, signal.SIGCONT)
        assert "Nothing was written" in str(refused.value)
        await until_state(pane, pg.State.READY)
        receipt = await pane.send("again", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == ["again"]

        # a call that ran into its limit was taken after all: made again, it is taken twice
        plain = await naive.started(stage, "composer")
        words = ("-u", "-S", str(stage.socket), "send-keys", "-t", plain.pane_id, "hello", "Enter")
        tmux = os.environ.get("PANEGATE_TMUX") or "tmux"
        os.kill(pid, signal.SIGSTOP)
        try:
            with pytest.raises(subprocess.TimeoutExpired):
                await asyncio.to_thread(subprocess.run, [tmux, *words], timeout=0.3, check=True)
        finally:
            os.kill(pid, signal.SIGCONT)
        await asyncio.to_thread(subprocess.run, [tmux, *words], timeout=10, check=True)
        await plain.truth.wait_for("submit", WITHIN_S, count=2)
        assert plain.truth.submits() == ["hello", "hello"]

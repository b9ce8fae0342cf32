"""Hooks, records and child processes of a program in a real pane, here and by way of ssh."""

import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from tests.probes.session_lines import claude, codex, codex_event

import panegate as pg
from panegate.session.claims import Standing
from panegate.session.events import PromptClosed, PromptOpened
from panegate.terms import Grade
from panegate.testing.servers import PrivateServer

pytestmark = [
    pytest.mark.tmux,
    pytest.mark.asyncio,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="epoll, procfs"),
]
KEEPER = Path(__file__).with_name("record_keeper.py")
ROOT = Path(__file__).resolve().parents[2] / "controller"
HOOK = (
    f"import sys; sys.path.append({str(ROOT)!r})\n"
    "from panegate.probes.hooks.entry import main\nmain()"
)
SETTINGS = pg.Settings(answers=pg.Answers.ALLOWED)


class Keeper:
    """One program that keeps a record, and what it is told to do."""

    def __init__(self, pane: pg.Pane, fifo: Path, transcript: Path) -> None:
        self.pane, self.fifo, self.transcript = pane, fifo, transcript

    def tell(self, **said: str) -> None:
        fd = os.open(self.fifo, os.O_WRONLY)
        try:
            os.write(fd, json.dumps({**said, "path": str(self.transcript)}).encode() + b"\n")
        finally:
            os.close(fd)

    def hook(self, event: str, **more: str) -> None:
        report = {"session_id": "s", "transcript_path": str(self.transcript), **more}
        self.tell(hook=json.dumps({**report, "hook_event_name": event}))

    def calls(self, command: str, id: str = "t1", ago_s: float = 0.0) -> None:
        block = {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}
        self.tell(write=now("assistant", [block], ago_s=ago_s, stop_reason="tool_use"))

    def result(self, id: str = "t1") -> None:
        block = {"type": "tool_result", "tool_use_id": id, "content": "ok"}
        self.tell(write=now("user", [block]))

    async def until(self, condition: Callable[[], bool]) -> None:
        with anyio.move_on_after(20):
            while not condition():
                await self.pane.next_touch()
            return
        raise TimeoutError(f"{self.pane.judgement}\n{self.pane.explain()}")


def now(kind: str, content: object, ago_s: float = 0.0, **more: object) -> str:
    from tests.probes.session_lines import START_S

    return claude(kind, time.time() - ago_s - START_S, content, **more).decode()


@asynccontextmanager
async def keeper(
    server: PrivateServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str = "s.jsonl",
    **options: object,
) -> AsyncIterator[tuple[pg.Controller, Keeper]]:
    fifo, runtime = tmp_path / "orders", tmp_path / "run"
    os.mkfifo(fifo)
    monkeypatch.setenv("PANEGATE_RUNTIME", str(runtime))
    async with pg.Controller.open(
        socket_path=server.socket_path, settings=SETTINGS, journal=":memory:", **options
    ) as ctl:
        pane = await ctl.launch(
            [sys.executable, str(KEEPER), str(fifo), HOOK],
            profile="generic",
            name="keeper",
            cwd=tmp_path,
            env={"PANEGATE_RUNTIME": str(runtime), "PATH": os.environ["PATH"]},
            within_s=None,
        )
        it = Keeper(pane, fifo, tmp_path / name)
        await it.until(lambda: pane.tracker.look is not None)
        yield ctl, it
        await pane.close()


async def test_a_wait_is_told_with_the_call_and_ends_when_the_call_runs(
    tmux_server: PrivateServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with keeper(tmux_server, tmp_path, monkeypatch) as (ctl, it):
        events = ctl.events()
        it.calls("rm -r build")
        it.hook("PermissionRequest", tool_name="Bash")
        asked_at_s = time.time()
        it.tell(show="something that no reader takes for a question")
        await it.until(lambda: it.pane.prompt is not None)
        prompt = it.pane.prompt
        assert prompt is not None
        assert (prompt.context, prompt.proof) == ("rm -r build", Grade.TRANSCRIPT)
        with pytest.raises(pg.Refused):
            await it.pane.nudge("go on")
        with pytest.raises((pg.StaleAnswer, pg.Refused)):
            await it.pane.answer(prompt.id, text="yes", by="me", within_s=5)
        with anyio.move_on_after(asked_at_s + 1.0 - time.time()):  # somebody reads it
            await anyio.Event().wait()
        it.tell(child="sleep 600", show="running it")
        await it.until(lambda: it.pane.judgement.standing is Standing.WORKING)
        await it.until(lambda: it.pane.state is pg.State.BUSY)
        assert it.pane.prompt is None
        opened = 0
        with anyio.fail_after(20):
            async for event in events:
                opened += isinstance(event, PromptOpened)
                if isinstance(event, PromptClosed):
                    break  # told once it has stayed closed
        assert opened == 1
        it.tell(done="")


async def test_the_later_commit_reads_working(
    tmux_server: PrivateServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with keeper(tmux_server, tmp_path, monkeypatch) as (_, it):
        it.calls("make", ago_s=400)
        await it.until(lambda: True)
        it.pane.claim("waiting", source="registry", at=time.time() - 390, transcript=it.transcript)
        await it.until(lambda: it.pane.judgement.standing is Standing.WAITING)
        it.result()
        it.calls("git commit -m done", id="t2")
        await it.until(lambda: it.pane.judgement.standing is Standing.WORKING)
        assert it.pane.judgement.stale
        it.result(id="t2")
        it.tell(write=now("assistant", [{"type": "text", "text": "Done."}], stop_reason="end_turn"))
        await it.until(lambda: it.pane.judgement.standing is Standing.IDLE)
        assert it.pane.record is not None
        assert (it.pane.record.last_words, it.pane.record.turn_ended) == ("Done.", True)
        assert it.pane.prompt is None


async def test_a_record_that_is_rotated_or_cut_is_read_as_it_is(
    tmux_server: PrivateServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with keeper(tmux_server, tmp_path, monkeypatch) as (_, it):
        it.calls("one")
        it.hook("SessionStart")
        await it.until(lambda: bool(it.pane.record and it.pane.record.pending))
        it.transcript.rename(tmp_path / "old")
        it.calls("two", id="t2")
        await it.until(lambda: pending(it) == ["two"])
        os.truncate(it.transcript, 0)
        it.calls("three", id="t3")
        await it.until(lambda: pending(it) == ["three"])


def pending(it: Keeper) -> list[str]:
    return [call.input for call in it.pane.record.pending] if it.pane.record else []


async def test_reports_are_read_also_from_a_file_that_was_begun_anew(
    tmux_server: PrivateServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with keeper(tmux_server, tmp_path, monkeypatch) as (_, it):
        it.hook("PermissionRequest", padding="x" * 500)
        await it.until(lambda: it.pane.judgement.standing is Standing.WAITING)
        (file,) = (tmp_path / "run").iterdir()
        os.truncate(file, 0)
        it.hook("Stop")
        await it.until(lambda: it.pane.judgement.standing is Standing.IDLE)


async def test_reports_of_servers_that_are_long_gone_are_removed(
    tmux_server: PrivateServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    gone, fresh, alive = 2**22 + 1, 2**22 + 2, os.getpid()
    for pid in (gone, fresh, alive):
        path = folder / f"+0s,{pid},1"
        path.write_text("")
        os.utime(path, (0, 0) if pid != fresh else None)
    async with keeper(tmux_server, tmp_path, monkeypatch):
        left = {int(path.name.split(",")[1]) for path in folder.iterdir()}
    assert left == {fresh, alive}


async def test_codex_is_read_by_its_own_format(
    tmux_server: PrivateServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    name = "rollout-2026-01-02T03-04-05-abc.jsonl"
    async with keeper(tmux_server, tmp_path, monkeypatch, name) as (_, it):
        words = codex_event(1, "task_complete", last_agent_message="Soll ich?")
        it.tell(write=(codex("session_meta", 0, {"id": "r"}) + words).decode())
        it.hook("Stop")
        await it.until(lambda: it.pane.record is not None)
        assert it.pane.record is not None
        assert (it.pane.record.program, it.pane.record.last_words) == ("codex", "Soll ich?")
        assert it.pane.judgement.standing is Standing.IDLE
        assert it.pane.state is not pg.State.READY


async def test_a_user_option_is_a_claim(
    tmux_server: PrivateServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with keeper(tmux_server, tmp_path, monkeypatch) as (_, it):
        tmux_server.run("set-option", "-p", "-t", it.pane.id, "@agent_state", "blocked")
        await it.until(lambda: it.pane.judgement.standing is Standing.WAITING)
        assert "@agent_state" in it.pane.judgement.words
        await it.until(lambda: it.pane.state is pg.State.PROMPTING)
        tmux_server.run("set-option", "-p", "-t", it.pane.id, "@agent_state", "x\n%exit\n#{y},}")
        tmux_server.run("set-option", "-p", "-t", it.pane.id, "@agent_state", "working")
        await it.until(lambda: it.pane.judgement.standing is Standing.WORKING)


async def test_what_was_reported_before_the_controller_came_is_read(
    tmux_server: PrivateServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with keeper(tmux_server, tmp_path, monkeypatch) as (_, it):
        it.calls("rm x")
        it.hook("PermissionRequest")
        await it.until(lambda: it.pane.judgement.standing is Standing.WAITING)
        async with pg.Controller.open(
            socket_path=tmux_server.socket_path, settings=SETTINGS, journal=":memory:"
        ) as other:
            pane = await other.adopt(it.pane.id, profile="generic")
            second = Keeper(pane, it.fifo, it.transcript)
            await second.until(lambda: pane.prompt is not None)
            assert pane.prompt is not None
            assert pane.prompt.context == "rm x"


async def test_an_unknown_status_is_refused(
    tmux_server: PrivateServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with keeper(tmux_server, tmp_path, monkeypatch) as (_, it):
        with pytest.raises(ValueError, match="purple"):
            it.pane.claim("purple", source="me")


async def test_a_quiet_pane_with_a_record_costs_no_reading(
    tmux_server: PrivateServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with keeper(tmux_server, tmp_path, monkeypatch) as (ctl, it):
        it.calls("rm x")
        it.hook("PermissionRequest")
        await it.until(lambda: it.pane.prompt is not None)
        touched = True
        while touched:  # the hook's own process ends, and is seen to
            with anyio.move_on_after(1.0) as quiet:
                await it.pane.next_touch()
            touched = not quiet.cancelled_caught
        before = ctl.statistics()
        with anyio.move_on_after(2.0):
            await it.pane.next_touch()
        after = ctl.statistics()
        assert (after["looks"], after["wakeups"]) == (before["looks"], before["wakeups"])


FAKE_SSH = """#!/bin/sh
for last; do :; done
exec sh -c "$last"
"""


async def test_by_way_of_ssh_the_same_is_known(
    tmux_server: PrivateServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "ssh").write_text(FAKE_SSH)
    (folder / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    async with keeper(tmux_server, tmp_path, monkeypatch, ssh="there") as (_, it):
        it.calls("rm -r build")
        it.tell(show="asking")
        it.pane.claim("waiting", source="registry", transcript=it.transcript)
        await it.until(lambda: it.pane.judgement.call is not None)
        assert it.pane.judgement.standing is Standing.WAITING
        it.tell(child="sleep 600", show="running")
        await it.until(lambda: it.pane.judgement.standing is Standing.WORKING)
        it.tell(done="")

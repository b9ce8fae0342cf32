"""N. What a controller costs while nothing happens, and what it leaves behind."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest
from tests.journeys.restarts import child_words, controller
from tests.journeys.staging import WITHIN_S, Stage, open_stage, until_state

import panegate as pg
from panegate.testing.programs import program_argv
from panegate.testing.servers import PrivateServer, wait_gone
from panegate.testing.truth import TruthLog
from panegate.wire.look import look_commands

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
N_PANES = 20
IDLE_S = 2.0


def cpu_s(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mb(pid: int) -> float:
    """Return the most memory that a process has had."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no peak is told")


async def until_still(ctl: pg.Controller) -> None:
    """Wait until no pane has anything due."""
    async with asyncio.timeout(WITHIN_S):
        for pane in ctl.panes:
            while pane.tracker.deadline_s is not None:
                await pane.next_touch()


@linux
@pytest.mark.asyncio
async def test_n01_idle_programs_cost_no_process_and_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, wrapper = tmp_path / "calls", tmp_path / "tmux"
    real = shutil.which(os.environ.get("PANEGATE_TMUX") or "tmux")
    wrapper.write_text(f'#!/bin/sh\necho x >> {calls}\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PANEGATE_TMUX", str(wrapper))

    def n_calls() -> int:
        return len(calls.read_text().split())

    async with open_stage(tmp_path) as stage:
        starting = (stage.program("composer", profile="standin") for _ in range(N_PANES))
        programs = await asyncio.gather(*starting)
        await until_still(stage.ctl)
        server = stage.ctl.identity.pid

        def used() -> tuple[int, int]:
            return n_calls(), stage.ctl.statistics()["looks"]

        before, cpu_before_s = used(), time.process_time() + cpu_s(server)
        await asyncio.sleep(IDLE_S)
        cpu_used_s = time.process_time() + cpu_s(server) - cpu_before_s
        assert used() == before
        assert cpu_used_s < 0.01 * IDLE_S + 2 / os.sysconf("SC_CLK_TCK")

        # one round of the plain way
        for program in programs:
            await asyncio.to_thread(stage.tmux, "capture-pane", "-p", "-t", program.pane.id)
        assert n_calls() == before[0] + N_PANES


async def told(stage_or_server: Stage | PrivateServer, channel: str) -> None:
    """Wait until a hook has told that a client came or went."""
    run = stage_or_server.tmux if isinstance(stage_or_server, Stage) else stage_or_server.run
    await asyncio.to_thread(run, "wait-for", channel)


@pytest.mark.asyncio
async def test_n02_a_connection_that_breaks_leaves_no_client(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        pane = (await stage.program("composer", profile="standin")).pane
        n_clients = len(stage.tmux("list-clients").splitlines())
        stage.tmux("set-hook", "-g", "client-attached", "wait-for -S attached")
        pids = []
        for _ in range(10):
            carrier = stage.ctl.link.carriers[pane.id]
            pids.append(carrier.transport.pid)  # type: ignore[attr-defined]
            os.kill(pids[-1], signal.SIGTERM)
            await told(stage, "attached")
            async with asyncio.timeout(WITHIN_S):
                while stage.ctl.link.carriers.get(pane.id) in (None, carrier):
                    await pane.next_touch()
        assert len(set(pids)) == len(pids)
        for pid in pids:
            assert await asyncio.to_thread(wait_gone, pid, WITHIN_S)
        assert len(stage.tmux("list-clients").splitlines()) <= n_clients
        assert (await pane.send("hello", within_s=WITHIN_S)).landed is True


@pytest.mark.asyncio
async def test_n02_controllers_that_are_killed_leave_no_client(tmp_path: Path) -> None:
    log, calls = TruthLog(tmp_path / "log"), TruthLog(tmp_path / "calls")
    async with PrivateServer() as server:
        pane_id = server.start_program(program_argv("composer", log=log.path))
        await log.wait_for("ready_painted", WITHIN_S)
        server.run("set-hook", "-g", "client-attached", "wait-for -S attached")
        server.run("set-hook", "-g", "client-detached", "wait-for -S detached")
        words = child_words(server.socket_path, tmp_path / "journal.db", calls, pane_id)
        for _ in range(3):
            async with controller(words):
                await told(server, "attached")
            await told(server, "detached")
        assert server.run("list-clients") == ""
        async with pg.Controller.open(
            socket_path=server.socket_path, journal=tmp_path / "journal.db", attach_only=True
        ) as ctl:
            pane = await ctl.adopt(pane_id, profile="standin")
            await until_state(pane, pg.State.READY)
            assert len(server.run("list-clients").splitlines()) == 1


N_QUESTIONS = 130
MOST_MB = 20.0
FILL = "i=0; while [ $i -lt 4000 ]; do echo $i {}; i=$((i+1)); done; echo full; exec sleep 1000"


@linux
@pytest.mark.asyncio
async def test_n03_many_questions_at_once_do_not_pile_up_in_the_server(tmp_path: Path) -> None:
    async with PrivateServer(options={"history-limit": "50000"}) as server:
        assert server.pid is not None
        filling = ["bash", "-c", FILL.format("x" * 190)]
        pane_id = server.start_program(filling, columns=200)
        async with pg.Controller.open(
            socket_path=server.socket_path, journal=":memory:", attach_only=True
        ) as ctl:
            pane = await ctl.adopt(pane_id)
            async with asyncio.timeout(WITHIN_S):
                while "full" not in "\n".join(pane.last_screen().rows):
                    await pane.next_touch()
            assert len((await pane.read(history=1000)).history) == 1000
            before_mb = peak_mb(server.pid)
            version, link = ctl.link.server.version, ctl.link

            async def question() -> int:
                lines = look_commands(pane.id, version, link.new_name(), history=1000)
                answer = await link.ask(lines)
                return sum(len(line) for block in answer.blocks or () for line in block.lines)

            sizes = await asyncio.gather(*(question() for _ in range(N_QUESTIONS)))
            assert min(sizes) > 190_000
            assert peak_mb(server.pid) - before_mb < MOST_MB

        # a client that asks and does not read
        client = await asyncio.create_subprocess_exec(
            *server.command("-C", "attach-session"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=server.client_env,
            limit=1,
        )
        assert client.stdin is not None
        captured = f"capture-pane -b all -t {pane_id} -S -1000\n"
        asked = captured + "show-buffer -b all\n" * N_QUESTIONS + "wait-for -S asked\n"
        client.stdin.write(asked.encode())
        await told(server, "asked")
        assert peak_mb(server.pid) - before_mb > MOST_MB
        client.kill()
        await client.communicate()


BOTH = "sleep 1000 & a=$!; setsid sleep 1000 & echo $a $! > {0}.new; mv {0}.new {0}; {1}"


@pytest.mark.parametrize("how", ["exits", "closed"])
@pytest.mark.asyncio
async def test_n04_a_program_that_left_its_group_behind_holds_nothing_up(
    tmp_path: Path, how: str
) -> None:
    """Its end is told at once; what has a session of its own is nobody's to end."""
    record, word = tmp_path / "children", tmp_path / "word"
    os.mkfifo(word)
    async with open_stage(tmp_path) as stage:
        line = BOTH.format(record, f"read x < {word}; exit 3")
        pane = await stage.ctl.launch(["bash", "-c", line], within_s=None)
        # opening it waits until the program reads there
        with await asyncio.to_thread(word.open, "w") as end:
            same, apart = map(int, record.read_text().split())
            if how == "closed":
                await pane.close()
            else:
                end.write("go\n")
                end.flush()
                await until_state(pane, pg.State.EXITED)
                ending = pane.outcome().facts.ending
                assert ending is not None
                assert ending.status == 3
            try:
                assert await asyncio.to_thread(wait_gone, same, WITHIN_S)
                assert await asyncio.to_thread(wait_gone, pane.target.pane_pid, WITHIN_S)
                os.kill(apart, 0)
            finally:
                os.kill(apart, signal.SIGKILL)

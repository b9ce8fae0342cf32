"""R. Sizes of panes, and servers on the other end of a slow line."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cases.conftest import ProfileWith
from tests.journeys.staging import WITHIN_S, open_stage, until_state

import panegate as pg
from panegate.testing.programs import program_argv
from panegate.testing.servers import PrivateServer, require_program
from panegate.testing.truth import TruthLog

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

ALLOWED = pg.Settings(answers=pg.Answers.ALLOWED)


async def landed(pane: pg.Pane, text: str) -> None:
    receipt = await pane.send(text, within_s=WITHIN_S)
    assert receipt.fate is pg.Fate.LANDED, receipt.words


def sizes(log: TruthLog) -> list[tuple[int, int]]:
    """Return the sizes a program has had, columns first."""
    return [(event["columns"], event["rows"]) for event in log.events("size")]


@pytest.mark.asyncio
async def test_r01_a_program_starts_in_the_size_it_keeps(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        for size in (None, (200, 50), (37, 12)):
            launch = {} if size is None else {"size": size}
            program = await stage.program("composer", profile="standin", launch=launch)
            await landed(program.pane, "hello")
            assert sizes(program.truth) == [size or (120, 40)]
            screen = await program.pane.read()
            assert (screen.columns, screen.lines) == (size or (120, 40))
    async with open_stage(tmp_path, settings=pg.Settings(columns=99, rows=33)) as stage:
        program = await stage.program("composer", profile="standin")
        assert sizes(program.truth)[-1] == (99, 33)


@pytest.mark.asyncio
async def test_r02_a_persons_window_keeps_its_size(tmp_path: Path) -> None:
    log = TruthLog(tmp_path / "log")
    async with PrivateServer() as server, PrivateServer() as terminal:
        pane_id = server.start_program(program_argv("composer", log=log.path), name="work")
        server.run("set-hook", "-g", "client-attached", "wait-for -S attached")
        attach = ["env", "-u", "TMUX", *server.command("attach-session", "-t", "=work")]
        terminal.start_program(attach, columns=200, rows=50)
        await server.run_async("wait-for", "attached")
        await log.wait_for(lambda _: (200, 49) in sizes(log), WITHIN_S)
        n_sizes = len(sizes(log))
        async with pg.Controller.open(socket_path=server.socket_path) as ctl:
            pane = await ctl.adopt(pane_id, profile="standin")
            await until_state(pane, pg.State.READY)
            await landed(pane, "hello")
            screen = await pane.read()
            assert (screen.columns, screen.lines) == (200, 49)
            listed = server.run("list-clients", "-F", "#{client_control_mode} #{client_width}")
            assert "0 200" in listed.splitlines()
        assert len(sizes(log)) == n_sizes
        assert log.submits() == ["hello"]


@pytest.mark.asyncio
async def test_r03_a_program_without_room_is_not_ready_and_says_why(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        log = stage.truth()
        argv = program_argv("composer", log=log.path, min_rows=30)
        with pytest.raises(pg.LaunchFailed) as failed:
            await stage.ctl.launch(
                argv, profile="standin", name="small", size=(80, 24), within_s=2.5
            )
        assert "window too small: it needs 30 rows" in failed.value.screen.text
        pane = stage.ctl.pane("small")
        assert pane.state is not pg.State.READY
        with pytest.raises(pg.Refused):
            await pane.send("hello", within_s=0.3)
        assert log.received_bytes() == b""
        await asyncio.to_thread(stage.tmux, "resize-window", "-t", pane.id, "-y", "40")
        await landed(pane, "hello")

        roomy = await stage.program("composer", profile="standin", min_rows=30)
        await landed(roomy.pane, "hello")


@pytest.mark.parametrize("layout", ["box", "plain", "narrow", "branch"])
@pytest.mark.asyncio
async def test_r03_in_20_by_5_cells_what_lands_was_submitted(
    tmp_path: Path, profile_with: ProfileWith, layout: str
) -> None:
    profile = profile_with("standin", timing={"echo_within_s": 0.5, "react_within_s": 1.0})
    sent: list[str] = []
    async with open_stage(tmp_path) as stage:
        program = await stage.program(
            "composer",
            profile=str(profile),
            within_s=None,
            launch={"size": (20, 5)},
            layout=layout,
            marks=True,
            work=1,
        )
        await program.truth.wait_for("ready_painted", WITHIN_S)
        for text in ("hi", "words that go on for more than one row"):
            try:
                receipt = await program.pane.send(text, within_s=2.5)
            except pg.Refused:
                continue
            sent += [text] * (receipt.fate is pg.Fate.LANDED)
            if receipt.fate is not pg.Fate.LANDED:
                break
        assert program.truth.submits() == sent
        assert layout in ("box", "branch") or "hi" in sent  # those leave no cell for text


URL = "https://example.invalid/" + "/".join(f"part-{n:02d}" for n in range(12)) + "/the-end"


@pytest.mark.asyncio
async def test_r04_a_wrapped_address_is_surfaced_unbroken(tmp_path: Path) -> None:
    assert len(URL) > 120
    question = f"Open {URL} in a browser? [y/n]: "
    async with open_stage(tmp_path) as stage:
        program = await stage.program("yes-no", launch={"size": (50, 24)}, question=question)
        await until_state(program.pane, pg.State.PROMPTING)
        prompt = program.pane.prompt
        assert prompt is not None
        assert URL in prompt.question
        captured = await asyncio.to_thread(stage.tmux, "capture-pane", "-p", "-t", program.pane.id)
        assert URL not in captured
        await program.pane.answer(prompt.id, text="n", by="tester")
        await program.truth.wait_for("declined", WITHIN_S)


# --- over ssh -----------------------------------------------------------------------

FAKE_SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift 2
exec env -i PATH={path} /bin/sh -c "$*"
"""


@pytest.fixture
def fake_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Return what puts an ``ssh`` on the PATH that stays on this host; give it its source."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def put(source: str) -> Path:
        ssh = folder / "ssh"
        ssh.write_text(source)
        ssh.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        return folder

    return put


@pytest.mark.asyncio
async def test_r05_tmux_outside_the_remote_path_is_an_error_with_words(
    tmp_path: Path, fake_ssh: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tmux = require_program("tmux")
    monkeypatch.delenv("PANEGATE_TMUX", raising=False)
    short = tmp_path / "short"
    short.mkdir()
    for name in ("env", "sleep"):
        (short / name).symlink_to(require_program(name))
    fake_ssh(FAKE_SSH.format(path=short))
    log = TruthLog(tmp_path / "log")
    async with PrivateServer() as server:
        where = {"ssh": "host", "socket_path": server.socket_path, "settings": ALLOWED}
        with pytest.raises(pg.TmuxTooOld, match="tmux is not found on host") as failed:
            async with pg.Controller.open(**where):
                pass
        assert "PANEGATE_TMUX" in failed.value.fix

        monkeypatch.setenv("PANEGATE_TMUX", tmux)
        async with pg.Controller.open(**where) as ctl:
            argv = program_argv("composer", log=log.path, ask_after_submit=400, marks=True)
            pane = await ctl.launch(argv, profile="standin", within_s=WITHIN_S)
            assert not any(e.grade is pg.Grade.KERNEL for e in pane.explain().evidence)
            await landed(pane, "hello")
            await until_state(pane, pg.State.PROMPTING)
            assert pane.prompt is not None
            receipt = await pane.answer(pane.prompt.id, option="1", by="tester")
            assert receipt.fate is pg.Fate.LANDED, receipt.words
            await pane.close()
            await log.wait_for(lambda _: log.events("hangup", "terminated", "exit"), WITHIN_S)
        assert log.submits() == ["hello"]
        assert len(log.events("approved")) == 1


RELAY = """#!{python} -IS
import os, subprocess, sys, threading, time
argv = sys.argv[sys.argv.index("--") + 2:]
with open({pids!r}, "a") as file:
    print(os.getpid(), "control" if " -C " in argv[0] else "once", file=file)
child = subprocess.Popen(["/bin/sh", "-c", argv[0]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def relay(source, target):
    while data := os.read(source, 4096):
        time.sleep(0.03)
        try:
            while data:
                data = data[os.write(target, data):]
        except BrokenPipeError:
            break

def upward():
    relay(0, child.stdin.fileno())
    child.stdin.close()

threading.Thread(target=upward, daemon=True).start()
relay(child.stdout.fileno(), 1)
os._exit(child.wait())
"""
"""An ``ssh`` that stays on this host: late by 30 ms in each direction, at most 130 kB/s."""


@pytest.mark.asyncio
async def test_r06_a_slow_line_that_stalls_and_breaks_makes_no_false_state(
    tmp_path: Path, fake_ssh: Callable[[str], Path], profile_with: ProfileWith
) -> None:
    profile = str(profile_with("standin", timing={"settle_s": 0.5}))
    pids = tmp_path / "pids"
    fake_ssh(RELAY.format(python=sys.executable, pids=str(pids)))
    log = TruthLog(tmp_path / "log")

    def line(number: signal.Signals) -> None:
        for row in pids.read_text().splitlines():
            pid, kind = row.split()
            if kind == "control":
                os.kill(int(pid), number)

    async with PrivateServer() as server:
        where = {"ssh": "host", "socket_path": server.socket_path}
        async with pg.Controller.open(**where) as ctl:
            events = ctl.events()
            argv = program_argv("composer", log=log.path, work=800, spinner=True, drop_crs=3)
            pane = await ctl.launch(argv, profile=profile, within_s=WITHIN_S)
            await landed(pane, "one")
            await until_state(pane, pg.State.READY)

            await landed(pane, "two")
            assert pane.state is pg.State.BUSY
            line(signal.SIGSTOP)
            await log.wait_for("turn_ended", WITHIN_S, count=2)
            with pytest.raises(pg.NotReady):
                await pane.wait({pg.State.READY}, within_s=1.2)
            assert pane.state is pg.State.BUSY
            assert pane.explain().quiet_s > 1.0
            line(signal.SIGCONT)
            await until_state(pane, pg.State.READY)

            writing = asyncio.create_task(pane.send("three", within_s=WITHIN_S))
            await log.wait_for("cr_dropped", WITHIN_S)
            line(signal.SIGKILL)
            pids.write_text("")
            receipt = await writing
            assert (receipt.fate, receipt.landed) == (pg.Fate.UNKNOWN, None), receipt.words
            assert receipt.reason is pg.Reason.CONNECTION_LOST
            await until_state(pane, pg.State.READY)
            assert pane.tracker.look is not None
            with pytest.raises(pg.NotReady) as refused:
                await pane.send("four", within_s=0.5)
            assert refused.value.reason is pg.Reason.LEFT_BEHIND
            receipt = await pane.clear()
            assert receipt.fate is pg.Fate.LANDED, receipt.words
            await landed(pane, "four")
            assert ctl.reachable
            events.close()
            states = [event.new async for event in events if isinstance(event, pg.StateChanged)]
            assert pg.State.EXITED not in states
        assert log.submits() == ["one", "two", "four"]

"""A recorded run, fed in again: the same events, twice, with no tmux and no /proc."""

import asyncio
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import panegate as pg
from panegate.runtime.recording import RecordingWriter
from panegate.session.events import (
    PaneExited,
    PromptChanged,
    PromptClosed,
    PromptOpened,
    StateChanged,
    WriteFinished,
)
from panegate.testing.programs import program_argv
from panegate.testing.servers import PrivateServer
from panegate_transports.recording import RecordingHeader

pytestmark = [pytest.mark.tmux, pytest.mark.asyncio, pytest.mark.slow]

REPLAYED = (StateChanged, PromptOpened, PromptChanged, PromptClosed, WriteFinished, PaneExited)

REPLAYER = """
import json, sys
import panegate.session.replaying, panegate.runtime.recording as recording

def watch(name, args):
    if name == "open" and str(args[0]).startswith(("/proc", "/dev")):
        raise SystemExit(f"opened {args[0]}")
    if name in ("subprocess.Popen", "os.exec", "os.posix_spawn", "socket.connect", "os.fork"):
        raise SystemExit(f"{name}")

file = open(sys.argv[1], "rb")
sys.addaudithook(watch)
from panegate.session.replaying import Replay
runs = []
lines = file.readlines()
for _ in range(2):
    replay = Replay()
    runs.append([repr(e) for given in recording.Recording(lines) for e in replay.feed(given)])
assert runs[0] == runs[1], "two replays differ"
print(json.dumps(runs[0]))
"""


def plain(event: object) -> str:
    """An event without the number that only the live stream gives it."""
    import attrs

    return repr(attrs.evolve(event, seq=0))  # type: ignore[type-var]


async def drive(ctl: pg.Controller, tmp_path: Path) -> None:
    """Launches, messages, refusals, a dialog and its answer, an exit."""
    rc = tmp_path / "rc"
    rc.write_text("sleep 0.5\nPS1='slow> '\n")
    shell = await ctl.launch(["bash", "--rcfile", str(rc)], name="shell", within_s=30)
    for n in range(10):
        await shell.send(f"echo {n};", within_s=20)
    held = asyncio.create_task(shell.send("echo later", within_s=20))
    await shell.send("sleep 0.3", within_s=20)
    await held
    await shell.send("read -p 'Name? [y/n] ' x", within_s=20)
    await shell.wait({pg.State.PROMPTING}, within_s=20)
    for refused in (shell.nudge("go on"), shell.send("hello", within_s=1), shell.interrupt()):
        with pytest.raises(pg.Refused):
            await refused
    assert shell.prompt is not None
    await shell.answer(shell.prompt.id, text="y", by="test")
    agent = await ctl.launch(
        program_argv("composer", log=tmp_path / "c.log", ask_after_submit=100),
        profile="standin",
        name="agent",
        within_s=30,
    )
    await agent.send("do it", within_s=20)
    await agent.wait({pg.State.PROMPTING}, within_s=20)
    assert agent.prompt is not None
    await agent.answer(agent.prompt.id, option="3", by="test")
    await agent.wait({pg.State.READY}, within_s=20)
    python = await ctl.launch([sys.executable, "-q"], profile="python", name="py", within_s=30)
    await python.run("print(6 * 7)", within_s=20)
    with pytest.raises(pg.LaunchFailed):
        await ctl.launch(["sh", "-c", "echo E42; exit 3"], name="bad", within_s=20)
    await shell.send("exit 7", within_s=20)
    await shell.wait({pg.State.EXITED}, within_s=20)


async def test_a_recording_gives_the_same_events_twice_and_touches_nothing(
    tmux_server: PrivateServer, tmp_path: Path
):
    file = io.BytesIO()
    header = RecordingHeader(
        tmux_version=str(tmux_server.version),
        width=120,
        height=40,
        started_utc="2026-01-01T00:00:00+00:00",
        extra={},
    )
    writer = RecordingWriter(file, header)
    live: list[str] = []
    settings = pg.Settings(answers=pg.Answers.ALLOWED)
    async with pg.Controller.open(
        socket_path=tmux_server.socket_path, settings=settings, recorder=writer
    ) as ctl:
        trackers = ctl.engine.pump.trackers
        writer.profile_of = lambda pane_id: trackers[pane_id].profile
        ctl.bus.taps.append(
            lambda event: live.append(plain(event)) if isinstance(event, REPLAYED) else None
        )
        await drive(ctl, tmp_path)
    path = tmp_path / "run.rec"
    path.write_bytes(file.getvalue())
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", REPLAYER, str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(sys.path), "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    replayed = [e for e in json.loads(done.stdout) if e.split("(")[0] in _NAMES]
    assert replayed == live
    assert any("PaneExited" in e and "status=7" in e for e in live)


_NAMES = {kind.__name__ for kind in REPLAYED}

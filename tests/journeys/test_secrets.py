"""A secret reaches its program and stays nowhere else."""

import contextlib
import hashlib
import io
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import panegate as pg
from panegate.runtime.recording import Recording, RecordingWriter
from panegate.testing.programs import program_argv
from panegate.testing.servers import PrivateServer
from panegate.testing.truth import TruthLog
from panegate_transports.recording import RecordingHeader

from .staging import KERNEL, WITHIN_S

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

SECRET = "hunter2-XYZ #{pane_id}; $x"
FIRST = "hunter2"
HEADER = RecordingHeader(tmux_version="3.3a", width=120, height=40, started_utc="")


class Traces:
    """Everything a controller writes, says or keeps, as one text."""

    def __init__(self) -> None:
        self.file, self.lines = io.BytesIO(), io.StringIO()
        self.journal = pg.MemoryJournal()
        self.recorder = RecordingWriter(self.file, HEADER)
        self.events: list[pg.Event] = []

    def text(self, *more: object) -> str:
        data = self.file.getvalue()
        decoded = list(Recording(data.splitlines(keepends=True)))
        kept = [decoded, self.journal, self.events, *more]
        return f"{data.decode()}{self.lines.getvalue()}{kept!r}"


@pytest.fixture
def traces() -> Iterator[Traces]:
    made = Traces()
    handler = logging.StreamHandler(made.lines)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield made
    root.setLevel(level)
    root.removeHandler(handler)


@contextlib.asynccontextmanager
async def traced(traces: Traces, server: PrivateServer) -> AsyncIterator[pg.Controller]:
    """Open a controller on a person's server, which keeps a log of what it is told."""
    server.run("new-session", "-d", "-s", "keep", "sleep 1000")
    async with pg.Controller.open(
        socket_path=server.socket_path,
        journal=traces.journal,
        recorder=traces.recorder,
        settings=pg.Settings(answers=pg.Answers.ALLOWED),
    ) as ctl:
        trackers = ctl.engine.pump.trackers
        traces.recorder.profile_of = lambda pane_id: trackers[pane_id].profile
        ctl.bus.taps.append(traces.events.append)
        yield ctl


@pytest.mark.parametrize("given", ["secret", "text"])
@pytest.mark.asyncio
async def test_a_secret_leaves_no_trace(
    tmp_path: Path, tmux_server: PrivateServer, traces: Traces, given: str
) -> None:
    """Also a text is a secret, where the question hides its input."""
    truth = TruthLog(tmp_path / "truth.jsonl")
    async with traced(traces, tmux_server) as ctl:
        argv = program_argv("hidden-input", log=truth.path, tries=2)
        pane = await ctl.launch(argv, profile="generic", within_s=WITHIN_S)
        assert pane.prompt is not None
        receipt = await pane.answer(pane.prompt.id, by="anna", **{given: SECRET})
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        [secret] = await truth.wait_for("secret", WITHIN_S) and truth.events("secret")
        assert secret["sha256"] == hashlib.sha256(SECRET.encode()).hexdigest()
        row = traces.journal.rows[receipt.write_id]
        assert (row.text, row.text_digest, row.by) == (None, "", "anna")
        assert (receipt.n_bytes, receipt.text_digest) == (len(SECRET) + 1, "")
        screen = await pane.read(history=100)
        found = traces.text(screen, pane.explain(), pane.prompt, ctl.statistics())
        assert FIRST not in found
        assert '"n":"written"' in found
        server = tmux_server.run("show-messages") + tmux_server.run("list-buffers")
        assert "respawn-pane" in server
        assert FIRST not in server
        assert "buffer" not in tmux_server.run("list-buffers")
    assert FIRST not in traces.text()


@pytest.mark.asyncio
async def test_a_secret_for_another_question_is_not_even_loaded(
    tmp_path: Path, tmux_server: PrivateServer, traces: Traces
) -> None:
    truth = TruthLog(tmp_path / "truth.jsonl")
    async with traced(traces, tmux_server) as ctl:
        argv = program_argv("hidden-input", log=truth.path)
        pane = await ctl.launch(argv, profile="generic", within_s=WITHIN_S)
        with pytest.raises(pg.StaleAnswer):
            await pane.answer(f"{pane.id}.7.00000000", secret=SECRET, by="anna")
        assert truth.events("secret") == []
        server = tmux_server.run("show-messages") + tmux_server.run("list-buffers")
        assert "load-buffer" not in server
        assert FIRST not in traces.text() + server


@pytest.mark.skipif(not KERNEL, reason="only the kernel knows what a terminal echoes")
@pytest.mark.asyncio
async def test_a_secret_is_not_typed_where_it_would_be_shown(
    tmux_server: PrivateServer, traces: Traces
) -> None:
    async with traced(traces, tmux_server) as ctl:
        argv = ["bash", "--norc", "-c", "read -p 'Password: ' x; read y"]
        pane = await ctl.launch(argv, within_s=WITHIN_S)
        assert pane.prompt is not None
        with pytest.raises(pg.Refused) as refused:
            await pane.answer(pane.prompt.id, secret=SECRET, by="anna")
        assert refused.value.reason is pg.Reason.NOT_HIDDEN
        assert FIRST not in traces.text(await pane.read())


@pytest.mark.asyncio
async def test_a_secret_in_hand_when_its_question_goes_is_deleted(
    tmp_path: Path, tmux_server: PrivateServer, traces: Traces
) -> None:
    """The person's own copy mode comes between the look and the paste: the guard refuses."""
    truth = TruthLog(tmp_path / "truth.jsonl")
    async with traced(traces, tmux_server) as ctl:
        argv = program_argv("hidden-input", log=truth.path)
        pane = await ctl.launch(argv, profile="generic", within_s=WITHIN_S)
        prompt = pane.prompt
        assert prompt is not None
        tmux_server.run("set-hook", "-g", "after-load-buffer", f"copy-mode -t {pane.id}")
        with pytest.raises(pg.Refused) as refused:
            await pane.answer(prompt.id, secret=SECRET, by="anna")
        assert refused.value.reason is pg.Reason.COPY_MODE
        assert tmux_server.run("display-message", "-p", "-t", pane.id, "#{pane_in_mode}") == "1\n"
        assert tmux_server.run("list-buffers") == ""
        assert truth.events("secret") == []
        assert FIRST not in traces.text()

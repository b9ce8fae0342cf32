"""What a controller leaves in its journal, and what the next one makes of it."""

import asyncio
import contextlib
import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import attrs
import pytest

import panegate as pg
from panegate.errors import JournalError, LocalProtocolError
from panegate.gate.stages import Stage
from panegate.ids import PaneId
from panegate.journal.base import WriteRow
from panegate.journal.processes import process_start
from panegate.journal.sqlite import SqliteJournal
from panegate.journal.store import default_path, utc_now
from panegate.session.events import WriteFinished
from panegate.testing.programs import program_argv
from panegate.testing.servers import PrivateServer
from panegate.testing.truth import TruthLog

pytestmark = [pytest.mark.tmux, pytest.mark.asyncio]

SETTINGS = pg.Settings()
WITHIN_S = 20.0


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@contextlib.asynccontextmanager
async def opened(server: PrivateServer, **options: Any) -> AsyncIterator[pg.Controller]:
    known = {"settings": SETTINGS, **options}
    async with pg.Controller.open(socket_path=server.socket_path, **known) as ctl:
        yield ctl


async def composer(ctl: pg.Controller, log: TruthLog, **options: Any) -> pg.Pane:
    argv = program_argv("composer", log=log.path, **options)
    return await ctl.launch(argv, name="w1", profile="standin", within_s=WITHIN_S)


async def test_without_a_word_the_journal_is_in_the_state_directory(
    tmux_server: PrivateServer, truth_log: TruthLog
):
    async with opened(tmux_server) as ctl:
        pane = await composer(ctl, truth_log)
        receipt = await pane.send("a message", id="job-1")
        assert isinstance(ctl.journal, SqliteJournal)
        assert ctl.journal.path == default_path()
        kept = await ctl.journal.kept("job-1")
        assert kept.receipt == receipt
        assert (kept.row.text, kept.row.pane_name) == ("a message", "w1")
        assert (
            kept.row.server == f"{ctl.identity.pid}:{ctl.identity.start_time}:{ctl.identity.socket}"
        )
        assert kept.before == receipt.before
        found = await ctl.journal.pane(kept.row.server, pane.id, pane.target.pane_pid)
        assert (found.name, found.profile) == ("w1", "standin")


async def test_the_settings_say_where_it_is(tmux_server: PrivateServer, tmp_path: Path):
    named = pg.Settings(journal_path=str(tmp_path / "mine.db"))
    async with opened(tmux_server, settings=named) as ctl:
        assert ctl.journal.path == tmp_path / "mine.db"
    async with opened(tmux_server, settings=named, journal=tmp_path / "other.db") as ctl:
        assert ctl.journal.path == tmp_path / "other.db"
    async with opened(tmux_server, settings=pg.Settings(journal_path=":memory:")) as ctl:
        assert isinstance(ctl.journal, pg.MemoryJournal)


async def test_an_id_is_known_to_later_controllers(tmux_server: PrivateServer, truth_log: TruthLog):
    async with opened(tmux_server) as ctl:
        pane = await composer(ctl, truth_log)
        first = await pane.send("once", id="job-1")
    async with opened(tmux_server) as later:
        again = await later.adopt(pane.id, profile="standin")
        assert await again.send("once", id="job-1") == first
        with pytest.raises(LocalProtocolError, match="another text"):
            await again.send("twice", id="job-1")
        other = await later.launch(["cat"], reads_lines=True, within_s=WITHIN_S)
        with pytest.raises(LocalProtocolError, match=r"a write to w1 \(%"):
            await other.send("once", id="job-1")
    assert truth_log.submits() == ["once"]


async def test_an_id_that_is_under_way_elsewhere_is_not_sent_again(
    tmux_server: PrivateServer, truth_log: TruthLog
):
    async with opened(tmux_server) as one, opened(tmux_server) as two:
        pane = await composer(one, truth_log)
        pane.hold("lunch")
        same = await two.adopt(pane.id, profile="standin")
        sending = asyncio.ensure_future(pane.send("once", id="job-1", within_s=WITHIN_S))
        await _until_held(one, "job-1")
        with pytest.raises(pg.Refused, match=f"another process .pid {os.getpid()}") as caught:
            await same.send("once", id="job-1")
        assert caught.value.reason is pg.Reason.QUEUED
        pane.release()
        receipt = await sending
        assert await same.send("once", id="job-1") == receipt
    assert truth_log.submits() == ["once"]


async def _until_held(ctl: pg.Controller, write_id: str) -> None:
    async with asyncio.timeout(WITHIN_S), ctl.events(since=0) as events:
        async for event in events:
            if isinstance(event, pg.WriteHeld) and event.write_id == write_id:
                return


async def test_nothing_is_typed_that_is_not_journalled_as_typed(
    tmux_server: PrivateServer, truth_log: TruthLog, monkeypatch: pytest.MonkeyPatch
):
    """The row alone is not enough: a crash after it would say "not sent"."""
    async with opened(tmux_server) as ctl:
        pane = await composer(ctl, truth_log)

        async def full(*_: object) -> None:
            raise JournalError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(SqliteJournal, "stage", full)
            with pytest.raises(pg.Refused, match="the disk is full") as caught:
                await pane.send("no", id="no")
            assert caught.value.reason is pg.Reason.JOURNAL
        assert truth_log.received_bytes() == b""
        assert (await ctl.journal.receipt("no")).fate is pg.Fate.REFUSED
        await pane.send("yes")
    assert truth_log.submits() == ["yes"]


async def test_the_stage_is_in_the_file_before_the_first_byte_leaves(
    tmux_server: PrivateServer, truth_log: TruthLog, monkeypatch: pytest.MonkeyPatch
):
    seen: list[tuple[Stage, bytes]] = []
    stage = SqliteJournal.stage

    async def watched(journal: SqliteJournal, write_id: str, now: Stage, *rest: Any) -> None:
        await stage(journal, write_id, now, *rest)
        seen.append((now, truth_log.received_bytes()))

    async with opened(tmux_server) as ctl:
        pane = await composer(ctl, truth_log)
        monkeypatch.setattr(SqliteJournal, "stage", watched)
        await pane.send("a message")
    assert seen[0] == (Stage.TYPING, b"")
    assert [now for now, _ in seen] == [Stage.TYPING, Stage.SUBMITTING]


async def test_a_controller_that_is_closed_leaves_no_write_without_a_fate(
    tmux_server: PrivateServer, truth_log: TruthLog
):
    async with opened(tmux_server) as ctl:
        pane = await composer(ctl, truth_log)
        pane.hold("lunch")
        sending = asyncio.ensure_future(pane.send("no", id="no", within_s=WITHIN_S))
        await _until_held(ctl, "no")
    with pytest.raises(pg.Refused, match="the controller ended"):
        await sending
    async with opened(tmux_server) as later:
        receipt = await later.journal.receipt("no")
        assert (receipt.fate, receipt.reason) == (pg.Fate.REFUSED, pg.Reason.CONTROLLER_ENDED)
        assert not [e for e in later.bus.recent if isinstance(e, WriteFinished)]
    assert truth_log.received_bytes() == b""


async def test_a_caller_that_is_cancelled_while_it_is_journalled_leaves_a_fate(
    tmux_server: PrivateServer, truth_log: TruthLog, monkeypatch: pytest.MonkeyPatch
):
    begin = SqliteJournal.begin
    began = asyncio.Event()

    async def slow(journal: SqliteJournal, row: WriteRow) -> Any:
        await begin(journal, row)
        began.set()
        await asyncio.Event().wait()

    async with opened(tmux_server) as ctl:
        pane = await composer(ctl, truth_log)
        with monkeypatch.context() as patch:
            patch.setattr(SqliteJournal, "begin", slow)
            sending = asyncio.ensure_future(pane.send("no", id="no"))
            await began.wait()
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sending
        assert (await ctl.journal.receipt("no")).fate is pg.Fate.WITHDRAWN
    assert truth_log.received_bytes() == b""


@attrs.define
class Dead:
    """A controller that crashed: its rows, without fates."""

    journal: SqliteJournal
    server: str

    async def write(self, write_id: str, of: pg.Pane, stage: Stage, **fields: Any) -> None:
        known: dict[str, Any] = {
            "write_id": write_id,
            "pane": of.id,
            "server": self.server,
            "intent": pg.Intent.MESSAGE,
            "text": f"text of {write_id}",
            "text_digest": "",
            "by": "",
            "at_utc": utc_now(),
            "pane_pid": of.target.pane_pid,
            "pane_name": of.name,
        }
        await self.journal.begin(WriteRow(**{**known, **fields}))
        if stage is not Stage.WAITING:
            await self.journal.stage(write_id, stage, ("before",))


@contextlib.asynccontextmanager
async def crashed(ctl: pg.Controller) -> AsyncIterator[Dead]:
    """Give a journal whose controller is gone, without a word, at the end of the block."""
    found = ctl.identity
    journal = await SqliteJournal.open(default_path(), socket=found.socket)
    yield Dead(journal, f"{found.pid}:{found.start_time}:{found.socket}")
    await journal._writer.submit(
        lambda db: (
            db.execute("UPDATE runs SET started = '1' WHERE run = ?", (journal.me.run,)).rowcount
        )
    )
    await journal._writer.aclose()


async def test_what_a_dead_controller_left_gets_its_fate_at_the_start(
    tmux_server: PrivateServer, truth_log: TruthLog
):
    async with opened(tmux_server, journal=":memory:") as ctl:
        pane = await composer(ctl, truth_log)
        await pane.send("text of typed", submit=False)
        async with crashed(ctl) as dead:
            await dead.write("waiting", pane, Stage.WAITING)
            await dead.write("typed", pane, Stage.TYPING)
            await dead.write("entered", pane, Stage.SUBMITTING)
            await dead.write("older", pane, Stage.TYPING, pane_pid=1)
            await dead.write("elsewhere", pane, Stage.TYPING, server="1:1:/elsewhere")
            await dead.write("gone", pane, Stage.TYPING, pane=PaneId("%77"))
        before = truth_log.received_bytes()
        async with opened(tmux_server) as later:
            receipts = {
                name: await later.journal.receipt(name)
                for name in ("waiting", "typed", "entered", "older", "elsewhere", "gone")
            }
            told = [e.receipt.write_id async for e in _recent(later)]
        async with opened(tmux_server) as third:
            assert [e async for e in _recent(third)] == []
    fates = {name: receipt.fate for name, receipt in receipts.items()}
    assert fates.pop("waiting") is pg.Fate.REFUSED
    assert set(fates.values()) == {pg.Fate.UNKNOWN}
    assert {r.reason for r in receipts.values()} == {pg.Reason.CONTROLLER_ENDED}
    assert any("text of typed" in row for row in receipts["typed"].after)
    assert receipts["typed"].before == ("before",)
    assert receipts["typed"].words.endswith("the pane shows its text now.")
    assert receipts["entered"].words.endswith("the pane does not show its text now.")
    for name in ("older", "gone"):
        assert "its pane is gone, or runs another program" in receipts[name].words
        assert receipts[name].after == ()
    assert "its tmux server is another one" in receipts["elsewhere"].words
    assert told == ["waiting", "typed", "entered", "older", "gone"]
    assert truth_log.received_bytes() == before


async def _recent(ctl: pg.Controller) -> AsyncIterator[WriteFinished]:
    for event in ctl.bus.recent:
        if isinstance(event, WriteFinished):
            yield event


async def test_an_id_of_a_dead_controller_is_not_sent_again(
    tmux_server: PrivateServer, truth_log: TruthLog
):
    """Also where it dies after this controller has started."""
    async with opened(tmux_server) as ctl:
        pane = await composer(ctl, truth_log)
        digest = ctl.writes._digest("once")
        async with crashed(ctl) as dead:
            await dead.write("job", pane, Stage.TYPING, text="once", text_digest=digest)
            await dead.write("early", pane, Stage.WAITING, text="once", text_digest=digest)
        receipt = await pane.send("once", id="job")
        assert (receipt.fate, receipt.reason) == (pg.Fate.UNKNOWN, pg.Reason.CONTROLLER_ENDED)
        with pytest.raises(pg.Refused, match="ended before a byte of it left"):
            await pane.send("once", id="early")
    assert truth_log.received_bytes() == b""


def _sleeper() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["sleep", "1000"])


async def test_a_dead_controllers_clients_are_ended_by_pid_and_start(tmux_server: PrivateServer):
    orphan, other = _sleeper(), _sleeper()
    try:
        async with opened(tmux_server, journal=":memory:") as ctl, crashed(ctl) as dead:
            await dead.journal.note_client(orphan.pid)
            run = dead.journal.me.run
            await dead.journal._writer.submit(
                lambda db: (
                    db.execute("INSERT INTO clients VALUES (?, ?, '5')", (run, other.pid)).rowcount
                )
            )
        async with opened(tmux_server):
            assert await asyncio.to_thread(orphan.wait, WITHIN_S) == -15
        assert other.poll() is None
    finally:
        for process in (orphan, other):
            process.kill()
            process.wait()


async def test_a_living_controllers_clients_are_noted_and_left(tmux_server: PrivateServer):
    async with opened(tmux_server) as ctl:
        await ctl.launch(["cat"], reads_lines=True, within_s=WITHIN_S)
        async with opened(tmux_server, journal=":memory:"), opened(tmux_server) as third:
            rows = await third.journal._read(
                lambda db: db.execute("SELECT pid, started FROM clients").fetchall()
            )
            pids = {client.transport.pid for client in ctl.link.clients.values()}
            assert pids <= {pid for pid, _ in rows}
            assert all(process_start(pid) == started for pid, started in rows)
        assert (await (await ctl.adopt(ctl.panes[0].id)).read()).label is pg.ScreenLabel.LIVE


async def test_a_pane_is_found_again_with_what_was_said_of_it(
    tmux_server: PrivateServer, truth_log: TruthLog
):
    argv = program_argv("composer", log=truth_log.path)
    async with opened(tmux_server) as ctl:
        pane = await ctl.launch(
            argv, name="w1", profile="standin", where="call 5", within_s=WITHIN_S
        )
        await ctl.journal.begin(_any_row(ctl, pane))  # what was said before it is kept now
        async with opened(tmux_server) as later:
            again = await later.adopt(pane.id)
            assert (again.name, again.profile.name) == ("w1", "standin")
            assert again.tracker.traits.where == "call 5"
            tmux_server.run("respawn-pane", "-k", "-t", pane.id, *argv)
        async with opened(tmux_server) as third:
            other = await third.adopt(pane.id)
            assert other.profile.name != "standin"
            assert other.tracker.traits.where == ""


async def test_what_is_typed_into_hidden_input_is_in_no_file(
    tmux_server: PrivateServer, truth_log: TruthLog
):
    allowed = pg.Settings(answers=pg.Answers.ALLOWED)
    async with opened(tmux_server, settings=allowed) as ctl:
        argv = program_argv("hidden-input", log=truth_log.path)
        pane = await ctl.launch(
            argv, env={"TOKEN": "hunter2-token"}, profile="generic", within_s=WITHIN_S
        )
        receipt = await pane.answer(pane.prompt.id, by="ann", secret="hunter2-secret")
        assert receipt.fate is pg.Fate.LANDED
        kept = await ctl.journal.kept(receipt.write_id)
        assert (kept.row.text, kept.row.by) == (None, "ann")
        files = {name: _content(name) for name in _files(default_path().parent)}
    files |= {f"{name} closed": _content(name) for name in _files(default_path().parent)}
    assert any(b"TOKEN" in content for content in files.values())
    assert [name for name, content in files.items() if b"hunter2" in content] == []


def _files(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.is_file()]


def _content(name: str) -> bytes:
    return Path(name).read_bytes()


async def test_a_new_servers_pane_is_not_the_old_one(truth_log: TruthLog, tmp_path: Path):
    where = {"socket_path": tmp_path / "s", "settings": SETTINGS}
    argv = program_argv("composer", log=truth_log.path)
    try:
        async with pg.Controller.open(**where) as ctl:
            pane = await ctl.launch(argv, name="w1", profile="standin", within_s=WITHIN_S)
            await pane.send("old", id="job")
            first = ctl.keeping.server
            await asyncio.to_thread(_kill_server, tmp_path / "s")
        async with pg.Controller.open(**where) as later:
            again = await later.launch(argv, name="w1", within_s=None)
            assert (again.id, later.keeping.server != first) == (pane.id, True)
            with pytest.raises(LocalProtocolError, match="of another tmux server"):
                await again.send("old", id="job")
    finally:
        await asyncio.to_thread(_kill_server, tmp_path / "s")
    assert truth_log.submits() == ["old"]


def _kill_server(socket: Path) -> None:
    subprocess.run(["tmux", "-S", str(socket), "kill-server"], capture_output=True, check=False)


def _any_row(ctl: pg.Controller, pane: pg.Pane) -> WriteRow:
    return WriteRow(
        write_id="any",
        pane=pane.id,
        server=ctl.keeping.server,
        intent=pg.Intent.KEYS,
        text=None,
        text_digest="",
        by="",
        at_utc=utc_now(),
    )


async def test_events_go_on_across_restarts(tmux_server: PrivateServer, truth_log: TruthLog):
    async with opened(tmux_server) as ctl:
        await composer(ctl, truth_log)
        seen = list(ctl.bus.recent)
        half = seen[len(seen) // 2]
    async with opened(tmux_server) as later:
        await later.adopt("w1", profile="standin")
        async with asyncio.timeout(WITHIN_S), later.events(since=half.seq) as events:
            found = [await anext(events)]
            while not (isinstance(found[-1], pg.PaneOpened) and found[-1].seq > seen[-1].seq):
                found.append(await anext(events))
    expected = [event for event in seen if event.seq > half.seq]
    assert found[: len(expected)] == expected
    numbers = [event.seq for event in found]
    assert numbers == sorted(set(numbers))


async def test_a_journal_that_cannot_be_written_lets_reads_go_on(
    tmux_server: PrivateServer, truth_log: TruthLog, tmp_path: Path
):
    (tmp_path / "file").write_text("")
    async with opened(tmux_server, journal=tmp_path / "file" / "journal.db") as ctl:
        pane = await composer(ctl, truth_log)
        assert pane.state is pg.State.READY
        assert (await pane.read()).label is pg.ScreenLabel.LIVE
        with pytest.raises(JournalError, match=r"file/journal\.db cannot be written"):
            await pane.send("no")
        async with ctl.events(since=0) as events:
            assert isinstance(await anext(events), pg.PaneOpened)
    assert truth_log.received_bytes() == b""

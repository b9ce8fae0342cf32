"""L. A tmux server that dies, hangs, hides or comes back as another; clients that cannot attach."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import shutil
import signal
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import attrs
import pytest
from tests.journeys.staging import WITHIN_S, Stage, open_stage, until_state

import panegate as pg
from panegate.journal.memory import MemoryJournal
from panegate.service import reconnect
from panegate.testing.servers import PrivateServer, wait_gone
from panegate.testing.truth import TruthLog

from .conftest import ProfileWith

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

SHORTER = 1 / 50
"""A minute of waits between attempts is told in little more than a second."""


async def until_event(events: pg.EventStream, kind: type[pg.Event]) -> pg.Event:
    async with asyncio.timeout(WITHIN_S):
        async for event in events:
            if isinstance(event, kind):
                return event
    raise AssertionError("the stream ended")


def end_client(ctl: pg.Controller, pane: pg.Pane) -> None:
    """Break the connection that carries a pane."""
    os.kill(ctl.link.carriers[pane.id].transport.pid, signal.SIGTERM)  # type: ignore[attr-defined]


def named(stage: Stage, kind: type[pg.Event]) -> list[pg.Event]:
    return [event for event in stage.ctl.bus.recent if isinstance(event, kind)]


@attrs.define
class Attempts:
    """When a controller tried to find its server again."""

    at_s: list[float] = attrs.field(factory=list)
    _came: asyncio.Condition = attrs.field(factory=asyncio.Condition)

    async def note(self) -> None:
        async with self._came:
            self.at_s.append(time.monotonic())
            self._came.notify_all()

    async def until(self, count: int) -> None:
        async with asyncio.timeout(WITHIN_S), self._came:
            await self._came.wait_for(lambda: len(self.at_s) >= count)

    def are_spaced(self) -> bool:
        """Between each two there was at least the wait that is due."""
        gaps = (b - a for a, b in itertools.pairwise(self.at_s))
        due = (*reconnect.BACK_OFF_S, *[reconnect.BACK_OFF_S[-1]] * len(self.at_s))
        return all(gap >= wait * 0.9 for gap, wait in zip(gaps, due, strict=False))


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> Attempts:
    """Note the attempts of all controllers, whose waits are made shorter."""
    found = Attempts()
    tries = reconnect.Reconnecting._try

    async def noted(self: reconnect.Reconnecting) -> bool:
        await found.note()
        return await tries(self)

    monkeypatch.setattr(reconnect.Reconnecting, "_try", noted)
    shorter = tuple(wait * SHORTER for wait in reconnect.BACK_OFF_S)
    monkeypatch.setattr(reconnect, "BACK_OFF_S", shorter)
    return found


def test_the_real_waits_are_a_handful_a_minute() -> None:
    """L02 and L06 shorten them; these are what they stand for."""
    starts = list(itertools.accumulate(reconnect.BACK_OFF_S))
    assert sum(start < 60 for start in starts) <= 8
    assert reconnect.BACK_OFF_S[-1] >= 30


@pytest.mark.asyncio
async def test_l01_a_socket_that_was_removed_ends_no_program_and_makes_no_second_server(
    tmp_path: Path,
) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin")
        ctl, pane, pid = stage.ctl, program.pane, stage.ctl.identity.pid
        stage.socket.unlink()
        try:
            # the open connection does its work
            assert (await pane.send("still there", within_s=WITHIN_S)).landed is True
            events = ctl.events()
            end_client(ctl, pane)
            lost = await until_event(events, pg.ServerLost)
            assert isinstance(lost, pg.ServerLost)
            assert f"its socket is missing, the server (pid {pid}) lives" in lost.words
            assert f"kill -USR1 {pid}" in lost.words
            assert pane.state is not pg.State.EXITED
            with pytest.raises(pg.PanegateError):
                await pane.send("not now", within_s=0.3)
            with pytest.raises(pg.ServerUnreachable):
                await ctl.launch(["sleep", "1000"], within_s=None)
            assert not stage.socket.exists()
        finally:
            os.kill(pid, signal.SIGUSR1)  # has it make its socket again
        await until_event(events, pg.ServerBack)
        assert (await pane.send("and again", within_s=WITHIN_S)).landed is True
        assert ctl.identity.pid == pid
        assert program.truth.submits() == ["still there", "and again"]
        assert named(stage, pg.PaneExited) == []


def test_l01_the_plain_way_makes_a_second_server() -> None:
    with PrivateServer() as server:
        server.start_program(["cat"], name="first")
        first = server.pid
        assert first is not None
        server.socket_path.unlink()
        try:
            server.run("new-session", "-d", "-s", "second", "cat")
            assert int(server.run("display-message", "-p", "#{pid}")) != first
            assert server.run("list-sessions", "-F", "#{session_name}").split() == ["second"]
        finally:
            os.kill(first, signal.SIGKILL)


@contextlib.asynccontextmanager
async def wedged(path: Path) -> AsyncIterator[list[float]]:
    """Have a server at *path* that ends each connection at once; yields when each one came."""
    came: list[float] = []

    def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(time.monotonic())
        writer.close()

    server = await asyncio.start_unix_server(answer, path)
    try:
        yield came
    finally:
        server.close()
        await server.wait_closed()


@pytest.mark.parametrize("attach_only", [True, False])
@pytest.mark.asyncio
async def test_l02_a_wedged_server_fails_the_start_soon_and_with_words(
    tmp_path: Path, attach_only: bool
) -> None:
    path = tmp_path / "s"
    async with wedged(path) as came:
        with pytest.raises(pg.ServerUnreachable, match=f"-S {path}") as failed:
            async with (
                asyncio.timeout(WITHIN_S),
                pg.Controller.open(
                    socket_path=path, journal=tmp_path / "journal", attach_only=attach_only
                ),
            ):
                pass
    assert failed.value.fix
    if not attach_only:
        assert "server exited unexpectedly" in str(failed.value)
    assert 1 <= len(came) <= 8
    assert not (tmp_path / "journal").exists()


@pytest.mark.asyncio
async def test_l02_a_server_that_wedges_later_is_one_event_and_ends_no_pane(
    tmp_path: Path, attempts: Attempts
) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin")
        ctl, pane, moved = stage.ctl, program.pane, stage.socket.with_name("moved")
        events = ctl.events()
        stage.socket.rename(moved)
        try:
            async with wedged(stage.socket) as came:
                end_client(ctl, pane)
                await until_event(events, pg.ServerLost)
                await attempts.until(7)
                assert attempts.are_spaced()
                assert len(came) <= 2 * len(attempts.at_s)
                with pytest.raises(pg.PanegateError):
                    await pane.send("not now", within_s=0.2)
                assert pane.state is not pg.State.EXITED
                assert not pane.outcome().over
        finally:
            stage.socket.unlink(missing_ok=True)
            moved.rename(stage.socket)
        await until_event(events, pg.ServerBack)
        assert (await pane.send("hello", within_s=WITHIN_S)).landed is True
        assert len(named(stage, pg.ServerLost)) == len(named(stage, pg.ServerBack)) == 1
        assert named(stage, pg.PaneExited) == []
        assert program.truth.submits() == ["hello"]


@pytest.mark.asyncio
async def test_l03_a_server_that_dies_is_told_for_each_pane_and_the_open_write_says_so(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    journal = MemoryJournal()
    profile = str(profile_with("standin", submit={"gap_s": 2.0}))
    async with open_stage(tmp_path, journal=journal) as stage:
        programs = [await stage.program("composer", profile=profile) for _ in range(3)]
        first, *_ = programs
        events = stage.ctl.events()
        sending = asyncio.create_task(first.pane.send("half of it", within_s=WITHIN_S))
        await first.truth.wait_for("bytes", WITHIN_S)
        os.kill(stage.ctl.identity.pid, signal.SIGKILL)
        receipt = await asyncio.wait_for(sending, WITHIN_S)
        over: list[pg.Event] = []
        async with asyncio.timeout(WITHIN_S):
            async for event in events:
                if isinstance(event, pg.PaneExited | pg.ServerLost) or (
                    isinstance(event, pg.OutcomeReached) and event.over
                ):
                    over.append(event)
                if sum(isinstance(e, pg.OutcomeReached) for e in over) == len(programs):
                    break
        assert sum(isinstance(e, pg.ServerLost) for e in over) == 1
        exits = [e.pane for e in over if isinstance(e, pg.PaneExited)]
        assert sorted(exits) == sorted(p.pane.id for p in programs)
        for program in programs:
            outcome = program.pane.outcome()
            assert (outcome.kind, outcome.over) == (pg.OutcomeKind.SERVER_LOST, True)
        assert (receipt.fate, receipt.attempts) == (pg.Fate.UNKNOWN, 0), receipt.words
        assert b"\r" not in first.truth.received_bytes()
        assert journal.receipts == {receipt.write_id: receipt}
        assert set(journal.rows) == {receipt.write_id}


@attrs.define
class Between:
    """Holds a controller between two attempts to find its server.

    A client that is identifying itself while somebody makes a session can end tmux 3.3a.
    """

    may: asyncio.Event = attrs.field(factory=asyncio.Event)
    waits: asyncio.Event = attrs.field(factory=asyncio.Event)

    async def stop(self) -> None:
        self.may.clear()
        self.waits.clear()
        await asyncio.wait_for(self.waits.wait(), WITHIN_S)

    def go_on(self) -> None:
        self.may.set()

    async def passed(self) -> None:
        self.waits.set()
        await self.may.wait()


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Between:
    found = Between()
    found.go_on()
    tries = reconnect.Reconnecting._try

    async def held(self: reconnect.Reconnecting) -> bool:
        await found.passed()
        return await tries(self)

    monkeypatch.setattr(reconnect.Reconnecting, "_try", held)
    return found


@pytest.mark.asyncio
async def test_l04_a_shell_that_looks_like_the_old_program_is_not_taken_for_it(
    tmp_path: Path, between: Between
) -> None:
    """A plugin restores a session by its name, with the old screen above a shell."""
    file, record = tmp_path / "journal.db", tmp_path / "history"
    async with open_stage(tmp_path, journal=file) as stage:
        program = await stage.program("composer", profile="standin", launch={"name": "work"})
        pane = program.pane
        assert (await pane.send("hello", within_s=WITHIN_S)).landed is True
        await until_state(pane, pg.State.READY)
        shown = tmp_path / "old"
        shown.write_text("\n".join((await pane.read()).rows) + "\n")
        server = stage.ctl.identity.pid
        os.kill(server, signal.SIGKILL)
        await until_state(pane, pg.State.EXITED)
        assert await asyncio.to_thread(wait_gone, server, WITHIN_S)
        events = stage.ctl.events()
        await between.stop()
        shell = f"cat {shown}; HISTFILE={record} exec bash --norc --noprofile"
        words = ("new-session", "-d", "-s", "work", "-x", "120", "-y", "40", "--", "sh", "-c")
        await asyncio.to_thread(stage.tmux, "-f", "/dev/null", *words, shell)
        between.go_on()
        await until_event(events, pg.ServerBack)
        assert (pane.state, pane.outcome().kind) == (pg.State.EXITED, pg.OutcomeKind.SERVER_LOST)
        for write in (pane.send("rm -rf x", within_s=0.5), pane.keys("Enter"), pane.nudge("go on")):
            with pytest.raises(pg.Refused):
                await write
        # nor does a second controller that reads the journal of the first
        async with pg.Controller.open(
            socket_path=stage.socket, journal=file, attach_only=True
        ) as second:
            adopted = await second.adopt("work")
            assert adopted.profile.name == "bash"
            assert adopted.target.pane_pid != pane.target.pane_pid
            await until_state(adopted, pg.State.READY)
            told = await adopted.run(f"history -w {record}", within_s=WITHIN_S)
            assert told.receipt.landed is True
        assert record.read_text().splitlines() == [f"history -w {record}"]

        # the plain way goes by the name
        line = f"tmux -S {stage.socket} wait-for -S taken"
        await asyncio.to_thread(stage.tmux, "send-keys", "-t", "=work:", line, "Enter")
        await asyncio.to_thread(stage.tmux, "wait-for", "taken")


@attrs.frozen
class Folder:
    """A place where no server can be, and what is said of it."""

    name: str
    words: str
    prepare: Callable[[Path], dict[str, object]]


def _open_to_all(folder: Path) -> dict[str, object]:
    inner = folder / f"tmux-{os.getuid()}"
    inner.mkdir()
    inner.chmod(0o777)
    return {"socket_name": "mine"}


def _somebody_elses(folder: Path) -> dict[str, object]:
    inner = folder / f"tmux-{os.getuid()}"
    inner.mkdir(mode=0o700)
    try:
        os.chown(inner, 12345, -1)
    except PermissionError:
        pytest.skip("needs a folder of somebody else's, which only root can make")
    return {"socket_name": "mine"}


def _read_only(folder: Path) -> dict[str, object]:
    if os.getuid() == 0:
        pytest.skip("no folder is read-only for root")
    inner = folder / "inner"
    inner.mkdir(mode=0o500)
    return {"socket_path": inner / "s"}


PLACES = (
    Folder("open to all", "has unsafe permissions", _open_to_all),
    Folder("somebody else's", "has unsafe permissions", _somebody_elses),
    Folder("read-only", "ermission denied", _read_only),
    Folder("long", "too long: ", lambda folder: {"socket_path": folder / ("x" * 120)}),
    Folder("missing", "does not exist", lambda folder: {"socket_path": folder / "no" / "s"}),
)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
@pytest.mark.asyncio
async def test_l05_a_place_that_holds_no_socket_is_said_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Folder
) -> None:
    folder = tmp_path / "tmux"
    folder.mkdir()
    monkeypatch.setenv("TMUX_TMPDIR", str(folder))
    where = place.prepare(folder)
    journal = tmp_path / "journal.db"
    with pytest.raises(pg.ServerUnreachable, match=place.words) as failed:
        async with pg.Controller.open(journal=journal, **where):  # type: ignore[arg-type]
            pass
    said = f"{failed.value} {failed.value.fix}"
    assert str(folder) in said or "107 bytes" in said
    assert not journal.exists()
    assert not any(path.is_socket() for path in folder.rglob("*"))


@pytest.mark.asyncio
async def test_l06_clients_that_cannot_attach_are_tried_ever_more_rarely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attempts: Attempts
) -> None:
    broken, log = tmp_path / "broken", TruthLog(tmp_path / "attached")
    real = shutil.which(os.environ.get("PANEGATE_TMUX") or "tmux")
    wrapper = tmp_path / "tmux"
    wrapper.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *" -C attach-session "*) if [ -e {broken} ]; then\n'
        f"  echo x >> {log.path}; echo '%exit'; exit 0\n"
        f'fi;; esac\nexec {real} "$@"\n'
    )
    wrapper.chmod(0o755)
    monkeypatch.setenv("PANEGATE_TMUX", str(wrapper))
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin")
        pane, events = program.pane, stage.ctl.events()
        broken.touch()
        for client in list(stage.ctl.link.clients.values()):
            os.kill(client.transport.pid, signal.SIGTERM)  # type: ignore[attr-defined]
        await until_event(events, pg.ServerLost)
        await attempts.until(8)
        assert attempts.are_spaced()
        n_attached = len(log.path.read_text().split())
        assert n_attached <= 2 * len(attempts.at_s)
        assert pane.state is not pg.State.EXITED
        with pytest.raises(pg.PanegateError):
            await pane.send("not now", within_s=0.2)
        before = len(attempts.at_s)
        broken.unlink()
        await until_event(events, pg.ServerBack)
        assert len(attempts.at_s) <= before + 2
        assert (await pane.send("hello", within_s=WITHIN_S)).landed is True
        assert len(named(stage, pg.ServerLost)) == len(named(stage, pg.ServerBack)) == 1
        assert program.truth.submits() == ["hello"]
        assert named(stage, pg.PaneExited) == []

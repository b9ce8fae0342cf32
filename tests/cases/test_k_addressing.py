"""K. Which pane is meant: names, indexes, ids, other servers, other builds of tmux."""

import asyncio
import subprocess
from pathlib import Path

import pytest
from tests.journeys.staging import WITHIN_S, Stage, open_stage, until_state

import panegate as pg
from panegate.journal.memory import MemoryJournal
from panegate.testing.programs import Option, program_argv
from panegate.testing.servers import PrivateServer, wait_gone
from panegate.testing.truth import TruthLog

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

OPTIONS = {"marks": True, "work": 1}
FROM_ONE = {"base-index": "1", "pane-base-index": "1", "renumber-windows": "on"}
ALLOWED = pg.Settings(answers=pg.Answers.ALLOWED)


async def landed(pane: pg.Pane, text: str) -> None:
    receipt = await pane.send(text, within_s=WITHIN_S)
    assert receipt.fate is pg.Fate.LANDED, receipt.words


async def tmux(stage: Stage, *words: str) -> str:
    return (await asyncio.to_thread(stage.tmux, *words)).strip()


def started(server: PrivateServer, log: TruthLog, name: str, **options: Option) -> str:
    """Start a composer on somebody's own server; return its pane."""
    argv = program_argv("composer", log=log.path, **OPTIONS, **options)
    pane_id = server.start_program(argv, name=name)
    log.wait_for_sync("ready_painted", WITHIN_S)
    return pane_id


@pytest.mark.asyncio
async def test_k01_windows_and_panes_may_be_numbered_from_one(tmp_path: Path) -> None:
    log, second = TruthLog(tmp_path / "log"), TruthLog(tmp_path / "second")
    async with PrivateServer(options=FROM_ONE) as server:
        pane_id = await asyncio.to_thread(started, server, log, "one")
        journal = MemoryJournal()
        async with pg.Controller.open(
            socket_path=server.socket_path, settings=ALLOWED, journal=journal
        ) as ctl:
            pane = await ctl.adopt(pane_id, profile="standin")
            await until_state(pane, pg.State.READY)
            await landed(pane, "adopted")
            argv = program_argv("composer", log=second.path, ask_after_submit=400, **OPTIONS)
            other = await ctl.launch(argv, profile="standin", within_s=WITHIN_S)
            await landed(other, "launched")
            await until_state(other, pg.State.PROMPTING)
            assert other.prompt is not None
            await other.answer(other.prompt.id, option="1", by="tester")
            await until_state(other, pg.State.READY)
            await other.close()
            rows = list(journal.rows.values())
            assert {row.pane for row in rows} == {pane.id, other.id}
            assert all(row.pane.startswith("%") for row in rows)
        assert log.submits() == ["adopted"]
        assert second.submits() == ["launched"]
        assert len(second.events("approved")) == 1

        status = await asyncio.to_thread(
            subprocess.call,
            server.command("send-keys", "-t", "one:0.0", "x"),
            stderr=subprocess.DEVNULL,
        )
        assert status != 0


@pytest.mark.asyncio
async def test_k02_a_second_pane_in_the_window_gets_nothing(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", **OPTIONS)
        pane = program.pane
        other = stage.truth()
        split = ("split-window", "-P", "-F", "#{pane_id}", "-t", pane.id, "--")
        neighbour = await tmux(stage, *split, *program_argv("raw-reader", log=other.path))
        await other.wait_for("state", WITHIN_S)
        steps = [
            ("select-pane", "-t", neighbour),
            ("resize-pane", "-Z", "-t", neighbour),
            ("resize-pane", "-Z", "-t", neighbour),
            ("swap-pane", "-s", pane.id, "-t", neighbour),
            ("select-pane", "-t", neighbour),
            ("select-layout", "-t", pane.id, "even-horizontal"),
        ]
        await landed(pane, "step 0")
        for n, step in enumerate(steps, 1):
            await tmux(stage, *step)
            await landed(pane, f"step {n}")
        assert program.truth.submits() == [f"step {n}" for n in range(len(steps) + 1)]
        assert other.received_bytes() == b""

        await tmux(stage, "send-keys", "-t", f"={pane.name}:", "-l", "for the program")
        await other.wait_for("bytes", WITHIN_S)
        assert other.received_bytes() == b"for the program"


@pytest.mark.asyncio
async def test_k03_renumbered_windows_keep_their_programs(tmp_path: Path) -> None:
    logs = [TruthLog(tmp_path / f"log-{n}") for n in range(4)]
    async with PrivateServer(options=FROM_ONE) as server:
        first = await asyncio.to_thread(started, server, logs[0], "four")
        ids = [first]
        for log in logs[1:]:
            argv = program_argv("composer", log=log.path, **OPTIONS)
            make = ("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "=four:", "--")
            ids.append((await server.run_async(*make, *argv)).strip())
            await log.wait_for("ready_painted", WITHIN_S)
        async with pg.Controller.open(socket_path=server.socket_path) as ctl:
            panes = [await ctl.adopt(i, profile="standin") for i in ids]
            for pane in panes:
                await until_state(pane, pg.State.READY)
            third = "=four:3"
            was = server.run("display-message", "-p", "-t", third, "#{pane_id}").strip()
            await server.run_async("kill-pane", "-t", ids[1])
            await until_state(panes[1], pg.State.EXITED)
            now = server.run("display-message", "-p", "-t", third, "#{pane_id}").strip()
            assert was != now

            log = TruthLog(tmp_path / "new")
            argv = program_argv("composer", log=log.path, **OPTIONS)
            new = await ctl.launch(argv, profile="standin", within_s=WITHIN_S)
            assert new.id not in ids
            for pane in (panes[0], panes[2], panes[3], new):
                await landed(pane, f"for {pane.id}")
            with pytest.raises(pg.Refused) as refused:
                await panes[1].send("to nobody", within_s=1)
            assert refused.value.reason in (pg.Reason.GONE_PANE, pg.Reason.EXITED)
        assert log.submits() == [f"for {new.id}"]
        for n in (0, 2, 3):
            assert logs[n].submits() == [f"for {ids[n]}"]
        assert logs[1].submits() == []


@pytest.mark.parametrize("adopts", [False, True])
@pytest.mark.asyncio
async def test_k04_an_id_of_a_server_that_died_ends_nobodys_program(
    tmp_path: Path, adopts: bool
) -> None:
    """The new server has another program under the same ids."""
    async with open_stage(tmp_path) as stage:
        events = stage.ctl.events()
        old = await stage.program("composer", profile="standin", launch={"name": "a"}, **OPTIONS)
        pane = old.pane
        server = stage.ctl.identity.pid
        await tmux(stage, "kill-server")
        await until_state(pane, pg.State.EXITED)
        assert await asyncio.to_thread(wait_gone, server, WITHIN_S)
        log = stage.truth()
        argv = program_argv("composer", log=log.path, **OPTIONS)
        ids = "#{session_id} #{window_id} #{pane_id}"
        first = ("-f", "/dev/null", "new-session", "-d", "-s", "one", "sleep", "1000")
        second = ("new-session", "-dP", "-F", ids, "-s", "two", "--", *argv)
        new = await tmux(stage, *first, ";", *second)
        assert new.split() == [pane.target.session_id, pane.target.window_id, pane.id]
        await log.wait_for("ready_painted", WITHIN_S)
        # before the controller has found the new server, and after
        await refuses(pane)
        async with asyncio.timeout(WITHIN_S):
            async for event in events:
                if isinstance(event, pg.ServerBack):
                    break
        await refuses(pane)
        if adopts:
            adopted = await stage.ctl.adopt(pane.id, profile="standin")
            assert adopted is not pane
            await landed(adopted, "for the new one")
        await pane.close()
        running = await tmux(stage, "list-panes", "-a", "-F", "#{pane_id} #{pane_dead}")
        assert f"{pane.id} 0" in running.splitlines()
        assert log.submits() == ["for the new one"] * adopts
        assert log.events("exit", "terminated", "hangup", "interrupt") == []
        if adopts:
            await landed(adopted, "still watched")


async def refuses(pane: pg.Pane) -> None:
    """Nothing that an old pane is told reaches what has its id now."""
    for write in (pane.send("x", within_s=1), pane.keys("x"), pane.interrupt(), pane.clear()):
        with pytest.raises(pg.Refused):
            await write
    with pytest.raises((pg.NoSuchPane, pg.ServerUnreachable)):
        await pane.respawn()


@pytest.mark.asyncio
async def test_k05_the_start_of_a_name_is_not_the_name(tmp_path: Path) -> None:
    log = TruthLog(tmp_path / "log")
    async with PrivateServer() as server:
        argv = program_argv("composer", log=log.path)
        reports = server.start_program(argv, name="reports")
        await log.wait_for("ready_painted", WITHIN_S)
        address = {"socket_path": server.socket_path}
        async with pg.Controller.open(**address, watch=["rep"]) as ctl:
            assert ctl.panes == ()
            for which in ("rep", "=rep", "rep:", "reports:", "r*"):
                with pytest.raises(pg.NoSuchPane):
                    await ctl.adopt(which)
                with pytest.raises(pg.NoSuchPane):
                    ctl.pane(which)
            rep = await ctl.launch(["cat"], name="rep", within_s=None)
            await rep.close()
            assert "reports" in server.run("list-sessions", "-F", "#{session_name}").split()
            adopted = await ctl.adopt("reports")
            assert adopted.id == reports
        assert log.received_bytes() == b""

        await server.run_async("send-keys", "-t", "rep", "-l", "for rep")
        await log.wait_for("bytes", WITHIN_S)
        assert log.received_bytes() == b"for rep"


@pytest.mark.parametrize("stale", [False, True])
@pytest.mark.asyncio
async def test_k06_another_tmux_around_us_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stale: bool
) -> None:
    async with PrivateServer() as foreign:
        outer = foreign.start_program(["sleep", "1000"], name="outer")
        socket = "/nonexistent/tmux" if stale else str(foreign.socket_path)
        monkeypatch.setenv("TMUX", f"{socket},{foreign.pid},0")
        monkeypatch.setenv("TMUX_PANE", outer)
        async with open_stage(tmp_path) as stage:
            bash = await stage.bash(inherit_env=True)
            result = await bash.pane.run("echo $TMUX $TMUX_PANE", within_s=WITHIN_S)
            where, pane_id = result.text.split()
            assert where.split(",")[0] == str(stage.socket)
            assert pane_id == bash.pane.id
            assert bash.pane.verdict().verdict is pg.Verdict.ALLOW
        assert foreign.run("list-sessions", "-F", "#{session_name}").split() == ["outer"]

        if not stale:
            naive_tmux = ["tmux", "new-session", "-d", "-s", "astray", "sleep", "1000"]
            assert await asyncio.to_thread(subprocess.call, naive_tmux) == 0
            assert "astray" in foreign.run("list-sessions", "-F", "#{session_name}").split()


TITLES = (
    "a\tb\x1fc",
    "\x1f" * 20,
    "'quoted' \"twice\" #{pane_id} #(id) $X;",
    " ".join(str(n) for n in range(30)),
    "%begin 1 2 3",
)


@pytest.mark.asyncio
async def test_k07_a_title_shifts_no_fields(tmp_path: Path) -> None:
    """That one build spells a separator out is of no effect: there is none in what programs say."""
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile="standin", **OPTIONS)
        for n, title in enumerate(TITLES):
            await tmux(stage, "select-pane", "-t", program.pane.id, "-T", title.replace("#", "##"))
            await landed(program.pane, f"message {n}")
            look = program.pane.tracker.look
            assert look is not None
            fields = look.fields
            assert (fields.pane_id, fields.pane_pid) == (program.pane.id, look.fields.pane_pid)
            assert (fields.width, fields.height) == (120, 40)
            assert fields.title == await tmux(
                stage, "display-message", "-p", "-t", program.pane.id, "#{pane_title}"
            )
            assert program.pane.target.pane_pid == fields.pane_pid
        assert program.truth.submits() == [f"message {n}" for n in range(len(TITLES))]
        other = await tmux(
            stage, "new-session", "-dP", "-F", "#{pane_id}", "-s", "two  words", "cat"
        )
        assert (await stage.ctl.adopt("two  words")).id == other


@pytest.mark.parametrize("extended", ["off", "on", "always"])
@pytest.mark.asyncio
async def test_k08_extended_keys_change_no_submit(tmp_path: Path, extended: str) -> None:
    async with open_stage(tmp_path) as stage:
        await tmux(stage, "set-option", "-s", "extended-keys", extended)
        program = await stage.program(
            "composer", profile="standin", modify_other_keys=True, **OPTIONS
        )
        await landed(program.pane, "one")
        await landed(program.pane, "two\nlines")
        assert program.truth.submits() == ["one", "two\nlines"]
        assert program.said("unknown_key", "cr_newline") == []
        await until_state(program.pane, pg.State.READY)
        assert program.pane.draft == ""


@pytest.mark.asyncio
async def test_k09_a_pane_that_moved_is_the_same_pane(tmp_path: Path) -> None:
    async with open_stage(tmp_path) as stage:
        events = stage.ctl.events()
        program = await stage.program("composer", profile="standin", **OPTIONS)
        other = await stage.program("composer", profile="standin", **OPTIONS)
        pane = program.pane
        split = ("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", pane.id)
        guest = await tmux(stage, *split, "sleep", "1000")
        await tmux(stage, "new-session", "-d", "-s", "elsewhere", "sleep", "1000")
        moves = [
            ("break-pane", "-d", "-s", pane.id),
            ("join-pane", "-d", "-s", pane.id, "-t", other.pane.id),
            ("swap-pane", "-d", "-s", pane.id, "-t", other.pane.id),
            ("rename-window", "-t", pane.id, "renamed"),
            ("break-pane", "-d", "-s", pane.id, "-t", "=elsewhere:"),
        ]
        for n, move in enumerate(moves):
            await tmux(stage, *move)
            await landed(pane, f"after move {n}")
            await landed(other.pane, f"other {n}")
        assert program.truth.submits() == [f"after move {n}" for n in range(len(moves))]
        assert other.truth.submits() == [f"other {n}" for n in range(len(moves))]
        await pane.close()
        await program.truth.wait_for(ended, WITHIN_S)
        left = (await tmux(stage, "list-panes", "-a", "-F", "#{pane_id}")).split()
        assert {guest, other.pane.id} <= set(left)
        assert pane.id not in left
        await landed(other.pane, "still here")
        await events.aclose()
        named = {event.pane async for event in events if hasattr(event, "pane")}
        assert named == {pane.id, other.pane.id}


def ended(events: object) -> bool:
    return any(e["event"] in ("exit", "terminated", "hangup") for e in events)  # type: ignore[attr-defined]

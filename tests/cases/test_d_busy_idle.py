"""D. Busy and idle misread from output."""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.journeys.staging import WITHIN_S, Program, open_stage, until_state

import panegate as pg
from panegate.testing.programs import program_argv

from . import naive
from .attaching import attached
from .conftest import ProfileWith

pytestmark = [pytest.mark.tmux, pytest.mark.slow]

PROFILES = ("standin", "generic")
R, B, S, P = pg.State.READY, pg.State.BUSY, pg.State.SILENT, pg.State.PROMPTING


def moves(pane: pg.Pane) -> list[pg.State]:
    """Return the states the pane came to, oldest first."""
    return [change.new for change in pane.explain().history]


async def never(pane: pg.Pane, *states: pg.State, for_s: float) -> None:
    """Watch a pane for a while, in which it must not come to any of these states."""
    with pytest.raises(pg.NotReady):
        await pane.wait(set(states), within_s=for_s)


@pytest.mark.asyncio
async def test_d01_a_row_that_ticks_once_a_second_is_work(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    async def in_a_composer(profile: str) -> None:
        ticking = {"spinner": True, "spinner_every": 1000, "work": 4300}
        program = await stage.program("composer", profile=profile, **ticking)
        receipt = await program.pane.send("a long tool call", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        await program.truth.wait_for("turn_ended", WITHIN_S)
        assert moves(program.pane) == [R, B]
        await until_state(program.pane, R)
        assert moves(program.pane) == [R, B, R]

    async def as_a_bar_on_the_normal_screen() -> None:
        profile = profile_with("bash", timing={"silence_s": 2.2})
        bash, truth = await stage.bash(profile=str(profile)), stage.truth()
        bar = {"style": "bar", "every": 1500, "for": 4500}
        argv = program_argv("spinner", log=truth.path, **bar)
        await bash.pane.send(" ".join(argv), within_s=WITHIN_S)
        await truth.wait_for("output_over", WITHIN_S)
        await until_state(bash.pane, R)
        assert moves(bash.pane) == [R, B, R]

    async with open_stage(tmp_path) as stage:
        composers = map(in_a_composer, PROFILES)
        await asyncio.gather(*composers, as_a_bar_on_the_normal_screen())


@pytest.mark.asyncio
async def test_d02_a_quiet_tool_call_is_silent_and_nothing_else(
    tmp_path: Path, profile_with: ProfileWith
) -> None:
    profile = profile_with("bash", timing={"silence_s": 0.8})
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash(profile=str(profile))
        pane, truth = bash.pane, stage.truth()
        work = program_argv("silent-worker", log=truth.path, **{"for": 2500})
        await pane.send(" ".join(work), within_s=WITHIN_S)
        await until_state(pane, S)
        assert 0.8 <= pane.explain().quiet_s < 30
        with pytest.raises(pg.NotReady) as refused:
            await pane.send("echo too early", within_s=0.1)
        assert refused.value.reason is pg.Reason.SILENT
        receipt = await pane.send("echo afterwards", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        await until_state(pane, R)
        # Its result, then our command: each is output after silence.
        assert moves(pane) in ([R, B, S, R, B, R], [R, B, S, B, R, B, R])
        assert (await bash.told())[1:] == ["echo afterwards"]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.asyncio
async def test_d03_a_helper_that_lives_on_is_no_work(tmp_path: Path, profile: str) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program(
            "composer", profile=profile, child=True, exit_after=1, work=200
        )
        pane = program.pane
        assert pane.state is R
        [child] = program.said("child")
        os.kill(int(str(child["pid"])), 0)  # it lives
        await pane.send("the last one", within_s=WITHIN_S)
        await until_state(pane, pg.State.EXITED)
        os.kill(int(str(child["pid"])), 0)  # it still does
        assert moves(pane) == [R, B, pg.State.EXITED], pane.explain().history
        assert pane.exit is not None


@pytest.mark.asyncio
async def test_d04_repaints_of_an_idle_program_are_no_work(tmp_path: Path) -> None:
    noise = {"blink": 500, "footer_rewrite": 700}
    async with open_stage(tmp_path) as stage:

        async def one(profile: str) -> None:
            program = await stage.program("composer", profile=profile, **noise)
            pane = program.pane
            await never(pane, B, S, P, for_s=0.8)
            receipt = await pane.send("hello", within_s=WITHIN_S)
            assert receipt.fate is pg.Fate.LANDED, receipt.words
            await program.truth.wait_for("turn_ended", WITHIN_S)
            await until_state(pane, R)
            await never(pane, B, S, P, for_s=0.8)
            assert moves(pane) == [R, B, R]
            assert program.truth.submits() == ["hello"]

        await asyncio.gather(*map(one, PROFILES))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.asyncio
async def test_d05_busy_words_in_a_banner_are_no_work(tmp_path: Path, profile: str) -> None:
    banner = "new packages: kit-subagents, thinking-aid (esc to interrupt, docs)"
    async with open_stage(tmp_path) as stage:
        program = await stage.program("composer", profile=profile, banner=banner)
        assert program.pane.state is R
        receipt = await program.pane.send("hello", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words


_IN_ANOTHER_LOCALE = """
import asyncio, json, sys
import panegate as pg

async def main(socket, argv):
    argv = json.loads(open(argv, "rb").read())
    async with pg.Controller.open(socket_path=socket, journal=":memory:") as ctl:
        pane = await ctl.launch(argv, name="asks", within_s=20)
        seen = [pane.state.value]
        await pane.send("naïve 日本語", within_s=20)
        seen.append((await pane.wait({pg.State.PROMPTING}, within_s=20)).value)
        prompt = pane.prompt
        seen += [prompt.question, [o.label for o in prompt.options]]
        screen = await pane.read()
        seen.append([row for row in screen.rows if "prêt" in row])
        seen.append(pane.tracker.look.fields.title)
    print(json.dumps(seen))

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.asyncio
async def test_d06_the_locale_of_the_controller_changes_nothing(tmp_path: Path) -> None:
    asking = {
        "banner": "prêt : 日本語",
        "titles": "glyph",
        "ask_after_submit": 100,
        "dialog_question": "Supprimer la clé d’accès ?",
        "dialog_options": ["Oui, à coup sûr", "Non, créer une tâche"],
    }
    expected = [
        "ready",
        "prompting",
        "Supprimer la clé d’accès ?",
        ["Oui, à coup sûr", "Non, créer une tâche"],
    ]

    async def under(locale: dict[str, str]) -> list[object]:
        folder = tmp_path / locale["LC_ALL"]
        folder.mkdir()
        async with open_stage(folder) as stage:
            truth = stage.truth()
            argv = program_argv("composer", log=truth.path, **asking)
            script, told = stage.folder / "script.py", stage.folder / f"{truth.path.name}.argv"
            script.write_text(_IN_ANOTHER_LOCALE, encoding="utf-8")
            told.write_text(json.dumps(argv))
            command = [sys.executable, str(script), str(stage.socket), str(told)]
            removed = {"LANG", "LC_ALL", "LC_CTYPE", "PYTHONUTF8", "PYTHONCOERCECLOCALE"}
            env = {k: v for k, v in os.environ.items() if k not in removed} | locale
            env["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
            process = await asyncio.create_subprocess_exec(
                *command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            out, errors = await process.communicate()
            assert process.returncode == 0, errors.decode()
            assert truth.submits() == ["naïve 日本語"]
            tmux = os.environ.get("PANEGATE_TMUX") or "tmux"
            words = ("display-message", "-p", "-t", "=asks:", "#{pane_title}")
            process = await asyncio.create_subprocess_exec(
                tmux, "-S", str(stage.socket), *words, env=env, stdout=subprocess.PIPE
            )
            plain, _ = await process.communicate()
            seen: list[object] = json.loads(out)
            return [*seen, plain.decode(errors="replace").strip() == seen[-1]]

    plain_c = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    in_c, in_utf8 = await asyncio.gather(under(plain_c), under({"LC_ALL": "C.UTF-8"}))
    assert in_c[:4] == in_utf8[:4] == expected
    assert in_c[4] == in_utf8[4] == ["prêt : 日本語"]
    assert in_c[5] == in_utf8[5]
    assert not str(in_c[5]).isascii()
    # The plain way loses the title's glyph in the one and not in the other.
    assert (in_c[6], in_utf8[6]) == (False, True)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.asyncio
async def test_d07_a_resize_is_no_work_and_no_new_question(tmp_path: Path, profile: str) -> None:
    async with open_stage(tmp_path) as stage:

        async def one(number: int) -> Program:
            launch = {"name": f"w{number}"}
            asks = number == 3
            return await stage.program("composer", profile=profile, launch=launch, trust_first=asks)

        programs = await asyncio.gather(*map(one, (1, 2, 3)))
        asking = programs[2].pane
        assert asking.prompt is not None
        asked = asking.prompt
        async with stage.ctl.events() as events:
            for program in programs:
                with attached(stage, program.pane.name, columns=90, rows=30):
                    await program.truth.wait_for("size", WITHIN_S)
                await until_state(program.pane, R, P)
            probe = await stage.program("composer", profile=profile)
            seen = []
            async with asyncio.timeout(WITHIN_S):
                async for event in events:
                    if isinstance(event, pg.StateChanged) and event.pane == probe.pane.id:
                        break
                    seen.append(event)
        assert [e for e in seen if not isinstance(e, pg.PaneOpened)] == []
        assert asking.prompt == asked
        for program in programs[:2]:
            receipt = await program.pane.send("still there", within_s=WITHIN_S)
            assert receipt.fate is pg.Fate.LANDED, receipt.words


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.asyncio
async def test_d08_an_empty_tail_of_the_screen_is_not_an_absent_program(
    tmp_path: Path, profile: str
) -> None:
    async with open_stage(tmp_path) as stage:
        program = await stage.program(
            "composer", profile=profile, launch={"size": (80, 24)}, top=True, banner="hello"
        )
        pane = program.pane
        assert pane.state is R
        screen = await pane.read()
        assert screen.rows[0] == "hello"
        assert not any(row.strip() for row in screen.rows[-5:])
        receipt = await pane.send("are you there", within_s=WITHIN_S)
        assert receipt.fate is pg.Fate.LANDED, receipt.words
        assert program.truth.submits() == ["are you there"]


@pytest.mark.asyncio
async def test_d09_the_echo_of_a_command_is_not_its_output(tmp_path: Path) -> None:
    done = tmp_path / "done"
    line = f"sleep 1; date +%s.%N > {done}; echo DONE-42"
    async with open_stage(tmp_path) as stage:
        bash = await stage.bash()
        result = await bash.pane.run(line, within_s=WITHIN_S)
        assert result.text == "DONE-42"
        assert time.time() >= float(done.read_text())
        assert moves(bash.pane) == [R, B, R]

        done.unlink()
        plain = await naive.shell(stage, tmp_path)
        await plain.send(line.replace("sleep 1", "sleep 20"))
        assert "DONE-42" in plain.screen()
        assert not done.exists()

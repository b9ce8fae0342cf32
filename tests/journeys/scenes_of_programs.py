"""Programs that do not read, that ask, and that would take a message for something else."""

import asyncio
import contextlib
import os
import signal
import socket
import sys

import attrs
import pytest

import panegate as pg
from panegate.terms import Reason
from panegate.testing.programs import program_argv
from panegate.testing.servers import require_program

from .scenes import (
    BOOTING,
    BUSY,
    MESSAGE,
    NEVER,
    PASTED,
    PROMPTING,
    SILENT,
    K,
    M,
    Scene,
    T,
    all_of,
    bytes_of,
    history,
    left_to_a_shell,
)
from .staging import (
    KERNEL,
    NO_HISTORY,
    WITHIN_S,
    Program,
    Stage,
    until_shown,
    until_state,
    until_told,
)

__all__ = [
    "accepting",
    "booting",
    "dialog",
    "dialog_of_an_unknown_program",
    "editor",
    "hidden_input",
    "less",
    "menu",
    "pager",
    "shell_left_behind",
    "shell_left_behind_by_a_launch",
    "shell_left_behind_by_a_stand_in",
    "silent_for_long",
    "sleeping",
    "stopped",
    "under_a_shell",
    "vim",
    "working",
    "working_silently",
    "yes_or_no",
]


async def _after_the_boot(program: Program) -> None:
    await program.truth.wait_for("ready_painted", WITHIN_S)


# --- programs that do not read --------------------------------------------------------


async def booting(stage: Stage) -> Scene:
    program = await stage.program("composer", profile="standin", within_s=None, boot=2500)
    return Scene(
        pane=program.pane,
        said=BOOTING,
        waits=frozenset({M, K}),
        received=bytes_of(program),
        expected=PASTED,
        free=lambda: _after_the_boot(program),
    )


async def working(stage: Stage) -> Scene:
    """Its working row moves all the time."""
    program = await stage.program("composer", profile="standin", work=2500, spinner=True)
    await program.pane.send("work", within_s=WITHIN_S)
    await until_state(program.pane, pg.State.BUSY)
    return Scene(
        pane=program.pane,
        said={k: v for k, v in BUSY.items() if k is not T},  # it takes a steer
        received=bytes_of(program),
        expected=f"\x1b[200~work\x1b[201~\r{PASTED}",
        free=lambda: _turn_over(program),
    )


async def working_silently(stage: Stage) -> Scene:
    """No row says that it works, nothing moves, and its box is away."""
    silent = {"deaf_while_busy": True, "busy_row": "thinking"}
    program = await stage.program("composer", profile="generic", work=2500, **silent)
    await program.pane.send("work", within_s=WITHIN_S)
    return Scene(
        pane=program.pane,
        said=BUSY,
        received=bytes_of(program),
        expected=f"\x1b[200~work\x1b[201~\r{PASTED}",
        free=lambda: _turn_over(program),
    )


async def _turn_over(program: Program) -> None:
    await program.truth.wait_for("ready_painted", WITHIN_S, count=2)


async def sleeping(stage: Stage) -> Scene:
    """A shell's command that is silent and does not read."""
    bash = await stage.bash()
    line = f"tmux -S {stage.socket} wait-for over"
    await bash.pane.send(line, within_s=WITHIN_S)
    received, expected = history(bash, line)

    async def free() -> None:
        stage.tmux("wait-for", "-S", "over")

    return Scene(pane=bash.pane, said=BUSY, received=received, expected=expected, free=free)


async def accepting(stage: Stage) -> Scene:
    """A server that waits for its first client."""
    bash = await stage.bash()
    where = stage.folder / "sock"
    script = stage.folder / "server.py"
    script.write_text(
        "import socket, sys\n"
        "s = socket.socket(socket.AF_UNIX)\ns.bind('sock')\ns.listen()\n"
        "print('listening', file=open('listens', 'w'))\ns.accept()\n"
    )
    line = f"cd {stage.folder}; {sys.executable} -I -S server.py"
    async with until_told(stage.folder / "listens"):
        await bash.pane.send(line, within_s=WITHIN_S)
    received, expected = history(bash, line)

    async def free() -> None:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(where))

    return Scene(pane=bash.pane, said=BUSY, received=received, expected=expected, free=free)


async def silent_for_long(stage: Stage) -> Scene:
    """Quiet past the profile's limit: it is said to be silent, and nothing is typed."""
    profile = stage.folder / "hasty.toml"
    profile.write_text(
        'words = "bash, soon silent"\nfamily = "shell"\ncommands = ["bash"]\n'
        "prompt_cycle = true\nprompts = ['''[^$#]*[$#] ''']\n[timing]\nsilence_s = 0.5\n"
    )
    bash = await stage.bash(profile=profile)
    line = f"tmux -S {stage.socket} wait-for over"
    await bash.pane.send(line, within_s=WITHIN_S)
    await until_state(bash.pane, pg.State.SILENT)
    received, expected = history(bash, line)

    async def free() -> None:
        stage.tmux("wait-for", "-S", "over")

    return Scene(pane=bash.pane, said=SILENT, received=received, expected=expected, free=free)


async def under_a_shell(stage: Stage) -> tuple[Program, int]:
    """Launch a composer and its process id; tmux itself continues a pane's own process."""
    truth, number = stage.truth(), stage.folder / "pid"
    agent = " ".join(program_argv("composer", log=truth.path))
    argv = ["bash", "-c", f"(echo $BASHPID > {number}; exec {agent}); true"]
    pane = await stage.ctl.launch(argv, profile="standin", within_s=WITHIN_S)
    return Program(pane, truth), int(number.read_text())


async def stopped(stage: Stage) -> Scene:
    if not KERNEL:
        pytest.skip("without the kernel's word nobody can tell that a program is stopped")
    program, pid = await under_a_shell(stage)
    os.kill(pid, signal.SIGSTOP)

    async def free() -> None:
        os.kill(pid, signal.SIGCONT)

    return Scene(
        pane=program.pane,
        said=all_of(Reason.STOPPED),
        received=bytes_of(program),
        expected=PASTED,
        free=free,
    )


# --- programs that ask ----------------------------------------------------------------


async def dialog(stage: Stage, profile: str = "standin") -> Scene:
    program = await stage.program("composer", profile=profile, dialog_on_signal=True)
    program.signal(signal.SIGUSR1)
    prompt = await _asked(program.pane)

    async def free() -> None:
        await program.pane.answer(prompt.id, option="1", by="tester")

    return Scene(
        pane=program.pane,
        said=PROMPTING,
        waits=NEVER,
        received=bytes_of(program),
        expected=f"1{PASTED}",
        free=free,
    )


async def dialog_of_an_unknown_program(stage: Stage) -> Scene:
    return await dialog(stage, profile="generic")


async def menu(stage: Stage) -> Scene:
    program = await stage.program("menu", profile="generic")
    await _asked(program.pane)
    return Scene(
        pane=program.pane,
        said=PROMPTING,
        waits=NEVER,
        received=bytes_of(program),
        expected="",
    )


async def hidden_input(stage: Stage) -> Scene:
    program = await stage.program("hidden-input", profile="lines", then="lines")
    prompt = await _asked(program.pane)
    assert prompt.secret

    async def free() -> None:
        await program.pane.answer(prompt.id, secret="hunter2", by="tester")

    async def received() -> tuple[list[int], bytes]:
        if KERNEL:  # what was read becomes a row of the log a moment later
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(2):
                    while not program.truth.received_bytes():  # noqa: ASYNC110
                        await asyncio.sleep(0.02)
        secrets = [int(event["n_bytes"]) for event in program.said("secret")]
        return secrets, program.truth.received_bytes()

    return Scene(
        pane=program.pane,
        said=PROMPTING,
        waits=NEVER,
        received=received,
        expected=([7], f"{MESSAGE}\n".encode()) if KERNEL else ([], b""),
        free=free if KERNEL else None,
    )


async def yes_or_no(stage: Stage) -> Scene:
    """Asked in line mode by a program under a shell."""
    bash = await stage.bash()
    line = "read -p 'Allow? [y/n]: ' x"
    await bash.pane.send(line, within_s=WITHIN_S)
    prompt = await _asked(bash.pane)

    async def free() -> None:
        await bash.pane.answer(prompt.id, option="n", by="tester")

    received, expected = history(bash, line)
    return Scene(
        pane=bash.pane,
        said=PROMPTING,
        waits=NEVER,
        received=received,
        expected=expected,
        free=free,
    )


async def pager(stage: Stage) -> Scene:
    program = await stage.program("pager", profile="generic")
    await _asked(program.pane)
    return Scene(
        pane=program.pane,
        said=PROMPTING,
        waits=NEVER,
        received=bytes_of(program),
        expected="",
    )


async def less(stage: Stage) -> Scene:
    require_program("less")
    bash = await stage.bash()
    line = "seq 300 | less"
    await bash.pane.send(line, within_s=WITHIN_S)
    prompt = await _asked(bash.pane)

    async def free() -> None:
        await bash.pane.answer(prompt.id, cancel=True, by="tester")

    received, expected = history(bash, line)
    return Scene(
        pane=bash.pane,
        said=PROMPTING,
        waits=NEVER,
        received=received,
        expected=expected,
        free=free,
    )


async def _asked(pane: pg.Pane) -> pg.Prompt:
    await until_state(pane, pg.State.PROMPTING)
    assert pane.prompt is not None
    return pane.prompt


# --- programs that would take it for something else -----------------------------------


async def editor(stage: Stage) -> Scene:
    """A raw program with a cursor in the text: as like a composer as it can be."""
    saved = stage.folder / "edited"
    program = await stage.program("editor", profile="generic", within_s=None, file=saved)
    await program.truth.wait_for("state", WITHIN_S)

    async def received() -> bytes:
        return saved.read_bytes()

    return Scene(
        pane=program.pane,
        said=BOOTING,
        waits=frozenset({M, K}),
        received=received,
        expected=b"",
    )


async def vim(stage: Stage) -> Scene:
    require_program("vim")
    bash = await stage.bash()
    line = f"vim -u NONE -n {stage.folder}/text"
    async with until_shown(bash.pane, "~"):
        await bash.pane.send(line, within_s=WITHIN_S)

    async def free() -> None:
        stage.tmux("send-keys", "-t", bash.pane.id, "-l", ":x")
        stage.tmux("send-keys", "-t", bash.pane.id, "Enter")

    async def received() -> tuple[object, bool]:
        return await bash.told(), (stage.folder / "text").exists()

    return Scene(
        pane=bash.pane,
        said=BUSY,
        received=received,
        expected=([line, MESSAGE], False),
        free=free,
    )


async def shell_left_behind(stage: Stage) -> Scene:
    """An agent ran under the pane's own shell and is gone."""
    truth = stage.truth()
    adopted = stage.session("bash", "--norc", "--noprofile")
    stage.types(adopted, " ".join(program_argv("composer", log=truth.path)))
    stage.tmux("send-keys", "-t", adopted, "Enter")
    await truth.wait_for("ready_painted", WITHIN_S)
    pane = await stage.ctl.adopt(adopted, profile="standin")
    return await _agent_ends(stage, pane, named=True)


async def shell_left_behind_by_a_launch(stage: Stage) -> Scene:
    """What was launched runs the agent, then turns into a shell."""
    truth = stage.truth()
    agent = " ".join(program_argv("composer", log=truth.path))
    argv = ["bash", "--norc", "-c", f"{agent}; exec bash --norc --noprofile"]
    pane = await stage.ctl.launch(argv, profile="standin", within_s=WITHIN_S, env=NO_HISTORY)
    return await _agent_ends(stage, pane)


async def shell_left_behind_by_a_stand_in(stage: Stage) -> Scene:
    truth = stage.truth()
    adopted = stage.session(*program_argv("shell-then-agent", log=truth.path))
    await truth.wait_for("ready_painted", WITHIN_S)
    pane = await stage.ctl.adopt(adopted, profile="standin")
    return await _agent_ends(stage, pane)


async def _agent_ends(stage: Stage, pane: pg.Pane, *, named: bool = False) -> Scene:
    """End the agent; *named*: tmux's word for the foreground command is enough to tell."""
    await until_state(pane, pg.State.READY)
    stage.tmux("send-keys", "-t", pane.id, "C-d")
    await until_state(pane, pg.State.EXITED if KERNEL or named else pg.State.BUSY)
    scene = await left_to_a_shell(stage, pane)
    if KERNEL or named:
        return scene
    return attrs.evolve(scene, said=BUSY, waits=frozenset({M}))  # held for want of a box

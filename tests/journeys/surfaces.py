"""What a write can meet: each scene knows what the gate must say and what was received."""

import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import attrs
import pytest

import panegate as pg
from panegate.terms import Intent, Reason
from panegate.testing.programs import program_argv
from panegate.testing.servers import require_program

from .staging import KERNEL, NO_HISTORY, WITHIN_S, Bash, Program, Stage, until_shown, until_state

__all__ = ["MESSAGE", "SCENES", "Scene", "under_a_shell"]

MESSAGE: Final = "echo the only one"
_PASTED: Final = f"\x1b[200~{MESSAGE}\x1b[201~\r"

_M, _N, _T = Intent.MESSAGE, Intent.NUDGE, Intent.STEER
_A, _I, _K = Intent.ANSWER, Intent.INTERRUPT, Intent.KEYS
Said = Mapping[Intent, Reason]
_TEXTS = (_M, _N, _T, _A)


def _all(reason: Reason) -> Said:
    return dict.fromkeys(Intent, reason)


_BOOTING: Final[Said] = {
    **dict.fromkeys((_M, _N, _T, _K), Reason.BOOTING),
    _A: Reason.NOT_PROMPTING,
}
_BUSY: Final[Said] = {
    _M: Reason.BUSY,
    _N: Reason.BUSY,
    _T: Reason.NOT_WHILE_BUSY,
    _A: Reason.NOT_PROMPTING,
}
_SILENT: Final[Said] = {
    **dict.fromkeys((_M, _N, _T), Reason.SILENT),
    _A: Reason.NOT_PROMPTING,
}
_PROMPTING: Final[Said] = {**_all(Reason.PROMPTING), _A: Reason.STALE_PROMPT}


@attrs.frozen(kw_only=True)
class Scene:
    """A pane in a spot, and how a test sees what came of it."""

    pane: pg.Pane
    said: Said
    """Why each of these intents does not go out; the others may."""
    waits: frozenset[Intent] = frozenset({_M})
    """These wait until their time runs out; the rest is refused at once."""
    received: Callable[[], Awaitable[object]]
    """Everything that the program was sent, by its own record."""
    expected: object
    """What it must have received in the end: the message, where it can be delivered."""
    free: Callable[[], Awaitable[None]] | None = None
    """Takes away what stands in the way; without it nothing is delivered."""


_NEVER: Final = frozenset[Intent]()
Maker = Callable[[Stage], Awaitable[Scene]]


def _bytes_of(program: Program) -> Callable[[], Awaitable[object]]:
    async def received() -> str:
        return program.truth.received_bytes().decode()

    return received


async def _after_the_boot(program: Program) -> None:
    await program.truth.wait_for("ready_painted", WITHIN_S)


# --- programs that do not read --------------------------------------------------------


async def booting(stage: Stage) -> Scene:
    program = await stage.program("composer", profile="standin", within_s=None, boot=2500)
    return Scene(
        pane=program.pane,
        said=_BOOTING,
        waits=frozenset({_M, _K}),
        received=_bytes_of(program),
        expected=_PASTED,
        free=lambda: _after_the_boot(program),
    )


async def working(stage: Stage) -> Scene:
    """Its working row moves all the time."""
    program = await stage.program("composer", profile="standin", work=2500, spinner=True)
    await program.pane.send("work", within_s=WITHIN_S)
    await until_state(program.pane, pg.State.BUSY)
    return Scene(
        pane=program.pane,
        said={k: v for k, v in _BUSY.items() if k is not _T},  # it takes a steer
        received=_bytes_of(program),
        expected=f"\x1b[200~work\x1b[201~\r{_PASTED}",
        free=lambda: _turn_over(program),
    )


async def working_silently(stage: Stage) -> Scene:
    """No row says that it works, nothing moves, and its box is away."""
    silent = {"deaf_while_busy": True, "busy_row": "thinking"}
    program = await stage.program("composer", profile="generic", work=2500, **silent)
    await program.pane.send("work", within_s=WITHIN_S)
    return Scene(
        pane=program.pane,
        said=_BUSY,
        received=_bytes_of(program),
        expected=f"\x1b[200~work\x1b[201~\r{_PASTED}",
        free=lambda: _turn_over(program),
    )


async def _turn_over(program: Program) -> None:
    await program.truth.wait_for("ready_painted", WITHIN_S, count=2)


def _history(bash: Bash, *before: str) -> tuple[Callable[[], Awaitable[object]], object]:
    return bash.told, [*before, MESSAGE]


async def sleeping(stage: Stage) -> Scene:
    """A shell's command that is silent and does not read."""
    bash = await stage.bash()
    line = f"tmux -S {stage.socket} wait-for over"
    await bash.pane.send(line, within_s=WITHIN_S)
    received, expected = _history(bash, line)

    async def free() -> None:
        stage.tmux("wait-for", "-S", "over")

    return Scene(pane=bash.pane, said=_BUSY, received=received, expected=expected, free=free)


async def accepting(stage: Stage) -> Scene:
    """A server that waits for its first client."""
    bash = await stage.bash()
    where = stage.folder / "sock"
    script = stage.folder / "server.py"
    script.write_text(
        "import socket, sys\n"
        "s = socket.socket(socket.AF_UNIX)\ns.bind('sock')\ns.listen()\n"
        "print('listening', flush=True)\ns.accept()\n"
    )
    line = f"cd {stage.folder}; {sys.executable} -I -S server.py"
    await bash.pane.send(line, within_s=WITHIN_S)
    received, expected = _history(bash, line)

    async def free() -> None:
        async with until_shown(bash.pane, "listening"):
            pass
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(where))

    return Scene(pane=bash.pane, said=_BUSY, received=received, expected=expected, free=free)


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
    received, expected = _history(bash, line)

    async def free() -> None:
        stage.tmux("wait-for", "-S", "over")

    return Scene(pane=bash.pane, said=_SILENT, received=received, expected=expected, free=free)


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
        said=_all(Reason.STOPPED),
        received=_bytes_of(program),
        expected=_PASTED,
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
        said=_PROMPTING,
        waits=_NEVER,
        received=_bytes_of(program),
        expected=f"1{_PASTED}",
        free=free,
    )


async def dialog_of_an_unknown_program(stage: Stage) -> Scene:
    return await dialog(stage, profile="generic")


async def menu(stage: Stage) -> Scene:
    program = await stage.program("menu", profile="generic")
    await _asked(program.pane)
    return Scene(
        pane=program.pane,
        said=_PROMPTING,
        waits=_NEVER,
        received=_bytes_of(program),
        expected="",
    )


async def hidden_input(stage: Stage) -> Scene:
    program = await stage.program("hidden-input", profile="lines", then="lines")
    prompt = await _asked(program.pane)
    assert prompt.secret

    async def free() -> None:
        await program.pane.answer(prompt.id, secret="hunter2", by="tester")

    async def received() -> tuple[list[int], bytes]:
        secrets = [int(event["n_bytes"]) for event in program.said("secret")]
        return secrets, program.truth.received_bytes()

    return Scene(
        pane=program.pane,
        said=_PROMPTING,
        waits=_NEVER,
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

    received, expected = _history(bash, line)
    return Scene(
        pane=bash.pane,
        said=_PROMPTING,
        waits=_NEVER,
        received=received,
        expected=expected,
        free=free,
    )


async def pager(stage: Stage) -> Scene:
    program = await stage.program("pager", profile="generic")
    await _asked(program.pane)
    return Scene(
        pane=program.pane,
        said=_PROMPTING,
        waits=_NEVER,
        received=_bytes_of(program),
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

    received, expected = _history(bash, line)
    return Scene(
        pane=bash.pane,
        said=_PROMPTING,
        waits=_NEVER,
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
        said=_BOOTING,
        waits=frozenset({_M, _K}),
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
        said=_BUSY,
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
    scene = await _left(stage, pane)
    if KERNEL or named:
        return scene
    return attrs.evolve(scene, said=_BUSY, waits=frozenset({_M}))  # held for want of a box


async def _left(stage: Stage, pane: pg.Pane) -> Scene:
    record = stage.folder / "left"

    async def received() -> list[str]:
        await stage.person_runs(pane, f"history -w {record}")
        told = record.read_text().splitlines()
        return [line for line in told if "wanted" in line or MESSAGE in line or line == "y"]

    return Scene(
        pane=pane,
        said=_all(Reason.SHELL_LEFT_BEHIND),
        waits=_NEVER,
        received=received,
        expected=[],
    )


# --- people ---------------------------------------------------------------------------


async def draft_at_a_shell(stage: Stage) -> Scene:
    bash = await stage.bash()
    async with until_shown(bash.pane, "echo a draft"):
        stage.types(bash.pane, "echo a draft")

    async def free() -> None:
        stage.tmux("send-keys", "-t", bash.pane.id, "Enter")

    received, expected = _history(bash, "echo a draft")
    return Scene(
        pane=bash.pane,
        said=dict.fromkeys(_TEXTS, Reason.DRAFT),
        received=received,
        expected=expected,
        free=free,
    )


async def draft_in_a_box(stage: Stage, profile: str = "standin") -> Scene:
    program = await stage.program("composer", profile=profile)
    async with until_shown(program.pane, "a draft"):
        stage.types(program.pane, "a draft")

    async def free() -> None:
        stage.tmux("send-keys", "-t", program.pane.id, "Enter")

    return Scene(
        pane=program.pane,
        said=dict.fromkeys(_TEXTS, Reason.DRAFT),
        received=_bytes_of(program),
        expected=f"a draft\r{_PASTED}",
        free=free,
    )


async def draft_in_an_unknown_box(stage: Stage) -> Scene:
    return await draft_in_a_box(stage, profile="generic")


async def held_by_a_person(stage: Stage) -> Scene:
    bash = await stage.bash()
    bash.pane.hold("lunch")

    async def free() -> None:
        bash.pane.release()

    received, expected = _history(bash)
    said = _all(Reason.HELD)
    return Scene(pane=bash.pane, said=said, received=received, expected=expected, free=free)


async def our_own_pane(stage: Stage) -> Scene:
    """The controller itself runs in it: the environment says so, as in every pane."""
    adopted = stage.session("bash", "--norc", "--noprofile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMUX", f"{stage.socket},1,0")
        patch.setenv("TMUX_PANE", adopted)
        pane = await stage.ctl.adopt(adopted)
    async with until_shown(pane, "bash"):
        pass
    scene = await _left(stage, pane)
    return attrs.evolve(scene, said=_all(Reason.OWN_PANE))


# --- tmux -----------------------------------------------------------------------------


async def _in_a_mode(stage: Stage, *enter: str, leave: tuple[str, ...]) -> Scene:
    bash = await stage.bash()
    stage.tmux(*enter, "-t", bash.pane.id)

    async def free() -> None:
        stage.tmux("send-keys", "-t", bash.pane.id, *leave)

    received, expected = _history(bash)
    said = _all(Reason.COPY_MODE)
    return Scene(pane=bash.pane, said=said, received=received, expected=expected, free=free)


async def copy_mode(stage: Stage) -> Scene:
    return await _in_a_mode(stage, "copy-mode", leave=("-X", "cancel"))


async def tree_mode(stage: Stage) -> Scene:
    return await _in_a_mode(stage, "choose-tree", leave=("q",))


async def clock_mode(stage: Stage) -> Scene:
    return await _in_a_mode(stage, "clock-mode", leave=("q",))


async def view_mode(stage: Stage) -> Scene:
    """The words of a command of the person's stand over the pane."""
    bash = await stage.bash()
    stage.tmux("run-shell", "-t", bash.pane.id, "echo some words")
    assert stage.tmux("display-message", "-p", "-t", bash.pane.id, "#{pane_mode}") == "view-mode\n"

    async def free() -> None:
        stage.tmux("send-keys", "-t", bash.pane.id, "-X", "cancel")

    received, expected = _history(bash)
    said = _all(Reason.COPY_MODE)
    return Scene(pane=bash.pane, said=said, received=received, expected=expected, free=free)


async def input_off(stage: Stage) -> Scene:
    bash = await stage.bash()
    stage.tmux("select-pane", "-d", "-t", bash.pane.id)

    async def free() -> None:
        stage.tmux("select-pane", "-e", "-t", bash.pane.id)
        # nothing tells about it: a person's next key does, as it comes with an echo
        stage.tmux("send-keys", "-t", bash.pane.id, "Space", "BSpace")

    received, expected = _history(bash)
    said = _all(Reason.INPUT_OFF)
    return Scene(pane=bash.pane, said=said, received=received, expected=expected, free=free)


async def synchronized(stage: Stage) -> Scene:
    """What one pane is sent would reach the other too."""
    bash = await stage.bash()
    beside = stage.truth()
    reader = program_argv("raw-reader", log=beside.path)
    stage.tmux("split-window", "-d", "-h", "-t", bash.pane.id, "--", *reader)
    await beside.wait_for("state", WITHIN_S)
    stage.tmux("set-option", "-w", "-t", bash.pane.id, "synchronize-panes", "on")

    async def free() -> None:
        stage.tmux("set-option", "-w", "-t", bash.pane.id, "synchronize-panes", "off")
        stage.tmux("send-keys", "-t", bash.pane.id, "Space", "BSpace")

    async def received() -> tuple[object, bytes]:
        return await bash.told(), beside.received_bytes()

    return Scene(
        pane=bash.pane,
        said=_all(Reason.SYNCHRONIZED),
        received=received,
        expected=([MESSAGE], b""),
        free=free,
    )


async def dead_pane(stage: Stage) -> Scene:
    """Kept for its last screen."""
    program = await stage.program("lines", profile="lines", within_s=None, launch={"retain": True})
    await program.truth.wait_for("state", WITHIN_S)
    os.kill(program.pane.target.pane_pid, signal.SIGKILL)
    await until_state(program.pane, pg.State.EXITED)
    return Scene(
        pane=program.pane,
        said=_all(Reason.DEAD_PANE),
        waits=_NEVER,
        received=_bytes_of(program),
        expected="",
    )


async def gone_pane(stage: Stage) -> Scene:
    """Ended from outside; a death that is seen first is as good a reason."""
    program = await stage.program("composer", profile="standin")
    stage.tmux("kill-pane", "-t", program.pane.id)
    await until_state(program.pane, pg.State.EXITED)
    reason = program.pane.verdict().reason
    assert reason in (Reason.GONE_PANE, Reason.EXITED)
    return Scene(
        pane=program.pane,
        said=_all(reason),
        waits=_NEVER,
        received=_bytes_of(program),
        expected="",
    )


SCENES: Final[Mapping[str, Maker]] = {
    maker.__name__: maker
    for maker in (
        booting,
        working,
        working_silently,
        sleeping,
        accepting,
        silent_for_long,
        stopped,
        dialog,
        dialog_of_an_unknown_program,
        menu,
        hidden_input,
        yes_or_no,
        pager,
        less,
        editor,
        vim,
        shell_left_behind,
        shell_left_behind_by_a_launch,
        shell_left_behind_by_a_stand_in,
        draft_at_a_shell,
        draft_in_a_box,
        draft_in_an_unknown_box,
        held_by_a_person,
        our_own_pane,
        copy_mode,
        tree_mode,
        clock_mode,
        view_mode,
        input_off,
        synchronized,
        dead_pane,
        gone_pane,
    )
}

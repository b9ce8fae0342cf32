"""People at the pane, and states that only tmux knows of."""

import os
import signal

import attrs
import pytest

import panegate as pg
from panegate.terms import Reason
from panegate.testing.programs import program_argv

from .scenes import (
    MESSAGE,
    NEVER,
    PASTED,
    TEXTS,
    Scene,
    all_of,
    bytes_of,
    history,
    left_to_a_shell,
)
from .staging import WITHIN_S, Stage, until_shown, until_state

__all__ = [
    "clock_mode",
    "copy_mode",
    "dead_pane",
    "draft_at_a_shell",
    "draft_in_a_box",
    "draft_in_an_unknown_box",
    "gone_pane",
    "held_by_a_person",
    "input_off",
    "our_own_pane",
    "synchronized",
    "tree_mode",
    "view_mode",
]


# --- people ---------------------------------------------------------------------------


async def draft_at_a_shell(stage: Stage) -> Scene:
    bash = await stage.bash()
    async with until_shown(bash.pane, "echo a draft"):
        stage.types(bash.pane, "echo a draft")

    async def free() -> None:
        stage.tmux("send-keys", "-t", bash.pane.id, "Enter")

    received, expected = history(bash, "echo a draft")
    return Scene(
        pane=bash.pane,
        said=dict.fromkeys(TEXTS, Reason.DRAFT),
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
        said=dict.fromkeys(TEXTS, Reason.DRAFT),
        received=bytes_of(program),
        expected=f"a draft\r{PASTED}",
        free=free,
    )


async def draft_in_an_unknown_box(stage: Stage) -> Scene:
    return await draft_in_a_box(stage, profile="generic")


async def held_by_a_person(stage: Stage) -> Scene:
    bash = await stage.bash()
    bash.pane.hold("lunch")

    async def free() -> None:
        bash.pane.release()

    received, expected = history(bash)
    said = all_of(Reason.HELD)
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
    scene = await left_to_a_shell(stage, pane)
    return attrs.evolve(scene, said=all_of(Reason.OWN_PANE))


# --- tmux -----------------------------------------------------------------------------


async def _in_a_mode(stage: Stage, *enter: str, leave: tuple[str, ...]) -> Scene:
    bash = await stage.bash()
    stage.tmux(*enter, "-t", bash.pane.id)

    async def free() -> None:
        stage.tmux("send-keys", "-t", bash.pane.id, *leave)

    received, expected = history(bash)
    said = all_of(Reason.COPY_MODE)
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

    received, expected = history(bash)
    said = all_of(Reason.COPY_MODE)
    return Scene(pane=bash.pane, said=said, received=received, expected=expected, free=free)


async def input_off(stage: Stage) -> Scene:
    bash = await stage.bash()
    stage.tmux("select-pane", "-d", "-t", bash.pane.id)

    async def free() -> None:
        stage.tmux("select-pane", "-e", "-t", bash.pane.id)
        # nothing tells about it: a person's next key does, as it comes with an echo
        stage.tmux("send-keys", "-t", bash.pane.id, "Space", "BSpace")

    received, expected = history(bash)
    said = all_of(Reason.INPUT_OFF)
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
        said=all_of(Reason.SYNCHRONIZED),
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
        said=all_of(Reason.DEAD_PANE),
        waits=NEVER,
        received=bytes_of(program),
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
        said=all_of(reason),
        waits=NEVER,
        received=bytes_of(program),
        expected="",
    )

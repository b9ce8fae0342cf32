"""What can be found out about a tmux server that does not answer any more."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from panegate.errors import PanegateError
from panegate.probes.exits import ExitWatch
from panegate.runtime.bringup import read_facts
from panegate.session.outcome_facts import ServerFact, ServerState

if TYPE_CHECKING:
    from panegate.service.controller import Controller

__all__ = ["process_ends", "process_lives", "server_answers", "server_fact"]


def process_lives(pid: int) -> bool:
    """Tell whether a process of this host runs; one that is only waited for does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True  # no such files here, or it went just now: the next question tells
    return told.rpartition(")")[2].split()[:1] not in (["Z"], ["X"])


def server_fact(
    ctl: Controller, pid: int | None, *, answers: bool, words: str, answered_at_s: float
) -> ServerFact:
    """Find out about the server of a session that goes on, or has just ended.

    Args:
        ctl: Its controller.
        pid: The server's process when the session began.
        answers: It is known to answer.
        words: What was said when it was lost.
        answered_at_s: Its last answer about the session, monotonic seconds.

    """
    local = ctl.link.address.ssh is None
    alive = process_lives(pid) if local and pid is not None else None
    if answers and alive is not False:
        return ServerFact(pid=pid, pid_alive=alive)
    return ServerFact(
        state=ServerState.DIED if alive is False else ServerState.UNREACHABLE,
        words=words,
        pid=pid,
        pid_alive=alive,
        socket_present=ctl.link.address.socket.exists() if local else None,
        since_answer_s=max(0.0, ctl.clock() - answered_at_s),
    )


async def process_ends(pid: int, *, within_s: float) -> bool:
    """Wait for the end of a process of this host; False where it lives on."""
    ended, watch = anyio.Event(), ExitWatch()
    try:
        if not watch.watch(pid, lambda _pid: ended.set()):
            return not process_lives(pid)
        with anyio.move_on_after(within_s):
            await ended.wait()
            return True
        return False
    finally:
        watch.close()


async def server_answers(ctl: Controller, pid: int | None, *, within_s: float) -> bool:
    """Ask the server itself; False where none answers in time, or it is another one by now."""
    with anyio.move_on_after(within_s):
        try:
            facts = await read_facts(ctl.link.address)
        except PanegateError:
            return False
        return facts is not None and (pid is None or facts.pid == pid)
    return False

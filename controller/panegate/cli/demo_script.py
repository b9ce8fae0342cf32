"""What the demo does, step by step."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import anyio
import attrs

from panegate.errors import PanegateError, Refused
from panegate.gate.receipt import Receipt
from panegate.service.controller import Controller
from panegate.service.pane import Pane
from panegate.terms import Reason, State
from panegate.testing.programs import program_argv

__all__ = ["Telling", "play"]

_RC_S: Final = 2
_RC: Final = f"sleep {_RC_S}\nPS1='demo$ '\n"
_JOB: Final = "import time; print('working on it', flush=True); time.sleep(3600)"
_JOB_PROFILE: Final = """\
words = "a job that says nothing for a long time"
extends = "generic"
[timing]
silence_s = 1.5
"""


class Telling(Protocol):
    """What the script tells its story to."""

    def title(self, words: str) -> None:
        """Begin a part."""
        ...

    def says(self, name: str, document: Mapping[str, Any], words: str) -> None:
        """Tell one thing about one pane."""
        ...

    def receipt(self, name: str, what: str, receipt: Receipt) -> None:
        """Tell what became of a write."""
        ...

    def refusal(self, name: str, what: str, error: Refused) -> None:
        """Tell of a write that the gate did not let through."""
        ...


@attrs.define
class _Cast:
    shell: Pane
    repl: Pane
    job: Pane
    agent: Pane


async def play(ctl: Controller, tell: Telling) -> bool:
    """Play the demo; return whether everything went as it should.

    Args:
        ctl: A controller on a server of its own.
        tell: Told what happens.

    """
    beside = ctl.link.address.socket.parent  # it goes with the server's own folder at the latest
    with tempfile.TemporaryDirectory(prefix="demo-", dir=beside) as folder:
        tell.title("Four programs start; messages are asked for at once.")
        cast = await _launch(ctl, Path(folder))
        fine: list[bool] = []
        async with anyio.create_task_group() as group:
            group.start_soon(_send, tell, cast.shell, "echo hello from the shell", fine)
            group.start_soon(_run, tell, cast.repl, "sum(range(10))", "45", fine)
            group.start_soon(_no_answer, tell, cast.job, fine)
        tell.title("The agent asks for permission; nobody but a person answers.")
        await _send(tell, cast.agent, "Please tidy the build folder.", fine)
        fine.append(await _asks(tell, cast.agent))
        tell.title("The others were never disturbed.")
        await _run(tell, cast.shell, "echo $((6 * 7))", "42", fine)
        return all(fine)


async def _launch(ctl: Controller, folder: Path) -> _Cast:
    job_profile = folder / "quiet-job.toml"
    job_profile.write_text(_JOB_PROFILE, encoding="utf-8")
    shell, env = _shell(folder)
    agent = program_argv("composer", boot=400, work=1500, ask_after_submit=700, reply="It is tidy.")

    async def launch(argv: Sequence[str], name: str, profile: str | Path, **more: Any) -> Pane:
        return await ctl.launch(argv, name=name, profile=profile, cwd=folder, within_s=None, **more)

    return _Cast(
        shell=await launch(shell, "shell", "sh" if env else "bash", env=env),
        repl=await launch([sys.executable, "-q"], "repl", "python"),
        job=await launch([sys.executable, "-c", _JOB], "job", job_profile),
        agent=await launch(agent, "agent", "standin"),
    )


def _shell(folder: Path) -> tuple[list[str], dict[str, str]]:
    """Return a shell whose start takes a while, and the environment it needs."""
    rc = folder / "rc"
    rc.write_text(_RC, encoding="utf-8")
    if shutil.which("bash"):
        return ["bash", "--noprofile", "--rcfile", str(rc)], {}
    return ["sh", "-i"], {"ENV": str(rc)}


async def _send(tell: Telling, pane: Pane, text: str, fine: list[bool]) -> None:
    try:
        receipt = await pane.send(text, within_s=20.0)
    except Refused as error:
        tell.refusal(pane.name, f"message {text!r}", error)
        fine.append(False)
        return
    tell.receipt(pane.name, f"message {text!r}", receipt)
    fine.append(receipt.landed is True)


async def _run(tell: Telling, pane: Pane, text: str, wanted: str, fine: list[bool]) -> None:
    try:
        result = await pane.run(text, within_s=20.0, turn_within_s=20.0)
    except PanegateError as error:
        tell.says(pane.name, {"failed": str(error)}, f"run {text!r}: {error}")
        fine.append(False)
        return
    tell.receipt(pane.name, f"run {text!r}", result.receipt)
    tell.says(pane.name, {"said": result.text}, f"said: {result.text}")
    fine.append(result.text.strip() == wanted)


async def _no_answer(tell: Telling, pane: Pane, fine: list[bool]) -> None:
    """A silent job takes no message: it is held, and then given up with nothing written."""
    what = "message 'how far are you?', given 3 s"
    try:
        receipt = await pane.send("how far are you?", within_s=3.0)
    except Refused as error:
        tell.refusal(pane.name, what, error)
        fine.append(True)
        return
    tell.receipt(pane.name, what, receipt)
    fine.append(False)


async def _asks(tell: Telling, agent: Pane) -> bool:
    await agent.wait({State.PROMPTING}, within_s=20.0)
    prompt = agent.prompt
    if prompt is None or not prompt.options:
        return False
    try:
        receipt = await agent.nudge("You seem to have stopped; go on.")
    except Refused as error:
        tell.refusal(agent.name, "an automatic nudge 'You seem to have stopped; go on.'", error)
        refused = error.reason is Reason.PROMPTING
    else:
        tell.receipt(agent.name, "an automatic nudge", receipt)
        refused = False
    option = prompt.options[0]
    chosen = option.key or option.label
    answered = await agent.answer(prompt.id, option=chosen, by="demo")
    tell.receipt(agent.name, f"a person chooses {chosen} ({option.label})", answered)
    await agent.wait({State.READY}, within_s=20.0)
    return refused and answered.landed is True

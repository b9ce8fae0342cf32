"""How a program was started: kept beside its pane, so that it can be started again the same way.

Two user options of the pane hold it, for as long as the pane lives: also a controller that was not
there finds it. No program can set them by printing something. Of the caller's variables the
names alone are kept, because values may be secrets.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import attrs
import cattrs

from panegate.errors import LaunchFailed, PanegateError
from panegate.ids import PaneId
from panegate.runtime.client import Answer
from panegate.service.choosing import launch_environment
from panegate.service.launch import Launch
from panegate.session.launch_answers import AnswersUsed
from panegate.wire.commands import command

__all__ = [
    "STARTED_OPTION",
    "check_whole",
    "read_started",
    "read_started_commands",
    "started_commands",
    "write_settings",
]

STARTED_OPTION: Final = "@panegate_started"
"""Holds how the pane's program was started, as JSON."""
_PID_OPTION: Final = "@panegate_started_pid"
"""Holds the process that was started so: another one in the pane is somebody else's."""


@attrs.frozen(kw_only=True)
class _Kept:
    argv: tuple[str, ...]
    cwd: str | None
    retain: bool
    inherit_env: bool | None
    caller_env: tuple[str, ...]
    profile_env: dict[str, str]
    answers: AnswersUsed | None


_converter = cattrs.Converter()


def started_commands(pane_id: PaneId, launched: Launch) -> tuple[bytes, bytes]:
    """Return the tmux commands that keep *launched* beside a pane whose program runs."""
    fields = {field.name for field in attrs.fields(_Kept)}
    kept = {key: value for key, value in attrs.asdict(launched).items() if key in fields}
    text = json.dumps(_converter.unstructure(kept))
    words = ("set-option", "-p", "-t", pane_id)
    return (
        command(*words, STARTED_OPTION, text),
        command("set-option", "-p", "-F", "-t", pane_id, _PID_OPTION, "#{pane_pid}"),
    )


def read_started_commands(pane_id: PaneId) -> tuple[bytes, bytes]:
    """Return the tmux commands whose answer `read_started` takes."""
    names = (STARTED_OPTION, _PID_OPTION)
    first, second = (command("show-options", "-p", "-q", "-v", "-t", pane_id, n) for n in names)
    return first, second


def read_started(
    answer: Answer, *, pane_pid: int, dead: bool, own: Mapping[str, str]
) -> Launch | None:
    """Return how a pane's program was started, None where nobody knows.

    Args:
        answer: To `read_started_commands`.
        pane_pid: The pane's process now.
        dead: Its program has ended.
        own: This process's environment, from which variables are passed anew.

    """
    if not answer.ok or not answer.text(0):
        return None
    if not dead and answer.text(1) != str(pane_pid):
        return None  # somebody started another program there
    try:
        kept = _converter.structure(json.loads(answer.text(0)), _Kept)
    except (ValueError, TypeError, LookupError, cattrs.BaseValidationError):
        return None  # an older panegate, or a person's edit
    theirs = {name: own[name] for name in kept.caller_env if name in own}
    passed = launch_environment({**kept.profile_env, **theirs}, kept.inherit_env, own)
    return Launch(
        argv=kept.argv,
        cwd=kept.cwd,
        env=tuple(passed.items()),
        retain=kept.retain,
        inherit_env=kept.inherit_env,
        caller_env=kept.caller_env,
        profile_env=kept.profile_env,
        answers=kept.answers,
    )


def check_whole(launched: Launch, name: str) -> None:
    """Check that all of the caller's variables are known.

    Raises:
        PanegateError: An earlier controller was given one whose value is not known here.

    """
    known = dict(launched.env)
    missing = [each for each in launched.caller_env if each not in known]
    if missing:
        raise PanegateError(
            f"{name} was started by another controller with {', '.join(missing)},"
            " and values of variables are not kept",
            fix="set them in this process's environment, or launch it anew",
        )


def write_settings(launched: Launch) -> None:
    """Write the settings files of a program that is about to start, readable by us alone.

    Raises:
        LaunchFailed: One cannot be written.

    """
    files: Mapping[str, Any] = launched.answers.files if launched.answers is not None else {}
    for name, text in files.items():
        path = Path(name)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(opened, "w", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            msg = f"the settings file {path} cannot be written: {error.strerror}"
            raise LaunchFailed(msg) from error

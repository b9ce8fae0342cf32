"""How a program's configuration reads with our hook in it, and without. Pure.

Other hooks, settings, their order and the file's indentation are kept.
"""

import difflib
import json
import re
import tomllib
from collections.abc import Callable
from typing import Final

from panegate.errors import PanegateError
from panegate.probes.transcripts.cut_json import Json

__all__ = [
    "CLAUDE_EVENTS",
    "diff_of",
    "is_ours",
    "with_claude_hook",
    "with_codex_notify",
    "without_claude_hook",
    "without_codex_notify",
]

CLAUDE_EVENTS: Final = (
    "SessionStart",
    "UserPromptSubmit",
    "PermissionRequest",
    "Notification",
    "Stop",
)
"""What tells where the record is, and when a wait or a turn begins and ends."""
_OURS: Final = re.compile(r"(?:^|[/\s'\"])panegate-hook['\"]?\s*$|panegate\.probes\.hooks\.entry")
_TIMEOUT_S: Final = 10
_TABLE: Final = re.compile(r"^[ \t]*\[", re.M)
_NOTIFY: Final = re.compile(r"^[ \t]*(?:notify|\"notify\"|'notify')[ \t]*=", re.M)


def is_ours(command: str) -> bool:
    """Tell whether a hook's command is ``panegate-hook``."""
    return _OURS.search(command) is not None


def diff_of(before: str, after: str, name: str) -> str:
    """Return the change as a unified diff; "" where there is none."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"{name} (now)", f"{name} (then)", lineterm="", n=2
    )
    return "\n".join(lines)


def with_claude_hook(text: str, command: str) -> str:
    """Return Claude Code's settings with our hook for each of `CLAUDE_EVENTS`.

    Args:
        text: The file's text, "" where there is none.
        command: The shell command of the hook. One of ours that is there already is replaced.

    Raises:
        PanegateError: The text is no settings file that can be kept whole.

    """

    def change(hooks: dict[str, Json]) -> None:
        for event in CLAUDE_EVENTS:
            hooks.setdefault(event, [])
            groups = hooks[event]
            if not isinstance(groups, list):
                raise PanegateError(f"hooks.{event} is no list", fix="repair the file first")
            found = [hook for hook in _hooks_in(groups) if is_ours(str(hook.get("command", "")))]
            for hook in found:
                hook["command"] = command
            if not found:
                ours: Json = {"type": "command", "command": command, "timeout": _TIMEOUT_S}
                groups.append({"hooks": [ours]})

    return _changed(text, change)


def without_claude_hook(text: str) -> str:
    """Return the settings without our hook; what it leaves empty goes with it.

    Raises:
        PanegateError: The text is no settings file that can be kept whole.

    """

    def change(hooks: dict[str, Json]) -> None:
        for event in list(hooks):
            groups = hooks[event]
            if not isinstance(groups, list) or not any(
                is_ours(str(hook.get("command", ""))) for hook in _hooks_in(groups)
            ):
                continue
            kept: list[Json] = [left for left in map(_without, groups) if left is not None]
            if kept:
                hooks[event] = kept
            else:
                del hooks[event]

    return _changed(text, change)


def with_codex_notify(text: str, argv: list[str]) -> str:
    """Return Codex's configuration with our hook as its ``notify`` program.

    Raises:
        PanegateError: Another program is there already: Codex takes one. Or it is no TOML.

    """
    found = _toml(text).get("notify")
    if _is_our_argv(found):
        text = without_codex_notify(text)
    elif found is not None:
        msg = f"notify is {json.dumps(found)} already, and Codex takes only one program"
        fix = "let that program run panegate-hook with its last argument too"
        raise PanegateError(msg, fix=fix)
    line = f"notify = {json.dumps(argv, ensure_ascii=False)}\n"
    wanted = {**_toml(text), "notify": argv}
    for position in (*(table.start() for table in _TABLE.finditer(text)), len(text)):
        before, behind = text[:position], text[position:]
        if before and not before.endswith("\n"):
            before += "\n"
        after = before + line + ("\n" if behind and not before.endswith("\n\n") else "") + behind
        if _reads(after) == wanted:
            return after  # a bracket at the start of a line may also stand inside a value
    raise PanegateError("the change would touch other settings", fix="add notify by hand")


def without_codex_notify(text: str) -> str:
    """Return the configuration without our ``notify`` program; others are left alone.

    Raises:
        PanegateError: It is written in a way that cannot be taken out. Or it is no TOML.

    """
    known = _toml(text)
    found = known.get("notify")
    if not _is_our_argv(found):
        return text
    for at in _NOTIFY.finditer(text):
        end = at.end()
        while (end := text.find("\n", end)) >= 0 or end == -1:
            end = len(text) if end == -1 else end + 1
            after = text[: at.start()] + text[end:]
            if _reads(after) == {key: value for key, value in known.items() if key != "notify"}:
                return after
            if end == len(text):
                break
    raise PanegateError("notify cannot be taken out by itself", fix="remove it by hand")


def _changed(text: str, change: Callable[[dict[str, Json]], None]) -> str:
    settings = _settings(text)
    before = _settings(text)
    hooks = settings.setdefault("hooks", {})
    if not isinstance(hooks, dict):
        raise PanegateError("hooks is no object", fix="repair the file first")
    had = "hooks" in before
    change(hooks)
    if not hooks and (had != ("hooks" in settings) or not before.get("hooks")):
        settings.pop("hooks", None)
    elif not hooks:
        del settings["hooks"]
    if settings == before:
        return text
    indent = re.search(r"\n([ \t]+)\"", text)
    ends = "" if text and not text.endswith("\n") else "\n"
    return json.dumps(settings, indent=indent[1] if indent else 2, ensure_ascii=False) + ends


def _settings(text: str) -> dict[str, Json]:
    if not text.strip():
        return {}
    try:
        value = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise PanegateError(f"it is no JSON: {error}", fix="repair the file first") from error
    if not isinstance(value, dict):
        raise PanegateError("it is no JSON object", fix="repair the file first")
    return value


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        msg = "a key stands there twice"
        raise ValueError(msg)
    return value


def _hooks_in(groups: list[Json]) -> list[dict[str, Json]]:
    found: list[dict[str, Json]] = []
    for group in groups:
        hooks = group.get("hooks") if isinstance(group, dict) else None
        for hook in hooks if isinstance(hooks, list) else ():
            if isinstance(hook, dict):
                found.append(hook)  # noqa: PERF401 - the type of a list's items is not narrowed
    return found


def _without(group: Json) -> Json:
    """Return a group without our hook; None where nothing else was in it."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(group, dict) or not isinstance(hooks, list):
        return group
    kept = [h for h in hooks if not (isinstance(h, dict) and is_ours(str(h.get("command", ""))))]
    if len(kept) == len(hooks):
        return group
    return {**group, "hooks": kept} if kept else None


def _toml(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PanegateError(f"it is no TOML: {error}", fix="repair the file first") from error


def _reads(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _is_our_argv(notify: object) -> bool:
    return isinstance(notify, list) and any(is_ours(str(word)) for word in notify)

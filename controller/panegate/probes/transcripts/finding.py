"""Which record belongs to a program: by its open files, else by its working folder."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs

from panegate.probes.children import boot_wall_s
from panegate.probes.procfs import PROC, read_bytes, read_stat
from panegate.probes.transcripts.cut_json import parse_cut

__all__ = [
    "Place",
    "claude_folder",
    "find_transcript",
    "find_with",
    "place_of",
    "program_of",
    "reader_of",
]

_ROLLOUT: Final = re.compile(r"rollout-[^/]*\.jsonl\Z")
_SESSION: Final = re.compile(r"/projects/[^/]+/[^/]+\.jsonl\Z")
_MAX_FILES: Final = 64
_HEAD: Final = 16 * 1024
_SLACK_S: Final = 2.0
_NAMES: Final = {"claude": "claude", "codex": "codex", "claude-code": "claude"}


@attrs.frozen(kw_only=True)
class Place:
    """Where a program runs."""

    cwd: str
    home: str
    started_s: float
    """Wall seconds."""
    environ: Mapping[str, str] = attrs.field(factory=dict)


def program_of(*names: str) -> str:
    """Return whose records a program of one of these names keeps; "" for none known."""
    for name in names:
        found = _NAMES.get(name.rsplit("/", 1)[-1])
        if found is not None:
            return found
    return ""


def reader_of(path: str) -> str:
    """Return whose record a file is, by its name: ``claude`` or ``codex``."""
    return "codex" if _ROLLOUT.search(path) else "claude"


def place_of(pid: int, proc: str = PROC) -> Place | None:
    """Return where a process of this user runs; None where that is not told."""
    stat, boot_s = read_stat(pid, proc), boot_wall_s(proc)
    if stat is None or boot_s is None:
        return None
    try:
        cwd = os.readlink(f"{proc}/{pid}/cwd")
        pairs = (
            e.partition("=") for e in os.fsdecode(read_bytes(f"{proc}/{pid}/environ")).split("\0")
        )
    except OSError:
        return None
    environ = {name: value for name, _, value in pairs}
    home = environ.get("HOME") or str(Path.home())
    started_s = boot_s + stat.start_ticks / os.sysconf("SC_CLK_TCK")
    return Place(cwd=cwd, home=home, started_s=started_s, environ=environ)


def find_transcript(program: str, pids: Iterable[int], proc: str = PROC) -> str | None:
    """Return the record that one of *pids* writes, as far as that is certain.

    A record that a process has open is its own. Else a record counts that belongs to the
    process's working folder and was written since it started, where there is only one:
    of two, neither is taken (a hook names the right one).

    Args:
        program: ``claude`` or ``codex``.
        pids: The program's own process first.
        proc: Where procfs is mounted.

    """
    known = list(pids)
    for pid in known:
        for path in _open_files(pid, proc):
            if _ROLLOUT.search(path) if program == "codex" else _SESSION.search(path):
                return path
    for pid in known:
        place = place_of(pid, proc)
        if place is not None:
            return find_with(program, place)
    return None


def find_with(program: str, place: Place) -> str | None:
    """Return the one record of *program* that was written at *place* since it started."""
    paths = _of_claude(place) if program == "claude" else _of_codex(place)
    found = [path for path in paths if _written_since(path, place.started_s - _SLACK_S)]
    return found[0] if len(found) == 1 else None


def claude_folder(place: Place) -> str:
    """Return where Claude Code keeps the records of a working folder."""
    base = place.environ.get("CLAUDE_CONFIG_DIR") or f"{place.home}/.claude"
    return f"{base}/projects/{re.sub(r'[^A-Za-z0-9]', '-', place.cwd)}"


def _of_claude(place: Place) -> list[str]:
    folder = claude_folder(place)
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [
        f"{folder}/{name}"
        for name in names
        if name.endswith(".jsonl") and not name.startswith("agent-")
    ]


def _of_codex(place: Place) -> list[str]:
    base = place.environ.get("CODEX_HOME") or f"{place.home}/.codex"
    newest: list[str] = []
    for day in _days(f"{base}/sessions"):
        names = (name for name in _listed(day) if _ROLLOUT.search(name))
        newest += [f"{day}/{name}" for name in names]
        if len(newest) >= _MAX_FILES:
            break
    since_s = place.started_s - _SLACK_S
    recent = [path for path in newest[:_MAX_FILES] if _written_since(path, since_s)]
    return [path for path in recent if _cwd_in(path) == place.cwd]


def _days(base: str) -> Iterator[str]:
    """Give the folders of the newest days first."""
    for year in _listed(base):
        for month in _listed(f"{base}/{year}"):
            for day in _listed(f"{base}/{year}/{month}"):
                yield f"{base}/{year}/{month}/{day}"


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder), reverse=True)
    except OSError:
        return []


def _cwd_in(path: str) -> str:
    try:
        with open(path, "rb") as file:
            head = parse_cut(file.read(_HEAD).split(b"\n", 1)[0])
    except OSError:
        return ""
    payload = head.get("payload") if head is not None else None
    cwd = payload.get("cwd") if isinstance(payload, dict) else None
    return cwd if isinstance(cwd, str) else ""


def _written_since(path: str, since_s: float) -> bool:
    try:
        return os.stat(path).st_mtime >= since_s
    except OSError:
        return False


def _open_files(pid: int, proc: str) -> Iterator[str]:
    try:
        names = os.listdir(f"{proc}/{pid}/fd")
    except OSError:
        return
    for name in names:
        try:
            yield os.readlink(f"{proc}/{pid}/fd/{name}")
        except OSError:
            continue

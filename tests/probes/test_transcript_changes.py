"""A file that is written, made, replaced or in a folder that goes: told, and never polled."""

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from panegate.probes.transcripts.changes import FileChanges

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's"),
]


async def told(event: asyncio.Event) -> None:
    await asyncio.wait_for(event.wait(), 10)
    event.clear()


async def quiet(changes: FileChanges, folder: Path) -> None:
    """Wait until everything that happened so far was taken: a later change was told."""
    last = asyncio.Event()
    assert changes.watch(str(folder / "last"), last.set)
    (folder / "last").write_text("x")
    await told(last)


async def test_writes_creation_and_replacement_are_told(tmp_path: Path):
    changes, event = FileChanges(), asyncio.Event()
    try:
        path = tmp_path / "s.jsonl"
        assert changes.available
        assert changes.watch(str(path), event.set)
        path.write_text("{}\n")
        await told(event)
        await quiet(changes, tmp_path)
        event.clear()
        with path.open("a") as file:
            file.write("{}\n")
        await told(event)
        await quiet(changes, tmp_path)
        event.clear()
        (tmp_path / "new").write_text("[]")
        os.replace(tmp_path / "new", path)
        await told(event)
    finally:
        changes.close()


async def test_other_files_and_unwatched_ones_are_not_told(tmp_path: Path):
    changes, event = FileChanges(), asyncio.Event()
    try:
        assert changes.watch(str(tmp_path / "a"), event.set)
        (tmp_path / "b").write_text("x")
        await quiet(changes, tmp_path)
        assert not event.is_set()
        changes.unwatch(str(tmp_path / "a"))
        changes.unwatch(str(tmp_path / "a"))
        changes.unwatch("/elsewhere/x")
        (tmp_path / "a").write_text("x")
        await quiet(changes, tmp_path)
        assert not event.is_set()
    finally:
        changes.close()


async def test_a_folder_under_two_names_tells_both(tmp_path: Path):
    changes = FileChanges()
    first, second = asyncio.Event(), asyncio.Event()
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    try:
        assert changes.watch(str(tmp_path / "real" / "a"), first.set)
        assert changes.watch(str(tmp_path / "link" / "b"), second.set)
        (tmp_path / "real" / "a").write_text("x")
        (tmp_path / "real" / "b").write_text("x")
        await told(first)
        await told(second)
    finally:
        changes.close()


async def test_a_folder_that_goes_is_told_and_can_be_watched_again(tmp_path: Path):
    changes, event = FileChanges(), asyncio.Event()
    folder = tmp_path / "f"
    folder.mkdir()
    try:
        assert changes.watch(str(folder / "a"), event.set)
        shutil.rmtree(folder)
        await told(event)
        assert not changes.watch(str(folder / "a"), event.set)
        folder.mkdir()
        assert changes.watch(str(folder / "a"), event.set)
        (folder / "a").write_text("x")
        await told(event)
    finally:
        changes.close()


async def test_many_writes_between_two_rounds_are_one_call(tmp_path: Path):
    changes = FileChanges()
    calls: list[int] = []
    try:
        assert changes.watch(str(tmp_path / "a"), lambda: calls.append(1))
        with (tmp_path / "a").open("w") as file:
            for _ in range(50):
                file.write("x")
                file.flush()
        await quiet(changes, tmp_path)
        assert len(calls) == 1
    finally:
        changes.close()


async def test_where_nothing_can_be_told_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "platform", "darwin")
    changes = FileChanges()
    assert not changes.available
    assert not changes.watch(str(tmp_path / "a"), lambda: None)
    changes.close()

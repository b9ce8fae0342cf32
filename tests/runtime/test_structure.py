"""Turns at a server's structure: here, and across open files as across processes."""

import fcntl
import os
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from panegate.runtime import structure
from panegate.runtime.structure import Structure

pytestmark = pytest.mark.asyncio


def free(folder: Path) -> bool:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


async def test_two_controllers_take_turns(tmp_path: Path):
    one, two = Structure(folder=tmp_path), Structure(folder=tmp_path)
    order: list[str] = []
    inside = anyio.Event()

    async def second() -> None:
        await inside.wait()
        async with two:
            order.append("second")

    async with anyio.create_task_group() as group:
        group.start_soon(second)
        async with one:
            inside.set()
            await anyio.wait_all_tasks_blocked()
            assert not free(tmp_path)
            order.append("first")
    assert order == ["first", "second"]
    assert free(tmp_path)


async def test_a_turn_that_is_kept_too_long_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(structure, "TURN_WITHIN_S", 0.05)
    async with Structure(folder=tmp_path):
        async with Structure(folder=tmp_path):
            pass
        assert not free(tmp_path)
    with anyio.fail_after(20):  # the thread that waited lets go of what it gets too late
        while not free(tmp_path):
            await anyio.lowlevel.checkpoint()


async def test_a_folder_that_is_not_there_or_elsewhere_hinders_nobody(tmp_path: Path):
    async with Structure(folder=tmp_path / "none"), Structure(folder=None):
        assert free(tmp_path)

"""The virtual loop: an exact clock that costs no time."""

import asyncio
import time

import anyio
import pytest

from panegate.testing.virtual_loop import VirtualLoop

virtual = pytest.mark.asyncio(loop_factories=["virtual"])


@virtual
async def test_an_hour_of_sleep_takes_no_real_time() -> None:
    """Otherwise tests of long deadlines could not be run at all."""
    began_s = time.monotonic()
    before_s = anyio.current_time()
    await anyio.sleep(3600)
    assert anyio.current_time() - before_s == pytest.approx(3600)
    assert time.monotonic() - began_s < 5


@virtual
async def test_timers_fire_in_the_order_of_their_instants() -> None:
    """The clock stops at each timer; it never jumps over one."""
    fired: list[tuple[str, float]] = []

    async def wait(name: str, after_s: float) -> None:
        await anyio.sleep(after_s)
        fired.append((name, round(anyio.current_time(), 6)))

    async with anyio.create_task_group() as tasks:
        for name, after_s in (("c", 3.0), ("a", 0.5), ("b", 2.0)):
            tasks.start_soon(wait, name, after_s)
    assert fired == [("a", 0.5), ("b", 2.0), ("c", 3.0)]


@virtual
async def test_time_stands_still_while_tasks_can_run() -> None:
    """Only waiting moves the clock, so computing never makes a deadline pass."""
    before_s = anyio.current_time()
    for _ in range(200):
        await asyncio.sleep(0)
    assert anyio.current_time() == before_s


@virtual
async def test_a_timeout_cuts_a_longer_sleep_at_its_own_instant() -> None:
    """Cancel scopes of anyio run on the same clock."""
    with anyio.move_on_after(2.5) as scope:
        await anyio.sleep(60)
    assert scope.cancelled_caught
    assert anyio.current_time() == pytest.approx(2.5)


def test_waiting_for_nothing_is_an_error_and_not_a_hang() -> None:
    """A task that waits for what nobody will do must not stop the suite."""
    loop = VirtualLoop()
    try:
        with pytest.raises(RuntimeError, match="no timer is set"):
            loop.run_until_complete(asyncio.Event().wait())
        for task in asyncio.all_tasks(loop):
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                loop.run_until_complete(task)
    finally:
        loop.close()


@pytest.mark.asyncio
async def test_a_test_that_names_no_loop_gets_the_real_one() -> None:
    """Descriptors and threads do not go with a clock that jumps."""
    assert not isinstance(asyncio.get_running_loop(), VirtualLoop)

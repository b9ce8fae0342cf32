"""Time in the stream, measured: a host that blocks its loop, and clients that are killed.

Used by ``test_stream_time.py`` and ``bench/risks_stream.py``.
"""

import asyncio
import contextlib
import enum
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import attrs

import panegate as pg
from panegate.panes.facts import ProbeLevel
from panegate.panes.machine import PaneMachine
from panegate.runtime.client import ControlClient
from panegate.runtime.pump import Pump
from panegate.session.tracker import PaneTracker
from panegate.testing.servers import wait_gone
from panegate_transports.base import Chunk
from panegate_transports.process import ProcessTransport

from .staging import WITHIN_S, Program, Stage, until_state

__all__ = [
    "BLOCK_S",
    "QUIET_S",
    "Blocked",
    "Killed",
    "Stamps",
    "block_the_loop",
    "compute",
    "kill_client",
]

BLOCK_S: Final = 0.3
EVERY_S: Final = 0.05
QUIET_S: Final = 0.2
"""A screen that stands still so long is taken for ready here: longer than the program's pauses,
shorter than the block."""
_WARM_OUTPUTS: Final = 25
_CLIENT_AGE_S: Final = 1.5
"""tmux up to 3.6b can die of a SIGKILL in a client's first moments."""

_PRINTER: Final = f"""
import time
while True:
    print("at", time.monotonic(), flush=True)
    time.sleep({EVERY_S})
"""
_PRINTED: Final = re.compile(rb"at (\d+\.\d+)")
_PROFILE: Final = f"""
words = "prints without a pause"
family = "unknown"
trust = "timing"

[timing]
settle_s = {QUIET_S}
"""


class Stamps(enum.Enum):
    """Where output gets its time."""

    THREAD = "in the reader thread"
    LOOP = "in the event loop"
    LOOP_TIMERS_FIRST = "in the event loop, timers before what has arrived"


@attrs.define
class Blocked:
    """What one block of the loop made the machine believe."""

    gap_s: float = 0.0
    """Longest pause between outputs by the machine's stamps, around the block."""
    true_gap_s: float = 0.0
    """The same by the program's own clock."""
    quiet_looks: int = 0
    """Looks asked for because the pane was thought quiet for the settle window."""
    ready: int = 0
    """Times that it was taken for ready."""

    @property
    def false_gap(self) -> bool:
        """A pause that the program did not make."""
        return self.gap_s >= QUIET_S > self.true_gap_s


def compute(seconds: float) -> None:
    """Block by computing: other threads get the interpreter in turns only."""
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        sum(range(1000))


async def block_the_loop(
    stage: Stage,
    stamps: Stamps,
    *,
    phase_s: float | None,
    block: Callable[[float], None] = time.sleep,
) -> Blocked:
    """Let a pane print every 50 ms, block the loop for 300 ms, and see what is believed.

    Args:
        stage: Where.
        stamps: Where output gets its time.
        phase_s: When; None: as soon as a look was asked for, so that its answer has to wait.
        block: Blocks the calling thread for so many seconds.

    """
    found = Blocked()
    profile = stage.folder / "printer.toml"
    profile.write_text(_PROFILE)
    stage.ctl.engine.level = ProbeLevel.NONE  # the kernel would know better: time alone speaks
    with _stamped(stamps), _watched(found) as seen:
        argv = [sys.executable, "-I", "-S", "-c", _PRINTER]
        pane = await stage.ctl.launch(argv, profile=profile, within_s=None)
        machine = pane.tracker.machine
        seen.machine = machine
        await _outputs(pane, _WARM_OUTPUTS)
        if phase_s is None:
            async with asyncio.timeout(WITHIN_S):
                seen.asked.clear()
                await seen.asked.wait()
        else:
            await _after(phase_s)
        found.gap_s = found.true_gap_s = 0.0
        found.quiet_looks = found.ready = 0
        block(BLOCK_S)  # what a careless host does
        await _outputs(pane, machine.outputs + 12)
        await pane.close()
    return found


async def _outputs(pane: pg.Pane, n: int) -> None:
    async with asyncio.timeout(WITHIN_S):
        while pane.tracker.machine.outputs < n:
            await pane.next_touch()


async def _after(seconds: float) -> None:
    done = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(seconds, done.set_result, None)
    await done


@attrs.define
class _Seen:
    machine: PaneMachine | None = None
    asked: asyncio.Event = attrs.field(factory=asyncio.Event)
    """A look at it was asked for."""


@contextlib.contextmanager
def _stamped(stamps: Stamps) -> Iterator[None]:
    """Take stamps elsewhere than the product does."""
    take, wake, late = ControlClient._take, Pump._wake, Pump.feed

    def restamped(self: ControlClient, chunk: Chunk) -> None:
        take(self, Chunk(chunk.data, self.clock()))

    def timers_first(self: Pump) -> None:
        self.wakeups += 1
        now_s = self.clock()
        for _, pane_id in self._deadlines.due(now_s):
            self.feed(_advance(pane_id, now_s))
        self.settle()

    try:
        if stamps is not Stamps.THREAD:
            ControlClient._take = restamped  # type: ignore[method-assign]
        if stamps is Stamps.LOOP_TIMERS_FIRST:
            Pump._wake = timers_first  # type: ignore[method-assign]
        yield
    finally:
        ControlClient._take, Pump._wake, Pump.feed = take, wake, late  # type: ignore[method-assign]


def _advance(pane_id: pg.PaneId, now_s: float) -> Any:
    from panegate.session.inputs import Advance

    return Advance(pane_id, now_s)


@contextlib.contextmanager
def _watched(found: Blocked) -> Iterator["_Seen"]:
    """Note what a machine is told and what it asks for."""
    seen = _Seen()
    output, request, change = PaneTracker.output, PaneMachine._request, PaneMachine._note
    printed: list[float] = []

    def noted_output(self: PaneTracker, payload: bytes, *, at_s: float) -> None:
        if self.machine is seen.machine:
            found.gap_s = max(found.gap_s, at_s - self.machine.last_output_s)
            for said in _PRINTED.findall(payload):
                if printed:
                    found.true_gap_s = max(found.true_gap_s, float(said) - printed[-1])
                printed.append(float(said))
        output(self, payload, at_s=at_s)

    def noted_request(self: PaneMachine, cause: Any, now_s: float) -> None:
        if self is seen.machine:
            found.quiet_looks += time.monotonic() - self.last_output_s >= QUIET_S
            seen.asked.set()
        request(self, cause, now_s)

    def noted_change(self: PaneMachine, *args: Any, **named: Any) -> None:
        if self is seen.machine and self.state is pg.State.READY and self.confirmed:
            found.ready += 1
        change(self, *args, **named)

    try:
        PaneTracker.output = noted_output  # type: ignore[method-assign]
        PaneMachine._request = noted_request  # type: ignore[method-assign]
        PaneMachine._note = noted_change  # type: ignore[method-assign]
        yield seen
    finally:
        PaneTracker.output = output  # type: ignore[method-assign]
        PaneMachine._request = request  # type: ignore[method-assign]
        PaneMachine._note = change  # type: ignore[method-assign]


@attrs.define(kw_only=True)
class Killed:
    """What a SIGKILL of one control client did."""

    victim: str
    server_lives: bool
    """The same server process, and every program in it."""
    fate: str
    """Of the message that was in hand in the composer's pane."""
    words: str
    taken: int
    """How often the composer took that message, by its own record."""
    back_s: float
    """From the kill until another client carried the pane."""
    flood_goes_on: bool
    next_fate: str
    """Of the next message in the same pane."""
    next_taken: int
    n_clients: int

    @property
    def told_right(self) -> bool:
        """The receipt says no more and no less than what happened."""
        if self.fate == "landed":
            return self.taken == 1
        return self.fate == "unknown" and self.taken <= 1


async def kill_client(
    stage: Stage, victim: pg.Pane, composer: Program, flood: pg.Pane, *, number: int
) -> Killed:
    """Kill the client that carries *victim* while a message is in hand in the composer's pane.

    The stand-in's profile leaves 150 ms between the text and its Enter: the client is killed
    when the program has read the text.
    """
    ctl, pane = stage.ctl, composer.pane
    panes = ctl.panes
    pids = {each.target.pane_pid for each in panes}
    message = f"in hand when a client was killed {number}"
    client = ctl.link.carriers[victim.id]
    assert isinstance(client.transport, ProcessTransport)
    await _until_old(client.transport.pid)
    n_before = len(composer.truth.received_bytes())
    sending = asyncio.create_task(pane.send(message, within_s=WITHIN_S))
    await composer.truth.wait_for(
        lambda _: len(composer.truth.received_bytes()) >= n_before + len(message), WITHIN_S
    )
    killed_s = time.monotonic()
    os.kill(client.transport.pid, signal.SIGKILL)
    back_s = await _until_carried(ctl, victim, client) - killed_s
    receipt = await sending
    n_bytes = flood.tracker.output_bytes
    async with asyncio.timeout(WITHIN_S):
        while flood.tracker.output_bytes <= n_bytes:
            await flood.next_touch()
    if receipt.fate is not pg.Fate.LANDED:
        await until_state(pane, pg.State.READY)
        if composer.truth.submits().count(message) == 0:
            await pane.clear(within_s=WITHIN_S)
    following = f"after a client was killed {number}"
    then = await pane.send(following, within_s=WITHIN_S)
    identity = stage.tmux("display-message", "-p", "#{pid}").strip()
    submits = composer.truth.submits()
    return Killed(
        victim=victim.name,
        server_lives=identity == str(ctl.identity.pid) and not any(map(_gone, pids)),
        fate=receipt.fate.value,
        words=receipt.words,
        taken=submits.count(message),
        back_s=back_s,
        flood_goes_on=flood.tracker.output_bytes > n_bytes,
        next_fate=then.fate.value,
        next_taken=submits.count(following),
        n_clients=len(ctl.link.clients),
    )


async def _until_carried(ctl: pg.Controller, pane: pg.Pane, old: ControlClient) -> float:
    """Wait until another client carries the pane; return when."""
    async with asyncio.timeout(WITHIN_S):
        while True:
            carrier = ctl.link.carriers.get(pane.id)
            if carrier is not None and carrier is not old and carrier.alive:
                return time.monotonic()
            await pane.next_touch()


def _gone(pid: int) -> bool:
    return wait_gone(pid, 0.0)


async def _until_old(pid: int) -> None:
    """Wait until a process is out of its first moments."""
    started = _started_ticks(pid)
    age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - started / os.sysconf("SC_CLK_TCK")
    if age_s < _CLIENT_AGE_S:
        await _after(_CLIENT_AGE_S - age_s)


def _started_ticks(pid: int) -> float:
    return float(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])

"""The pump: values in order, one timer, and no quiet proved by a late wake-up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import anyio
import pytest

from panegate.gate.plan import WriteRequest
from panegate.gate.stages import Action
from panegate.ids import PaneId
from panegate.panes.machine import LookCause
from panegate.profiles import load
from panegate.runtime.pump import LATE_S, Pump
from panegate.session.inputs import Advance, Input, LookWanted, Opened, OutputCame, Written
from panegate.session.tracker import PaneTracker
from panegate.session.traits import TrackerTraits
from panegate.terms import Intent

virtual = pytest.mark.asyncio(loop_factories=["virtual"])
ONE, TWO, THREE = PaneId("%1"), PaneId("%2"), PaneId("%3")


class Tracker:
    """A pane whose deadline and wishes the test sets; it notes what it is told."""

    def __init__(self, rig: Rig, pane_id: PaneId) -> None:
        self.rig = rig
        self.pane_id = pane_id
        self.deadline_s: float | None = None
        self.told: list[tuple[str, float]] = []
        self.looks: list[LookCause] = []

    def output(self, payload: bytes, *, at_s: float) -> None:
        self.told.append((payload.decode(), at_s))

    def advance(self, *, now_s: float) -> None:
        self.told.append(("advance", now_s))
        self.deadline_s = None

    def want_look(self, *, at_s: float) -> None:
        self.looks.append(LookCause.CALLER)

    def take_actions(self) -> list[Action]:
        self.rig.settled_now += 1
        assert self.rig.settled_now == 1, "settle was entered again"
        return []

    def take_look(self) -> LookCause | None:
        return self.looks.pop() if self.looks else None

    def take_events(self) -> list[object]:
        return []


class Rig:
    """A pump over stand-in panes; ``late_s`` is added to the loop's clock."""

    def __init__(self) -> None:
        self.late_s = 0.0
        self.settled_now = 0
        self.settled: list[PaneId] = []
        self.recorded: list[Input] = []
        self.failures: list[Exception] = []
        self.drains: list[float] = []
        self.on_drain: Callable[[], None] = lambda: None
        self.on_look: Callable[[PaneId], None] = lambda _pane_id: None
        self.pump = Pump(
            clock=self.clock,
            on_look=lambda tracker, _cause: self.on_look(tracker.pane_id),
            on_action=lambda _tracker, _action: None,
            on_event=lambda _event: None,
            on_settled=self.touched,
            drain=self.drain,
            on_failure=self.failures.append,
            recorder=self.recorded.append,
        )

    def clock(self) -> float:
        return asyncio.get_running_loop().time() + self.late_s

    def drain(self) -> None:
        self.drains.append(self.clock())
        self.on_drain()

    def touched(self, tracker: PaneTracker) -> None:
        self.settled_now -= 1
        self.settled.append(tracker.pane_id)

    def add(self, pane_id: PaneId, deadline_s: float | None = None) -> Tracker:
        tracker = Tracker(self, pane_id)
        tracker.deadline_s = deadline_s
        self.pump.trackers[pane_id] = tracker  # type: ignore[assignment]
        self.pump.put(OutputCame(pane_id, b"new", 0.0))
        tracker.told.clear()
        self.settled.clear()
        return tracker


@virtual
async def test_one_timer_wakes_at_each_deadline_in_turn() -> None:
    """Earliest first, at its instant, with one wake-up each."""
    rig = Rig()
    panes = [rig.add(p, at_s) for p, at_s in ((ONE, 3.0), (TWO, 1.0), (THREE, 2.0))]
    await anyio.sleep(10)
    assert [p.told for p in panes] == [[("advance", 3.0)], [("advance", 1.0)], [("advance", 2.0)]]
    assert rig.pump.wakeups == 3
    assert rig.drains == [1.0, 2.0, 3.0]
    assert rig.failures == []


@virtual
async def test_deadlines_of_one_instant_cost_one_wake_up() -> None:
    """Two hundred idle panes must not cost two hundred timers."""
    rig = Rig()
    panes = [rig.add(PaneId(f"%{n}"), 1.0) for n in range(200)]
    await anyio.sleep(5)
    assert rig.pump.wakeups == 1
    assert all(p.told == [("advance", 1.0)] for p in panes)


@virtual
async def test_a_deadline_that_moved_later_fires_at_its_new_instant() -> None:
    """Output postpones it; the early wake-up does nothing to the pane."""
    rig = Rig()
    pane = rig.add(ONE, 1.0)
    pane.deadline_s = 4.0
    rig.pump.put(OutputCame(ONE, b"x", 0.5))
    await anyio.sleep(10)
    assert pane.told == [("x", 0.5), ("advance", 4.0)]
    assert rig.pump.wakeups <= 2


@virtual
async def test_a_deadline_that_moved_earlier_fires_there() -> None:
    """The armed timer is replaced, and the old one does not fire as well."""
    rig = Rig()
    pane = rig.add(ONE, 9.0)
    pane.deadline_s = 2.0
    rig.pump.put(OutputCame(ONE, b"x", 0.0))
    await anyio.sleep(20)
    assert pane.told[1:] == [("advance", 2.0)]
    assert rig.pump.wakeups == 1


@virtual
async def test_output_that_arrived_counts_before_a_deadline_does() -> None:
    """What is drained is applied first, and its new deadline takes the place of the old."""
    rig = Rig()
    pane = rig.add(ONE, 1.0)

    def arrive() -> None:
        rig.on_drain = lambda: None
        rig.pump.feed(OutputCame(ONE, b"late news", 0.9))
        rig.pump.settle()  # as a client does after a chunk

    rig.on_drain = arrive
    await anyio.sleep(5)
    assert pane.told == [("late news", 0.9), ("advance", 1.0)]
    assert rig.settled == [ONE]  # once, with both


@virtual
async def test_a_late_wake_up_gives_the_reader_its_turn_three_times_at_most() -> None:
    """Our own delay must not look like quiet of the program, nor last for ever."""
    rig = Rig()
    pane = rig.add(ONE, 1.0)

    def later() -> None:
        rig.late_s += 2 * LATE_S

    rig.on_drain = later
    await anyio.sleep(10)
    assert len(rig.drains) == 4
    assert len(pane.told) == 1
    assert pane.told[0][1] >= 1.0 + 4 * 2 * LATE_S


@virtual
async def test_a_wake_up_in_time_again_ends_the_turns() -> None:
    """One turn is enough once the reader has had it; the next deadline has all its turns."""
    rig = Rig()
    pane = rig.add(ONE, 1.0)

    def once() -> None:
        rig.on_drain = lambda: None
        rig.late_s = 0.5

    rig.on_drain = once
    await anyio.sleep(10)
    assert len(rig.drains) == 2
    assert pane.told == [("advance", pytest.approx(1.505))]

    def later() -> None:
        rig.late_s += 2 * LATE_S

    rig.on_drain = later
    rig.drains.clear()
    pane.deadline_s = rig.clock() + 1
    rig.pump.put(OutputCame(ONE, b"x", rig.clock()))
    await anyio.sleep(10)
    assert len(rig.drains) == 4


@virtual
async def test_values_are_applied_and_recorded_in_the_order_they_came() -> None:
    """A recording of them replays to the same run; deadlines are values, too."""
    rig = Rig()
    pane = rig.add(ONE, 1.0)
    rig.recorded.clear()
    for n in range(5):
        rig.pump.feed(OutputCame(ONE, b"%d" % n, n / 10))
    assert [word for word, _ in pane.told] == ["0", "1", "2", "3", "4"]
    assert rig.settled == []
    rig.pump.settle()
    assert rig.settled == [ONE]
    await anyio.sleep(5)
    assert [type(item).__name__ for item in rig.recorded] == ["OutputCame"] * 5 + ["Advance"]
    assert rig.recorded[-1] == Advance(ONE, 1.0)


@virtual
async def test_a_value_that_a_callback_feeds_is_settled_in_the_same_go() -> None:
    """`settle` is not entered again; who calls it inside has his value taken all the same."""
    rig = Rig()
    one, two = rig.add(ONE), rig.add(TWO)

    def answer_at_once(pane_id: PaneId) -> None:
        if pane_id == ONE:
            rig.pump.put(OutputCame(TWO, b"from the look", 0.0))
            rig.pump.put(OutputCame(ONE, b"again", 0.0))

    rig.on_look = answer_at_once
    rig.pump.put(LookWanted(ONE, 0.0))
    assert [word for word, _ in two.told] == ["from the look"]
    assert [word for word, _ in one.told] == ["again"]
    assert sorted(rig.settled) == [ONE, ONE, TWO]


@virtual
async def test_values_for_a_pane_that_is_not_watched_are_dropped() -> None:
    """They may still be under way when it is forgotten; its deadline goes with it."""
    rig = Rig()
    pane = rig.add(ONE, 1.0)
    rig.recorded.clear()
    rig.pump.forget(ONE)
    assert rig.pump.put(OutputCame(ONE, b"x", 0.0))
    await anyio.sleep(5)
    assert pane.told == []
    assert rig.recorded == []
    assert rig.pump.wakeups <= 1


@virtual
async def test_a_failure_in_a_timer_is_told_and_the_pump_goes_on() -> None:
    """The loop alone would log it and nobody would know."""
    rig = Rig()
    rig.add(ONE, 1.0)
    pane = rig.add(TWO, 2.0)

    def fail() -> None:
        rig.on_drain = lambda: None
        raise RuntimeError("bad chunk")

    rig.on_drain = fail
    await anyio.sleep(1.5)
    assert [str(error) for error in rig.failures] == ["bad chunk"]
    rig.pump.put(OutputCame(TWO, b"x", 1.5))
    await anyio.sleep(5)
    assert pane.told[-1] == ("advance", 2.0)


@virtual
async def test_a_closed_pump_wakes_no_more() -> None:
    """Also when something still feeds it."""
    rig = Rig()
    pane = rig.add(ONE, 1.0)
    rig.pump.close()
    rig.pump.put(OutputCame(ONE, b"x", 0.0))
    await anyio.sleep(5)
    assert rig.pump.wakeups == 0
    assert pane.told == [("x", 0.0)]


@virtual
async def test_the_deadline_of_a_real_write_is_kept_to_the_instant() -> None:
    """A message to a pane that says nothing runs out when its caller said."""
    rig = Rig()
    rig.pump.on_settled = lambda _tracker: None
    finished: list[tuple[str, float]] = []
    rig.pump.on_event = lambda event: finished.append((type(event).__name__, rig.clock()))
    rig.pump.open(
        Opened(
            pane_id=ONE, pane_pid=1, profile="generic", traits=TrackerTraits(name="t"), at_s=0.0
        ),
        load("generic"),
    )
    request = WriteRequest(
        write_id="w", pane_id=ONE, intent=Intent.MESSAGE, asked_s=0.0, deadline_s=7.25, text="hi"
    )
    rig.pump.put(Written(ONE, request, 0.0))
    await anyio.sleep(7.2)
    assert "WriteFinished" not in [name for name, _ in finished]
    await anyio.sleep(5)
    assert ("WriteFinished", 7.25) in finished
    rig.pump.close()


@virtual
async def test_an_alarm_rings_once_at_its_time_and_may_set_itself_again():
    rig = Rig()
    loop = asyncio.get_running_loop()
    rang: list[tuple[str, float]] = []

    def ring() -> None:
        rang.append(("a", loop.time()))
        if len(rang) == 1:
            rig.pump.set_alarm("alarm a", loop.time() + 10, ring)

    rig.pump.set_alarm("alarm a", 2_000.0, ring)
    rig.pump.set_alarm("alarm a", 900.0, ring)
    rig.pump.set_alarm("alarm b", 5_500.0, lambda: rang.append(("b", loop.time())))
    rig.pump.set_alarm("alarm b", None, ring)
    await anyio.sleep(5_000)
    assert rang == [("a", 900.0), ("a", 910.0)]
    assert rig.pump.wakeups == 2
    rig.pump.close()
    rig.pump.set_alarm("alarm a", loop.time() + 1, ring)
    await anyio.sleep(5)
    assert len(rang) == 2

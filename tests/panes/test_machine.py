"""One pane's machine, in time that is an argument."""

import itertools

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panegate.ids import PaneId
from panegate.panes.beliefs import Belief, BeliefKind
from panegate.panes.facts import PromptReading
from panegate.panes.machine import (
    RELOOK_ALONE_S,
    RELOOK_FIRST_S,
    LookCause,
    MachineTiming,
    PaneMachine,
)
from panegate.terms import Grade, PromptKind, State

TIMING = MachineTiming(look_s=0.02, settle_s=1.5, silence_s=30.0)


def machine() -> PaneMachine:
    return PaneMachine(pane_id=PaneId("%1"), timing=TIMING, started_s=0.0)


def belief(
    kind: BeliefKind,
    *,
    proof: bool = True,
    body: str = "",
    grade: Grade = Grade.KERNEL,
    question: str = "",
) -> Belief:
    prompt = None
    if kind is BeliefKind.PROMPTING:
        prompt = PromptReading(kind=PromptKind.TEXT, question=question, fingerprint=question)
    return Belief(
        kind=kind, grade=grade, words=kind.value, rule="t", proof=proof, body=body, prompt=prompt
    )


READY = belief(BeliefKind.READY)
NONE = belief(BeliefKind.NONE, proof=False)


def run_to_look(m: PaneMachine) -> tuple[LookCause, float]:
    """Advance along its own deadlines until it wants a look; return cause and time."""
    for _ in range(200):
        assert m.deadline_s is not None
        now_s = m.deadline_s
        m.advance(now_s=now_s)
        cause = m.take_look()
        if cause is not None:
            return cause, now_s
    raise AssertionError("no look was ever wanted")


def ready_machine() -> PaneMachine:
    m = machine()
    _, at_s = run_to_look(m)
    assert m.looked(READY, asked_at_s=at_s, now_s=at_s + 0.001)
    m.take_changes()
    return m


def test_first_look_follows_the_start_by_the_look_window():
    cause, at_s = run_to_look(machine())
    assert (cause, at_s) == (LookCause.OUTPUT_STOPPED, 0.02)


def test_output_pushes_the_look_and_never_asks_for_one_itself():
    m = machine()
    for n in range(50):
        m.output(now_s=0.015 * n)
        assert m.take_look() is None
    _, at_s = run_to_look(m)
    assert at_s == pytest.approx(0.015 * 49 + 0.02)


def test_a_proof_settles_at_once():
    m = ready_machine()
    assert (m.state, m.confirmed) == (State.READY, True)


def test_without_proof_the_settle_window_must_pass_first():
    m = machine()
    m.output(now_s=1.0)
    _, at_s = run_to_look(m)
    m.looked(belief(BeliefKind.READY, proof=False), asked_at_s=at_s, now_s=at_s)
    assert m.state is State.BOOTING
    cause, at_s = run_to_look(m)
    assert (cause, at_s) == (LookCause.SETTLE, 2.5)
    m.looked(belief(BeliefKind.READY, proof=False), asked_at_s=at_s, now_s=at_s)
    assert m.state is State.READY


def test_a_look_that_output_overtook_does_not_count():
    m = machine()
    _, at_s = run_to_look(m)
    m.output(now_s=at_s + 0.001)
    assert m.looked(READY, asked_at_s=at_s, now_s=at_s + 0.002) is False
    assert m.state is State.BOOTING
    assert run_to_look(m)[1] >= at_s + 0.02


def test_ready_costs_no_wake_up():
    assert ready_machine().deadline_s is None


def test_output_in_ready_puts_it_in_doubt_and_the_same_screen_confirms_it():
    m = ready_machine()
    m.output(now_s=5.0)
    assert (m.state, m.confirmed) == (State.READY, False)
    _, at_s = run_to_look(m)
    m.looked(belief(BeliefKind.READY, proof=False), asked_at_s=at_s, now_s=at_s)
    assert (m.state, m.confirmed) == (State.READY, True)
    assert all(c.old is c.new for c in m.take_changes())


def test_a_changed_screen_without_proof_is_busy_until_it_settles():
    m = ready_machine()
    m.output(now_s=5.0)
    _, at_s = run_to_look(m)
    m.looked(belief(BeliefKind.READY, proof=False, body="x"), asked_at_s=at_s, now_s=at_s)
    assert m.state is State.BUSY


def test_a_dialog_over_a_ready_screen_holds_before_it_settles():
    m = ready_machine()
    m.output(now_s=5.0)
    _, at_s = run_to_look(m)
    asks = belief(BeliefKind.PROMPTING, proof=False, question="sure?")
    m.looked(asks, asked_at_s=at_s, now_s=at_s)
    assert not (m.state is State.READY and m.confirmed)
    cause, at_s = run_to_look(m)
    assert cause is LookCause.SETTLE
    m.looked(asks, asked_at_s=at_s, now_s=at_s)
    assert (m.state, m.confirmed) == (State.PROMPTING, True)


def test_quiet_without_evidence_becomes_silent_never_ready():
    m = machine()
    seen: set[State] = set()
    while m.deadline_s is not None and m.deadline_s <= 40.0:
        now_s = m.deadline_s
        m.advance(now_s=now_s)
        if m.take_look() is not None:
            m.looked(NONE, asked_at_s=now_s, now_s=now_s)
        seen.add(m.state)
    assert seen == {State.BOOTING, State.SILENT}
    silent = next(c for c in m.take_changes() if c.new is State.SILENT)
    assert silent.at_s == 30.0


def test_a_late_wake_up_stamps_silence_with_its_own_instant():
    m = machine()
    _, at_s = run_to_look(m)
    m.looked(NONE, asked_at_s=at_s, now_s=at_s)
    m.advance(now_s=100.0)
    change = next(c for c in m.take_changes() if c.new is State.SILENT)
    assert change.at_s == 30.0


def relooks(m: PaneMachine, until_s: float) -> list[float]:
    times: list[float] = []
    while m.deadline_s is not None and m.deadline_s < until_s:
        now_s = m.deadline_s
        m.advance(now_s=now_s)
        if m.take_look() is not None:
            times.append(now_s)
            m.looked(NONE, asked_at_s=now_s, now_s=now_s)
    return times


def test_relooks_double_and_stay_at_one_a_second_while_a_caller_waits():
    m = machine()
    m.watch(+1, now_s=0.0)
    times = relooks(m, 29.0)
    gaps = [b - a for a, b in itertools.pairwise(times)]
    assert gaps[:3] == pytest.approx([0.25, 0.5, 1.0])
    assert max(gaps) == pytest.approx(1.0)


def test_relooks_get_rare_when_nobody_waits():
    times = relooks(machine(), 200.0)
    gaps = [b - a for a, b in itertools.pairwise(times)]
    assert max(gaps) == pytest.approx(RELOOK_ALONE_S)
    assert len(times) < 20


def test_a_standing_busy_mark_needs_no_looks():
    m = machine()
    _, at_s = run_to_look(m)
    m.looked(belief(BeliefKind.BUSY, grade=Grade.MARK), asked_at_s=at_s, now_s=at_s)
    assert m.state is State.BUSY
    assert m.deadline_s == pytest.approx(30.0 + at_s, abs=0.1)


def test_constant_output_is_looked_at_on_the_noisy_schedule():
    m = machine()
    looks: list[float] = []
    for n in range(500):
        now_s = n * 0.01
        m.output(now_s=now_s)
        m.advance(now_s=now_s)
        if m.take_look() is not None:
            looks.append(now_s)
            m.output(now_s=now_s + 0.001)
            m.looked(NONE, asked_at_s=now_s, now_s=now_s + 0.002)
    assert 2 <= len(looks) <= 6


def test_exit_is_terminal_and_wants_nothing():
    m = ready_machine()
    m.gone(now_s=9.0, words="gone")
    m.output(now_s=10.0)
    m.want_look(now_s=10.0)
    m.advance(now_s=99.0)
    assert (m.state, m.deadline_s, m.take_look()) == (State.EXITED, None, None)


def test_a_submitted_write_makes_it_busy():
    m = ready_machine()
    m.submitted(now_s=3.0)
    assert m.state is State.BUSY


_step = st.tuples(
    st.sampled_from(["output", "mark", "look", "advance", "submit", "void", "watch"]),
    st.floats(0.0, 40.0),
    st.sampled_from(list(BeliefKind)[:4]),
    st.booleans(),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_step, max_size=60))
def test_any_history_keeps_the_invariants(steps: list[tuple[str, float, BeliefKind, bool]]):
    m, now_s = machine(), 0.0
    asked_s: float | None = None
    for kind, gap_s, said, proof in steps:
        now_s += gap_s
        match kind:
            case "output":
                m.output(now_s=now_s)
            case "mark":
                m.mark(now_s=now_s)
            case "submit":
                m.submitted(now_s=now_s)
            case "void":
                m.void(now_s=now_s)
            case "watch":
                m.watch(+1, now_s=now_s)
            case "advance":
                m.advance(now_s=now_s)
            case _ if asked_s is not None:
                counted = m.looked(
                    attrs.evolve(belief(said, proof=proof)), asked_at_s=asked_s, now_s=now_s
                )
                assert counted is (m.last_output_s <= asked_s)
                asked_s = None
        if m.take_look() is not None:
            asked_s = now_s
        if m.state is State.READY and m.confirmed:
            assert m.belief is not None
            assert m.belief.kind is BeliefKind.READY
        if m.state in (State.READY, State.PROMPTING) and not m.confirmed and asked_s is None:
            assert m.deadline_s is not None, "a doubt without a look to resolve it"
        for change in m.take_changes():
            assert change.at_s <= now_s


def repaints(m: PaneMachine, pictures: list[str], *, from_s: float, every_s: float) -> list[float]:
    """Paint one picture after the other; answer every look with what stands; return their times."""
    looks: list[float] = []
    for n, picture in enumerate(pictures):
        at_s = from_s + n * every_s
        m.output(now_s=at_s)
        shown = attrs.evolve(belief(BeliefKind.READY, proof=False), still=picture)
        while m.deadline_s is not None and m.deadline_s < at_s + every_s:
            now_s = m.deadline_s
            m.advance(now_s=now_s)
            if m.take_look() is not None:
                looks.append(now_s)
                m.looked(shown, asked_at_s=now_s, now_s=now_s)
    return looks


def test_a_screen_that_is_painted_over_with_itself_settles():
    m = machine()
    repaints(m, ["same"] * 3, from_s=1.0, every_s=0.5)
    assert m.state is State.BOOTING
    repaints(m, ["same"] * 2, from_s=2.5, every_s=0.5)
    assert m.state is State.READY


def test_a_screen_that_changes_with_each_paint_does_not_settle():
    m = machine()
    repaints(m, [str(n % 2) for n in range(40)], from_s=1.0, every_s=0.5)
    assert m.state is State.BOOTING


def test_a_digest_that_is_not_known_never_counts_as_standing_still():
    m = machine()
    repaints(m, [""] * 40, from_s=1.0, every_s=0.5)
    assert m.state is State.BOOTING


def test_a_picture_that_no_look_saw_starts_the_window_again():
    m = machine()
    repaints(m, ["same"] * 3, from_s=1.0, every_s=0.5)
    m.output(now_s=2.5)  # it stands for a moment, and the look at it never comes back
    m.advance(now_s=2.52)
    assert m.take_look() is not None
    m.output(now_s=2.6)
    m.look_lost(now_s=2.6)
    repaints(m, ["same"] * 3, from_s=2.7, every_s=0.5)
    assert m.state is State.BOOTING
    repaints(m, ["same"], from_s=4.2, every_s=0.5)
    assert m.state is State.READY


def test_a_stream_without_pauses_is_looked_at_twice_in_a_settle_window_at_most():
    """A second look, at the next output, says whether what was seen moves or stands."""
    m = machine()
    looks = repaints(m, [str(n) for n in range(200)], from_s=1.0, every_s=0.1)
    assert len(looks) <= 7 + 2 * 20 / TIMING.settle_s


def test_a_clock_that_ticks_fast_after_much_work_settles_all_the_same():
    """Looks that were spaced wide while it worked would miss pictures in between."""
    m = machine()
    repaints(m, [str(n) for n in range(100)], from_s=1.0, every_s=0.1)
    assert m.state is State.BOOTING
    repaints(m, ["same"] * 35, from_s=11.0, every_s=0.1)
    assert m.state is State.READY


@pytest.mark.parametrize("kind", [BeliefKind.READY, BeliefKind.NONE])
def test_what_is_drawn_for_a_new_size_is_no_work_for_one_settle_window(kind: BeliefKind):
    m = ready_machine()
    m.resized(now_s=5.0)
    assert (m.state, m.confirmed) == (State.READY, False)
    _, at_s = run_to_look(m)
    redrawn = belief(kind, proof=False, body="another width")
    m.looked(redrawn, asked_at_s=at_s, now_s=at_s)
    assert (m.state, m.confirmed) == (State.READY, False)
    cause, at_s = run_to_look(m)
    assert (cause, at_s) == (LookCause.SETTLE, 6.5)
    m.looked(redrawn, asked_at_s=at_s, now_s=at_s)
    assert m.state is (State.READY if kind is BeliefKind.READY else State.BUSY)


def test_a_screen_that_never_settles_after_a_resize_is_work():
    m = ready_machine()
    m.resized(now_s=5.0)
    for n in range(8):
        m.output(now_s=5.3 + n * 0.3)
        _, at_s = run_to_look(m)
        m.looked(belief(BeliefKind.READY, proof=False, body=str(n)), asked_at_s=at_s, now_s=at_s)
    assert m.state is State.BUSY


def test_a_moment_away_from_the_terminal_is_doubt_and_what_lasts_is_work():
    away = belief(BeliefKind.NONE, proof=False)
    m = ready_machine()
    m.output(now_s=5.0)
    _, at_s = run_to_look(m)
    m.looked(away, asked_at_s=at_s, now_s=at_s)
    assert (m.state, m.confirmed) == (State.READY, False)
    _, at_s = run_to_look(m)
    m.looked(READY, asked_at_s=at_s, now_s=at_s)
    assert (m.state, m.confirmed) == (State.READY, True)

    m.want_look(now_s=9.0)
    while m.state is State.READY:
        _, at_s = (None, 9.0) if m.take_look() is not None else run_to_look(m)
        m.looked(away, asked_at_s=at_s, now_s=at_s)
        assert not m.confirmed
    assert m.state is State.BUSY
    assert 10.0 <= at_s <= 10.0 + RELOOK_FIRST_S


@pytest.mark.parametrize(
    "working",
    [
        belief(BeliefKind.NONE, proof=False, body="another screen"),
        belief(BeliefKind.NONE, proof=False, grade=Grade.TIMING),
        belief(BeliefKind.BUSY, grade=Grade.SCREEN),
    ],
)
def test_more_than_the_kernels_word_is_work_at_once(working: Belief):
    m = ready_machine()
    m.want_look(now_s=5.0)
    assert m.take_look() is not None
    m.looked(working, asked_at_s=5.0, now_s=5.0)
    assert m.state is State.BUSY

"""One heap of deadlines behaves like a dictionary that is searched for its minimum."""

from hypothesis import given
from hypothesis import strategies as st

from panegate.ids import PaneId
from panegate.panes.registry import DeadlineRegistry

A, B = PaneId("%1"), PaneId("%2")


def test_earliest_of_all():
    registry = DeadlineRegistry()
    assert registry.earliest_s is None
    registry.set(A, 5.0)
    registry.set(B, 3.0)
    assert registry.earliest_s == 3.0
    registry.set(B, None)
    assert registry.earliest_s == 5.0


def test_due_takes_them_once_in_order():
    registry = DeadlineRegistry()
    registry.set(A, 2.0)
    registry.set(B, 1.0)
    assert registry.due(2.0) == [(1.0, B), (2.0, A)]
    assert registry.due(9.0) == []


def test_a_later_deadline_replaces_an_earlier_one():
    registry = DeadlineRegistry()
    registry.set(A, 1.0)
    registry.set(A, 4.0)
    assert registry.due(3.0) == []
    assert registry.earliest_s == 4.0


@given(
    st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), st.floats(0, 100))), max_size=300)
)
def test_same_as_a_dictionary(steps: list[tuple[int, float | None]]):
    registry = DeadlineRegistry()
    model: dict[PaneId, float] = {}
    for n, deadline_s in steps:
        pane = PaneId(f"%{n}")
        registry.set(pane, deadline_s)
        if deadline_s is None:
            model.pop(pane, None)
        else:
            model[pane] = deadline_s
        assert registry.earliest_s == min(model.values(), default=None)
    assert sorted(registry.due(50.0)) == sorted((d, p) for p, d in model.items() if d <= 50.0)

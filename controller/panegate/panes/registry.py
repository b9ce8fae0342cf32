"""The deadlines of all panes in one heap."""

import heapq

import attrs

from panegate.ids import PaneId

__all__ = ["DeadlineRegistry"]


@attrs.define
class DeadlineRegistry:
    """Earliest deadline first; O(log n) to set, O(1) to ask.

    Entries are replaced lazily: an old one that comes up is dropped.
    """

    _heap: list[tuple[float, int, PaneId]] = attrs.field(factory=list, init=False)
    _current: dict[PaneId, tuple[float, int]] = attrs.field(factory=dict, init=False)
    _serial: int = attrs.field(default=0, init=False)

    def set(self, pane_id: PaneId, deadline_s: float | None) -> None:
        """Set or (None) remove a pane's deadline."""
        have = self._current.get(pane_id)
        if deadline_s is None:
            if have is not None:
                del self._current[pane_id]
            return
        if have is not None and have[0] == deadline_s:
            return
        self._serial += 1
        self._current[pane_id] = (deadline_s, self._serial)
        heapq.heappush(self._heap, (deadline_s, self._serial, pane_id))
        if len(self._heap) > 64 and len(self._heap) > 4 * len(self._current):
            self._heap = [(d, n, p) for p, (d, n) in self._current.items()]
            heapq.heapify(self._heap)

    @property
    def earliest_s(self) -> float | None:
        """The earliest deadline of all, None when there is none."""
        self._drop_stale()
        return self._heap[0][0] if self._heap else None

    def due(self, now_s: float) -> list[tuple[float, PaneId]]:
        """Take all deadlines at or before *now_s*, earliest first."""
        out: list[tuple[float, PaneId]] = []
        while self._heap:
            self._drop_stale()
            if not self._heap or self._heap[0][0] > now_s:
                break
            deadline_s, _, pane_id = heapq.heappop(self._heap)
            del self._current[pane_id]
            out.append((deadline_s, pane_id))
        return out

    def _drop_stale(self) -> None:
        heap = self._heap
        while heap:
            deadline_s, serial, pane_id = heap[0]
            if self._current.get(pane_id) == (deadline_s, serial):
                return
            heapq.heappop(heap)

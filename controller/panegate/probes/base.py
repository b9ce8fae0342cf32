"""What every terminal probe offers."""

from __future__ import annotations

from typing import Protocol

from panegate.panes.facts import KernelFact, ProbeLevel

__all__ = ["NoProbe", "Probe"]


class Probe(Protocol):
    """Looks at one pane's terminal and programs."""

    @property
    def level(self) -> ProbeLevel:
        """The most that this probe uses; each fact says what was used for it."""
        ...

    @property
    def blocking(self) -> bool:
        """True when a read takes milliseconds and belongs in a worker thread."""
        ...

    def read(self, now_s: float) -> KernelFact:
        """Return what is known now, stamped *now_s* (monotonic seconds).

        Never raises for a process or terminal that is gone or not ours: what
        cannot be told is unknown. Writes nothing and reads no input.
        """
        ...


class NoProbe:
    """Knows nothing: for other hosts, other systems and ``PANEGATE_PROBE=none``."""

    level = ProbeLevel.NONE
    blocking = False

    def read(self, now_s: float) -> KernelFact:
        """Return a fact in which everything is unknown."""
        return KernelFact(level=ProbeLevel.NONE, at_s=now_s)

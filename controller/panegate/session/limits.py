"""Which limits of a session are reached, each told once, and when to look again."""

import attrs

from panegate.session.outcome_facts import JUMP_S, LimitName
from panegate.session.session_record import Instant, SessionRecord
from panegate.terms import State

__all__ = ["LimitBook", "Reached"]


@attrs.frozen(kw_only=True)
class Reached:
    """A limit that is reached."""

    name: LimitName
    limit_s: float
    elapsed_s: float
    words: str
    """Which limit, its value, the time it took, and a jump of the clock if there was one."""


@attrs.define
class LimitBook:
    """What has been told about the limits of one session."""

    told: set[LimitName] = attrs.field(factory=set)
    silence_from_s: float | None = None
    """Last output before the silence that was told; more output makes it a new silence."""

    def reached(self, record: SessionRecord, now: Instant) -> list[Reached]:
        """Return the limits that are reached and were not told before.

        A limit in time is told once. That of silence is told once for each silence.
        """
        clocks, limits = now.since(record.started), record.limits
        elapsed = (
            (LimitName.WALL, limits.wall_s, clocks.wall_s),
            (LimitName.MONO, limits.mono_s, clocks.mono_s),
            (LimitName.SILENCE, limits.silence_s, record.silent_s(now.mono_s)),
        )
        out = []
        for name, limit_s, elapsed_s in elapsed:
            if limit_s is None or elapsed_s < limit_s or self._was_told(name, record):
                continue
            self.told.add(name)
            if name is LimitName.SILENCE:
                self.silence_from_s = record.last_output_s
            words = f"the limit {name.value} = {limit_s:g} is reached after {elapsed_s:.1f} s"
            if clocks.jump_s > JUMP_S:
                words = f"{words}: {clocks.words}"
            out.append(Reached(name=name, limit_s=limit_s, elapsed_s=elapsed_s, words=words))
        return out

    def due_s(self, record: SessionRecord, now: Instant) -> float | None:
        """Return when the next limit may be reached, monotonic seconds; None for never."""
        clocks, limits = now.since(record.started), record.limits
        due = []
        if limits.wall_s is not None and LimitName.WALL not in self.told:
            due.append(now.mono_s + limits.wall_s - clocks.wall_s)
        if limits.mono_s is not None and LimitName.MONO not in self.told:
            due.append(record.started.mono_s + limits.mono_s)
        quiet = record.state in (State.READY, State.PROMPTING)
        if limits.silence_s is not None and not quiet:
            if not self._was_told(LimitName.SILENCE, record):
                due.append(record.last_output_s + limits.silence_s)
        return min(due, default=None)

    def _was_told(self, name: LimitName, record: SessionRecord) -> bool:
        if name is LimitName.SILENCE:
            return self.silence_from_s == record.last_output_s
        return name in self.told

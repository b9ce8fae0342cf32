"""When to nudge: a quiet program that reads is nudged, one that does not is reported.

Silence is counted from the last growth: a changed screen without what moves by itself, or
a record that went on; never bytes, and never the echo of a nudge.
"""

import enum
from collections.abc import Iterable, Mapping
from typing import Any, Final

import attrs

from panegate.terms import EscalationCause, Fate, Reason, State

__all__ = [
    "BY_REASON",
    "LOOK_BOUND_S",
    "RETRY_S",
    "UNCONFIRMED_S",
    "Move",
    "NudgeCounts",
    "NudgePolicy",
    "Nudger",
    "Sight",
    "Step",
    "counts_from",
    "counts_to",
    "reacted",
]

LOOK_BOUND_S: Final = 5.0
"""A pane of which no look counts for so long is not silent: its output overtakes them."""
RETRY_S: Final = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Pauses after nudges that the gate refused although nothing stood in the way before."""
UNCONFIRMED_S: Final = 30.0
"""A pane whose state is in doubt for so long is unproven."""
_AT_WORK: Final = frozenset({State.BOOTING, State.BUSY, State.SILENT})


def _positive(_policy: object, _field: "attrs.Attribute[Any]", value: float) -> None:
    if not 0 < value < float("inf"):
        msg = f"expected seconds, more than 0, not {value!r}"
        raise ValueError(msg)


def _count(_policy: object, _field: "attrs.Attribute[Any]", value: int) -> None:
    if value < 0:
        msg = f"expected a number of nudges, not {value!r}"
        raise ValueError(msg)


@attrs.frozen(kw_only=True)
class NudgePolicy:
    """What to do about a pane that has gone quiet."""

    text: str = ""
    """What is sent. "" sends nothing by itself: the policy then only bounds `Pane.nudge`."""
    grace_s: float = attrs.field(default=300.0, validator=_positive)
    """How long a pane that reads, or asks, may be without growth."""
    work_grace_s: float = attrs.field(default=900.0, validator=_positive)
    """The same for one that works or is silent: a long tool call is left alone for so long."""
    per_silence: int = attrs.field(default=1, validator=_count)
    """Nudges at most before something grows."""
    per_session: int = attrs.field(default=10, validator=_count)
    """Nudges at most in the life of the program."""

    def grace_of(self, state: State) -> float:
        """Return the grace of a pane in *state*, seconds."""
        return self.work_grace_s if state in _AT_WORK else self.grace_s


@attrs.frozen(kw_only=True)
class NudgeCounts:
    """What outlives a controller."""

    in_session: int = 0
    in_silence: int = 0
    growth: str = ""
    """What the pane showed when it last grew."""
    since_s: float = 0.0
    """Since when nothing grows, or the last nudge; monotonic seconds."""
    called: bool = False
    """Somebody was called about this silence."""
    unsure: bool = False
    """A nudge of this silence may be in the program, and nobody can tell: it was the last."""


@attrs.frozen(kw_only=True)
class Sight:
    """What is known about a pane now."""

    state: State
    reason: Reason
    """What the gate would say to a nudge; `Reason.NONE`: nothing stands in the way."""
    growth: str = ""
    """Digest of what counts as growth; "" before the first look."""
    looked_s: float = float("-inf")
    """When the last look that counted was asked for."""


class Step(enum.Enum):
    """What to do now; the zero value does nothing."""

    WAIT = "wait"
    LOOK = "look"
    NUDGE = "nudge"
    ESCALATE = "escalate"
    LEAVE = "leave"
    """A nudge is due, and a person is at the pane: it stays due until that changes."""


@attrs.frozen(kw_only=True)
class Move:
    """What to do now, why, and when to ask again."""

    step: Step = Step.WAIT
    reason: Reason = Reason.NUDGE_NOT_DUE
    cause: EscalationCause = EscalationCause.UNPROVEN
    until_s: float | None = None
    """Ask again then, monotonic seconds; None: when the pane is seen again."""
    words: str = ""


BY_REASON: Final[Mapping[Reason, Step]] = {
    Reason.NONE: Step.NUDGE,
    Reason.BOOTING: Step.ESCALATE,
    Reason.BUSY: Step.ESCALATE,
    Reason.SILENT: Step.ESCALATE,
    Reason.PROMPTING: Step.ESCALATE,
    Reason.UNPROVEN: Step.ESCALATE,
    Reason.STOPPED: Step.ESCALATE,
    Reason.LEFT_BEHIND: Step.ESCALATE,
    Reason.SHELL_LEFT_BEHIND: Step.ESCALATE,
    Reason.OTHER_PROCESS: Step.ESCALATE,
    Reason.UNCONFIRMED: Step.WAIT,
    Reason.QUEUED: Step.WAIT,
    Reason.SERVER_UNREACHABLE: Step.WAIT,
    Reason.EXITED: Step.WAIT,
    Reason.DEAD_PANE: Step.WAIT,
    Reason.GONE_PANE: Step.WAIT,
    Reason.SERVER_DIED: Step.WAIT,
    Reason.OWN_PANE: Step.WAIT,
    Reason.DRAFT: Step.LEAVE,
    Reason.HELD: Step.LEAVE,
    Reason.COPY_MODE: Step.LEAVE,
    Reason.INPUT_OFF: Step.LEAVE,
    Reason.SYNCHRONIZED: Step.LEAVE,
}
"""What becomes of a nudge that is due, by what the gate says; what is missing escalates."""


@attrs.define(kw_only=True)
class Nudger:
    """Applies a policy to one pane."""

    policy: NudgePolicy
    counts: NudgeCounts
    in_hand: bool = attrs.field(default=False, init=False)
    """A nudge is being written: what its echo changes is no growth."""
    _before: NudgeCounts | None = attrs.field(default=None, init=False)
    _looking_s: float | None = attrs.field(default=None, init=False)
    _retries: int = attrs.field(default=0, init=False)
    _retry_s: float = attrs.field(default=float("-inf"), init=False)
    _said: set[Reason] = attrs.field(factory=set, init=False)

    def saw(self, sight: Sight, *, now_s: float) -> bool:
        """Take what a look showed; return whether the pane grew."""
        known = self.counts.growth
        if not sight.growth or sight.growth == known:
            return False
        if self.in_hand:
            self.counts = attrs.evolve(self.counts, growth=sight.growth)
            return False
        self._grew(now_s, sight.growth)
        return bool(known)

    def step(self, sight: Sight, *, now_s: float) -> Move:
        """Say what to do now."""
        if sight.state is State.EXITED or self.in_hand:
            return Move(words="there is nothing to nudge, or a nudge is under way")
        due_s = self.counts.since_s + self.policy.grace_of(sight.state)
        if now_s < due_s:
            left = f"a nudge is due in {due_s - now_s:.0f} s, if nothing grows"
            return Move(until_s=due_s, words=left)
        step = BY_REASON.get(sight.reason, Step.ESCALATE)
        if step is Step.WAIT and sight.reason is not Reason.UNCONFIRMED:
            return Move(reason=sight.reason, words="it is due, and waits")
        if sight.looked_s < due_s:
            return self._look(now_s)
        self._looking_s = None
        if step is Step.WAIT:
            if now_s < due_s + UNCONFIRMED_S:
                until_s = due_s + UNCONFIRMED_S
                return Move(reason=sight.reason, until_s=until_s, words="its screen moves")
            step = Step.ESCALATE
        if step is Step.NUDGE:
            return self._nudge(now_s)
        if step is Step.LEAVE:
            return Move(step=step, reason=sight.reason, words="somebody is at the pane")
        cause = EscalationCause.UNPROVEN
        if sight.reason is Reason.PROMPTING:
            cause = EscalationCause.PROMPT
        return self._escalate(sight.reason, cause, "nothing proves that it would take a nudge")

    def first_time(self, reason: Reason) -> bool:
        """Tell whether this reason is new in this silence; each is said once."""
        if reason in self._said:
            return False
        self._said.add(reason)
        return True

    def began(self, *, now_s: float) -> None:
        """A nudge is about to be written; it counts from here, whatever becomes of it."""
        self.in_hand = True
        counts = self._before = self.counts
        self.counts = attrs.evolve(
            counts,
            in_session=counts.in_session + 1,
            in_silence=counts.in_silence + 1,
            since_s=now_s,
        )

    def finished(self, fate: Fate, *, reacted: bool, growth: str, now_s: float) -> None:
        """The nudge has its fate.

        Args:
            fate: Refused and withdrawn ones are given back, and the silence goes on. One of
                which nobody knows is the last of its silence.
            reacted: The program showed more than the nudge itself.
            growth: What the pane shows now.
            now_s: Monotonic seconds.

        """
        self.in_hand = False
        if fate in (Fate.REFUSED, Fate.WITHDRAWN):
            self.counts = self._before or self.counts
            self._retry_s = now_s + RETRY_S[min(self._retries, len(RETRY_S) - 1)]
            self._retries += 1
            return
        counts = attrs.evolve(self.counts, growth=growth or self.counts.growth, since_s=now_s)
        self.counts = attrs.evolve(counts, unsure=fate is Fate.UNKNOWN)
        self._new_wait()
        if reacted and fate is Fate.LANDED:
            self._grew(now_s, counts.growth)

    def called(self) -> None:
        """Somebody was called about this silence; once is enough."""
        self.counts = attrs.evolve(self.counts, called=True)

    def _look(self, now_s: float) -> Move:
        if self._looking_s is None:
            self._looking_s = now_s
        elif now_s >= self._looking_s + LOOK_BOUND_S:
            self._grew(now_s, self.counts.growth)
            until_s = now_s + self.policy.grace_s
            return Move(until_s=until_s, words="its output overtakes looks: it is not silent")
        until_s = self._looking_s + LOOK_BOUND_S
        return Move(step=Step.LOOK, until_s=until_s, words="it is due; a look comes first")

    def _nudge(self, now_s: float) -> Move:
        policy, counts = self.policy, self.counts
        if counts.in_session >= policy.per_session:
            words = f"all {policy.per_session} nudges of this session are used up"
            return self._escalate(Reason.NUDGE_NOT_DUE, EscalationCause.NUDGES_SPENT, words)
        if counts.unsure:
            words = "whether the last nudge landed is not known"
            return self._escalate(Reason.NUDGE_NOT_DUE, EscalationCause.UNPROVEN, words)
        if counts.in_silence >= policy.per_silence:
            words = f"{counts.in_silence} nudges in this silence changed nothing"
            return self._escalate(Reason.NUDGE_NOT_DUE, EscalationCause.NUDGES_SPENT, words)
        if now_s < self._retry_s:
            return Move(until_s=self._retry_s, words="the gate has just refused one")
        return Move(step=Step.NUDGE, reason=Reason.NONE, words="a nudge is due")

    def _escalate(self, reason: Reason, cause: EscalationCause, words: str) -> Move:
        if self.counts.called:
            return Move(reason=reason, words=f"{words}; somebody was called")
        return Move(step=Step.ESCALATE, reason=reason, cause=cause, words=words)

    def _grew(self, now_s: float, growth: str) -> None:
        self.counts = NudgeCounts(in_session=self.counts.in_session, growth=growth, since_s=now_s)
        self._new_wait()

    def _new_wait(self) -> None:
        self._looking_s, self._retries, self._retry_s = None, 0, float("-inf")
        self._said.clear()


def reacted(before: Iterable[str], after: Iterable[str], text: str) -> bool:
    """Tell whether a screen shows more than it did, the nudge's own text aside."""
    known = {row.strip() for row in before}
    ours = "".join(text.split())
    for row in after:
        bare = "".join(row.split())
        if row.strip() in known or not any(map(str.isalnum, bare)):
            continue
        if ours not in bare and bare.lstrip(">❯›$#%│┃ ") not in ours:
            return True
    return False


def counts_to(counts: NudgeCounts, *, wall_offset_s: float) -> dict[str, Any]:
    """Return counts as what JSON can hold; *wall_offset_s*: wall minus monotonic seconds."""
    return {
        "in_session": counts.in_session,
        "in_silence": counts.in_silence,
        "growth": counts.growth,
        "since_at": round(counts.since_s + wall_offset_s, 3),
        "called": counts.called,
        "unsure": counts.unsure,
    }


def counts_from(value: Mapping[str, Any], *, now_s: float, wall_offset_s: float) -> NudgeCounts:
    """Return what `counts_to` wrote.

    Raises:
        ValueError: It cannot be read.

    """
    try:
        return NudgeCounts(
            in_session=int(value["in_session"]),
            in_silence=int(value["in_silence"]),
            growth=str(value["growth"]),
            since_s=min(now_s, float(value["since_at"]) - wall_offset_s),
            called=bool(value["called"]),
            unsure=bool(value["unsure"]),
        )
    except (LookupError, TypeError) as error:
        msg = f"counts that cannot be read: {error!r}"
        raise ValueError(msg) from error

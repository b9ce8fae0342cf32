"""What somebody says about a pane, judged against the program's own record.

A status is a hypothesis: a hook, a registry or a mark said it at some time, and its cause
may be over. The record and the child processes of the pane decide whether it still counts.
Times are wall seconds.
"""

import enum
from collections.abc import Iterable
from typing import Final

import attrs

from panegate.panes.facts import Mark, MarkKind
from panegate.session.transcript import Call, CallKind, Record
from panegate.terms import Grade

__all__ = [
    "SLACK_S",
    "Child",
    "Claim",
    "ClaimBook",
    "ClaimKind",
    "Judgement",
    "Standing",
    "claim_of_mark",
    "claim_of_words",
    "judge",
    "running_call",
]

SLACK_S: Final = 10.0
"""A call made up to this long after a claim still is what the claim was about."""
_CHILD_SLACK_S: Final = 2.0
_REPORTER_S: Final = (2.0, 0.5)
"""A hook's process was started up to so long before its report, or so long after it."""
_KEPT: Final = 8
_HOOK: Final = "panegate-hook"


class ClaimKind(enum.Enum):
    """What is said about a program."""

    WAITING = "waiting"
    """It waits for a person."""
    WORKING = "working"
    IDLE = "idle"
    """Its turn is over."""


@attrs.frozen(kw_only=True)
class Claim:
    """One hypothesis, with its time and who says it."""

    kind: ClaimKind
    at_s: float
    source: str
    words: str = ""
    by_process: bool = False
    """A process of the program has reported it, and may still have run at that time."""


@attrs.frozen(kw_only=True)
class Child:
    """A process that descends from a pane's own."""

    pid: int
    ppid: int
    command: str
    started_s: float
    """Wall seconds, good to about two seconds."""


class Standing(enum.Enum):
    """What is left of the claims; the zero value says nothing."""

    UNKNOWN = "unknown"
    WAITING = "waiting"
    WORKING = "working"
    IDLE = "idle"


@attrs.frozen(kw_only=True)
class Judgement:
    """What claims and record add up to."""

    standing: Standing = Standing.UNKNOWN
    words: str = "nobody claims anything"
    grade: Grade = Grade.CLAIM
    """`Grade.TRANSCRIPT` where the record names what is waited on, or what goes on."""
    claim: Claim | None = None
    call: Call | None = None
    """What it waits on, or what runs."""
    last_words: str = ""
    """What it waits on where no call is open."""
    stale: bool = False
    """A claim was made, and its cause is over."""


def judge(
    claims: Iterable[Claim],
    record: Record | None,
    children: Iterable[Child] = (),
    *,
    moved_at_s: float | None = None,
) -> Judgement:
    """Say what is left of *claims*.

    Args:
        claims: In any order; the newest decides, but work elsewhere does not end a wait
            whose call is still open.
        record: The program's own record, None where there is none.
        children: Processes of the pane now.
        moved_at_s: When the program was last seen to go on (its screen changed).

    """
    known = sorted(claims, key=lambda claim: claim.at_s)
    running = None
    if record is not None:
        running = running_call(record.pending, _without_reporters(children, known))
    if not known:
        return _record_alone(record, running)
    newest = known[-1]
    if newest.kind is ClaimKind.WORKING:
        waits = [claim for claim in known if claim.kind is ClaimKind.WAITING]
        if waits:
            older = _waiting(waits[-1], record, running, moved_at_s)
            if older.standing is Standing.WAITING and older.call is not None:
                return older
    return _JUDGES[newest.kind](newest, record, running, moved_at_s)


def running_call(pending: Iterable[Call], children: Iterable[Child]) -> Call | None:
    """Return the open call that runs as a process of the pane, if one does.

    A process counts that was started no earlier than the call. Servers and daemons are
    older, and a hook that reports about the pane is no tool.
    """
    kids = _without_hooks(children)
    for call in pending:
        if call.kind is not CallKind.TOOL or call.at_s is None:
            continue
        made_s = call.at_s - _CHILD_SLACK_S
        if any(child.started_s >= made_s for child in kids):
            return call
    return None


def _without_reporters(children: Iterable[Child], claims: Iterable[Claim]) -> list[Child]:
    """Leave out what was started around a report: the hooks of a program run side by side."""
    reports = [claim.at_s for claim in claims if claim.by_process]
    before_s, after_s = _REPORTER_S
    return [
        child
        for child in children
        if not any(at_s - before_s <= child.started_s <= at_s + after_s for at_s in reports)
    ]


def _without_hooks(children: Iterable[Child]) -> list[Child]:
    kids = {child.pid: child for child in children}
    hooks: set[int] = set()
    for child in kids.values():
        if child.command.startswith(_HOOK):
            at: Child | None = child
            while at is not None and at.pid not in hooks:
                hooks.add(at.pid)
                # only the shells around it: what the program's own process is has other children
                parent = kids.get(at.ppid)
                alone = parent and sum(k.ppid == parent.pid for k in kids.values()) == 1
                at = parent if alone else None
    return [child for child in kids.values() if child.pid not in hooks]


def _record_alone(record: Record | None, running: Call | None) -> Judgement:
    if record is None:
        return Judgement()
    if running is not None:
        return _running(None, running)
    asking = [call for call in record.pending if call.kind is not CallKind.TOOL]
    if asking:
        return _waits_on(None, asking[-1])
    if record.turn_ended and not record.pending:
        return Judgement(
            standing=Standing.IDLE,
            words="the record says that the turn ended",
            grade=Grade.TRANSCRIPT,
            last_words=record.last_words,
        )
    return Judgement(words="the record alone does not tell", grade=Grade.TRANSCRIPT)


def _waiting(
    claim: Claim, record: Record | None, running: Call | None, moved_at_s: float | None
) -> Judgement:
    limit_s = claim.at_s + SLACK_S
    if record is None:
        if moved_at_s is not None and moved_at_s > limit_s:
            words = "the program went on since it was claimed to wait"
            return Judgement(words=words, claim=claim, stale=True)
        return _on_last_words(claim, "")
    if running is not None:
        return _running(claim, running)
    open_calls = [c for c in record.pending if c.at_s is None or c.at_s <= limit_s]
    if open_calls:
        asking = [call for call in open_calls if call.kind is not CallKind.TOOL]
        return _waits_on(claim, (asking or open_calls)[-1])
    later_asks = [call for call in record.pending if call.kind is not CallKind.TOOL]
    if later_asks:
        return _waits_on(claim, later_asks[-1])
    answered = record.answered_at_s is not None and record.answered_at_s > claim.at_s
    moved = record.at_s is not None and record.at_s > limit_s
    if record.pending or answered or moved:
        return _stale(claim, record)
    return _on_last_words(claim, record.last_words)


def _working(
    claim: Claim, record: Record | None, running: Call | None, moved_at_s: float | None
) -> Judgement:
    if record is not None:
        if running is not None:
            return _running(claim, running)
        asking = [call for call in record.pending if call.kind is not CallKind.TOOL]
        if asking:
            return _waits_on(claim, asking[-1])
        ended = record.turn_ended and record.at_s is not None and record.at_s >= claim.at_s
        if ended and not record.pending:
            return _stale(claim, record)
    words = f"{claim.source} says that it works"
    return Judgement(standing=Standing.WORKING, words=words, claim=claim)


def _idle(
    claim: Claim, record: Record | None, running: Call | None, moved_at_s: float | None
) -> Judgement:
    last_words = ""
    if record is not None:
        if running is not None:
            return _running(claim, running)
        last_words = record.last_words
        moved = record.at_s is not None and record.at_s > claim.at_s + SLACK_S
        if moved and not record.turn_ended:
            return _stale(claim, record)
    words = f"{claim.source} says that the turn is over"
    return Judgement(standing=Standing.IDLE, words=words, claim=claim, last_words=last_words)


_JUDGES: Final = {
    ClaimKind.WAITING: _waiting,
    ClaimKind.WORKING: _working,
    ClaimKind.IDLE: _idle,
}


def _running(claim: Claim | None, call: Call) -> Judgement:
    return Judgement(
        standing=Standing.WORKING,
        words=f"{call.name} runs as a process of the pane",
        grade=Grade.TRANSCRIPT,
        claim=claim,
        call=call,
    )


def _waits_on(claim: Claim | None, call: Call) -> Judgement:
    words = f"{call.name} is open without a result"
    if claim is not None:
        words = f"{claim.source} says that it waits, and {words}"
    return Judgement(
        standing=Standing.WAITING, words=words, grade=Grade.TRANSCRIPT, claim=claim, call=call
    )


def _on_last_words(claim: Claim, last_words: str) -> Judgement:
    words = f"{claim.source} says that it waits"
    if last_words:
        words += ", and it has said nothing since its last words"
    return Judgement(
        standing=Standing.WAITING, words=words, claim=claim, last_words=last_words or claim.words
    )


def _stale(claim: Claim, record: Record) -> Judgement:
    """The record moved on since the claim: idle if the turn ended, else working."""
    over = f"what {claim.source} said is over"
    if record.turn_ended and not record.pending:
        standing, words = Standing.IDLE, f"{over}: the turn has ended"
    elif record.turn_ended is None and not record.pending:
        standing, words = Standing.UNKNOWN, f"{over}: the record went on"
    else:
        standing, words = Standing.WORKING, f"{over}: the record went on and the turn is open"
    return Judgement(
        standing=standing,
        words=words,
        grade=Grade.TRANSCRIPT,
        claim=claim,
        call=record.pending[-1] if standing is Standing.WORKING and record.pending else None,
        last_words=record.last_words,
        stale=True,
    )


_STATE_WORDS: Final = {
    "waiting": ClaimKind.WAITING,
    "blocked": ClaimKind.WAITING,
    "needs_input": ClaimKind.WAITING,
    "needs-input": ClaimKind.WAITING,
    "input": ClaimKind.WAITING,
    "prompting": ClaimKind.WAITING,
    "attention": ClaimKind.WAITING,
    "working": ClaimKind.WORKING,
    "busy": ClaimKind.WORKING,
    "running": ClaimKind.WORKING,
    "thinking": ClaimKind.WORKING,
    "idle": ClaimKind.IDLE,
    "done": ClaimKind.IDLE,
    "ready": ClaimKind.IDLE,
    "error": ClaimKind.IDLE,
}


_CONTEXT_STATES: Final = {"type=command": "working"}


def claim_of_words(state: str, *, at_s: float, source: str) -> Claim | None:
    """Read a status in the words that programs use for it; None where they say nothing."""
    kind = _STATE_WORDS.get(state.strip().lower())
    return None if kind is None else Claim(kind=kind, at_s=at_s, source=source, words=state)


def claim_of_mark(mark: Mark, *, wall_offset_s: float = 0.0) -> Claim | None:
    """Read a mark of the stream as a claim; None where it claims nothing.

    Args:
        mark: ``OSC 7501`` and ``OSC 3008`` by their ``state=`` (the latter also by the start
            of a command and the end of anything), ``OSC 9;4`` by its state number,
            ``OSC 777;notify`` by being sent at all: a program calls somebody.
        wall_offset_s: Wall seconds minus monotonic seconds.

    """
    at_s = mark.at_s + wall_offset_s
    if mark.kind is MarkKind.PROGRESS:
        state = mark.text.split(";", 1)[0]
        source = "its progress mark"
        if state == "0":
            return Claim(kind=ClaimKind.IDLE, at_s=at_s, source=source, words=mark.text)
        if state in ("1", "2", "3", "4"):
            kind = ClaimKind.WAITING if state == "4" else ClaimKind.WORKING
            return Claim(kind=kind, at_s=at_s, source=source, words=mark.text)
        return None
    if mark.kind in (MarkKind.AGENT, MarkKind.CONTEXT):
        fields = mark.text.replace(":", ";").split(";")
        states = [f.removeprefix("state=") for f in fields if f.startswith("state=")]
        if not states and mark.kind is MarkKind.CONTEXT:
            states = [_CONTEXT_STATES[f] for f in fields if f in _CONTEXT_STATES]
            states += ["done"] if mark.text.startswith("end=") else []
        if not states:
            return None
        name = "OSC 7501" if mark.kind is MarkKind.AGENT else "OSC 3008"
        claim = claim_of_words(states[0], at_s=at_s, source=name)
        return None if claim is None else attrs.evolve(claim, words=mark.text)
    if mark.kind is MarkKind.NOTIFY:
        words = mark.text.partition(";")[2] or mark.text
        return Claim(kind=ClaimKind.WAITING, at_s=at_s, source="its notification", words=words)
    return None


@attrs.define
class ClaimBook:
    """All that is said and written about one pane."""

    record: Record | None = None
    children: tuple[Child, ...] = ()
    wall_offset_s: float = 0.0
    """Wall seconds minus monotonic seconds, as of the last word from outside."""
    moved_at_s: float | None = None
    """When the screen last changed, monotonic seconds."""
    claims: list[Claim] = attrs.field(factory=list)
    """The newest last, a few of them."""

    def hear(self, claim: Claim) -> bool:
        """Take a claim; False where a newer one of the same source is known."""
        if any(c.source == claim.source and c.at_s > claim.at_s for c in self.claims):
            return False
        self.claims = [c for c in self.claims if (c.source, c.kind) != (claim.source, claim.kind)]
        self.claims.append(claim)
        self.claims.sort(key=lambda each: each.at_s)
        del self.claims[:-_KEPT]
        return True

    def mark(self, mark: Mark) -> bool:
        """Take a mark of the stream; return whether it claims something."""
        claim = claim_of_mark(mark, wall_offset_s=self.wall_offset_s)
        return claim is not None and self.hear(claim)

    def read(
        self, record: Record | None, children: tuple[Child, ...], wall_offset_s: float
    ) -> bool:
        """Take the record and the children as they are now; return whether they are new."""
        new = (record, children) != (self.record, self.children)
        self.record, self.children, self.wall_offset_s = record, children, wall_offset_s
        return new

    def about(self, since_s: float) -> Judgement:
        """Say what a program waits on that is seen to wait.

        Args:
            since_s: When it was first seen, monotonic seconds.

        """
        seen = Claim(kind=ClaimKind.WAITING, at_s=since_s + self.wall_offset_s, source="its screen")
        return judge([seen], self.record, _without_reporters(self.children, self.claims))

    def judgement(self) -> Judgement:
        """Say what is left of all that."""
        moved_s = None if self.moved_at_s is None else self.moved_at_s + self.wall_offset_s
        return judge(self.claims, self.record, self.children, moved_at_s=moved_s)

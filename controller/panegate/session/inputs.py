"""Everything that happens to panes, as values.

A live run feeds its panes through `apply` and nothing else, so a recording of these
values is a recording of the run: fed in again they give the same events.
"""

from typing import TypeAlias

import attrs

from panegate.gate.guard import GuardReply
from panegate.gate.plan import WriteRequest
from panegate.ids import PaneId
from panegate.panes.facts import KernelFact, Look
from panegate.screen.profile import Profile
from panegate.session.claims import Child, Claim
from panegate.session.tracker import PaneTracker
from panegate.session.traits import TrackerTraits
from panegate.session.transcript import Record
from panegate.terms import Reason

__all__ = [
    "Advance",
    "CarrierLost",
    "Claimed",
    "Exited",
    "Gone",
    "Hold",
    "Input",
    "LookLost",
    "LookWanted",
    "Looked",
    "LostOutput",
    "Opened",
    "OutputCame",
    "Prejudged",
    "Reachable",
    "Recorded",
    "Replied",
    "Resized",
    "Watched",
    "Withdrawn",
    "Written",
    "apply",
    "open_tracker",
]


@attrs.frozen(kw_only=True)
class Opened:
    """A pane is watched from now on."""

    pane_id: PaneId
    pane_pid: int
    profile: str
    """Name; the profile itself is given to `open_tracker`."""
    traits: TrackerTraits
    at_s: float


@attrs.frozen
class OutputCame:
    """Output, escaped as tmux sent it."""

    pane_id: PaneId
    payload: bytes
    at_s: float


@attrs.frozen
class LostOutput:
    """Output was dropped (a pause, a change of carrier)."""

    pane_id: PaneId
    at_s: float


@attrs.frozen
class Resized:
    """The pane has another size: the quiet before it proves nothing, its marks stand."""

    pane_id: PaneId
    at_s: float


@attrs.frozen
class Looked:
    """The answer to a look."""

    pane_id: PaneId
    look: Look
    at_s: float


@attrs.frozen
class LookLost:
    """A look that will not be answered."""

    pane_id: PaneId
    at_s: float


@attrs.frozen
class LookWanted:
    """Something that is no output calls for a look: a mode, an exit, a caller."""

    pane_id: PaneId
    at_s: float


@attrs.frozen
class Prejudged:
    """The kernel's word before a look."""

    pane_id: PaneId
    kernel: KernelFact
    at_s: float


@attrs.frozen
class Replied:
    """The server's answer to a guarded action."""

    pane_id: PaneId
    write_id: str
    reply: GuardReply
    at_s: float


@attrs.frozen
class Written:
    """A caller asks for a write."""

    pane_id: PaneId
    request: WriteRequest
    at_s: float


@attrs.frozen
class Withdrawn:
    """A caller takes a write back."""

    pane_id: PaneId
    write_id: str
    reason: Reason
    words: str
    at_s: float


@attrs.frozen
class Exited:
    """The pane's process is gone."""

    pane_id: PaneId
    words: str
    at_s: float


@attrs.frozen
class Gone:
    """tmux no longer has the pane."""

    pane_id: PaneId
    words: str
    at_s: float


@attrs.frozen
class Reachable:
    """The server can (or cannot) be reached."""

    pane_id: PaneId
    yes: bool
    words: str
    at_s: float


@attrs.frozen
class CarrierLost:
    """The pane's carrier client ended."""

    pane_id: PaneId
    words: str
    at_s: float


@attrs.frozen
class Hold:
    """A person takes the pane, or (None) gives it back."""

    pane_id: PaneId
    reason: str | None
    at_s: float


@attrs.frozen
class Watched:
    """A caller begins (+1) or ends (-1) to wait."""

    pane_id: PaneId
    delta: int
    at_s: float


@attrs.frozen
class Claimed:
    """Somebody says what the program does: a hook, a registry, another process."""

    pane_id: PaneId
    claim: Claim
    at_s: float


@attrs.frozen
class Recorded:
    """The program's own record of its session, and its child processes, as read now."""

    pane_id: PaneId
    record: Record | None
    children: tuple[Child, ...]
    wall_offset_s: float
    """Wall seconds minus monotonic seconds."""
    at_s: float


@attrs.frozen
class Advance:
    """A deadline is due."""

    pane_id: PaneId
    at_s: float


Input: TypeAlias = (
    Opened
    | OutputCame
    | LostOutput
    | Resized
    | Looked
    | LookLost
    | LookWanted
    | Prejudged
    | Replied
    | Written
    | Withdrawn
    | Exited
    | Gone
    | Reachable
    | CarrierLost
    | Hold
    | Watched
    | Claimed
    | Recorded
    | Advance
)


def open_tracker(opened: Opened, profile: Profile) -> PaneTracker:
    """Return the tracker of a pane that is watched from now on."""
    return PaneTracker(
        pane_id=opened.pane_id,
        pane_pid=opened.pane_pid,
        profile=profile,
        traits=opened.traits,
        started_s=opened.at_s,
    )


def apply(tracker: PaneTracker, item: Input) -> bool:
    """Feed one value to its pane's tracker.

    Returns:
        What the tracker said: False where a look is still wanted after a `Prejudged`, or
        where a write could not be taken back. True otherwise.

    """
    match item:
        case OutputCame(_, payload, at_s):
            tracker.output(payload, at_s=at_s)
        case Looked(_, look, at_s):
            tracker.looked(look, at_s=at_s)
        case Advance(_, at_s):
            tracker.advance(now_s=at_s)
        case Prejudged(_, kernel, at_s):
            return tracker.prejudge(kernel, at_s=at_s)
        case Replied(_, write_id, reply, at_s):
            tracker.replied(write_id, reply, at_s=at_s)
        case Written(_, request, at_s):
            tracker.write(request, at_s=at_s)
        case Withdrawn(_, write_id, reason, words, at_s):
            return tracker.withdraw(write_id, reason, words, at_s=at_s)
        case LookLost(_, at_s):
            tracker.look_lost(at_s=at_s)
        case LookWanted(_, at_s):
            tracker.want_look(at_s=at_s)
        case LostOutput(_, at_s):
            tracker.lost_output(at_s=at_s)
        case Resized(_, at_s):
            tracker.resized(at_s=at_s)
        case Exited(_, words, at_s):
            tracker.exited(words, at_s=at_s)
        case Gone(_, words, at_s):
            tracker.gone(words, at_s=at_s)
        case Reachable(_, yes, words, at_s):
            tracker.reachable(yes, words, at_s=at_s)
        case CarrierLost(_, words, at_s):
            tracker.connection_lost(words, at_s=at_s)
        case Hold(_, reason, at_s):
            tracker.hold(reason, at_s=at_s)
        case Watched(_, delta, at_s):
            tracker.watch(delta, at_s=at_s)
        case Claimed(_, claim, at_s):
            tracker.claimed(claim, at_s=at_s)
        case Recorded(_, record, children, wall_offset_s, at_s):
            tracker.recorded(record, children, wall_offset_s, at_s)
        case Opened():
            pass
    return True

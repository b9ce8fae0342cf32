"""What to do about a refusal, as the command that does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from panegate.service.reaching import server_option
from panegate.session.ways_out import leaving_keys
from panegate.terms import Reason, State

if TYPE_CHECKING:
    from panegate.service.pane import Pane

__all__ = ["fix_for", "way_out"]

_AT_WORK: Final = (State.BOOTING, State.BUSY, State.SILENT)
_LEAD_OUT: Final = frozenset(
    {
        Reason.PROMPTING,
        Reason.BUSY,
        Reason.SILENT,
        Reason.BOOTING,
        Reason.NOT_WHILE_BUSY,
        Reason.NO_CANCEL,
    }
)


def way_out(pane: Pane) -> str:
    """Return the command that gets a person out of what has a pane, and what it does.

    "" where there is nothing to get out of: it reads messages, or is gone.
    """
    server = server_option(pane.ctl.link.address)
    prompt = pane.prompt
    if prompt is not None:
        if prompt.cancel_key is None:
            return prompt.where
        command = f"panegate answer {server}{pane.name} {prompt.id} --cancel"
        return f"{command} (declines it: presses {prompt.cancel_key})"
    if pane.state not in _AT_WORK:
        return ""
    keys = leaving_keys(pane.state, pane.tracker.look)
    if keys:
        return f"panegate keys {server}{pane.name} {' '.join(keys)} (ends it)"
    return f"panegate interrupt {server}{pane.name} (presses {pane.profile.interrupt})"


def fix_for(pane: Pane, reason: Reason) -> str:
    """Return what to do about a write that was refused or not let through in time."""
    if reason in _LEAD_OUT:
        found = way_out(pane)
        return f"to get out of it: {found}" if found else ""
    server = server_option(pane.ctl.link.address)
    match reason:
        case Reason.HELD:
            return f"panegate release {server}{pane.name}"
        case Reason.LEFT_BEHIND | Reason.DRAFT:
            return f"panegate clear {server}{pane.name} removes it"
        case Reason.SERVER_DIED | Reason.GONE_PANE | Reason.EXITED:
            return f"panegate {server}launch starts it again"
        case _:
            return ""

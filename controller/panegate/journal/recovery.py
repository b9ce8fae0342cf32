"""The fate of a write whose controller ended before it was known."""

import attrs

from panegate.gate.receipt import Receipt
from panegate.gate.stages import Stage
from panegate.journal.base import KeptWrite
from panegate.terms import Fate, Intent, Reason, State

__all__ = ["NOT_SENT_STAGES", "SeenNow", "fate_of", "shows"]

NOT_SENT_STAGES = frozenset({Stage.WAITING, Stage.CHECKING})
"""In these not a byte has left: `typing` is journalled before the first one does."""


@attrs.frozen(kw_only=True)
class SeenNow:
    """What is seen of the pane after the crash."""

    rows: tuple[str, ...] | None = None
    """Its screen; None where it is not the same pane any more, or cannot be read."""
    words: str = ""
    """Why there is no screen."""


def fate_of(kept: KeptWrite, seen: SeenNow | None = None) -> Receipt:
    """Return the receipt: not sent, or unknown with what is seen now. Nothing is sent again.

    Args:
        kept: A write without a receipt.
        seen: The pane now; needed only where something may have been sent.

    """
    who = f"the controller (pid {kept.run.pid})" if kept.run is not None else "the controller"
    if kept.stage in NOT_SENT_STAGES:
        words = f"Not sent: {who} ended before a byte of it left."
        return _receipt(kept, Fate.REFUSED, words)
    sent = "its keys may" if kept.row.intent in (Intent.KEYS, Intent.INTERRUPT) else "its text may"
    if kept.stage in (Stage.SUBMITTING, Stage.REACTING):
        sent = "it may have been submitted; its Enter may"
    seen = seen or SeenNow(words="the pane was not looked at")
    if seen.rows is None:
        now = f"{seen.words}."
    elif shows(seen.rows, kept.row.text):
        now = "the pane shows its text now."
    else:
        now = "the pane does not show its text now." if kept.row.text else "read the pane."
    words = f"{who[0].upper()}{who[1:]} ended during the write: {sent} be in the program."
    words = f"{words} It is not sent again; {now}"
    return _receipt(kept, Fate.UNKNOWN, words, after=seen.rows or ())


def shows(rows: tuple[str, ...], text: str | None) -> bool:
    """Tell whether *text* stands on a screen, wherever its rows are wrapped."""
    if not text or not text.strip():
        return False
    return "".join(text.split()) in "".join("".join(rows).split())


def _receipt(kept: KeptWrite, fate: Fate, words: str, *, after: tuple[str, ...] = ()) -> Receipt:
    row = kept.row
    return Receipt(
        write_id=row.write_id,
        pane=row.pane,
        intent=row.intent,
        fate=fate,
        reason=Reason.CONTROLLER_ENDED,
        n_bytes=len((row.text or "").encode()) if fate is Fate.UNKNOWN else 0,
        text_digest=row.text_digest,
        state_before=State.BOOTING,
        state_after=State.BOOTING,
        before=kept.before,
        after=after,
        changed=bool(after) and after != kept.before,
        landed=None if fate is Fate.UNKNOWN else False,
        words=words,
    )

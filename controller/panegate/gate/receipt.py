"""What a write returns."""

from collections.abc import Mapping

import attrs

from panegate.ids import PaneId
from panegate.terms import Fate, Grade, Intent, Reason, State

__all__ = ["Proof", "Receipt"]


@attrs.frozen
class Proof:
    """What a verdict rests on."""

    grade: Grade
    words: str


@attrs.frozen(kw_only=True)
class Receipt:
    """The graded story of one write.

    Guarantees: `fate` is never better than the evidence; `refused` and `withdrawn` mean
    that not a byte was sent; nothing was sent twice.
    """

    write_id: str
    pane: PaneId
    intent: Intent
    fate: Fate
    reason: Reason
    n_bytes: int
    """Bytes of text and keys handed to tmux."""
    text_digest: str
    """Keyed digest of the text; "" for secrets and keys."""
    state_before: State
    state_after: State
    before: tuple[str, ...] = ()
    """Screen rows of the look that decided."""
    after: tuple[str, ...] = ()
    """Screen rows of the last look of this write."""
    changed: bool = False
    """The rows differ."""
    landed: bool | None = None
    """True or False where it was seen; None where nobody can tell."""
    proof: Proof | None = None
    left_behind: str = ""
    """Text of ours that stands in the composer now, as far as seen."""
    attempts: int = 0
    """Enters sent (at most 2)."""
    ms: Mapping[str, float] = attrs.field(factory=dict)
    """Milliseconds from the call: held, typed, echoed, submitted, reacted, total."""
    words: str = ""
    """One sentence: what was sent, what was seen, what to do."""

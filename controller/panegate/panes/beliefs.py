"""What the evidence of one look adds up to."""

import enum

import attrs

from panegate.panes.facts import ComposerReading, PromptReading
from panegate.terms import Grade

__all__ = ["Belief", "BeliefKind", "Evidence"]


class BeliefKind(enum.Enum):
    """What a pane is believed to do; the zero value claims nothing."""

    NONE = "none"
    READY = "ready"
    BUSY = "busy"
    PROMPTING = "prompting"
    GONE = "gone"


@attrs.frozen
class Evidence:
    """One item that spoke for or against, with its time."""

    grade: Grade
    words: str
    at_s: float


@attrs.frozen(kw_only=True)
class Belief:
    """The fold of all evidence of one look."""

    kind: BeliefKind
    grade: Grade
    words: str
    """What decided, for people."""
    rule: str
    """Name of the row of the fold table that decided."""
    proof: bool = False
    """It settles at once; without it the settle window must pass first."""
    prompt: PromptReading | None = None
    composer: ComposerReading | None = None
    evidence: tuple[Evidence, ...] = ()
    body: str = ""
    """Masked digest of the screen without its composer."""
    still: str = ""
    """Digest of all that must stand still while the program does nothing; "" where unknown."""
    shell_left_behind: bool = False
    stopped: bool = False

"""What a program has written down about its own session, as values.

Times are wall seconds (UTC since the epoch), as the program wrote them.
"""

import enum

import attrs

__all__ = [
    "Call",
    "CallKind",
    "Choice",
    "Question",
    "Record",
    "Tokens",
]


class CallKind(enum.Enum):
    """What kind of thing a program asked for."""

    TOOL = "tool"
    QUESTION = "question"
    """It asks the person something."""
    PLAN = "plan"
    """It wants a plan approved."""


@attrs.frozen(kw_only=True)
class Choice:
    """One answer that a question offers, word for word."""

    label: str
    description: str = ""


@attrs.frozen(kw_only=True)
class Question:
    """A question that a program asks by its own tool, word for word."""

    text: str
    header: str = ""
    choices: tuple[Choice, ...] = ()
    many: bool = False
    """Several choices may be taken."""


@attrs.frozen(kw_only=True)
class Call:
    """Something the program wants done."""

    id: str
    name: str
    kind: CallKind = CallKind.TOOL
    input: str = ""
    """What it is about, quoted: the command, the plan, else its arguments as JSON."""
    questions: tuple[Question, ...] = ()
    at_s: float | None = None
    """When it was made; None where the record does not say."""


@attrs.frozen
class Tokens:
    """What a session used: measured, measured to be nothing, or not measurable."""

    count: int | None = None
    """None where it cannot be measured; 0 was measured."""
    at_least: bool = False
    """Only a part of the record was read: there may be more."""

    @property
    def measured(self) -> bool:
        """The record tells, if only that it was nothing."""
        return self.count is not None


@attrs.frozen(kw_only=True)
class Record:
    """The end of a session's record, as far as it was read."""

    program: str
    """Whose record it is: ``claude`` or ``codex``."""
    pending: tuple[Call, ...] = ()
    """Calls without a result, oldest first."""
    last_words: str = ""
    """What the program said last, word for word."""
    turn_ended: bool | None = None
    """None where the record does not tell."""
    at_s: float | None = None
    """Time of the newest entry that belongs to the conversation."""
    answered_at_s: float | None = None
    """Time of the newest result of a call or message of a person."""
    tokens: Tokens = Tokens()
    session_id: str = ""
    cwd: str = ""
    whole: bool = False
    """It was read from its beginning."""
    unreadable: int = 0
    """Lines that are no JSON object; a torn last line is not counted."""

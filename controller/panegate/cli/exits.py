"""What the exit status says."""

import enum

from panegate.errors import (
    NoSuchPane,
    NotReady,
    PanegateError,
    ProfileError,
    Refused,
    ServerHeld,
    ServerUnreachable,
    SettingsError,
    StaleAnswer,
    TransportBroken,
)
from panegate.gate.receipt import Receipt
from panegate.terms import Fate, Reason

__all__ = ["Exit", "exit_of", "exit_of_receipt"]


class Exit(enum.IntEnum):
    """Every exit status of the command line."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3
    """By the gate; nothing was written."""
    NO_SUCH = 4
    """No such pane, or no such prompt."""
    UNCONFIRMED = 5
    """Written; it did not land, or nobody can tell."""
    RAN_OUT = 6
    """Of time; nothing was written."""
    UNREACHABLE = 7
    INTERRUPTED = 130
    """By Ctrl-C, as shells say it."""
    PIPE_CLOSED = 141
    """Nobody reads what is printed any more."""
    TERMINATED = 143


_NO_SERVER = (Reason.SERVER_UNREACHABLE, Reason.SERVER_DIED)
_BY_ERROR: tuple[tuple[type[BaseException], Exit], ...] = (
    (StaleAnswer, Exit.NO_SUCH),
    (NotReady, Exit.RAN_OUT),
    (Refused, Exit.REFUSED),
    (NoSuchPane, Exit.NO_SUCH),
    (ServerUnreachable, Exit.UNREACHABLE),
    (ServerHeld, Exit.UNREACHABLE),
    (TransportBroken, Exit.UNREACHABLE),
    (ProfileError, Exit.USAGE),
    (SettingsError, Exit.USAGE),
    (PanegateError, Exit.FAILED),
)


def exit_of(error: PanegateError) -> Exit:
    """Return the exit status of an error."""
    if isinstance(error, Refused) and error.reason in _NO_SERVER:
        return Exit.UNREACHABLE
    return next(status for kind, status in _BY_ERROR if isinstance(error, kind))


def exit_of_receipt(receipt: Receipt) -> Exit:
    """Return the exit status of a write that began."""
    return Exit.DONE if receipt.fate is Fate.LANDED else Exit.UNCONFIRMED

"""How a pane was started, as data."""

from collections.abc import Mapping

import attrs

from panegate.session.launch_answers import AnswersUsed

__all__ = ["Launch"]


@attrs.frozen(kw_only=True)
class Launch:
    """How a pane was started, so that it can be started again."""

    argv: tuple[str, ...]
    cwd: str | None
    env: tuple[tuple[str, str], ...]
    """All variables that it was given."""
    retain: bool
    inherit_env: bool | None = None
    caller_env: tuple[str, ...] = ()
    """Names of the variables that the caller set."""
    profile_env: Mapping[str, str] = attrs.field(factory=dict)
    """Variables that its profile set, its answers among them."""
    answers: AnswersUsed | None = None
    """What its profile answered in advance; it stands in `argv` and `env`."""

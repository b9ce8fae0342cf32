"""What each method takes; names and units are those of `panegate.Controller` and `Pane`."""

import attrs

__all__ = [
    "AdoptParams",
    "AllParams",
    "AnswerParams",
    "HoldParams",
    "KeysParams",
    "LaunchParams",
    "NoParams",
    "PaneParams",
    "ReadParams",
    "RunParams",
    "SendParams",
    "TextParams",
    "VerdictParams",
    "WaitParams",
    "WithdrawParams",
    "WithinParams",
]


@attrs.frozen(kw_only=True)
class NoParams:
    """Nothing."""


@attrs.frozen(kw_only=True)
class AllParams:
    """Which panes."""

    every: bool = False
    """Also those that panegate neither launched nor adopted."""


@attrs.frozen(kw_only=True)
class PaneParams:
    """One pane: an id, a name, or a tmux target."""

    pane: str


@attrs.frozen(kw_only=True)
class WithinParams(PaneParams):
    """A write without a text."""

    within_s: float | None = None


@attrs.frozen(kw_only=True)
class TextParams(PaneParams):
    """A write now or not at all."""

    text: str
    id: str | None = None
    """The caller's own id: the same id gives the first receipt."""


@attrs.frozen(kw_only=True)
class SendParams(TextParams):
    """A message."""

    within_s: float | None = None
    submit: bool = True
    literal: bool = False


@attrs.frozen(kw_only=True)
class RunParams(PaneParams):
    """A message and its turn."""

    text: str
    within_s: float | None = None
    turn_within_s: float | None = None


@attrs.frozen(kw_only=True)
class AnswerParams(PaneParams):
    """A person's decision: one of option, text, secret, cancel."""

    prompt_id: str
    option: str | None = None
    text: str | None = attrs.field(default=None, repr=False)
    secret: str | None = attrs.field(default=None, repr=False)
    cancel: bool = False
    by: str
    within_s: float | None = None


@attrs.frozen(kw_only=True)
class KeysParams(WithinParams):
    """Keys by tmux's names."""

    keys: tuple[str, ...]


@attrs.frozen(kw_only=True)
class WithdrawParams(PaneParams):
    """A write to take back."""

    write_id: str


@attrs.frozen(kw_only=True)
class HoldParams(PaneParams):
    """Why a person takes over."""

    reason: str = "by hand"


@attrs.frozen(kw_only=True)
class WaitParams(WithinParams):
    """States by their values."""

    states: tuple[str, ...]


@attrs.frozen(kw_only=True)
class ReadParams(PaneParams):
    """How many rows above the screen."""

    history: int = 0


@attrs.frozen(kw_only=True)
class VerdictParams(PaneParams):
    """What the gate is asked about."""

    intent: str = "message"


@attrs.frozen(kw_only=True)
class AdoptParams(PaneParams):
    """What is said about a pane that exists."""

    profile: str | None = None
    name: str | None = None
    where: str | None = None
    composer: str | None = None
    reads_lines: bool = False
    trust: str | None = None
    limits: dict[str, float] | None = None
    remember: bool = False
    """Keep it beside the pane, for whoever comes later."""
    settle: bool = False
    """Answer once looks have shown what it does."""


@attrs.frozen(kw_only=True)
class LaunchParams:
    """A program; its folder and its environment are the caller's, not the service's."""

    argv: tuple[str, ...]
    profile: str | None = None
    name: str | None = None
    cwd: str | None = None
    env: dict[str, str] | None = attrs.field(default=None, repr=False)
    inherit_env: bool | None = False
    """Of the service's own environment, with the meaning of `Controller.launch`."""
    size: tuple[int, ...] | None = None
    where: str | None = None
    composer: str | None = None
    reads_lines: bool = False
    trust: str | None = None
    retain: bool | None = None
    limits: dict[str, float] | None = None
    no_wait: bool = False
    within_s: float | None = None

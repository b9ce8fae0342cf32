"""What exactly a write types, presses and expects."""

import enum

import attrs

from panegate.ids import PaneId
from panegate.panes.facts import OptionReading, PromptReading
from panegate.terms import Intent, Reason

__all__ = [
    "Expect",
    "NoPlan",
    "Plan",
    "WriteRequest",
    "find_option",
    "plan_answer",
    "plan_write",
]


class Expect(enum.Enum):
    """What has to be seen before a write counts as landed."""

    TURN = "turn"
    """The composer gave the text away, or the line was taken."""
    ECHO = "echo"
    """The text stands in the composer (``submit=False``)."""
    PROMPT_GONE = "prompt_gone"
    EMPTY = "empty"
    """The composer is empty."""
    ANYTHING = "anything"
    """Any change of the screen or the program."""


@attrs.frozen(kw_only=True)
class WriteRequest:
    """One write as it was asked for."""

    write_id: str
    pane_id: PaneId
    intent: Intent
    asked_s: float
    deadline_s: float | None
    """When waiting for the gate ends, monotonic seconds; None waits for ever."""
    text: str = ""
    keys: tuple[str, ...] = ()
    """tmux key names."""
    submit: bool = True
    literal: bool = False
    """The first character is meant although it opens a mode."""
    clears: bool = False
    """`Pane.clear`: the keys empty the composer."""
    prompt_id: str | None = None
    option: str | None = None
    secret: bool = False
    cancel: bool = False
    by: str = ""
    text_digest: str = ""


@attrs.frozen(kw_only=True)
class Plan:
    """The steps of one write: text or keys first, then perhaps Enter."""

    text: str = ""
    keys: tuple[str, ...] = ()
    enter: bool = False
    echo: bool = True
    """The text must be seen before anything follows it."""
    secret: bool = False
    expect: Expect = Expect.TURN
    chosen: str = ""
    """Label that must be highlighted before Enter."""

    @property
    def n_bytes(self) -> int:
        """Bytes of text; keys count one each."""
        return len(self.text.encode()) + len(self.keys)


@attrs.frozen
class NoPlan:
    """Why there is nothing to write."""

    reason: Reason
    words: str


def plan_write(request: WriteRequest) -> Plan:
    """Plan a message, nudge, steer, interrupt or raw keys."""
    if request.intent in (Intent.INTERRUPT, Intent.KEYS):
        expect = Expect.EMPTY if request.clears else Expect.ANYTHING
        return Plan(keys=request.keys, expect=expect, echo=False)
    expect = Expect.TURN if request.submit else Expect.ECHO
    return Plan(text=request.text, enter=request.submit, expect=expect)


def plan_answer(request: WriteRequest, prompt: PromptReading) -> Plan | NoPlan:
    """Plan a person's answer to exactly this prompt."""
    if request.cancel:
        if prompt.cancel_key is None:
            words = "This prompt shows no way to decline; choose one of its options."
            return NoPlan(Reason.NO_CANCEL, words)
        return Plan(keys=(prompt.cancel_key,), echo=False, expect=Expect.PROMPT_GONE)
    if request.secret or prompt.secret:
        return Plan(
            text=request.text,
            enter=True,
            echo=False,
            secret=True,
            expect=Expect.PROMPT_GONE,
        )
    if request.option is None:
        if not request.text:
            return Plan(keys=("Enter",), echo=False, expect=Expect.PROMPT_GONE)
        return Plan(text=request.text, enter=prompt.submits, expect=Expect.PROMPT_GONE)
    option = find_option(prompt, request.option)
    if option is None:
        have = ", ".join(repr(o.key or o.label) for o in prompt.options) or "none"
        words = f"The prompt has no option {request.option!r}; it has: {have}."
        return NoPlan(Reason.NO_SUCH_OPTION, words)
    return _choose(prompt, option)


def find_option(prompt: PromptReading, wanted: str) -> OptionReading | None:
    """Find an option by key, by whole label, or by its number from 1 where keys are absent."""
    folded = wanted.strip().casefold()
    exact = (
        [o for o in prompt.options if o.key and o.key == wanted.strip()]
        or [o for o in prompt.options if o.key and o.key.casefold() == folded]
        or [o for o in prompt.options if o.label.strip().casefold() == folded]
    )
    if len(exact) == 1:
        return exact[0]
    if not exact and wanted.isdigit() and not any(o.key for o in prompt.options):
        n = int(wanted)
        if 1 <= n <= len(prompt.options):
            return prompt.options[n - 1]
    return None


def _choose(prompt: PromptReading, option: OptionReading) -> Plan:
    if prompt.submits and option.key and not any(o.highlighted for o in prompt.options):
        return Plan(text=option.key, enter=True, expect=Expect.PROMPT_GONE)
    if option.key:
        return Plan(keys=(option.key,), echo=False, expect=Expect.PROMPT_GONE, chosen=option.label)
    at = next((i for i, o in enumerate(prompt.options) if o.highlighted), 0)
    to = prompt.options.index(option)
    arrow = "Down" if to > at else "Up"
    return Plan(
        keys=(arrow,) * abs(to - at),
        enter=True,
        echo=False,
        expect=Expect.PROMPT_GONE,
        chosen=option.label,
    )

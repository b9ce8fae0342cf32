"""What exactly a write types, presses and expects."""

import enum
import re
from typing import Final

import attrs

from panegate.gate.keystrokes import is_key
from panegate.ids import PaneId
from panegate.panes.facts import OptionReading, PromptReading
from panegate.terms import Intent, PromptKind, Reason

__all__ = [
    "Expect",
    "NoPlan",
    "Plan",
    "WriteRequest",
    "find_option",
    "key_named",
    "plan_answer",
    "plan_write",
]

_CONTROL: Final = re.compile(r"(?:\^|(?i:ctrl|control)[-+ ])([A-Za-z])")
_KEY_NAMES: Final = {
    "esc": "Escape",
    "escape": "Escape",
    "enter": "Enter",
    "return": "Enter",
    "ret": "Enter",
    "⏎": "Enter",
    "↵": "Enter",
    "space": "Space",
    "spacebar": "Space",
    "space bar": "Space",
    "tab": "Tab",
    "backspace": "BSpace",
    "del": "DC",
    "delete": "DC",
}


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


def _no_nan(_request: object, _field: object, value: float | None) -> None:
    if value is not None and value != value:
        msg = "within_s is a number of seconds, not nan"
        raise ValueError(msg)


@attrs.frozen(kw_only=True)
class WriteRequest:
    """One write as it was asked for."""

    write_id: str
    pane_id: PaneId
    intent: Intent
    asked_s: float
    deadline_s: float | None = attrs.field(validator=_no_nan)
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
    ticks: tuple[str, ...] | None = None
    """Labels whose boxes, and no others, must be ticked before Enter."""
    by_keys: bool = False
    """Typed key by key also where pastes have brackets: a question may take no paste."""
    alone: bool = False
    """The text may be the whole answer: no Enter where the question goes without one."""

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
            words = "No way to decline this prompt is known; answer it, or go there by hand."
            return NoPlan(Reason.NO_CANCEL, words)
        return Plan(keys=(prompt.cancel_key,), echo=False, expect=Expect.PROMPT_GONE)
    if prompt.secret and request.option is not None:
        words = "This question takes a hidden input and no option: answer it with a secret."
        return NoPlan(Reason.NO_SUCH_OPTION, words)
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
        if not _takes_text(prompt, request.text):
            named = find_option(prompt, request.text)
            return _no_text(prompt, request.text) if named is None else _choose(prompt, named)
        return _type(request.text, enter=prompt.submits)
    if any(option.ticked is not None for option in prompt.options):
        return _tick(prompt, request.option)
    option = find_option(prompt, request.option)
    return _no_such(prompt, request.option) if option is None else _choose(prompt, option)


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


def _takes_text(prompt: PromptReading, text: str) -> bool:
    """Whether a text is an answer: each letter typed at a list of choices may be a choice."""
    if prompt.kind in (PromptKind.TEXT, PromptKind.SECRET):
        return True
    if any(o.highlighted or o.ticked is not None for o in prompt.options):
        return False
    return prompt.submits or (len(text) == 1 and not prompt.options)


def _no_text(prompt: PromptReading, text: str) -> NoPlan:
    have = ", ".join(repr(o.key or o.label) for o in prompt.options) or "none"
    words = f"This prompt takes no text such as {text!r}, each letter may choose; it has: {have}."
    return NoPlan(Reason.NO_SUCH_OPTION, words)


def _no_such(prompt: PromptReading, wanted: str) -> NoPlan:
    have = ", ".join(repr(o.key or o.label) for o in prompt.options) or "none"
    words = f"The prompt has no option {wanted!r}; it has: {have}."
    return NoPlan(Reason.NO_SUCH_OPTION, words)


def _type(text: str, *, enter: bool) -> Plan:
    """One character may be all that the program reads: what it asks next gets no Enter."""
    return Plan(
        text=text,
        enter=enter,
        echo=enter,
        alone=enter and len(text) == 1,
        by_keys="\n" not in text,
        expect=Expect.PROMPT_GONE,
    )


def _choose(prompt: PromptReading, option: OptionReading) -> Plan | NoPlan:
    pointed = any(o.highlighted for o in prompt.options)
    if prompt.submits and option.key and not pointed:
        return _type(option.key, enter=True)
    key = key_named(option.key)
    if key is not None:
        return Plan(keys=(key,), echo=False, expect=Expect.PROMPT_GONE, chosen=option.label)
    if not pointed:
        words = f"Nothing says how {option.label!r} is chosen; answer with a text, or there."
        return NoPlan(Reason.NO_SUCH_OPTION, words)
    at = next(o for o in prompt.options if o.highlighted)
    return Plan(
        keys=_moves(prompt, at, option),
        enter=True,
        echo=False,
        expect=Expect.PROMPT_GONE,
        chosen=option.label,
    )


def _tick(prompt: PromptReading, wanted: str) -> Plan | NoPlan:
    """Tick the boxes of the options that are named, and no others; Enter takes them."""
    whole = find_option(prompt, wanted)
    names = [wanted] if whole is not None or not prompt.many else wanted.split(",")
    chosen = []
    for name in names if wanted.strip() else ():
        option = find_option(prompt, name)
        if option is None:
            return _no_such(prompt, name.strip())
        chosen.append(option)
    at = next((o for o in prompt.options if o.highlighted), None)
    if at is None:
        words = "No option is highlighted, so the boxes cannot be reached; answer it there."
        return NoPlan(Reason.NO_SUCH_OPTION, words)
    keys: list[str] = []
    for option in prompt.options:
        wants = option in chosen
        if option.ticked is wants or not (wants or prompt.many):
            continue  # of single choices the tick goes where it is put
        keys += [*_moves(prompt, at, option), "Space"]
        at = option
    return Plan(
        keys=tuple(keys),
        enter=True,
        echo=False,
        expect=Expect.PROMPT_GONE,
        ticks=tuple(option.label for option in prompt.options if option in chosen),
    )


def _moves(prompt: PromptReading, at: OptionReading, to: OptionReading) -> tuple[str, ...]:
    """The arrow keys from one option to another."""
    steps = prompt.options.index(to) - prompt.options.index(at)
    across = at.row is not None and at.row == to.row
    forward, back = ("Right", "Left") if across else ("Down", "Up")
    return (forward if steps > 0 else back,) * abs(steps)


def key_named(shown: str) -> str | None:
    """Return tmux's name of a key as a screen shows it (``Esc``, ``^C``, ``<space>``)."""
    name = shown.strip("<>[]() ") or shown
    if is_key(name):
        return name
    known = _KEY_NAMES.get(name.casefold())
    if known is not None:
        return known
    control = _CONTROL.fullmatch(name)
    return f"C-{control[1].lower()}" if control is not None else None

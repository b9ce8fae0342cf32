"""Why a session ended, judged on all of its facts.

`RULES` is the table: the first row that says something decides. Server, then an open
question, then who ended it, then the clocks, then tokens, and text last of all: a fault
sentence decides only where nothing that is measured does.
"""

from collections.abc import Callable
from typing import Final

import attrs

from panegate.panes.beliefs import Evidence
from panegate.session.events import Prompt
from panegate.session.outcome_facts import (
    JUMP_S,
    EndedBy,
    Ending,
    FaultMatch,
    LimitName,
    ServerState,
    SessionFacts,
)
from panegate.session.resets import Reset
from panegate.terms import Advice, FaultKind, Grade, OutcomeKind, PromptKind

__all__ = ["RULES", "Outcome", "OutcomeRule", "verdict"]

_FAULT_KINDS: Final = {
    FaultKind.LIMITED: (OutcomeKind.LIMITED, Advice.PAUSE),
    FaultKind.AUTH: (OutcomeKind.NEEDS_LOGIN, Advice.ESCALATE),
}


@attrs.frozen(kw_only=True)
class Outcome:
    """What became of a session, and what a caller should do about it."""

    kind: OutcomeKind
    advice: Advice
    words: str
    """One sentence: what happened, and what decided."""
    rule: str
    """The row of the table that decided."""
    over: bool
    """The session is known to have ended; else this is the verdict so far."""
    worked: bool = False
    """Something shows that it did work."""
    prompt: Prompt | None = None
    """The question that was open at the end."""
    fault: FaultMatch | None = None
    """The last fault that stands, whether or not it decided."""
    reset: Reset | None = None
    """When the limit that it met ends."""
    limits_reached: tuple[LimitName, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    """Everything that spoke, strongest first."""
    facts: SessionFacts = attrs.field(factory=SessionFacts, repr=False)

    @property
    def charged(self) -> bool:
        """A retry counts against the caller's attempts."""
        return self.advice is Advice.RETRY_CHARGED


@attrs.frozen
class _Said:
    kind: OutcomeKind
    advice: Advice
    words: str


OutcomeRule = Callable[[SessionFacts], _Said | None]


def verdict(facts: SessionFacts) -> Outcome:
    """Return why a session ended, or what it has come to so far."""
    name, said = "nothing", _unknown(facts)
    for rule_name, rule in RULES:
        found = rule(facts)
        if found is not None:
            name, said = rule_name, found
            break
    fault = facts.fault
    reset = facts.prompt_reset or (fault.reset if fault is not None else None)
    died = facts.server.state is ServerState.DIED
    return Outcome(
        kind=said.kind,
        advice=said.advice,
        words=said.words,
        rule=name,
        over=died or facts.ending is not None,
        worked=facts.worked,
        prompt=facts.prompt,
        fault=fault,
        reset=reset,
        limits_reached=_reached(facts),
        evidence=_evidence(facts),
        facts=facts,
    )


def _server_died(facts: SessionFacts) -> _Said | None:
    if facts.server.state is not ServerState.DIED:
        return None
    pid = "" if facts.server.pid is None else f" (pid {facts.server.pid})"
    words = f"The tmux server{pid} died, and its programs with it."
    return _Said(OutcomeKind.SERVER_LOST, Advice.RETRY_FREE, words)


def _server_unreachable(facts: SessionFacts) -> _Said | None:
    if facts.server.state is not ServerState.UNREACHABLE:
        return None
    unknown = "how the program ended" if facts.ending is not None else "whether the program runs"
    words = f"The tmux server cannot be reached, so {unknown} is not known"
    words = f"{words}: {facts.server.words}." if facts.server.words else f"{words}."
    return _Said(OutcomeKind.SERVER_LOST, Advice.PAUSE, words)


def _limit_screen(facts: SessionFacts) -> _Said | None:
    prompt = facts.prompt
    if prompt is None or prompt.kind is not PromptKind.LIMIT:
        return None
    until = f" ({facts.prompt_reset.words})" if facts.prompt_reset is not None else ""
    words = f"It stands at a limit screen{until}: {_question(prompt)}"
    return _Said(OutcomeKind.LIMITED, Advice.PAUSE, words)


def _login_screen(facts: SessionFacts) -> _Said | None:
    prompt = facts.prompt
    if prompt is None or prompt.kind is not PromptKind.LOGIN:
        return None
    words = f"It stands at a login screen: {_question(prompt)}"
    return _Said(OutcomeKind.NEEDS_LOGIN, Advice.ESCALATE, words)


def _open_prompt(facts: SessionFacts) -> _Said | None:
    if facts.prompt is None:
        return None
    words = f"It asks, and nobody has answered: {_question(facts.prompt)}"
    return _Said(OutcomeKind.BLOCKED_ON_PROMPT, Advice.ESCALATE, words)


def _ended_by_us(facts: SessionFacts) -> _Said | None:
    ending = facts.ending
    if ending is None or ending.by is not EndedBy.US or _limit_first(facts):
        return None
    if _done(facts):
        words = f"We ended it when its {_turns(facts)} done."
        return _Said(OutcomeKind.COMPLETED, Advice.NONE, words)
    words = f"We ended it while it was {facts.state.value}."
    return _Said(OutcomeKind.KILLED, Advice.NONE, words)


def _ended_by_another(facts: SessionFacts) -> _Said | None:
    ending = facts.ending
    if ending is None or ending.by is not EndedBy.ANOTHER or _limit_first(facts):
        return None
    how = "with its pane"
    if ending.signal is not None or ending.status is not None:
        how = (
            f"by a signal, with {_status(ending)}"
            if ending.signal is None
            else "by " + _status(ending)
        )
    words = f"It was ended from outside, {how}, while it was {facts.state.value}."
    return _Said(OutcomeKind.KILLED, Advice.ESCALATE, words)


def _crashed(facts: SessionFacts) -> _Said | None:
    ending = facts.ending
    if ending is None or ending.by is not EndedBy.ITSELF or not ending.crash:
        return None
    words = f"It crashed with signal {ending.signal} while it was {facts.state.value}."
    return _Said(OutcomeKind.CRASHED, Advice.RETRY_CHARGED, words)


def _ended_by_itself(facts: SessionFacts) -> _Said | None:
    ending = facts.ending
    if ending is None or ending.by not in (EndedBy.ITSELF, EndedBy.UNKNOWN):
        return None
    if ending.status is None and ending.signal is None:
        advice = Advice.NONE if facts.idle else Advice.RETRY_CHARGED
        words = f"It is gone, how it ended is not known: {_end_words(ending)}."
        return _Said(OutcomeKind.EXITED, advice, words)
    fault = facts.fault
    if ending.status == 0 and fault is None:
        return _Said(OutcomeKind.COMPLETED, Advice.NONE, "It ended by itself with status 0.")
    words = f"It ended by itself with {_status(ending)}"
    if fault is None:
        return _Said(OutcomeKind.EXITED, Advice.RETRY_CHARGED, f"{words}.")
    words = f"{words}; no turn was completed after its error: {fault.text}"
    free = facts.tokens.count == 0 and not facts.worked
    return _Said(OutcomeKind.EXITED, Advice.PAUSE if free else Advice.RETRY_CHARGED, words)


def _wall_clock_only(facts: SessionFacts) -> _Said | None:
    if not facts.wall_reached or facts.timed_out:
        return None
    words = f"Only the wall clock passed the limit of {facts.limits.wall_s:g} s"
    return _Said(
        OutcomeKind.SUSPENDED, Advice.RETRY_FREE, f"{words}: it lasted {facts.clocks.words}."
    )


def _worked_until_a_limit(facts: SessionFacts) -> _Said | None:
    if not facts.timed_out or not facts.tokens.count:
        return None
    words = f"{_limit_words(facts)} after {_tokens(facts)}: it worked."
    return _Said(_limit_kind(facts), Advice.RETRY_CHARGED, words)


def _never_ran(facts: SessionFacts) -> _Said | None:
    if facts.tokens.count != 0 or facts.turns_completed:
        return None
    fault = facts.fault
    outage = fault is not None and fault.kind not in _FAULT_KINDS and facts.idle
    if not facts.timed_out and not outage:
        return None
    why = _limit_words(facts) if facts.timed_out else "It waits"
    shown = f"; its error: {fault.text}" if fault is not None else ""
    words = f"{why} with not one token used: its environment is at fault{shown}."
    return _Said(OutcomeKind.ENV_FAULT, Advice.PAUSE, words)


def _fault_alone(facts: SessionFacts) -> _Said | None:
    fault = facts.fault
    if fault is None or not (facts.timed_out or facts.idle or facts.ending is not None):
        return None  # it is at work, whatever it has shown
    kind, advice = _FAULT_KINDS.get(fault.kind, (OutcomeKind.SERVICE_ERROR, None))
    if advice is None:
        advice = Advice.RETRY_CHARGED if facts.worked else Advice.RETRY_FREE
    words = f"Its error ({fault.kind.value}) stands, no turn was completed since: {fault.text}"
    return _Said(kind, advice, words)


def _limit_alone(facts: SessionFacts) -> _Said | None:
    if not facts.timed_out:
        return None
    words = f"{_limit_words(facts)}; {_tokens(facts)}."
    return _Said(_limit_kind(facts), Advice.RETRY_CHARGED, words)


def _all_done(facts: SessionFacts) -> _Said | None:
    if not _done(facts):
        return None
    words = f"Its {_turns(facts)} done, and it waits for more."
    return _Said(OutcomeKind.COMPLETED, Advice.NONE, words)


def _unknown(facts: SessionFacts) -> _Said:
    words = f"It runs and is {facts.state.value}: there is no verdict yet."
    return _Said(OutcomeKind.UNKNOWN, Advice.NONE, words)


RULES: Final[tuple[tuple[str, OutcomeRule], ...]] = (
    ("server_died", _server_died),
    ("server_unreachable", _server_unreachable),
    ("limit_screen", _limit_screen),
    ("login_screen", _login_screen),
    ("open_prompt", _open_prompt),
    ("ended_by_us", _ended_by_us),
    ("ended_by_another", _ended_by_another),
    ("crashed", _crashed),
    ("ended_by_itself", _ended_by_itself),
    ("wall_clock_only", _wall_clock_only),
    ("worked_until_a_limit", _worked_until_a_limit),
    ("never_ran", _never_ran),
    ("fault_alone", _fault_alone),
    ("limit_alone", _limit_alone),
    ("all_done", _all_done),
)


def _limit_first(facts: SessionFacts) -> bool:
    """A limit was reached before somebody ended it: the limit is the reason."""
    return facts.timed_out or facts.wall_reached


def _done(facts: SessionFacts) -> bool:
    return facts.idle and facts.turns_completed > 0 and facts.fault is None


def _limit_kind(facts: SessionFacts) -> OutcomeKind:
    return OutcomeKind.TIMEOUT if facts.mono_reached else OutcomeKind.STALLED


def _reached(facts: SessionFacts) -> tuple[LimitName, ...]:
    mono_limit_s = facts.limits.mono_s
    mono = mono_limit_s is not None and facts.clocks.mono_s >= mono_limit_s
    named = (
        (LimitName.WALL, facts.wall_reached),
        (LimitName.MONO, mono),
        (LimitName.SILENCE, facts.silence_reached),
    )
    return tuple(name for name, reached in named if reached)


def _limit_words(facts: SessionFacts) -> str:
    elapsed = {
        LimitName.WALL: facts.clocks.wall_s,
        LimitName.MONO: facts.clocks.mono_s,
        LimitName.SILENCE: facts.silent_s,
    }
    parts = [
        f"{name.value} = {getattr(facts.limits, name.value):g} ({_seconds(elapsed[name])})"
        for name in _reached(facts)
    ]
    return f"It reached its limit {' and '.join(parts)}"


def _tokens(facts: SessionFacts) -> str:
    tokens = facts.tokens
    if tokens.count is None:
        return "tokens are not measurable"
    return f"{'at least ' if tokens.at_least else ''}{tokens.count:,} tokens"


def _seconds(duration_s: float) -> str:
    return f"{duration_s:.0f} s" if duration_s >= 10 else f"{duration_s:.1f} s"


def _turns(facts: SessionFacts) -> str:
    n = facts.turns_completed
    return f"{n} turn was" if n == 1 else f"{n} turns were"


def _question(prompt: Prompt) -> str:
    if prompt.question:
        return " ".join(prompt.question.split())
    return "(it shows no question)"


def _status(ending: Ending) -> str:
    return f"signal {ending.signal}" if ending.signal is not None else f"status {ending.status}"


def _end_words(ending: Ending) -> str:
    return ending.words or "no word"


def _evidence(facts: SessionFacts) -> tuple[Evidence, ...]:
    at_s, server, ending, fault = facts.at_s, facts.server, facts.ending, facts.fault
    out: list[Evidence] = []
    if server.state is not ServerState.REACHABLE:
        out.append(Evidence(Grade.PROCESS, _server_words(facts), at_s))
    if facts.prompt is not None:
        asked = f"open question ({facts.prompt.kind.value}): {_question(facts.prompt)}"
        out.append(Evidence(facts.prompt.proof, asked, facts.prompt.since))
    if ending is not None:
        how = f"ended by {ending.by.value}"
        if ending.status is not None or ending.signal is not None:
            how = f"{how} with {_status(ending)}"
        out.append(Evidence(Grade.PROCESS, f"{how}: {ending.words}".rstrip(": "), ending.at_s))
    watched = "" if facts.from_start else " since it was adopted"
    out.append(Evidence(Grade.TIMING, f"lasted {facts.clocks.words}{watched}", at_s))
    if facts.silent_s >= 1:
        out.append(Evidence(Grade.TIMING, f"silent for {_seconds(facts.silent_s)}", at_s))
    out.append(Evidence(Grade.TRANSCRIPT, _tokens(facts), at_s))
    turns = f"{facts.turns_completed} of {facts.turns_begun} turns completed"
    out.append(Evidence(Grade.SCREEN, f"{turns}, {facts.output_bytes:,} bytes of output", at_s))
    if facts.faults:
        last = facts.faults[-1]
        after = f"{max(0, facts.output_bytes - last.offset):,} bytes of output"
        more = "no turn completed since" if fault is not None else "a later turn was completed"
        row = f"error row ({last.kind.value}), then {after}, {more}: {last.text}"
        out.append(Evidence(Grade.SCREEN, row, last.at_s))
    return tuple(out)


def _server_words(facts: SessionFacts) -> str:
    server = facts.server
    parts = [f"tmux server {server.state.value}"]
    if server.pid is not None:
        alive = {True: "alive", False: "gone", None: "not known"}[server.pid_alive]
        parts.append(f"pid {server.pid} {alive}")
    if server.socket_present is not None:
        parts.append("socket there" if server.socket_present else "socket missing")
    if server.since_answer_s is not None:
        parts.append(f"last answer {server.since_answer_s:.1f} s before")
    if facts.clocks.jump_s > JUMP_S:
        parts.append(f"clock jump {facts.clocks.jump_s:.0f} s")
    return f"{', '.join(parts)}: {server.words}".rstrip(": ")

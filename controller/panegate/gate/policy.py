"""What the gate says: one table intent x state, and the conditions before it.

Every row that applies is asked, in order. The first refusal decides; without one
the first hold; without either the write may go out. A row that does not exist
refuses. Nothing here looks at the screen: it judges a `Situation` made from a look.
"""

from collections.abc import Callable, Mapping
from typing import Final

import attrs

from panegate.panes.facts import PaneFields
from panegate.terms import Intent, Reason, State, Verdict

__all__ = [
    "CONDITIONS",
    "TABLE",
    "WORDS",
    "Condition",
    "Decision",
    "Rule",
    "Situation",
    "decide",
    "may_wait",
    "render_conditions",
    "render_table",
]


@attrs.frozen(kw_only=True)
class Situation:
    """Everything the gate judges by; the default is a pane nothing is known about."""

    state: State = State.BOOTING
    confirmed: bool = False
    """No output since the look that decided ``state``."""
    fields: PaneFields | None = None
    """tmux's variables at that look; None when there was no look yet."""
    draft: str = ""
    """Text in the composer that is not ours."""
    left_behind: bool = False
    """Text of an earlier write of ours stands in the composer."""
    held: str | None = None
    """Why a person holds the pane; None when nobody does."""
    own_pane: bool = False
    """The controller itself runs in this pane."""
    server_reachable: bool = True
    gone: bool = False
    """tmux no longer has the pane."""
    shell_left_behind: bool = False
    other_process: bool = False
    stopped: bool = False
    prompt_id: str | None = None
    """The prompt on screen while prompting."""
    answers_prompt_id: str | None = None
    """The prompt this write answers; set by `decide`."""
    takes_input_while_busy: bool = False
    unfinished_write: bool = False
    """An earlier write of this pane has begun or stands before this one."""


@attrs.frozen
class Rule:
    """One cell of a table; the default refuses."""

    verdict: Verdict = Verdict.REFUSE
    reason: Reason = Reason.UNPROVEN


@attrs.frozen(kw_only=True)
class Decision:
    """What the gate says about one write now."""

    verdict: Verdict
    reason: Reason
    words: str
    """One sentence: what stands in the way and what to do next."""


@attrs.frozen(kw_only=True)
class Condition:
    """One thing that can stand in the way, whatever the state."""

    name: str
    applies: Callable[[Situation], bool]
    verdicts: Mapping[Intent, Verdict]
    """ALLOW: it does not stand in the way of this intent. A missing intent is refused."""
    reason: Reason
    hides_state: bool = False
    """While it applies the state is hearsay: its row of the table is not asked."""


_M, _N, _T = Intent.MESSAGE, Intent.NUDGE, Intent.STEER
_A, _I, _K = Intent.ANSWER, Intent.INTERRUPT, Intent.KEYS
_ALLOW, _HOLD, _REFUSE = Verdict.ALLOW, Verdict.HOLD, Verdict.REFUSE
_OK = Rule(_ALLOW, Reason.NONE)

TABLE: Final[Mapping[tuple[Intent, State], Rule]] = {
    (_M, State.BOOTING): Rule(_HOLD, Reason.BOOTING),
    (_M, State.READY): _OK,
    (_M, State.BUSY): Rule(_HOLD, Reason.BUSY),
    (_M, State.PROMPTING): Rule(_REFUSE, Reason.PROMPTING),
    (_M, State.SILENT): Rule(_HOLD, Reason.SILENT),
    (_M, State.EXITED): Rule(_REFUSE, Reason.EXITED),
    (_N, State.BOOTING): Rule(_REFUSE, Reason.BOOTING),
    (_N, State.READY): _OK,
    (_N, State.BUSY): Rule(_REFUSE, Reason.BUSY),
    (_N, State.PROMPTING): Rule(_REFUSE, Reason.PROMPTING),
    (_N, State.SILENT): Rule(_REFUSE, Reason.SILENT),
    (_N, State.EXITED): Rule(_REFUSE, Reason.EXITED),
    (_T, State.BOOTING): Rule(_REFUSE, Reason.BOOTING),
    (_T, State.READY): _OK,
    (_T, State.BUSY): _OK,  # the condition "takes no input while busy" comes first
    (_T, State.PROMPTING): Rule(_REFUSE, Reason.PROMPTING),
    (_T, State.SILENT): Rule(_REFUSE, Reason.SILENT),
    (_T, State.EXITED): Rule(_REFUSE, Reason.EXITED),
    (_A, State.BOOTING): Rule(_REFUSE, Reason.NOT_PROMPTING),
    (_A, State.READY): Rule(_REFUSE, Reason.NOT_PROMPTING),
    (_A, State.BUSY): Rule(_REFUSE, Reason.NOT_PROMPTING),
    (_A, State.PROMPTING): _OK,  # the condition "another prompt" comes first
    (_A, State.SILENT): Rule(_REFUSE, Reason.NOT_PROMPTING),
    (_A, State.EXITED): Rule(_REFUSE, Reason.EXITED),
    (_I, State.BOOTING): _OK,
    (_I, State.READY): _OK,
    (_I, State.BUSY): _OK,
    (_I, State.PROMPTING): Rule(_REFUSE, Reason.PROMPTING),
    (_I, State.SILENT): _OK,
    (_I, State.EXITED): Rule(_REFUSE, Reason.EXITED),
    (_K, State.BOOTING): Rule(_HOLD, Reason.BOOTING),
    (_K, State.READY): _OK,
    (_K, State.BUSY): _OK,
    (_K, State.PROMPTING): Rule(_REFUSE, Reason.PROMPTING),
    (_K, State.SILENT): _OK,
    (_K, State.EXITED): Rule(_REFUSE, Reason.EXITED),
}
"""The verdict by intent and state; total."""


def _verdicts(
    message: Verdict, nudge: Verdict, steer: Verdict, answer: Verdict, both: Verdict
) -> Mapping[Intent, Verdict]:
    """Per intent; *both* is for interrupt and keys."""
    return {_M: message, _N: nudge, _T: steer, _A: answer, _I: both, _K: both}


_NOTHING = _verdicts(_REFUSE, _REFUSE, _REFUSE, _REFUSE, _REFUSE)
_LATER = _verdicts(_HOLD, _REFUSE, _REFUSE, _REFUSE, _REFUSE)
_SOON = _verdicts(_HOLD, _REFUSE, _HOLD, _HOLD, _HOLD)  # ends by itself, in moments
_NO_TEXT = _verdicts(_HOLD, _REFUSE, _REFUSE, _REFUSE, _ALLOW)


def _gone_with_its_server(s: Situation) -> bool:
    return not s.server_reachable and s.state is State.EXITED


def _in_mode(s: Situation) -> bool:
    return s.fields is not None and s.fields.in_mode


def _input_off(s: Situation) -> bool:
    return s.fields is not None and s.fields.input_off


def _synchronized(s: Situation) -> bool:
    return s.fields is not None and s.fields.synchronized


def _dead(s: Situation) -> bool:
    return s.fields is not None and s.fields.dead


def _unconfirmed(s: Situation) -> bool:
    return not s.confirmed and s.state in (State.READY, State.PROMPTING)


def _other_prompt(s: Situation) -> bool:
    return s.state is State.PROMPTING and (
        s.prompt_id is None or s.prompt_id != s.answers_prompt_id
    )


def _busy_and_deaf(s: Situation) -> bool:
    return s.state is State.BUSY and not s.takes_input_while_busy


def _only(intent: Intent) -> Mapping[Intent, Verdict]:
    return {i: _REFUSE if i is intent else _ALLOW for i in Intent}


CONDITIONS: Final[tuple[Condition, ...]] = (
    Condition(
        name="server died",
        applies=_gone_with_its_server,
        verdicts=_NOTHING,
        reason=Reason.SERVER_DIED,
    ),
    Condition(
        name="server unreachable",
        applies=lambda s: not s.server_reachable,
        verdicts=_LATER,
        reason=Reason.SERVER_UNREACHABLE,
        hides_state=True,
    ),
    Condition(
        name="another process in the pane",
        applies=lambda s: s.other_process,
        verdicts=_NOTHING,
        reason=Reason.OTHER_PROCESS,
    ),
    Condition(
        name="pane gone", applies=lambda s: s.gone, verdicts=_NOTHING, reason=Reason.GONE_PANE
    ),
    Condition(name="pane dead", applies=_dead, verdicts=_NOTHING, reason=Reason.DEAD_PANE),
    Condition(
        name="our own pane",
        applies=lambda s: s.own_pane,
        verdicts=_NOTHING,
        reason=Reason.OWN_PANE,
    ),
    Condition(
        name="held by a person",
        applies=lambda s: s.held is not None,
        verdicts=_LATER,
        reason=Reason.HELD,
    ),
    Condition(
        name="no look yet",
        applies=lambda s: s.fields is None,
        verdicts=_LATER,
        reason=Reason.UNPROVEN,
    ),
    Condition(name="in a tmux mode", applies=_in_mode, verdicts=_LATER, reason=Reason.COPY_MODE),
    Condition(name="input off", applies=_input_off, verdicts=_LATER, reason=Reason.INPUT_OFF),
    Condition(
        name="synchronized", applies=_synchronized, verdicts=_LATER, reason=Reason.SYNCHRONIZED
    ),
    Condition(
        name="shell left behind",
        applies=lambda s: s.shell_left_behind,
        verdicts=_NOTHING,
        reason=Reason.SHELL_LEFT_BEHIND,
    ),
    Condition(
        name="program stopped", applies=lambda s: s.stopped, verdicts=_LATER, reason=Reason.STOPPED
    ),
    Condition(
        name="unconfirmed",
        applies=_unconfirmed,
        verdicts=_SOON,
        reason=Reason.UNCONFIRMED,
        hides_state=True,
    ),
    Condition(
        name="draft in the composer",
        applies=lambda s: s.draft != "",
        verdicts=_NO_TEXT,
        reason=Reason.DRAFT,
    ),
    Condition(
        name="our text left behind",
        applies=lambda s: s.left_behind,
        verdicts=_NO_TEXT,
        reason=Reason.LEFT_BEHIND,
    ),
    Condition(
        name="earlier write unfinished",
        applies=lambda s: s.unfinished_write,
        verdicts=_SOON,
        reason=Reason.QUEUED,
    ),
    Condition(
        name="takes no input while busy",
        applies=_busy_and_deaf,
        verdicts=_only(Intent.STEER),
        reason=Reason.NOT_WHILE_BUSY,
    ),
    Condition(
        name="another prompt",
        applies=_other_prompt,
        verdicts=_only(Intent.ANSWER),
        reason=Reason.STALE_PROMPT,
    ),
)
"""What stands in the way whatever the state, in the order it is asked."""

WORDS: Final[Mapping[Reason, str]] = {
    Reason.NONE: "Nothing stands in the way: the write may go out now.",
    Reason.UNPROVEN: "Nothing proves that the program would take it; look at the pane first.",
    Reason.BOOTING: "The program is still starting; wait until it is ready or asks something.",
    Reason.BUSY: "The program is working; wait until its turn ends, or interrupt it.",
    Reason.SILENT: "The pane is silent and shows no input point; read it, or interrupt it.",
    Reason.PROMPTING: "The program asks a question; answer that prompt, nothing else is typed.",
    Reason.EXITED: "The program has exited; start it again or close the pane.",
    Reason.UNCONFIRMED: "The screen moved since the last look; a new look is under way.",
    Reason.QUEUED: "An earlier write of this pane is not finished; wait for it or withdraw it.",
    Reason.DRAFT: "Somebody's text stands in the composer; send or clear it there first.",
    Reason.LEFT_BEHIND: "Text of an earlier write stands in the composer; clear the pane first.",
    Reason.COPY_MODE: "The pane is in a tmux mode (copy, view, tree); leave the mode there first.",
    Reason.INPUT_OFF: "Input to the pane is off; turn it on with select-pane -e.",
    Reason.SYNCHRONIZED: "Keys would reach other panes too; turn synchronize-panes off first.",
    Reason.SHELL_LEFT_BEHIND: "The program is gone and a shell has the pane; start it again.",
    Reason.DEAD_PANE: "The pane is dead; respawn or close it.",
    Reason.GONE_PANE: "tmux no longer has this pane; launch the program again.",
    Reason.OTHER_PROCESS: "Another process than the known one runs in the pane; adopt it anew.",
    Reason.STOPPED: "The program is stopped; continue it (fg, SIGCONT, or C-q after C-s).",
    Reason.OWN_PANE: "The controller itself runs in this pane; write to another one.",
    Reason.HELD: "A person holds the pane; it is free again after release.",
    Reason.NOT_PROMPTING: "Nothing is asked now, so there is nothing to answer.",
    Reason.STALE_PROMPT: "Another prompt is on screen; read it and answer it by its own id.",
    Reason.NOT_WHILE_BUSY: "The program takes no input while it works; send a message instead.",
    Reason.SERVER_UNREACHABLE: "The tmux server cannot be reached; what the pane does is unknown.",
    Reason.SERVER_DIED: "The tmux server died; what became of the program is not known.",
}
"""One sentence for each reason this module gives: what to do next."""

_UNKNOWN: Final = Rule()


def decide(intent: Intent, situation: Situation, answers_prompt_id: str | None = None) -> Decision:
    """Say whether a write may go out now.

    Args:
        intent: What the write is for.
        situation: What is known about the pane, from a look.
        answers_prompt_id: For answers: the prompt that is answered.

    Returns:
        The first refusal of all rows that apply, else the first hold, else ALLOW. What
        is in no table is refused as unproven.

    """
    judged = attrs.evolve(situation, answers_prompt_id=answers_prompt_id)
    held: Rule | None = None
    ask_state = True
    for condition in CONDITIONS:
        if not condition.applies(judged):
            continue
        rule = Rule(condition.verdicts.get(intent, Verdict.REFUSE), condition.reason)
        if rule.verdict is Verdict.REFUSE:
            return _decision(rule, judged)
        if rule.verdict is Verdict.HOLD:
            held = held or rule
            ask_state = ask_state and not condition.hides_state
    state_rule = TABLE.get((intent, judged.state), _UNKNOWN)
    if held is None or (ask_state and state_rule.verdict is Verdict.REFUSE):
        return _decision(state_rule, judged)
    return _decision(held, judged)


def may_wait(intent: Intent, reason: Reason) -> bool:
    """Tell whether *reason* holds a write of this intent, so that its time can run out."""
    if reason in (Reason.DEADLINE, Reason.CHANGED):
        return True
    cells = (rule for (of, _), rule in TABLE.items() if of is intent)
    return any(cell.verdict is Verdict.HOLD and cell.reason is reason for cell in cells) or any(
        c.reason is reason and c.verdicts.get(intent) is Verdict.HOLD for c in CONDITIONS
    )


def render_table() -> tuple[tuple[str, ...], ...]:
    """Return the table as rows of strings, headings first, for people to read."""
    head = ("intent", *(state.value for state in State))
    return (head, *((i.value, *(_cell(TABLE[i, s]) for s in State)) for i in Intent))


def render_conditions() -> tuple[tuple[str, ...], ...]:
    """Return the conditions as rows of strings, in order, headings first."""
    head = ("condition", *(intent.value for intent in Intent))
    return (
        head,
        *(
            (c.name, *(_cell(Rule(c.verdicts[i], c.reason), passes="-") for i in Intent))
            for c in CONDITIONS
        ),
    )


def _cell(rule: Rule, passes: str = "allow") -> str:
    if rule.verdict is Verdict.ALLOW:
        return passes
    return f"{rule.verdict.name.lower()}: {rule.reason.value}"


def _decision(rule: Rule, situation: Situation) -> Decision:
    words = WORDS.get(rule.reason, WORDS[Reason.UNPROVEN])
    if rule.reason is Reason.HELD and situation.held:
        words = f"{words[:-1]} ({situation.held})."
    return Decision(verdict=rule.verdict, reason=rule.reason, words=words)

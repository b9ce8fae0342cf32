"""The same things for people: short, and saying what to do next."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import click

from panegate.errors import LaunchFailed, PanegateError, Refused, TmuxTooOld
from panegate.session.events import (
    Dropped,
    Escalated,
    Event,
    LimitReached,
    Nudged,
    OutcomeReached,
    PaneExited,
    PaneOpened,
    Prompt,
    PromptChanged,
    PromptClosed,
    PromptOpened,
    ServerBack,
    ServerLost,
    StateChanged,
    WriteFinished,
    WriteHeld,
)
from panegate.terms import Fate, State

if TYPE_CHECKING:
    from panegate.cli.remote import AnyPane
    from panegate.gate.receipt import Receipt
    from panegate.service.views import Explanation, Screen

__all__ = [
    "at_server",
    "clock_words",
    "columns",
    "error_words",
    "event_words",
    "explanation_words",
    "pane_words",
    "prompt_words",
    "receipt_words",
    "screen_words",
    "state_words",
]

_AT_A_SERVER: Final = re.compile(
    r"\bpanegate (ls|launch|adopt|attach|close|send|run|answer|interrupt|keys|clear|hold|release"
    r"|wait|read|explain|log|prompts|watch|events|doctor|serve)\b(?! (?:-L|-S|--ssh|--help)\b)"
)

_COLOURS = {
    State.BOOTING: "cyan",
    State.READY: "green",
    State.BUSY: "yellow",
    State.PROMPTING: "magenta",
    State.SILENT: "red",
    State.EXITED: "bright_black",
}
_FATES = {Fate.LANDED: "green", Fate.NOT_LANDED: "red", Fate.UNKNOWN: "yellow"}
_STEPS = ("held", "typed", "echoed", "submitted", "reacted", "total")


def state_words(state: State, *, width: int = 0) -> str:
    """Return a state in its colour, padded to *width*."""
    return click.style(f"{state.value:<{width}}", fg=_COLOURS[state], bold=state is State.PROMPTING)


def columns(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of words in aligned columns; the first row is a heading."""
    table = [[str(cell) for cell in row] for row in rows]
    widths = [
        max(len(click.unstyle(cell)) for cell in column) for column in zip(*table, strict=True)
    ]
    lines = []
    for number, row in enumerate(table):
        padded = [
            cell + " " * (width - len(click.unstyle(cell)))
            for cell, width in zip(row, widths, strict=True)
        ]
        text = "  ".join(padded).rstrip()
        lines.append(click.style(text, bold=True) if number == 0 else text)
    return "\n".join(lines)


def receipt_words(receipt: Receipt, name: str = "", *, server: str = "") -> str:
    """Return a receipt: its sentence, then its times."""
    lead = f"{name or receipt.pane}: "
    text = lead + click.style(receipt.words, fg=_FATES.get(receipt.fate))
    steps = [f"{step} {receipt.ms[step]:.1f}" for step in _STEPS if step in receipt.ms]
    if steps:
        text += "\n" + click.style(f"  ms: {', '.join(steps)}", dim=True)
    if receipt.left_behind:
        text += f"\n  left behind in the composer: {receipt.left_behind!r}"
        text += f"; panegate clear {server}{name or receipt.pane} removes it"
    return text


def prompt_words(prompt: Prompt, *, server: str | None = "") -> str:
    """Return a question word for word, its options, and how to answer it.

    Args:
        prompt: The question.
        server: Options that name its tmux server; None leaves out how to answer.

    """
    lines = [click.style(prompt.question or "(it shows no question)", bold=True)]
    if prompt.context:
        lines += [f"  about: {row}" for row in prompt.context.splitlines()]
    for number, option in enumerate(prompt.options, 1):
        key = option.key or str(number)
        sign = click.style(">", fg="cyan") if option.highlighted else " "
        box = "" if option.ticked is None else "[x] " if option.ticked else "[ ] "
        lines.append(f"  {sign} {key}  {box}{option.label}")
    if prompt.many:
        lines.append("  several may be chosen: KEY,KEY")
    if prompt.unseen:
        lines.append(f"  not all of it can be seen: {prompt.unseen}")
    if prompt.default is not None:
        lines.append(f"  Enter alone takes: {prompt.default}")
    if server is None:
        return "\n".join(lines)
    how = "OPTION" if prompt.options else ("--secret" if prompt.secret else "--text TEXT")
    answer = f"panegate answer {server}{prompt.pane} {prompt.id}"
    lines.append(f"  answer: {answer} {how}")
    if prompt.cancel_key is not None:
        lines.append(f"  decline it: {answer} --cancel (presses {prompt.cancel_key})")
    if prompt.where:
        lines.append(f"  or go there: {prompt.where}")
    return "\n".join(lines)


def pane_words(pane: AnyPane, *, server: str = "") -> str:
    """Return one line about a pane, and its question where it asks one."""
    text = f"{pane.name} ({pane.id}, {pane.profile.name}) is {state_words(pane.state)}"
    if pane.exit is not None:
        text += f" {pane.exit.how}"
    if pane.held is not None:
        text += f", held by a person: {pane.held}"
    if pane.prompt is not None:
        text += "\n" + prompt_words(pane.prompt, server=server)
    return text


def screen_words(screen: Screen) -> str:
    """Return a screen's rows, blank ones at the end removed."""
    return screen.text


def explanation_words(found: Explanation) -> str:
    """Return why a pane is in its state."""
    sure = "" if found.confirmed else " (unconfirmed)"
    grade = found.grade.value if found.grade is not None else "nothing"
    lines = [
        f"{found.name} ({found.pane}, {found.profile}) is {state_words(found.state)}{sure}",
        f"  because   {found.words or 'nothing was seen yet'}",
        f"  rests on  {grade}" + (f", by the rule {found.rule!r}" if found.rule else ""),
        f"  quiet     {found.quiet_s:.2f} s; a screen alone settles in {found.settle_window_s:g} s",
    ]
    lines += [f"  evidence  {item.grade.value}: {item.words}" for item in found.evidence]
    lines += [f"  gate      {words}" for words in found.holds]
    if found.way_out:
        lines.append(f"  way out   {found.way_out}")
    if found.launch_answers is not None:
        used = found.launch_answers
        lines.append(f"  answered  at its launch by the profile {used.profile}: {used.words}")
    if found.left_behind:
        lines.append(f"  left      {found.left_behind!r} stands in the composer")
    lines += [
        f"  history   {clock_words(item.at_s)} {item.old.value} -> {item.new.value}: {item.words}"
        for item in found.history
    ]
    return "\n".join(lines)


def clock_words(at_s: float) -> str:
    """Return a monotonic instant of this process as local wall time."""
    at = time.time() - (time.monotonic() - at_s)
    return f"{time.strftime('%H:%M:%S', time.localtime(at))}.{int(at % 1 * 100):02}"


def event_words(event: Event, names: dict[str, str] | None = None, *, server: str = "") -> str:
    """Return an event as one line (a question: as several)."""
    at = click.style(clock_words(event.at_s), dim=True)
    pane = getattr(event, "pane", "")
    lead = f"{at}  {(names or {}).get(pane, pane):<10}  " if pane else f"{at}  {'server':<10}  "
    return lead + _what(event, server)


def _what(event: Event, server: str) -> str:
    match event:
        case PaneOpened():
            return f"is watched ({event.profile})"
        case StateChanged():
            return f"{event.old.value} -> {state_words(event.new)}: {event.words}"
        case PromptOpened() | PromptChanged():
            return f"asks ({event.prompt.kind.value}): " + prompt_words(event.prompt, server=server)
        case PromptClosed():
            return "its question is gone" + (" (answered)" if event.answered else "")
        case WriteHeld():
            return f"a write waits: {event.words}"
        case WriteFinished():
            total = event.receipt.ms.get("total")
            took = f" ({total:.1f} ms)" if total is not None else ""
            return f"{event.receipt.intent.value}: {event.receipt.words}{took}"
        case PaneExited():
            how = f"status {event.status}" if event.status is not None else event.words
            return "exited: " + (f"signal {event.signal}" if event.signal is not None else how)
        case Escalated():
            again = " (again: nobody may have been told)" if event.repeated else ""
            lines = [click.style("needs a person: ", fg="red", bold=True) + event.words + again]
            if event.prompt is not None:
                lines.append(prompt_words(event.prompt, server=server))
            else:
                lines.append(f"  go there: {event.where}")
            return "\n".join(lines)
        case Nudged():
            return f"nudge {event.in_session}: {event.words}"
        case LimitReached():
            return event.words
        case OutcomeReached():
            so_far = "" if event.over else " so far"
            return f"{event.kind.value}{so_far} (advice: {event.advice.value}): {event.words}"
        case ServerLost():
            return f"lost: {event.words}"
        case ServerBack():
            return "answers again"
        case Dropped():
            return f"{event.count} events were dropped: this reader was too slow"


def at_server(text: str, server: str) -> str:
    """Return *text* with the options that name the server in every command that it advises.

    Args:
        text: What to do next.
        server: `CommandLine.server_words`.

    """
    return _AT_A_SERVER.sub(lambda found: f"{found[0]} {server}".rstrip(), text)


def error_words(error: PanegateError, *, server: str = "") -> str:
    """Return an error: what happened, the question or screen behind it, what to do."""
    if isinstance(error, TmuxTooOld):
        return f"panegate: {error}; {error.fix}" if error.fix else f"panegate: {error}"
    lines = [click.style("panegate: ", fg="red") + str(error)]
    prompt = error.prompt if isinstance(error, Refused) else None
    if isinstance(prompt, Prompt):
        lines.append(prompt_words(prompt, server=server))
    if isinstance(error, LaunchFailed) and error.screen is not None and error.screen.text:
        lines += [f"  | {row}" for row in error.screen.text.splitlines()[-10:]]
    if error.fix:
        lines.append(f"  what to do: {error.fix}")
    return "\n".join(lines)

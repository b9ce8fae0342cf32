"""Which questions a run would meet: a trial start on a server of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
import attrs

from panegate import profiles
from panegate.errors import LaunchFailed, NotReady, PanegateError, ProfileError, Refused
from panegate.screen.profile import Family
from panegate.service.views import RunResult
from panegate.session.events import Event, Prompt, PromptChanged, PromptOpened
from panegate.session.launch_answers import AnswersUsed
from panegate.terms import Reason, State

if TYPE_CHECKING:
    from panegate.service.controller import Controller
    from panegate.service.pane import Pane

__all__ = ["ProbeReport", "check_turn", "probe", "probe_in", "program_of"]

_PAINTED_WITHIN_S: Final = 2.0
"""How long a question may still be painted on before it is quoted as it stands."""


@attrs.frozen(kw_only=True)
class ProbeReport:
    """What a trial start met."""

    profile: str
    argv: tuple[str, ...]
    """What was started, launch answers included."""
    launch_answers: AnswersUsed | None
    """What the profile answered in advance."""
    state: State
    """Of the program at the end: ready, prompting, or as the turn ended."""
    questions: tuple[Prompt, ...]
    """Every question that was met, in order and word for word. None was answered: what
    comes behind the last one is not known."""
    turn: RunResult | None
    """The turn that was asked for; None where it was not, or a question came before."""
    took_s: float
    words: str
    """One sentence."""


def program_of(profile: str | Path, env: Mapping[str, str] | None = None) -> str:
    """Return the program of a profile: the first of its commands that is installed.

    Args:
        profile: As `panegate.profiles.load` takes it.
        env: Its ``PATH`` counts, where it has one.

    Raises:
        ProfileError: The profile is wrong, or names no command.

    """
    commands = profiles.commands_of(profile)
    if not commands:
        msg = f"the profile {str(profile)!r} names no command"
        raise ProfileError(msg, fix="name the program: --program CMD, program=")
    path = (env or {}).get("PATH") or os.environ.get("PATH")
    return next((name for name in commands if shutil.which(name, path=path)), commands[0])


def check_turn(profile: str | Path, turn: str | None) -> None:
    """Check that a turn can be driven.

    Raises:
        ValueError: The program is none that takes messages in a box of its own: there a text
            without content is a command.

    """
    if turn is None:
        return
    found = profiles.load(profile)
    if found.family is not Family.COMPOSER:
        kind = found.family.value
        msg = f"a turn is for composers, and {found.name!r} is of the family {kind!r}"
        raise ValueError(msg)


async def probe(
    ctl: Controller,
    profile: str | Path,
    arguments: Sequence[str] = (),
    *,
    program: str | None = None,
    **options: Any,
) -> ProbeReport:
    """See `panegate.Controller.probe`."""
    from panegate.service.private_server import private_controller  # which needs a controller

    if ctl.link.address.ssh is not None:
        raise PanegateError("a probe starts its program on this host", fix="run it over there")
    argv = (program or program_of(profile, options.get("env")), *arguments)
    check_turn(profile, options.get("turn"))
    async with private_controller(settings=ctl.settings, dies_with_us=True) as own:
        return await probe_in(own, profile, argv, **options)


async def probe_in(
    ctl: Controller,
    profile: str | Path,
    argv: Sequence[str],
    *,
    turn: str | None = None,
    within_s: float | None = None,
    turn_within_s: float | None = None,
    **launch: Any,
) -> ProbeReport:
    """Start a program as a run would and report the questions it asks; none is answered.

    Args:
        ctl: On a server that nobody else uses; its programs are ended by its owner.
        profile: The program's.
        argv: The run's own argument vector.
        turn: A message to send once it is ready, such as ``Reply with OK.``.
        within_s: How long it may take to be ready or to ask; default from the settings.
        turn_within_s: How long that turn may last; None waits for ever.
        **launch: Further ones of `Controller.launch`.

    Raises:
        LaunchFailed: It is not there, or ended before it was ready.
        NotReady: It was neither ready nor asking in time.
        ValueError: A turn is wanted of a program that is no composer.

    """
    check_turn(profile, turn)
    began_s = ctl.clock()
    met: dict[str, Prompt] = {}

    def note(event: Event) -> None:
        if isinstance(event, PromptChanged):
            met.pop(event.old_id, None)  # nobody answered it: it was painted on
        if isinstance(event, PromptOpened | PromptChanged):
            met[event.prompt.id] = event.prompt

    ctl.bus.taps.append(note)
    try:
        pane = await ctl.launch(argv, profile=profile, within_s=None, retain=True, **launch)
        limit_s = ctl.settings.launch_within_s if within_s is None else within_s
        await _until_up(pane, limit_s)
        done = None
        if turn is not None and pane.state is State.READY:
            done = await _turn(pane, turn, limit_s, turn_within_s)
        await _painted(pane)
        if pane.prompt is not None:
            met[pane.prompt.id] = pane.prompt
    finally:
        ctl.bus.taps.remove(note)
    questions = tuple(attrs.evolve(prompt, where="") for prompt in met.values())
    launched = pane.launched
    return ProbeReport(
        profile=pane.profile.name,
        argv=launched.argv if launched is not None else tuple(argv),
        launch_answers=launched.answers if launched is not None else None,
        state=pane.state,
        questions=questions,
        turn=done,
        took_s=ctl.clock() - began_s,
        words=_words(pane, len(questions), done),
    )


async def _until_up(pane: Pane, within_s: float) -> None:
    try:
        state = await pane.wait({State.READY, State.PROMPTING, State.EXITED}, within_s=within_s)
    except NotReady as error:
        sought = pane.profile.sought
        missing = f"; profile {pane.profile.name!r} sees no {sought}" if sought else ""
        raise NotReady(
            f"{pane.name} was neither ready nor asking within {within_s:g} s;"
            f" it is {pane.state.value}{missing}",
            reason=error.reason,
            state=error.state,
            screen=error.screen,
            fix="give it more time with --within, or a profile that knows its input",
        ) from error
    if state is not State.EXITED:
        return
    gone = pane.exit
    shown = "\n".join(gone.rows).strip() if gone is not None else ""
    said = f": {shown.splitlines()[0]}" if shown else ""
    how = gone.how if gone is not None else ""
    raise LaunchFailed(
        f"{pane.name} ended {how} before it was ready{said}",
        screen=pane.last_screen(),
        status=gone.status if gone is not None else None,
        signal=gone.signal if gone is not None else None,
        fix="run it by hand to see why",
    )


async def _turn(
    pane: Pane, text: str, within_s: float, turn_within_s: float | None
) -> RunResult | None:
    """Drive a turn; None where a question came first."""
    try:
        return await pane.run(text, within_s=within_s, turn_within_s=turn_within_s)
    except Refused as error:
        if error.reason is Reason.PROMPTING or pane.prompt is not None:
            return None
        raise


async def _painted(pane: Pane) -> None:
    """Wait until a question stands as it was looked at."""
    with anyio.move_on_after(_PAINTED_WITHIN_S):
        while pane.state is State.PROMPTING and not pane.confirmed:
            await pane.next_touch()


def _words(pane: Pane, n_questions: int, turn: RunResult | None) -> str:
    if n_questions:
        asks = "a question" if n_questions == 1 else f"{n_questions} questions"
        behind = " What comes behind it is not known." if pane.state is State.PROMPTING else ""
        return f"A run would meet {asks}.{behind}"
    if turn is not None:
        return f"No question was met. {turn.words}"
    return "No question was met; it is ready."

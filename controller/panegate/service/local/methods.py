"""Every method: what it takes, and the call it is. Knows no transport."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeVar

import attrs

import panegate
from panegate.errors import NoSuchPane
from panegate.gate.receipt import Receipt
from panegate.ids import is_pane_id
from panegate.service.local.host import (
    Caller,
    Host,
    pane_of,
    require_answers,
    require_other_pane,
)
from panegate.service.local.params import (
    AdoptParams,
    AllParams,
    AnswerParams,
    HoldParams,
    KeysParams,
    LaunchParams,
    NoParams,
    PaneParams,
    ReadParams,
    RunParams,
    SendParams,
    TextParams,
    VerdictParams,
    WaitParams,
    WithdrawParams,
    WithinParams,
)
from panegate.service.local.values import BadParams, PaneView, plain, view_of
from panegate.service.pane import Pane
from panegate.service.views import RunResult, Screen
from panegate.terms import Intent, State

__all__ = ["METHODS", "Method", "readiness"]

_P = TypeVar("_P")
_KEYS_WITHIN_S: Final = 10.0


@attrs.frozen(kw_only=True)
class Method:
    """One row of the table."""

    name: str
    words: str
    params: type[Any]
    call: Callable[[Host, Caller, Any], Awaitable[Any]]
    writes: bool = False
    """It may type something."""


async def _hello(host: Host, _caller: Caller, _params: NoParams) -> dict[str, Any]:
    ctl = host.ctl
    return {
        "panegate": panegate.__version__,
        "server": ctl.link.address.words,
        "identity": plain(ctl.identity),
        "watch": ctl.watch if isinstance(ctl.watch, str) else sorted(ctl.watch),
    }


async def _health(host: Host, _caller: Caller, _params: NoParams) -> dict[str, Any]:
    return {"ok": host.ctl.failed is None, "uptime_s": host.ctl.clock() - host.ctl.started_s}


def readiness(host: Host) -> list[str]:
    """Return what keeps the controller from doing its work; empty when it is ready."""
    ctl, problems = host.ctl, []
    if ctl.failed is not None:
        problems.append(f"the controller failed: {ctl.failed}")
    if ctl.closed:
        problems.append("the controller is closed")
    if not ctl.reachable or not any(client.alive for client in ctl.link.clients.values()):
        problems.append(f"the tmux server {ctl.link.address.words} cannot be reached")
    problem = getattr(ctl.journal, "problem", None)
    if problem is not None:
        problems.append(str(problem))
    return problems


async def _ready(host: Host, _caller: Caller, _params: NoParams) -> dict[str, Any]:
    problems = readiness(host)
    return {"ready": not problems, "problems": problems}


async def _statistics(host: Host, _caller: Caller, _params: NoParams) -> dict[str, Any]:
    return dict(host.ctl.statistics())


# --- panes ------------------------------------------------------------------------------


async def _panes(host: Host, _caller: Caller, params: AllParams) -> list[PaneView]:
    panes = await host.adopt_all(every=params.every)
    await host.settled(*panes)
    return [view_of(pane, explained=True) for pane in panes]


async def _prompts(host: Host, _caller: Caller, params: AllParams) -> list[PaneView]:
    panes = await host.adopt_all(every=params.every)
    await host.settled(*panes)
    return [view_of(pane) for pane in panes if pane.prompt is not None]


async def _launch(host: Host, _caller: Caller, params: LaunchParams) -> PaneView:
    if not params.argv:
        raise BadParams("argv: nothing to launch")
    if params.size is not None and len(params.size) != 2:
        raise BadParams("size: expected columns and rows")
    options = attrs.asdict(params, recurse=False)
    options["within_s"] = _given(params.within_s, host.ctl.settings.launch_within_s)
    if params.no_wait:
        options["within_s"] = None
    options["trust"], options["where"] = params.trust or "", params.where or ""
    for name in ("argv", "no_wait"):
        del options[name]
    return view_of(await host.launch(params.argv, options))


async def _adopt(host: Host, _caller: Caller, params: AdoptParams) -> PaneView:
    options = {
        key: value
        for key, value in attrs.asdict(params, recurse=False).items()
        if key not in ("pane", "settle", "remember") and value
    }
    pane = await host.adopt(params.pane, options, remember=params.remember)
    if params.settle:
        await host.settled(pane)
    return view_of(pane, explained=True, screen=params.settle)


async def _pane(host: Host, _caller: Caller, params: PaneParams) -> PaneView:
    return view_of(await pane_of(host, params.pane), explained=True)


async def _close(host: Host, _caller: Caller, params: PaneParams) -> PaneView:
    # also a dead one, which is none of those that are watched
    pane = await host.adopt(params.pane, {}, remember=False)
    view = view_of(pane)
    await host.end(pane)
    return view


async def _hold(host: Host, _caller: Caller, params: HoldParams) -> PaneView:
    pane = await pane_of(host, params.pane)
    await host.hold(pane, params.reason.strip() or "by hand")
    return view_of(pane)


async def _release(host: Host, _caller: Caller, params: PaneParams) -> PaneView:
    pane = await pane_of(host, params.pane)
    await host.hold(pane, None)
    return view_of(pane)


# --- writing ----------------------------------------------------------------------------


async def _writable(host: Host, caller: Caller, which: str) -> Pane:
    pane = await pane_of(host, which)
    require_other_pane(pane, caller)
    return pane


async def _send(host: Host, caller: Caller, params: SendParams) -> Receipt:
    pane = await _writable(host, caller, params.pane)
    return await pane.send(
        params.text,
        id=params.id,
        within_s=params.within_s,
        submit=params.submit,
        literal=params.literal,
    )


async def _nudge(host: Host, caller: Caller, params: TextParams) -> Receipt:
    pane = await _writable(host, caller, params.pane)
    await host.settled(pane)
    return await pane.nudge(params.text, id=params.id)


async def _steer(host: Host, caller: Caller, params: SendParams) -> Receipt:
    if not params.submit or params.literal:
        raise BadParams("steer takes neither submit nor literal")
    pane = await _writable(host, caller, params.pane)
    return await pane.steer(params.text, id=params.id, within_s=params.within_s)


async def _run(host: Host, caller: Caller, params: RunParams) -> RunResult:
    pane = await _writable(host, caller, params.pane)
    async with host.end_kept(pane):
        return await pane.run(
            params.text, within_s=params.within_s, turn_within_s=params.turn_within_s
        )


async def _answer(host: Host, caller: Caller, params: AnswerParams) -> Receipt:
    pane = await _writable(host, caller, params.pane)
    require_answers(pane, caller)
    return await pane.answer(
        params.prompt_id,
        option=params.option,
        text=params.text,
        secret=params.secret,
        cancel=params.cancel,
        by=params.by,
        within_s=_given(params.within_s, _KEYS_WITHIN_S),
    )


async def _interrupt(host: Host, caller: Caller, params: WithinParams) -> Receipt:
    pane = await _writable(host, caller, params.pane)
    return await pane.interrupt(within_s=_given(params.within_s, _KEYS_WITHIN_S))


async def _keys(host: Host, caller: Caller, params: KeysParams) -> Receipt:
    pane = await _writable(host, caller, params.pane)
    return await pane.keys(*params.keys, within_s=_given(params.within_s, _KEYS_WITHIN_S))


async def _clear(host: Host, caller: Caller, params: WithinParams) -> Receipt:
    pane = await _writable(host, caller, params.pane)
    return await pane.clear(within_s=_given(params.within_s, _KEYS_WITHIN_S))


async def _withdraw(host: Host, _caller: Caller, params: WithdrawParams) -> dict[str, bool]:
    pane = await pane_of(host, params.pane)
    return {"withdrawn": await pane.withdraw(params.write_id)}


# --- looking ----------------------------------------------------------------------------


async def _wait(host: Host, _caller: Caller, params: WaitParams) -> PaneView:
    pane = await _known(host, params.pane)
    wanted = {State(name) for name in params.states if name in _STATES}
    if len(wanted) != len(set(params.states)) or not wanted:
        raise BadParams(f"states: expected some of {', '.join(_STATES)}")
    async with host.end_kept(pane):
        await pane.wait(wanted, within_s=params.within_s)
    return view_of(pane)


async def _known(host: Host, which: str) -> Pane:
    """Return a pane, also one that has exited and is remembered."""
    if is_pane_id(which):
        for pane in host.ctl.panes:
            if pane.id == which:
                return pane
    return await pane_of(host, which)


async def _read(host: Host, _caller: Caller, params: ReadParams) -> Screen:
    if params.history < 0:
        raise BadParams("history: expected rows, from 0")
    return await (await _known(host, params.pane)).read(history=params.history)


async def _explain(host: Host, _caller: Caller, params: PaneParams) -> Any:
    return (await _known(host, params.pane)).explain()


async def _outcome(host: Host, _caller: Caller, params: PaneParams) -> dict[str, Any]:
    outcomes, which = host.ctl.outcomes, params.pane
    seen = [pane for pane in host.ctl.panes if which in (pane.id, pane.name)]
    if seen:
        return await outcomes.document(seen[-1])  # also where it has ended since
    try:
        pane = await pane_of(host, which)
    except NoSuchPane:
        kept = await outcomes.kept(which)
        if kept is None:
            raise
        return kept
    await host.settled(pane)
    return await outcomes.document(pane)


async def _verdict(host: Host, _caller: Caller, params: VerdictParams) -> dict[str, str]:
    if params.intent not in {intent.value for intent in Intent}:
        raise BadParams(f"intent: expected one of {', '.join(i.value for i in Intent)}")
    decision = (await _known(host, params.pane)).verdict(Intent(params.intent))
    return {
        "verdict": decision.verdict.name.lower(),
        "reason": decision.reason.value,
        "words": decision.words,
    }


_STATES: Final = tuple(state.value for state in State)


def _given(value: float | None, default: float) -> float:
    return default if value is None else value


_ROWS: Final = (
    Method(name="hello", words="Who answers.", params=NoParams, call=_hello),
    Method(name="health", words="The process lives.", params=NoParams, call=_health),
    Method(name="ready", words="It can do its work.", params=NoParams, call=_ready),
    Method(name="statistics", words="Counts.", params=NoParams, call=_statistics),
    Method(name="panes", words="Panes that are known.", params=AllParams, call=_panes),
    Method(name="prompts", words="Who waits for a person.", params=AllParams, call=_prompts),
    Method(name="launch", words="Start a program.", params=LaunchParams, call=_launch),
    Method(name="adopt", words="Take over a pane.", params=AdoptParams, call=_adopt),
    Method(name="pane", words="One pane.", params=PaneParams, call=_pane),
    Method(name="close", words="End a program.", params=PaneParams, call=_close),
    Method(name="hold", words="A person takes over.", params=HoldParams, call=_hold),
    Method(name="release", words="Give it back.", params=PaneParams, call=_release),
    Method(name="send", words="A message.", params=SendParams, call=_send, writes=True),
    Method(name="nudge", words="Now or not.", params=TextParams, call=_nudge, writes=True),
    Method(name="steer", words="While it works.", params=SendParams, call=_steer, writes=True),
    Method(name="run", words="A whole turn.", params=RunParams, call=_run, writes=True),
    Method(name="answer", words="A decision.", params=AnswerParams, call=_answer, writes=True),
    Method(name="interrupt", words="Its key.", params=WithinParams, call=_interrupt, writes=True),
    Method(name="keys", words="Raw keys.", params=KeysParams, call=_keys, writes=True),
    Method(name="clear", words="Its composer.", params=WithinParams, call=_clear, writes=True),
    Method(name="withdraw", words="Take back.", params=WithdrawParams, call=_withdraw),
    Method(name="wait", words="For a state.", params=WaitParams, call=_wait),
    Method(name="read", words="Its screen.", params=ReadParams, call=_read),
    Method(name="explain", words="Why it is so.", params=PaneParams, call=_explain),
    Method(name="outcome", words="Why it ended.", params=PaneParams, call=_outcome),
    Method(name="verdict", words="What the gate says.", params=VerdictParams, call=_verdict),
)
METHODS: Final[Mapping[str, Method]] = {row.name: row for row in _ROWS}
"""Every method by its name."""

"""Programs started, adopted, started again and ended."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import attrs

from panegate.errors import (
    LaunchFailed,
    NoSuchPane,
    NotReady,
    PanegateError,
    ServerUnreachable,
)
from panegate.ids import PaneId, SessionId, WindowId, is_pane_id
from panegate.probes.left_running import left_running
from panegate.runtime.bringup import KEEP_ALIVE, one_shot
from panegate.runtime.client import Answer
from panegate.runtime.link import Target
from panegate.runtime.own_pane import own_pane_id
from panegate.screen.profile import Profile
from panegate.service.choosing import (
    adjust_profile,
    as_vector,
    check_program,
    choose_profile,
    plan_launch,
)
from panegate.service.launch import Launch
from panegate.service.pane import Pane
from panegate.service.started import (
    check_whole,
    read_started,
    read_started_commands,
    started_commands,
    write_settings,
)
from panegate.session.events import PaneOpened
from panegate.session.fold import is_shell
from panegate.session.traits import TrackerTraits
from panegate.terms import State
from panegate.wire.commands import command, sequence

if TYPE_CHECKING:
    import libtmux

    from panegate.service.controller import Controller

__all__ = [
    "Launching",
    "ListedPane",
]

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_+-]{0,63}\Z")
_PROMPT_OPTION = "@panegate_prompt"
"""User option of a pane: a launched shell's own prompt, as JSON. No program can set it."""
_PLACEHOLDER = ("sleep", "2147483647")
_LIST = "#{session_id} #{window_id} #{pane_id} #{pane_pid} #{pane_dead} #{session_name}"


@attrs.frozen(kw_only=True)
class ListedPane:
    """One pane of the server, as listed."""

    target: Target
    dead: bool
    session_name: str


@attrs.define(kw_only=True, eq=False)
class Launching:
    """Starts and ends the programs of one controller."""

    ctl: Controller
    _rising: dict[PaneId, tuple[str, ...]] = attrs.field(factory=dict, init=False)
    """Panes whose program is waited for, and what it left running when it ended."""
    _count: int = attrs.field(default=0, init=False)

    async def launch(
        self,
        argv: Sequence[str],
        *,
        profile: str | Path | None,
        name: str | None,
        cwd: str | Path | None,
        env: Mapping[str, str] | None,
        inherit_env: bool | None,
        size: tuple[int, int],
        where: str,
        composer: str | None,
        reads_lines: bool,
        trust: str,
        retain: bool,
        within_s: float | None,
    ) -> Pane:
        """See `Controller.launch`."""
        if not argv:
            msg = "nothing to launch: the argument vector is empty"
            raise ValueError(msg)
        chosen = choose_profile(profile, argv, reads_lines=reads_lines)
        chosen = adjust_profile(chosen, composer=composer, trust=trust)
        here = self.ctl.link.address.ssh is None  # nothing of ours is right on another host
        folder = str(cwd) if cwd is not None else os.getcwd() if here else None
        launched = plan_launch(
            argv,
            chosen,
            named=profile,
            env=env,
            inherit_env=inherit_env,
            own=os.environ if here else None,
            cwd=folder,
            retain=retain,
        )
        if here:
            check_program(launched)
        write_settings(launched)
        target, name = await self._make_session(name, argv, size)
        traits = TrackerTraits(
            name=name,
            where=where,
            reads_lines=reads_lines,
            trust_timing=trust == "timing",
            own_process_is_program=True,
            launched=True,
            host=self.ctl.link.server.host,
        )
        opened: list[Pane] = []

        def started(target: Target) -> None:
            opened.append(self._open(target, traits.name, chosen, traits, launched))

        try:
            await self._prepare(target, size)
            await self.ctl.link.carry(target, ours=True)
            await self._respawn(target, launched, started)
        except BaseException:
            with anyio.CancelScope(shield=True), anyio.move_on_after(5):
                await self._end(target, just_made=True)
            for pane in opened:
                self.ctl.drop(pane)
            raise
        pane = opened[0]
        if within_s is not None:
            await self.until_up(pane, within_s)
        return pane

    async def adopt(
        self,
        which: PaneId | str | libtmux.Pane,
        *,
        profile: str | Path | None,
        name: str | None,
        where: str,
        composer: str | None,
        reads_lines: bool,
        trust: str,
    ) -> Pane:
        """See `Controller.adopt`."""
        wanted = which if isinstance(which, str) else str(which.pane_id)
        listed = await self.list_panes()
        if is_pane_id(wanted):
            found = [p for p in listed if p.target.pane_id == wanted]
        else:
            found = [p for p in listed if p.session_name == wanted.lstrip("=")]
        if not found:
            raise NoSuchPane(
                f"the server {self.ctl.link.address.words} has no pane {wanted!r}",
                fix="panegate ls --all lists its panes",
            )
        if len(found) > 1 and not is_pane_id(wanted):
            ids = ", ".join(p.target.pane_id for p in found)
            raise NoSuchPane(f"{wanted!r} has several panes: {ids}", fix="name one of them")
        target = found[0].target
        for pane in self.ctl.panes:
            if pane.id == target.pane_id:
                if pane.state is not State.EXITED:
                    return pane
                self.ctl.drop(pane)  # what was watched there is gone
        await self.ctl.link.carry(target)
        known = await self.ctl.keeping.known(target)
        profile, name, where = profile or known.profile, name or known.name, where or known.where
        reads_lines = reads_lines or known.reads_lines
        shown, start, own_prompt = await self._facts_of(target.pane_id)
        started = await self._started(found[0])
        chosen = choose_profile(profile, [shown] if shown else ["?"], reads_lines=reads_lines)
        chosen = adjust_profile(chosen, composer=composer, trust=trust)
        traits = TrackerTraits(
            name=name or found[0].session_name,
            where=where,
            reads_lines=reads_lines,
            trust_timing=trust == "timing",
            own_process_is_program=not is_shell(start) or is_shell(shown),
            own_pane=target.pane_id == own_pane_id(self.ctl.link.server.socket),
            host=self.ctl.link.server.host,
            own_prompt=own_prompt,
        )
        pane = self._open(target, traits.name, chosen, traits, None)
        pane.started = started
        return pane

    async def respawn(self, pane: Pane, within_s: float | None) -> None:
        """See `Pane.respawn`."""
        launched = pane.launched or pane.started
        if launched is None:
            raise PanegateError(f"{pane.name} was adopted: how it was started is not known")
        check_whole(launched, pane.name)
        traits = attrs.evolve(pane.tracker.traits, launched=True, own_process_is_program=True)
        write_settings(launched)
        found = [p for p in await self.list_panes() if p.target.pane_id == pane.id]
        if not any(p.dead or p.target.pane_pid == pane.target.pane_pid for p in found):
            raise NoSuchPane(f"{pane.id} is not the pane of {pane.name} any more")
        self.ctl.drop(pane)
        await self._empty(pane.target)
        await self.ctl.link.carry(pane.target, ours=True)

        def started(target: Target) -> None:
            slot = self.ctl.engine.open(target, pane.profile, traits)
            pane.target, pane.tracker, pane.exit = target, slot.tracker, None
            pane.launched = launched
            self.ctl.add(pane)

        await self._respawn(pane.target, launched, started)
        limit_s = self.ctl.settings.launch_within_s if within_s is None else within_s
        await self.until_up(pane, limit_s)

    async def close(self, pane: Pane) -> None:
        """See `Pane.close`."""
        if pane.launched is not None or pane.state is not State.EXITED:
            await self._end(pane.target)
        self.ctl.drop(pane)

    async def after_exit(self, pane: Pane) -> None:
        """Remove a dead pane of ours, unless it is to be retained; its last read is kept."""
        if pane.id in self._rising and self.ctl.engine.local:
            self._rising[pane.id] = left_running(pane.target.pane_pid)  # before they are ended
        shell_lives = pane.tracker.situation().shell_left_behind
        if pane.launched is None or pane.launched.retain or shell_lives:
            return
        try:
            await self._end(pane.target)
        except (PanegateError, anyio.get_cancelled_exc_class()):
            return

    async def list_panes(self) -> list[ListedPane]:
        """Return all panes of the server."""
        answer = await self.ctl.link.ask(command("list-panes", "-a", "-F", _LIST))
        out: list[ListedPane] = []
        for line in answer.text().splitlines():
            words = line.split(" ", 5)
            if len(words) != 6:
                continue
            target = Target(
                session_id=SessionId(words[0]),
                window_id=WindowId(words[1]),
                pane_id=PaneId(words[2]),
                pane_pid=int(words[3] or 0),
            )
            if words[5] == KEEP_ALIVE or any(p.target.pane_id == target.pane_id for p in out):
                continue
            out.append(ListedPane(target=target, dead=words[4] == "1", session_name=words[5]))
        return out

    async def watch_existing(self) -> None:
        """Adopt what the controller was told to watch."""
        watch = self.ctl.watch
        if watch == "launched":
            return
        for listed in await self.list_panes():
            names = watch if isinstance(watch, frozenset) else None
            known = any(p.id == listed.target.pane_id for p in self.ctl.panes)
            if not known and (names is None or listed.session_name in names):
                await self.ctl.adopt(listed.target.pane_id)

    # --- steps ----------------------------------------------------------------------

    async def _make_session(
        self, name: str | None, argv: Sequence[str], size: tuple[int, int]
    ) -> tuple[Target, str]:
        if name is not None and (not _NAME.match(name) or name == KEEP_ALIVE):
            msg = f"not a usable name: {name!r} (letters, digits, _, + and -; at most 64)"
            raise LaunchFailed(msg, fix="choose another name")
        base = re.sub(r"[^A-Za-z0-9_+-]", "-", os.path.basename(argv[0])) or "pane"
        for _ in range(1000):
            self._count += 1
            tried = name or f"{base.strip('-') or 'pane'}-{self._count}"
            make = command(
                "new-session",
                "-d",
                "-P",
                "-F",
                "#{session_id} #{window_id} #{pane_id} #{pane_pid}",
                "-s",
                tried,
                "-x",
                str(size[0]),
                "-y",
                str(size[1]),
                "--",
                *_PLACEHOLDER,
            )
            answer = await self.ctl.link.ask_alone(make)
            words = answer.text().split()
            if answer.ok and len(words) == 4:
                target = Target(
                    session_id=SessionId(words[0]),
                    window_id=WindowId(words[1]),
                    pane_id=PaneId(words[2]),
                    pane_pid=int(words[3]),
                )
                return target, tried
            if "duplicate session" not in answer.text():
                raise LaunchFailed(f"tmux cannot make a session: {answer.text()}")
            if name is not None:
                raise LaunchFailed(
                    f"a session {name!r} exists already",
                    fix=f"choose another name, or adopt it: panegate adopt {name}",
                )
        raise LaunchFailed("no free session name was found", fix="give a name")

    async def _prepare(self, target: Target, size: tuple[int, int]) -> None:
        version = self.ctl.link.server.version
        lines = [
            command("set-option", "-w", "-t", target.window_id, "automatic-rename", "off"),
        ]
        if not version.crash_remain_on_exit:
            lines.append(
                command("set-option", "-w", "-t", target.window_id, "remain-on-exit", "on")
            )
        if version.dead_signal:  # 3.3: the words on a dead pane would scroll its first row away
            lines.append(
                command("set-option", "-w", "-t", target.window_id, "remain-on-exit-format", "")
            )
        if version.new_session_ignores_size:
            words = ("-x", str(size[0]), "-y", str(size[1]))
            lines.append(command("resize-window", "-t", target.window_id, *words))
        await self.ctl.link.ask(sequence(*lines))

    async def _empty(self, target: Target) -> None:
        """Put the placeholder back while no control client sees the window.

        A control client keeps its place in the output of a pane; up to 3.3a a respawn of a
        pane that has written something ends the server while one is attached.
        """
        link = self.ctl.link
        if target.window_id in link.linked:
            await link.ask(command("unlink-window", "-t", f"={KEEP_ALIVE}:{target.window_id}"))
            link.linked.discard(target.window_id)
        await link.drop(target.session_id)
        words = ("respawn-pane", "-k", "-t", target.pane_id, "--", *_PLACEHOLDER)
        status, _, errors = await one_shot(link.address, *words)
        if status != 0:
            raise LaunchFailed(f"tmux cannot respawn {target.pane_id}: {errors}")

    async def _respawn(
        self, target: Target, launched: Launch, started: Callable[[Target], None]
    ) -> None:
        """Start the program; *started* runs before anything it writes is handled."""
        words: list[str] = ["-k", "-t", target.pane_id]
        if launched.cwd is not None:
            # tmux expands formats in the folder's name: a `#` of its own must not be one
            words += ["-c", launched.cwd.replace("#", "##")]
        for key, value in launched.env:
            words += ["-e", f"{key}={value}"]
        line = sequence(
            command("respawn-pane", *words, "--", *as_vector(launched.argv)),
            command("display-message", "-p", "-t", target.pane_id, "#{pane_pid}"),
            *started_commands(target.pane_id, launched),
        )
        answers: list[Answer] = []
        answered = anyio.Event()
        given_up = False

        def take(answer: Answer) -> None:
            pid = answer.text(1)
            if answer.ok and pid.isdigit() and not given_up:
                started(attrs.evolve(target, pane_pid=int(pid)))
            answers.append(answer)
            answered.set()

        # its own carrier: there the answer stands before the program's first output
        self.ctl.link.carriers[target.pane_id].request([line], take)
        try:
            await answered.wait()
        except BaseException:
            given_up = True
            raise
        if answers[0].blocks is None:
            raise ServerUnreachable(f"the server went away while {launched.argv[0]!r} was started")
        if not answers[0].ok or not answers[0].text(1).isdigit():
            raise LaunchFailed(f"tmux cannot start {launched.argv[0]!r}: {answers[0].text()}")

    def _open(
        self,
        target: Target,
        name: str,
        profile: Profile,
        traits: TrackerTraits,
        launched: Launch | None,
    ) -> Pane:
        slot = self.ctl.engine.open(target, profile, traits)
        pane = Pane(ctl=self.ctl, name=name, target=target, tracker=slot.tracker, launched=launched)
        self.ctl.add(pane)
        self.ctl.emit(
            PaneOpened(pane=pane.id, name=name, profile=profile.name, at_s=self.ctl.clock())
        )
        return pane

    async def until_up(self, pane: Pane, within_s: float) -> None:
        """Wait until a program is up; see `Controller.launch` for what is raised."""
        ends = {State.READY, State.PROMPTING, State.EXITED}
        self._rising[pane.id] = ()
        try:
            state = await pane.wait(ends, within_s=within_s)
        except NotReady as error:
            reading, sought = pane.tracker.reading, pane.profile.sought
            unseen = sought and reading is not None and reading.composer is None
            missing = f"; profile {pane.profile.name!r} sees no {sought}" if unseen else ""
            raise LaunchFailed(
                f"{pane.name} was not ready within {within_s:g} s; it is {pane.state.value}"
                f" and still runs as {pane.id}{missing}",
                screen=pane.last_screen(),
                fix=f"wait for it, or end it: panegate close {pane.name}",
            ) from error
        finally:
            left = self._rising.pop(pane.id, ())
        if state is not State.EXITED:
            if prompt := pane.tracker.first_prompt:
                words = ("-p", "-t", pane.id, _PROMPT_OPTION, json.dumps(prompt))
                await self.ctl.link.ask(command("set-option", *words))
            return
        pane.check_server()
        left = left or (left_running(pane.target.pane_pid) if self.ctl.engine.local else ())
        await self.after_exit(pane)
        gone = pane.exit
        status = gone.status if gone is not None else None
        signal = gone.signal if gone is not None else None
        how = f"with status {status}" if status is not None else "at once"
        if signal is not None:
            how = f"by signal {signal}"
        shown = "\n".join(gone.rows).strip() if gone is not None else ""
        said = f": {shown.splitlines()[0]}" if shown else ""
        fix = "run it by hand to see why"
        if left:
            said += f"; what it had started still ran: {', '.join(left)}"
            fix = "launch what stays in front, not what starts it and ends"
        raise LaunchFailed(
            f"{pane.name} ended {how} before it was ready{said}",
            screen=pane.last_screen(),
            status=status,
            signal=signal,
            fix=fix,
        )

    async def _facts_of(self, pane_id: PaneId) -> tuple[str, str, str]:
        """Return a pane's foreground command, the name of its own process, its known prompt."""
        answer = await self.ctl.link.ask(
            command("display-message", "-p", "-t", pane_id, "#{pane_current_command}"),
            command("display-message", "-p", "-t", pane_id, "#{pane_start_command}"),
            command("display-message", "-p", "-t", pane_id, "#{default-command} #{default-shell}"),
            command("display-message", "-p", "-t", pane_id, f"#{{{_PROMPT_OPTION}}}"),
        )
        shown, start = answer.text(0), answer.text(1).strip('"')
        if not start:
            start = answer.text(2).split()[-1] if answer.text(2).split() else ""
        try:
            own_prompt = str(json.loads(answer.text(3) or '""'))
        except ValueError:
            own_prompt = ""  # a person's edit
        return shown, os.path.basename(start.split(" ")[0]) if start else "", own_prompt

    async def _started(self, listed: ListedPane) -> Launch | None:
        """Return how an earlier controller has started a pane's program."""
        answer = await self.ctl.link.ask(*read_started_commands(listed.target.pane_id))
        own = os.environ if self.ctl.link.address.ssh is None else {}
        pid = listed.target.pane_pid
        return read_started(answer, pane_pid=pid, dead=listed.dead, own=own)

    async def _end(self, target: Target, *, just_made: bool = False) -> None:
        """End a pane, and its window with the last one; one at a time, each reply awaited.

        tmux compares first: by now the id may name another pane, on a new server above all.
        """
        link, pane_id = self.ctl.link, target.pane_id
        same = "1"
        if not just_made:  # later servers do not tell the process of a dead pane
            pid = f"#{{||:#{{==:#{{pane_pid}},{target.pane_pid}}},#{{==:#{{pane_pid}},}}}}"
            same = f"#{{&&:#{{==:#{{pane_id}},{pane_id}}},{pid}}}"
        line = command("if-shell", "-F", "-t", pane_id, same, f"kill-pane -t {pane_id}")
        try:
            await link.ask_alone(line, ends=target.session_id)
        except ServerUnreachable:
            return
        link.linked.discard(target.window_id)

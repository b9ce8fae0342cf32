"""Is this machine fit for panegate, and what will be different on it?"""

from __future__ import annotations

import os
import time

import click

from panegate.cli.command_line import CommandLine, command
from panegate.cli.doctor_checks import (
    Check,
    Health,
    check_locale,
    check_probe,
    check_profiles,
    check_python,
    check_settings,
    check_socket_folder,
    check_variables,
    version_notes,
)
from panegate.cli.doctor_journal import check_charge, check_journal
from panegate.cli.doctor_server import check_clients, check_clock, check_service, check_socket
from panegate.cli.documents import plain
from panegate.cli.exits import Exit
from panegate.errors import PanegateError
from panegate.runtime.address import OWN_SOCKET, ServerAddress
from panegate.runtime.bringup import ServerFacts, one_shot, read_facts
from panegate.service.private_server import private_controller, program_version
from panegate.service.settings import Settings
from panegate.wire.version import Version

__all__ = ["doctor"]

_SIGNS = {
    Health.GOOD: click.style("ok  ", fg="green"),
    Health.NOTE: click.style("note", fg="yellow"),
    Health.BROKEN: click.style("BAD ", fg="red", bold=True),
}
_SESSIONS = "#{session_windows} #{session_name}"


@command("doctor")
def doctor(line: CommandLine) -> int:
    """Check this machine.

    tmux and what is known about its version, a private server that is started and ended,
    the server that -L or -S names, the terminal probe, settings and profiles. The exit
    status is 1 when something is broken.
    """

    async def work() -> int:
        checks = [check_python(), *await _tmux(line)]
        checks += [check_locale(), check_probe(), check_variables(), check_settings()]
        checks += [check_clock(), *check_profiles(), *check_journal()]
        broken = any(check.health is Health.BROKEN for check in checks)
        line.say({"checks": plain(checks), "ok": not broken}, _words(checks))
        return Exit.FAILED if broken else Exit.DONE

    return line.run(work())


def _words(checks: list[Check]) -> str:
    rows = []
    for check in checks:
        rows.append(f"{_SIGNS[check.health]}  {check.name:<10} {check.words}")
        if check.fix:
            rows.append(f"{'':17}{click.style(f'what to do: {check.fix}', dim=True)}")
    return "\n".join(rows)


async def _tmux(line: CommandLine) -> list[Check]:
    named = line.server
    name = None if named["socket_path"] else named["socket_name"] or OWN_SOCKET
    tmux = os.environ.get("PANEGATE_TMUX") or "tmux"
    address = ServerAddress(socket_name=name, socket_path=named["socket_path"], tmux=tmux)
    try:
        version = await program_version(address)
    except PanegateError as error:
        return [Check("tmux", Health.BROKEN, str(error), error.fix)]
    checks = [Check("tmux", Health.GOOD, f"{tmux} is version {version}"), *version_notes(version)]
    checks.append(await _control_mode())
    if line.ssh is None:
        checks.append(check_socket_folder(address))
        checks += await _server(address, version)
        checks.append(await check_service(address))
    return checks


async def _control_mode() -> Check:
    """Start a private server, attach to it in control mode, ask it something, end it."""
    started_s = time.monotonic()
    try:
        async with private_controller(settings=Settings()) as ctl:
            attached_s = time.monotonic()
            await ctl.launching.list_panes()
            answered_s = time.monotonic()
    except PanegateError as error:
        return Check("control", Health.BROKEN, str(error), error.fix)
    words = (
        f"a private server came up and attached in {(attached_s - started_s) * 1000:.0f} ms,"
        f" answered in {(answered_s - attached_s) * 1000:.1f} ms, and is gone"
    )
    return Check("control", Health.GOOD, words)


async def _server(address: ServerAddress, version: Version) -> list[Check]:
    """Say what is known about the server that the command line names."""
    try:
        facts = await read_facts(address)
    except PanegateError as error:
        return [Check("server", Health.BROKEN, str(error), error.fix)]
    if facts is None:
        return [Check("server", Health.GOOD, f"none runs at {address.words} yet")]
    checks = [
        Check(
            "server", Health.GOOD, f"{address.words} is version {facts.version}, pid {facts.pid}"
        ),
        check_charge(facts.socket),
        check_socket(address),
        *await check_clients(address),
    ]
    if facts.version != version:
        words = f"the server is version {facts.version}, the program {version}"
        fix = "end the server when you can: it was started before tmux was updated"
        checks.append(Check("server", Health.NOTE, words, fix))
    return checks + await _risks(address, facts)


async def _risks(address: ServerAddress, facts: ServerFacts) -> list[Check]:
    """Name what is risky on a server that others use too."""
    _, listed, _ = await one_shot(address, "list-sessions", "-F", _SESSIONS)
    rows = [row.partition(" ") for row in listed.splitlines()]
    several = [name for count, _, name in rows if count.isdigit() and int(count) > 1]
    if several and facts.version.crash_multi_window_end:
        shown = ", ".join(several[:5])
        words = f"sessions of several windows: {shown}; if one ends at once, the server may crash"
        return [Check("server", Health.NOTE, words, "close their windows one by one")]
    return []

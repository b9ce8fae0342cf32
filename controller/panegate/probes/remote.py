"""One reading of another host: processes, hook reports and a record, in one command.

It runs through the connection's own wrapping, never inside the tmux server: ``run-shell``
opens a view mode there.
"""

from collections.abc import Callable, Sequence
from typing import Final

import attrs

from panegate.probes.children import PS, parse_ps
from panegate.probes.transcripts.lines import Tail, split_lines
from panegate.probes.transcripts.tail import MAX_TAIL
from panegate.session.claims import Child

__all__ = ["RemoteReading", "parse_remote", "read_remote", "remote_argv"]

_REPORTS: Final = 64 * 1024
_SCRIPT: Final = f"""\
date +%s; {" ".join(PS)}; echo "$1"
tail -c {_REPORTS} "${{PANEGATE_RUNTIME:-/tmp/panegate-$(id -u)}}/$2" 2>/dev/null
printf '\\n%s\\n' "$1"
[ -f "$3" ] && wc -c <"$3" && tail -c {MAX_TAIL + 1} <"$3"
exit 0
"""


@attrs.frozen(kw_only=True)
class RemoteReading:
    """What another host said."""

    now_s: float
    """Its wall clock."""
    children: tuple[Child, ...] = ()
    reports: bytes = b""
    """The end of the pane's file of hook reports, from where a line begins or within one."""
    tail: Tail | None = None
    """The end of the record, None where there is none."""


def remote_argv(nonce: str, report: str, transcript: str) -> list[str]:
    """Return the command to run there.

    Args:
        nonce: A word that nothing else contains.
        report: Name of the pane's file of hook reports.
        transcript: Path of the record, "" for none.

    """
    return ["sh", "-c", _SCRIPT, "sh", nonce, report, transcript]


def parse_remote(printed: bytes, nonce: str, pane_pid: int) -> RemoteReading | None:
    """Read what that command printed; None where it did not come to its end."""
    parts = printed.split(b"%s\n" % nonce.encode(), 2)
    if len(parts) != 3:
        return None
    first, _, rows = parts[0].partition(b"\n")
    if not first.strip().isdigit():
        return None
    now_s = float(first)
    text = rows.decode("utf-8", "replace")
    return RemoteReading(
        now_s=now_s,
        children=parse_ps(text.splitlines(), pane_pid, now_s=now_s),
        reports=parts[1].removesuffix(b"\n"),
        tail=_tail(parts[2]),
    )


def read_remote(
    run: Callable[[Sequence[str]], bytes],
    *,
    nonce: str,
    report: str,
    transcript: str,
    pane_pid: int,
) -> RemoteReading | None:
    """Run the command with *run* and read what it printed; None where that failed."""
    try:
        printed = run(remote_argv(nonce, report, transcript))
    except OSError:
        return None
    return parse_remote(printed, nonce, pane_pid)


def _tail(printed: bytes) -> Tail | None:
    size, _, data = printed.partition(b"\n")
    if not size.strip().isdigit():
        return None
    whole = int(size) <= MAX_TAIL
    return Tail(lines=split_lines(data, at_start=whole), whole=whole)

"""The commands, as plain data: `panegate --help` needs nothing else."""

from typing import Final, NamedTuple

__all__ = ["COMMANDS", "Entry", "help_text"]


class Entry(NamedTuple):
    """One command."""

    name: str
    module: str
    """Module of `panegate.cli` that holds it as a function of the same name."""
    words: str
    section: str


_PROGRAMS: Final = "Programs"
_WRITING: Final = "Writing (everything passes the gate)"
_READING: Final = "Reading and waiting"
_OWN: Final = "panegate itself"

COMMANDS: Final[tuple[Entry, ...]] = (
    Entry(
        "launch", "panes", "Start a program; return when it is ready, asks, or failed.", _PROGRAMS
    ),
    Entry("adopt", "panes", "Take over a pane that exists.", _PROGRAMS),
    Entry("ls", "panes", "List panes and their states.", _PROGRAMS),
    Entry("attach", "attaching", "Go to a pane with tmux itself.", _PROGRAMS),
    Entry("close", "panes", "End a program and its pane.", _PROGRAMS),
    Entry("send", "writing", "Deliver one message and say what became of it.", _WRITING),
    Entry("run", "writing", "Send, wait for the end of the turn, print what was said.", _WRITING),
    Entry("answer", "answering", "Answer the question a program asks.", _WRITING),
    Entry("interrupt", "writing", "Press the program's interrupt key.", _WRITING),
    Entry("keys", "writing", "Press keys by tmux's names.", _WRITING),
    Entry("clear", "writing", "Empty the composer.", _WRITING),
    Entry("hold", "holding", "Take a pane over: panegate writes nothing until release.", _WRITING),
    Entry("release", "holding", "Give a held pane back.", _WRITING),
    Entry("wait", "reading", "Block until a pane is in a state.", _READING),
    Entry("read", "reading", "Print a pane's screen, labelled.", _READING),
    Entry("explain", "reading", "Say why a pane is in its state.", _READING),
    Entry(
        "outcome",
        "outcome",
        "Say why a session ended, or what it has come to so far.",
        _READING,
    ),
    Entry("log", "log", "Print the journal: what was written, and what became of it.", _READING),
    Entry("prompts", "reading", "Say which programs wait for a person, and on what.", _READING),
    Entry("watch", "streams", "Show all panes and their states live; call people.", _READING),
    Entry("events", "streams", "Print events as they happen.", _READING),
    Entry("demo", "demo", "Show the main job on a private tmux server, in under a minute.", _OWN),
    Entry("doctor", "doctor", "Check this machine.", _OWN),
    Entry("states", "tables", "Print the tables of states, intents and conditions.", _OWN),
    Entry("probe", "probe", "Say which questions a run of a program would meet.", _OWN),
    Entry("profiles", "profiles", "List, show and check profiles.", _OWN),
    Entry(
        "hook", "hooks", "Let a program's own hooks report to panegate: install, uninstall.", _OWN
    ),
    Entry("serve", "serve", "Run the controller that the other commands go through.", _OWN),
    Entry("unit", "unit", "Print a systemd user unit for the service.", _OWN),
    Entry("record", "recordings", "Record everything that decides about a server's panes.", _OWN),
    Entry("replay", "recordings", "Run the engine over a recording.", _OWN),
    Entry("completion", "tables", "Print the completion script of a shell.", _OWN),
)
"""Every command, in the order of the help."""

_USAGE: Final = """\
Usage: panegate [OPTIONS] COMMAND [ARGS]...

Drives interactive programs in tmux panes: one gate for every keystroke, a
receipt for every write. PANE is an id (%3), a name, or a tmux target (w:1.0).
"""
_OPTIONS: Final = """\
Options (before or behind the command):
  -L, --socket-name NAME  The tmux server, as tmux's -L.  [default: panegate]
  -S, --socket-path PATH  The tmux server, as tmux's -S.
  --ssh HOST              The host that the tmux server runs on.
  --json                  One JSON document, or JSON lines, on standard output.
  -v, --verbose           Log lines on standard error.
  --version               Print the version.
  --help                  Print this, or a command's own help.

Exit status: 0 done  1 failed  2 usage  3 refused, nothing written  4 no such
pane or prompt  5 written but not confirmed  6 time ran out, nothing written
7 tmux server unreachable
"""


def help_text() -> str:
    """Return what ``panegate --help`` prints."""
    width = max(len(entry.name) for entry in COMMANDS)
    parts = [_USAGE]
    for section in dict.fromkeys(entry.section for entry in COMMANDS):
        rows = [e for e in COMMANDS if e.section == section]
        lines = [f"  {entry.name:<{width}}  {entry.words}" for entry in rows]
        parts.append("\n".join((f"{section}:", *lines)) + "\n")
    return "\n".join((*parts, _OPTIONS))

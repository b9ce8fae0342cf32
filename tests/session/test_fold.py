"""The fold: which evidence decides, row by row."""

import attrs
import pytest
from tests.session.rig import ABSENT, EDITOR, HIDDEN, LINE_READ, LOOP, look

from panegate.panes.beliefs import Belief, BeliefKind
from panegate.panes.facts import KernelFact, Mark, MarkKind, ProbeLevel, TtyWait
from panegate.panes.standing import StandingMarks
from panegate.profiles import load
from panegate.screen.read import read_screen
from panegate.session.fold import RULES, Case, fold, is_shell
from panegate.terms import Grade, PromptKind


def folded(
    *rows: str,
    profile: str = "generic",
    kernel: KernelFact | None = None,
    marks: tuple[tuple[MarkKind, str], ...] = (),
    command: str = "program",
    reader: str = "",
    launched: str = "",
    own: bool = True,
    reads_lines: bool = False,
    trust: bool = False,
    own_prompts: tuple[str, ...] = (),
    **fields: object,
) -> Belief:
    standing = StandingMarks()
    for n, (kind, text) in enumerate(marks):
        standing.feed(Mark(kind, text, float(n)))
    seen = look(*rows, kernel=kernel, command=command, **fields)  # type: ignore[arg-type]
    known = load(profile)
    return fold(
        Case(
            look=seen,
            reading=read_screen(seen, known),
            marks=standing,
            profile=known,
            launched_command=launched,
            launched_reader=reader,
            own_process_is_program=own,
            reads_lines=reads_lines,
            trust_timing=trust,
            own_prompts=own_prompts,
        )
    )


def test_a_dead_pane_is_gone_whatever_it_shows():
    belief = folded("$ ", profile="bash", kernel=EDITOR, command="bash", dead=True)
    assert (belief.kind, belief.rule) == (BeliefKind.GONE, "dead")


def test_a_shell_where_a_program_was_is_left_behind():
    belief = folded("$ ", launched="agent", command="bash", own=False)
    assert (belief.kind, belief.shell_left_behind) == (BeliefKind.GONE, True)


def shell_reads(pid: int) -> KernelFact:
    return attrs.evolve(EDITOR, reader_pid=pid, reader_command="bash")


def test_a_panes_own_shell_that_reads_where_a_program_did_is_left_behind():
    """`sh -c "agent; exec bash"`: tmux shows bash all the time, the kernel tells who reads."""
    reads = shell_reads(100)
    belief = folded("$ ", kernel=reads, launched="bash", reader="agent", command="bash")
    assert (belief.kind, belief.shell_left_behind) == (BeliefKind.GONE, True)


def test_a_shell_that_the_program_started_is_not_the_panes_own():
    reads = shell_reads(101)
    belief = folded("$ ", kernel=reads, launched="bash", reader="agent", command="bash")
    assert belief.kind is not BeliefKind.GONE


def test_a_program_that_is_its_own_process_leaves_no_shell_behind():
    belief = folded("$ ", launched="agent", command="bash", own=True)
    assert belief.kind is not BeliefKind.GONE


def test_a_stopped_program_is_never_ready():
    stopped = attrs.evolve(EDITOR, stopped=True)
    belief = folded("> ", kernel=stopped)
    assert (belief.kind, belief.stopped) == (BeliefKind.NONE, True)


def test_echo_off_in_line_mode_is_a_secret_without_any_words():
    belief = folded("", kernel=HIDDEN)
    assert belief.kind is BeliefKind.PROMPTING
    assert belief.prompt is not None
    assert (belief.prompt.kind, belief.prompt.secret) == (PromptKind.SECRET, True)


def test_hidden_input_that_nobody_reads_is_not_a_prompt_yet():
    gone = attrs.evolve(HIDDEN, wait=TtyWait.ABSENT)
    assert folded("Password: ", kernel=gone).kind is BeliefKind.NONE


@pytest.mark.parametrize("rows", [("> ",), ("Go on? [y/n] ",), ("$ ",)])
def test_not_at_the_terminal_vetoes_ready_and_prompting(rows: tuple[str, ...]):
    assert folded(*rows, kernel=ABSENT).kind is BeliefKind.NONE


def test_an_event_loop_proves_nothing():
    belief = folded("> ", kernel=LOOP)
    assert (belief.kind, belief.proof) == (BeliefKind.READY, False)


def test_a_shell_is_ready_by_its_cycle():
    belief = folded(
        "$ ", profile="bash", kernel=EDITOR, command="bash", marks=((MarkKind.PASTE_ON, ""),)
    )
    assert (belief.kind, belief.grade, belief.proof) == (BeliefKind.READY, Grade.MARK, True)


def test_a_running_command_is_not_a_ready_shell_though_its_prompt_shows():
    marks = ((MarkKind.PASTE_ON, ""), (MarkKind.PASTE_OFF, ""))
    belief = folded("$ ", profile="bash", command="bash", marks=marks)
    assert belief.kind is not BeliefKind.READY


def test_another_program_in_front_is_not_the_shell():
    belief = folded("$ ", profile="bash", kernel=EDITOR, command="python3")
    assert belief.rule != "shell_prompt"


def test_a_line_read_is_a_question_unless_declared():
    asked = folded("", kernel=LINE_READ)
    assert (asked.kind, asked.proof) == (BeliefKind.PROMPTING, True)
    ready = folded("", kernel=LINE_READ, profile="lines")
    assert (ready.kind, ready.rule) == (BeliefKind.READY, "line_reader")


def test_a_declared_line_reader_at_a_question_text_still_asks():
    belief = folded("Overwrite? [y/n] ", kernel=LINE_READ, profile="lines")
    assert belief.kind is BeliefKind.PROMPTING


def test_without_a_kernel_an_empty_row_proves_nothing():
    assert folded("", profile="lines").kind is BeliefKind.NONE
    trusted = folded("", profile="lines", trust=True)
    assert (trusted.kind, trusted.grade, trusted.proof) == (
        BeliefKind.READY,
        Grade.TIMING,
        False,
    )


def test_trust_never_types_into_a_question():
    belief = folded("Go on? [y/n] ", trust=True)
    assert belief.kind is not BeliefKind.READY


def test_python_asks_where_its_line_editor_waits_at_another_text():
    belief = folded("Name: ", profile="python", kernel=EDITOR, command="python3")
    assert belief.kind is BeliefKind.PROMPTING


def test_a_mark_that_calls_a_question_done_is_not_believed():
    rows = (
        " Do you want to run this command?",
        " ❯ 1. Yes",
        "   2. No",
        "",
        " Esc to cancel",
    )
    belief = folded(
        *rows,
        profile="standin",
        kernel=LOOP,
        marks=((MarkKind.AGENT, "state=done"),),
        cursor=(1, 1),
    )
    assert belief.kind is BeliefKind.PROMPTING


def test_unread_input_under_a_blocked_read_is_not_ready():
    unread = attrs.evolve(LINE_READ, unread_bytes=3)
    assert folded("", kernel=unread, profile="lines").kind is BeliefKind.NONE


def test_evidence_names_every_source_with_its_time():
    belief = folded("$ ", profile="bash", kernel=EDITOR, command="bash")
    assert {e.grade for e in belief.evidence} >= {Grade.PROCESS, Grade.KERNEL, Grade.SCREEN}


def test_rules_have_distinct_names():
    names = [name for name, _ in RULES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("command", "yes"), [("bash", True), ("-zsh", True), ("node", False), ("", False)]
)
def test_shells_by_name(command: str, yes: bool):
    assert is_shell(command) is yes


def test_no_probe_level_is_reported_without_kernel_evidence():
    none = KernelFact(level=ProbeLevel.NONE)
    belief = folded("$ ", kernel=none)
    assert Grade.KERNEL not in {e.grade for e in belief.evidence}


def test_a_declared_line_reader_with_a_line_editor_is_ready_when_that_says_so():
    on = ((MarkKind.PASTE_ON, ""),)
    told = {"profile": "lines", "marks": on}
    assert folded("", kernel=EDITOR, **told).kind is BeliefKind.READY
    assert folded("", **told).grade is Grade.MARK
    assert folded("", kernel=EDITOR, profile="lines").kind is BeliefKind.NONE
    assert folded("", kernel=EDITOR, alternate_on=True, **told).kind is BeliefKind.NONE
    assert folded("Delete it? ", kernel=EDITOR, **told).kind is BeliefKind.PROMPTING
    assert folded("", kernel=EDITOR, marks=on).kind is BeliefKind.NONE


@pytest.mark.parametrize("question", ["Overwrite? [y/N] $ ", "Really delete everything? # "])
def test_a_question_that_ends_like_a_prompt_is_not_an_unknown_programs_input(question: str):
    assert folded(question, kernel=EDITOR).kind is not BeliefKind.READY


QUESTION_ROWS = ("Name> ", "Delete everything # ", "Weiter mit allem $ ")


@pytest.mark.parametrize("row", QUESTION_ROWS)
@pytest.mark.parametrize("profile", ["bash", "zsh", "fish", "generic"])
@pytest.mark.parametrize("marks", [(), ((MarkKind.PASTE_ON, ""),)])
def test_a_line_editors_question_is_not_taken_for_a_prompt(
    row: str, profile: str, marks: tuple[tuple[MarkKind, str], ...]
) -> None:
    """`read -e`, `vared` and readline send what a shell's own line editor sends."""
    command = "bash" if profile == "generic" else profile
    belief = folded(row, profile=profile, kernel=EDITOR, command=command, marks=marks)
    assert belief.kind is BeliefKind.PROMPTING, belief.words
    assert belief.prompt is not None
    assert belief.prompt.question == row.strip()
    unseen = folded(row, profile=profile, command=command, marks=marks)
    assert unseen.kind is not BeliefKind.READY, unseen.words


def test_a_prompt_that_was_proven_before_is_ready() -> None:
    known = {"profile": "zsh", "kernel": EDITOR, "command": "zsh"}
    assert folded("dev> ", **known).kind is BeliefKind.PROMPTING
    assert folded("dev> ", own_prompts=("dev> ",), **known).kind is BeliefKind.READY
    assert folded("Name> ", own_prompts=("dev> ",), **known).kind is BeliefKind.PROMPTING


def test_a_program_that_a_shell_runs_is_work_and_not_a_start() -> None:
    kernel = attrs.evolve(LOOP, pane_process_is_foreground=False)
    belief = folded(">>> ", profile="bash", kernel=kernel, command="python3")
    assert (belief.kind, belief.rule) == (BeliefKind.BUSY, "another_program")
    assert "python3" in belief.words


def test_a_line_editor_before_the_command_has_ended_is_not_the_shells_prompt():
    """``read -e`` turns ?2004 on as a prompt does; the status of the command is still due."""
    first = ((MarkKind.COMMAND_END, "0"), (MarkKind.PASTE_ON, ""), (MarkKind.PASTE_OFF, ""))
    asks = (*first, (MarkKind.PASTE_ON, ""))
    known = {"profile": "bash", "kernel": EDITOR, "command": "bash"}
    assert folded("Delete all? # ", marks=asks, **known).kind is not BeliefKind.READY
    done = (*first, (MarkKind.COMMAND_END, "0"), (MarkKind.PASTE_ON, ""))
    assert folded("host # ", marks=done, **known).kind is BeliefKind.READY

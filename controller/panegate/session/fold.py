"""All evidence of one look, folded into one belief.

`RULES` is the table: the first row that says something decides. Order is the order of
trust: process, tmux, marks, kernel, screen, timing. Absent evidence lowers the grade
and never turns into permission.
"""

import re
from collections.abc import Callable
from typing import Final

import attrs

from panegate.panes.beliefs import Belief, BeliefKind, Evidence
from panegate.panes.facts import (
    KernelFact,
    Look,
    MarkKind,
    ProbeLevel,
    PromptReading,
    ScreenKind,
    ScreenReading,
    TtyWait,
)
from panegate.panes.standing import StandingMarks
from panegate.screen.profile import Family, Profile
from panegate.screen.wording import fingerprint
from panegate.session.claims import Judgement, Standing
from panegate.session.own_prompt import is_own_prompt, same_prompt
from panegate.session.waiting import prompt_of
from panegate.terms import Grade, PromptKind

__all__ = [
    "RULES",
    "SHELLS",
    "Case",
    "Rule",
    "fold",
    "is_shell",
]

_NO_KERNEL: Final = KernelFact(level=ProbeLevel.NONE)
_ASKS: Final = re.compile(r"[?？]|\[[^\]]*/[^\]]*\]|\([^)]*/[^)]*\)")
_BLOCKED = (TtyWait.READ, TtyWait.SELECT)
_MARK_STATES = {
    "ready": BeliefKind.READY,
    "busy": BeliefKind.BUSY,
    "prompting": BeliefKind.PROMPTING,
}
SHELLS: Final = frozenset(
    {"bash", "sh", "dash", "zsh", "fish", "ksh", "mksh", "ash", "busybox", "tcsh", "csh", "nu"}
)


def is_shell(command: str) -> bool:
    """Tell whether a command name is that of an interactive shell (``-bash`` too)."""
    return command.lstrip("-") in SHELLS


@attrs.frozen(kw_only=True)
class Case:
    """Everything the fold may look at."""

    look: Look
    reading: ScreenReading
    marks: StandingMarks
    profile: Profile
    launched_command: str = ""
    """Foreground command of the program this pane was opened for, once it was seen."""
    launched_reader: str = ""
    """Name of the process that read the terminal for that program, where it is no shell."""
    own_process_is_program: bool = True
    """The pane's own process is the program (an argument vector), not a shell around it."""
    reads_lines: bool = False
    trust_timing: bool = False
    judgement: Judgement = attrs.field(factory=Judgement)
    """What the program's record and the claims about it add up to."""
    host: str = ""
    """Name of the host that the program runs on, where it is known."""
    own_prompts: tuple[str, ...] = ()
    """Prompts that were proven to be the program's own: it came to them first of all."""

    @property
    def kernel(self) -> KernelFact:
        """The kernel's word, an empty one where there is no probe."""
        return self.look.kernel or _NO_KERNEL

    @property
    def program_in_front(self) -> bool:
        """The foreground command is the profile's program, as far as can be told."""
        commands = self.profile.commands
        return not commands or self.look.fields.command.lstrip("-") in commands

    @property
    def at_own_prompt(self) -> bool:
        """The text left of the input can be a prompt of the program, by its form or by memory."""
        composer, command = self.reading.composer, self.look.fields.command
        if composer is None or _ASKS.search(composer.prompt_text):
            return False
        text, programs = composer.prompt_text, (command, self.kernel.reader_command)
        known = any(same_prompt(text, own) for own in self.own_prompts)
        return known or is_own_prompt(text, programs=programs, host=self.host)


Rule = Callable[[Case], Belief | None]


def fold(case: Case) -> Belief:
    """Return what the evidence adds up to; a `BeliefKind.NONE` belief when nothing speaks."""
    for name, rule in RULES:
        belief = rule(case)
        if belief is not None:
            return attrs.evolve(
                belief,
                rule=name,
                evidence=_evidence(case),
                composer=case.reading.composer,
                body=case.reading.body,
                still=case.reading.still,
            )
    words = "nothing on screen, in the stream or in the kernel says what it does"
    return Belief(
        kind=BeliefKind.NONE,
        grade=Grade.TIMING,
        words=words,
        rule="nothing",
        evidence=_evidence(case),
        composer=case.reading.composer,
        body=case.reading.body,
        still=case.reading.still,
    )


def _evidence(case: Case) -> tuple[Evidence, ...]:
    look, kernel, marks = case.look, case.kernel, case.marks
    fields = look.fields
    out = [Evidence(Grade.PROCESS, f"foreground command {fields.command or '?'}", look.at_s)]
    if marks.at_prompt is not None:
        where = "at a prompt" if marks.at_prompt else "a command runs"
        out.append(Evidence(Grade.MARK, f"prompt cycle: {where}", marks.cycle_at_s))
    if kernel.level is not ProbeLevel.NONE:
        tty = f"terminal wait {kernel.wait.value}, echo {kernel.echo}, line mode {kernel.icanon}"
        out.append(Evidence(Grade.KERNEL, tty, kernel.at_s))
    out.append(Evidence(Grade.SCREEN, case.reading.words, look.at_s))
    judgement = case.judgement
    if judgement.standing is not Standing.UNKNOWN or judgement.stale:
        out.append(Evidence(judgement.grade, judgement.words, look.at_s))
    return tuple(out)


def _belief(
    kind: BeliefKind,
    grade: Grade,
    words: str,
    *,
    proof: bool = False,
    prompt: PromptReading | None = None,
    shell_left_behind: bool = False,
    stopped: bool = False,
) -> Belief:
    return Belief(
        kind=kind,
        grade=grade,
        words=words,
        rule="",
        proof=proof,
        prompt=prompt,
        shell_left_behind=shell_left_behind,
        stopped=stopped,
    )


def _dead(case: Case) -> Belief | None:
    if not case.look.fields.dead:
        return None
    return _belief(BeliefKind.GONE, Grade.PROCESS, "the pane is dead", proof=True)


def _left_behind(case: Case) -> Belief | None:
    launched, command = case.launched_command, case.look.fields.command
    if _pane_shell_reads(case):
        words = f"{case.launched_reader} is gone, {case.kernel.reader_command} has the pane"
        return _belief(BeliefKind.GONE, Grade.KERNEL, words, proof=True, shell_left_behind=True)
    if not launched or is_shell(launched) or case.profile.family is Family.SHELL:
        return None
    if command == launched or not is_shell(command) or case.own_process_is_program:
        return None
    words = f"{launched} is gone, {command} has the pane"
    return _belief(BeliefKind.GONE, Grade.PROCESS, words, proof=True, shell_left_behind=True)


def _pane_shell_reads(case: Case) -> bool:
    """The pane's own process is a shell and reads, where a program under it did before.

    A shell that the program itself started is never the pane's own process.
    """
    kernel = case.kernel
    own = kernel.reader_pid is not None and kernel.reader_pid == case.look.fields.pane_pid
    shell = own and is_shell(kernel.reader_command) and kernel.wait in _BLOCKED
    return bool(case.launched_reader) and shell and case.profile.family is not Family.SHELL


def _stopped(case: Case) -> Belief | None:
    if not case.kernel.stopped:
        return None
    return _belief(BeliefKind.NONE, Grade.KERNEL, "the program is stopped", stopped=True)


def _profile_marks(case: Case) -> Belief | None:
    newest: tuple[float, Belief] | None = None
    for rule in case.profile.marks:
        mark = case.marks.latest.get(MarkKind(rule.mark))
        if mark is None or rule.pattern.search(mark.text) is None:
            continue
        if newest is None or mark.at_s >= newest[0]:
            kind = _MARK_STATES[rule.state]
            words = f"{rule.mark} says {mark.text!r}"
            prompt = case.reading.prompt if kind is BeliefKind.PROMPTING else None
            belief = _belief(kind, Grade.MARK, words, proof=True, prompt=prompt)
            newest = (mark.at_s, belief)
    if newest is None:
        return None
    if newest[1].kind is BeliefKind.READY and case.reading.kind is ScreenKind.PROMPTING:
        return None  # a mark that calls a question "done" is not believed
    return newest[1]


def _secret(case: Case) -> Belief | None:
    kernel = case.kernel
    if kernel.icanon is not True or kernel.echo is not False:
        return None
    if kernel.wait is TtyWait.ABSENT:
        return _belief(BeliefKind.NONE, Grade.KERNEL, "hidden input, and nothing reads it")
    prompt = case.reading.prompt or _question_at(case)
    if not prompt.secret:
        prompt = attrs.evolve(prompt, secret=True, kind=PromptKind.SECRET)
    words = "the terminal's echo is off in line mode: a secret is asked for"
    return _belief(BeliefKind.PROMPTING, Grade.KERNEL, words, proof=True, prompt=prompt)


def _absent(case: Case) -> Belief | None:
    if case.kernel.wait is not TtyWait.ABSENT:
        return None
    words = "no thread of the foreground program waits on the terminal"
    return _belief(BeliefKind.NONE, Grade.KERNEL, words)


def _unread(case: Case) -> Belief | None:
    kernel = case.kernel
    if not kernel.unread_bytes or kernel.wait not in _BLOCKED:
        return None
    words = f"{kernel.unread_bytes} bytes of input are not read yet"
    return _belief(BeliefKind.NONE, Grade.KERNEL, words)


def _screen_busy(case: Case) -> Belief | None:
    if case.reading.kind is not ScreenKind.BUSY:
        return None
    return _belief(BeliefKind.BUSY, Grade.SCREEN, case.reading.words)


def _shell_prompt(case: Case) -> Belief | None:
    if case.profile.family is not Family.SHELL or not case.program_in_front:
        return None
    marks, kernel, reading = case.marks, case.kernel, case.reading
    if marks.at_prompt is False or case.look.fields.alternate_on:
        return None
    if marks.at_prompt and marks.status_is_due:
        return None  # ``read -e`` and PS2: no command has ended since the last line was taken
    if kernel.pane_process_is_foreground is False and case.own_process_is_program:
        return None
    if reading.composer is None:
        return None
    if marks.only_paste and not case.at_own_prompt:
        return None  # ``read -e`` sends ?2004 too, so the text alone tells: it may ask something
    if marks.at_prompt:
        words = "the shell's prompt cycle says at a prompt"
        return _belief(BeliefKind.READY, Grade.MARK, words, proof=True)
    # no mark since we came: a line editor at a prompt text that the screen shows
    if kernel.wait in _BLOCKED and kernel.icanon is False:
        words = "the shell's line editor waits at a prompt"
        return _belief(BeliefKind.READY, Grade.KERNEL, words, proof=True)
    if kernel.wait in _BLOCKED and kernel.icanon and case.profile.reads_lines:
        words = "the shell is blocked in a read at its prompt"
        return _belief(BeliefKind.READY, Grade.KERNEL, words, proof=True)
    if kernel.wait is TtyWait.UNKNOWN and (case.profile.reads_lines or not kernel.icanon):
        # adopted without the kernel's word: settles by its screen
        return _belief(BeliefKind.READY, Grade.SCREEN, "a prompt on screen")
    return None


def _repl_prompt(case: Case) -> Belief | None:
    if case.profile.family is not Family.REPL or not case.program_in_front:
        return None
    if case.reading.composer is None or case.look.fields.alternate_on:
        return None
    kernel, marks = case.kernel, case.marks
    at = case.reading.composer.prompt_text.strip() or "an empty row"
    if marks.at_prompt is False and case.profile.prompt_cycle:
        return None
    if kernel.wait in _BLOCKED:
        words = f"blocked in a read of its terminal at {at!r}"
        return _belief(BeliefKind.READY, Grade.KERNEL, words, proof=True)
    if marks.at_prompt and case.profile.prompt_cycle:
        words = f"its prompt cycle says at a prompt, at {at!r}"
        return _belief(BeliefKind.READY, Grade.MARK, words, proof=True)
    return _belief(BeliefKind.READY, Grade.SCREEN, f"cursor at its prompt {at!r}")


def _line_reader(case: Case) -> Belief | None:
    kernel, reading = case.kernel, case.reading
    declared = case.reads_lines or case.profile.reads_lines
    if not declared or case.profile.family is Family.SHELL:
        return None
    if reading.composer is None or not case.program_in_front:
        return None
    if kernel.icanon and kernel.wait in _BLOCKED:
        words = "blocked in a line read of its terminal"
        return _belief(BeliefKind.READY, Grade.KERNEL, words, proof=True)
    if case.marks.at_prompt and kernel.wait in (*_BLOCKED, TtyWait.UNKNOWN):
        if not case.look.fields.alternate_on:
            words = "its line editor says at a prompt"
            return _belief(BeliefKind.READY, Grade.MARK, words, proof=True)
    if kernel.icanon is not False and kernel.wait is TtyWait.UNKNOWN:
        named = bool(reading.composer.prompt_text.strip())
        if named and reading.kind is ScreenKind.READY:
            return _belief(BeliefKind.READY, Grade.SCREEN, "cursor at its prompt text")
    return None


def _screen_prompting(case: Case) -> Belief | None:
    prompt = case.reading.prompt
    if case.reading.kind is not ScreenKind.PROMPTING or prompt is None:
        return None
    proof = case.kernel.wait in _BLOCKED
    return _belief(
        BeliefKind.PROMPTING, Grade.SCREEN, case.reading.words, proof=proof, prompt=prompt
    )


def _line_read(case: Case) -> Belief | None:
    kernel = case.kernel
    if kernel.wait not in _BLOCKED or not kernel.icanon:
        return None
    words = "blocked in a line read of its terminal"
    prompt = case.reading.prompt or _question_at(case)
    return _belief(BeliefKind.PROMPTING, Grade.KERNEL, words, proof=True, prompt=prompt)


def _question_at(case: Case) -> PromptReading:
    """What stands left of the input, or on the cursor's row, word for word.

    Where nothing stands there the place is all that tells one question from the next.
    """
    fields, composer = case.look.fields, case.reading.composer
    asked = composer.prompt_text.strip() if composer is not None else ""
    place = "" if asked else f"row {fields.cursor_y + fields.scrolled}"
    return PromptReading(
        kind=PromptKind.TEXT,
        question=asked,
        rows=(asked,) if asked else (),
        fingerprint=fingerprint(PromptKind.TEXT, asked, place, ()),
    )


def _doubtful_prompt(case: Case) -> Belief | None:
    """A line editor waits at a text that ends like a prompt and is none that can be told."""
    composer = case.reading.composer
    if case.profile.family not in (Family.SHELL, Family.UNKNOWN) or composer is None:
        return None
    if case.kernel.wait not in _BLOCKED or case.look.fields.alternate_on or case.at_own_prompt:
        return None
    if case.profile.family is Family.SHELL and not case.program_in_front:
        return None
    prompt = case.reading.prompt or _question_at(case)
    words = f"waits at {prompt.question!r}, which cannot be told from a question"
    return _belief(BeliefKind.PROMPTING, Grade.KERNEL, words, prompt=prompt)


def _another_program(case: Case) -> Belief | None:
    """Something that a shell started has its terminal; it may well read there."""
    if case.profile.family is not Family.SHELL or case.program_in_front:
        return None
    if case.kernel.pane_process_is_foreground is not False:
        return None
    words = f"{case.look.fields.command or 'another program'} has the shell's terminal"
    return _belief(BeliefKind.BUSY, Grade.PROCESS, words)


def _repl_question(case: Case) -> Belief | None:
    """A line editor that waits at a text which is none of its program's prompts."""
    family = case.profile.family
    if family not in (Family.REPL, Family.SHELL) or case.look.fields.alternate_on:
        return None
    if case.kernel.wait not in _BLOCKED or case.reading.composer is not None:
        return None
    if family is Family.SHELL and not (case.marks.at_prompt and case.program_in_front):
        return None
    prompt = case.reading.prompt or _question_at(case)
    words = "waits in its line editor, and not at its own prompt"
    # a shell waits for its helpers too while it paints its prompt; nothing at all is no question
    proof = family is Family.REPL and case.look.fields.cursor_x > 0
    return _belief(BeliefKind.PROMPTING, Grade.KERNEL, words, proof=proof, prompt=prompt)


def _screen_ready(case: Case) -> Belief | None:
    if case.reading.kind is not ScreenKind.READY or case.reading.composer is None:
        return None
    if case.profile.family in (Family.SHELL, Family.REPL, Family.LINES):
        return None
    if case.profile.family is Family.UNKNOWN and not case.at_own_prompt:
        return None  # a question that ends like a prompt; a real prompt of this kind waits
    if case.kernel.icanon and case.kernel.wait is not TtyWait.UNKNOWN:
        return None
    proof = case.kernel.wait in _BLOCKED or bool(case.marks.at_prompt and case.marks.cycles > 1)
    return _belief(BeliefKind.READY, Grade.SCREEN, case.reading.words, proof=proof)


def _recorded(case: Case) -> Belief | None:
    """Where nothing else speaks: the program's own record, and who claims something."""
    judgement = case.judgement
    if case.profile.family is Family.SHELL and case.program_in_front:
        return None  # what a command has said of itself is not the shell's
    if judgement.standing is Standing.WAITING:
        prompt = prompt_of(judgement)
        return _belief(BeliefKind.PROMPTING, judgement.grade, judgement.words, prompt=prompt)
    if judgement.standing is Standing.WORKING:
        return _belief(BeliefKind.BUSY, judgement.grade, judgement.words)
    return None  # that a turn is over does not prove that input is read


def _trust(case: Case) -> Belief | None:
    if not case.trust_timing or case.reading.kind is ScreenKind.PROMPTING:
        return None
    words = "quiet, and the caller trusts timing alone"
    return _belief(BeliefKind.READY, Grade.TIMING, words)


RULES: Final[tuple[tuple[str, Rule], ...]] = (
    ("dead", _dead),
    ("left_behind", _left_behind),
    ("stopped", _stopped),
    ("profile_marks", _profile_marks),
    ("secret", _secret),
    ("absent", _absent),
    ("unread", _unread),
    ("screen_busy", _screen_busy),
    ("shell_prompt", _shell_prompt),
    ("repl_prompt", _repl_prompt),
    ("line_reader", _line_reader),
    ("screen_prompting", _screen_prompting),
    ("line_read", _line_read),
    ("repl_question", _repl_question),
    ("screen_ready", _screen_ready),
    ("doubtful_prompt", _doubtful_prompt),
    ("another_program", _another_program),
    ("recorded", _recorded),
    ("trust", _trust),
)

"""What is known about one kind of program, as data.

A profile is made from a TOML file by `panegate.profiles.load`; here are its types
only. Every pattern is a Python regular expression over *text rows* (colours
removed, trailing blanks removed) unless said otherwise.
"""

import enum
import re
from collections.abc import Mapping

import attrs

from panegate.screen.arguments import ArgumentRule, LaunchAnswers
from panegate.terms import FaultKind, PromptKind

__all__ = [
    "ComposerRule",
    "Family",
    "FaultRule",
    "MarkRule",
    "Pattern",
    "Profile",
    "Region",
    "RowRule",
    "SubmitRule",
    "Timing",
    "Veto",
]

Pattern = re.Pattern[str]


class Family(enum.Enum):
    """How a program takes its input; chooses the readers that apply."""

    SHELL = "shell"
    """A shell with a prompt cycle: marks, ?2004 on and off, the foreground group."""
    REPL = "repl"
    """A line editor with prompt texts of its own (``>>> ``)."""
    LINES = "lines"
    """Reads whole lines in the terminal's line mode."""
    COMPOSER = "composer"
    """A full-screen or inline program with an input box."""
    UNKNOWN = "unknown"
    """Nothing is known: the ``generic`` profile."""


class Region(enum.Enum):
    """Where on the screen a rule looks."""

    SCREEN = "screen"
    CURSOR_ROW = "cursor_row"
    """The row of the cursor, up to the cursor."""
    LIVE_END = "live_end"
    """The last 15 non-blank rows."""
    LAST_ROW = "last_row"
    """The last non-blank row."""
    TITLE = "title"
    ABOVE_COMPOSER = "above_composer"
    """The 8 non-blank rows above the composer."""
    BELOW_COMPOSER = "below_composer"


@attrs.frozen(kw_only=True)
class RowRule:
    """A pattern in a region that says what state the screen shows."""

    region: Region
    pattern: Pattern
    words: str = ""
    kind: PromptKind | None = None
    """For prompting rules: what kind of prompt it is."""


@attrs.frozen(kw_only=True)
class MarkRule:
    """A stream mark that proves a state: ``kind`` as `MarkKind.value`, text by pattern."""

    mark: str
    pattern: Pattern
    state: str
    """``ready``, ``busy`` or ``prompting``."""


@attrs.frozen(kw_only=True)
class Veto:
    """A tmux (POSIX extended) regular expression that forbids a write when it is on screen.

    Proved at profile load: tmux itself must find ``sample`` with it.
    """

    regex: str
    sample: str


@attrs.frozen(kw_only=True)
class FaultRule:
    """A whole sentence on the program's own error row: a fact, unlike the same words in prose.

    Proved when the profile is read: ``sample`` must match whole, and must not match any more
    when it is indented, quoted, numbered, or part of a diff or of a longer sentence.
    """

    pattern: Pattern
    """Must match a row from its first cell to its end (``fullmatch``), wrapped rows joined by
    a blank: the program's own sign in front of the sentence belongs to it."""
    kind: FaultKind
    sample: str
    coloured: bool = False
    """The sentence is drawn in a colour; the same words in the default colour are prose."""


@attrs.frozen(kw_only=True)
class ComposerRule:
    """Where typed text appears."""

    glyphs: tuple[str, ...] = ()
    """Prompt glyphs that stand before the input (``>``, ``❯``); matched with a blank behind."""
    hints: tuple[Pattern, ...] = ()
    """Placeholder texts that are not typed text, where colour does not tell."""
    collapsed: tuple[Pattern, ...] = ()
    """What a large paste collapses to (``[Pasted text #1 +80 lines]``)."""


@attrs.frozen(kw_only=True)
class Timing:
    """Seconds, all of them."""

    look_s: float = 0.02
    """Quiet after the last output before the first look."""
    settle_s: float = 1.5
    """Quiet needed where only the screen speaks."""
    silence_s: float = 30.0
    """Quiet with no evidence, after which a pane is silent."""
    echo_within_s: float = 5.0
    """How long to wait for typed text to show; grows with its length."""
    react_within_s: float = 5.0
    """How long to wait for a reaction to Enter."""


@attrs.frozen(kw_only=True)
class SubmitRule:
    """How a message is submitted."""

    key: bytes = b"\r"
    gap_s: float = 0.0
    """Quiet needed between the echo of the text and Enter."""
    line_break: bool = False
    """A swallowed Enter shows as an extra empty row under our text: one more Enter is safe."""
    bracketed: bool | None = None
    """True: always asks for bracketed paste; False: never; None: as the program's marks say."""
    multi_line: bool = False
    """Takes several lines as one message when bracketed."""
    max_plain_chars: int = 4000
    """Longest text typed without bracketed paste."""
    takes_tabs: bool = True
    """Keeps the tabs of a bracketed text; False: loses them, such a text is refused."""
    one_screen: bool = False
    """Cannot show a text taller than its screen; such a text is refused."""
    opens_modes: str = ""
    """First characters that open a mode or popup (``/!@#``); refused unless the caller insists."""


@attrs.frozen(kw_only=True)
class Profile:
    """One kind of program."""

    name: str
    family: Family = Family.UNKNOWN
    words: str = ""
    commands: tuple[str, ...] = ()
    """Base names of argv[0] and of ``#{pane_current_command}`` that this profile fits."""
    prompts: tuple[Pattern, ...] = ()
    """REPL and line-reader prompts: must match the cursor's row from its start to the cursor,
    whole (``fullmatch``), when the input is empty; and be a prefix of it when it is not."""
    continuations: tuple[Pattern, ...] = ()
    """The same for continuation prompts (``... ``)."""
    reads_lines: bool = False
    """A line-mode read at an empty row or at one of ``prompts`` means ready."""
    at_empty_row: bool = False
    """With ``reads_lines``: an empty cursor row counts as its prompt."""
    prompt_cycle: bool = False
    """?2004 (or OSC 133) goes on at each prompt and off while a command runs."""
    ready: tuple[RowRule, ...] = ()
    busy: tuple[RowRule, ...] = ()
    prompting: tuple[RowRule, ...] = ()
    marks: tuple[MarkRule, ...] = ()
    vetoes: tuple[Veto, ...] = ()
    composer: ComposerRule = attrs.field(factory=ComposerRule)
    timing: Timing = attrs.field(factory=Timing)
    submit: SubmitRule = attrs.field(factory=SubmitRule)
    interrupt: str = "C-c"
    """tmux key name."""
    clear: tuple[str, ...] = ("C-u",)
    """tmux key names that empty the composer."""
    takes_input_while_busy: bool = False
    trust: str = ""
    """``timing``: a quiet screen is taken for ready; receipts say so."""
    faults: tuple[FaultRule, ...] = ()
    seen_in: str = ""
    """Version the rules were seen in."""
    launch_env: Mapping[str, str] = attrs.field(factory=dict)
    """Variables a launched program gets unless the caller sets them."""
    arguments: ArgumentRule = attrs.field(factory=ArgumentRule)
    launch_answers: LaunchAnswers = attrs.field(factory=LaunchAnswers)

    @property
    def sought(self) -> str:
        """Where input is looked for, for people; "" where no pattern says it."""
        if self.composer.glyphs:
            return f"input behind {' or '.join(map(repr, self.composer.glyphs))}"
        if self.prompts:
            return f"prompt like {' or '.join(repr(each.pattern) for each in self.prompts)}"
        return ""

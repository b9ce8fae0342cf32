"""The marks that stand: what the program last said about itself in the stream."""

import attrs

from panegate.panes.facts import Mark, MarkKind

__all__ = ["StandingMarks"]

_PROMPT_MARKS = frozenset({MarkKind.PROMPT_END, MarkKind.PASTE_ON, MarkKind.PROMPT_START})
_RUN_MARKS = frozenset({MarkKind.COMMAND_START, MarkKind.PASTE_OFF})
_CARET_MARKS = frozenset({MarkKind.CURSOR_SHOWN, MarkKind.CURSOR_HIDDEN, MarkKind.TITLE})


@attrs.define
class StandingMarks:
    """Folds marks into what holds now. A gap in the stream voids all of it."""

    paste_on: bool | None = None
    """Bracketed paste is asked for; None when no mark said so yet."""
    at_prompt: bool | None = None
    """The prompt cycle (OSC 133, else ?2004) says: at a prompt / a command runs."""
    cycle_at_s: float = 0.0
    left_at_s: float = float("-inf")
    """When the cycle last left a prompt: a line was taken. Drawing it again is no such thing."""
    cycles: int = 0
    """How often the cycle came to a prompt."""
    has_133: bool = False
    status: int | None = None
    """Exit status of the last command, from OSC 133;D."""
    title: str = ""
    latest: dict[MarkKind, Mark] = attrs.field(factory=dict)

    def feed(self, mark: Mark) -> bool:
        """Take one mark; return whether it calls for a look at once."""
        kind = mark.kind
        self.latest[kind] = mark
        if kind is MarkKind.PASTE_ON:
            self.paste_on = True
        elif kind is MarkKind.PASTE_OFF:
            self.paste_on = False
        elif kind is MarkKind.TITLE:
            self.title = mark.text
        elif kind is MarkKind.COMMAND_END:
            self.status = int(mark.text) if mark.text.lstrip("-").isdigit() else None
        if kind in (MarkKind.PROMPT_START, MarkKind.PROMPT_END, MarkKind.COMMAND_START):
            self.has_133 = True
        elif self.has_133 and kind in (MarkKind.PASTE_ON, MarkKind.PASTE_OFF):
            return False
        if kind in _PROMPT_MARKS:
            if not self.at_prompt:
                self.cycles += 1
            self.at_prompt, self.cycle_at_s = True, mark.at_s
        elif kind in _RUN_MARKS:
            self.at_prompt, self.cycle_at_s = False, mark.at_s
            self.left_at_s = mark.at_s
        return kind not in _CARET_MARKS or kind is MarkKind.TITLE

    @property
    def only_paste(self) -> bool:
        """Nothing but ?2004 tells of prompts; a line editor of any command sends it too."""
        return not self.has_133 and MarkKind.COMMAND_END not in self.latest

    @property
    def status_is_due(self) -> bool:
        """The shell tells the end of each command, and has not since a line was taken."""
        end = self.latest.get(MarkKind.COMMAND_END)
        return end is not None and end.at_s < self.left_at_s

    def void(self) -> None:
        """Forget all: output was lost, so a mark may have been among it."""
        self.paste_on = None
        self.at_prompt = None
        self.status = None
        self.latest.clear()

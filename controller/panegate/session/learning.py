"""A program's prompt text, learned where its prompt cycle shows it."""

import re
from typing import Final

import attrs

from panegate.panes.facts import Look, TtyWait
from panegate.panes.standing import StandingMarks
from panegate.screen.grid import Grid
from panegate.screen.profile import Family, Profile

__all__ = ["PromptLearner"]

_RELEARN_S: Final = 0.3
"""Output this soon after a prompt mark still belongs to the prompt."""
_GUESS: Final = re.compile(r".*[$#%>❯»›➜λ] \Z")
_BLOCKED: Final = (TtyWait.READ, TtyWait.SELECT)


@attrs.define
class PromptLearner:
    """Knows what a shell's prompt looks like and where the present one stands.

    A REPL's prompts are all in its profile; of them only the place is learned.
    """

    prompt: tuple[str, int] | None = attrs.field(default=None, init=False)
    """Text of the row up to the input, and the column where the input begins."""
    first: str = attrs.field(default="", init=False)
    """The first text that was learned at a mark."""
    typed: bool = attrs.field(default=False, init=False)
    """Something of ours was typed since the last prompt."""
    _cycle: int = attrs.field(default=0, init=False)
    _first_cycle: int = attrs.field(default=0, init=False)
    _at: int = attrs.field(default=0, init=False)
    _firm: bool = attrs.field(default=False, init=False)
    _sign: str = attrs.field(default="", init=False)

    def learn(
        self,
        look: Look,
        grid: Grid,
        marks: StandingMarks,
        *,
        profile: Profile,
        last_output_s: float,
    ) -> None:
        """Take a look that counts; nothing is learned once something was typed.

        ``read -e``, ``vared`` and continuation prompts turn the same marks on: a row is only
        learned if the profile knows it, or it ends like the first prompt that was seen.
        """
        if self.typed:
            return
        fields, kernel = look.fields, look.kernel
        text = grid.slice(fields.cursor_y, 0, fields.cursor_x)
        if marks.at_prompt:
            fresh = self._cycle != marks.cycles
            again = not self._firm and last_output_s - marks.cycle_at_s <= _RELEARN_S
            if (fresh or again) and text.strip() and look.asked_at_s >= marks.cycle_at_s:
                known = self.prompt
                if known is None or not (text.startswith(known[0]) and text != known[0]):
                    known = (text, fields.cursor_x)  # else what follows the prompt was typed
                if not self._plausible(known[0], profile):
                    return
                self._learn_first(known[0], marks, profile)
                self._sign = self._sign or known[0].rstrip()[-1:]
                self.prompt, self._cycle = known, marks.cycles
                self._at = fields.cursor_y + fields.scrolled
                self._firm = kernel is not None and kernel.wait in _BLOCKED
        elif marks.at_prompt is None and self.prompt is None and _GUESS.match(text):
            shell = profile.family is Family.SHELL
            if shell and not grid.text(fields.cursor_y)[len(text.rstrip()) :].strip():
                self.prompt = (text, fields.cursor_x)

    def _learn_first(self, text: str, marks: StandingMarks, profile: Profile) -> None:
        """A shell that is to tell each command's end asks in its start files until it has."""
        if marks.only_paste and profile.launch_env:
            return
        if not self.first or marks.cycles == self._first_cycle:
            self.first, self._first_cycle = text, marks.cycles

    def _plausible(self, text: str, profile: Profile) -> bool:
        if any(pattern.fullmatch(text) for pattern in profile.continuations):
            return False
        if any(pattern.fullmatch(text) for pattern in profile.prompts):
            return True
        shell = profile.family is Family.SHELL
        return shell and (not self._sign or text.rstrip().endswith(self._sign))

    def row(self, look: Look, marks: StandingMarks, *, profile: Profile) -> int | None:
        """Return the row of the prompt that the line editor is at, if it is at one.

        It is not on the screen, or below the cursor, where a long text has moved the prompt
        out of sight; for a REPL, whose rows have continuation prompts, it is only given then.
        """
        if not marks.at_prompt or self._cycle != marks.cycles:
            return None
        row = self._at - look.fields.scrolled
        out_of_sight = not 0 <= row <= look.fields.cursor_y
        return row if out_of_sight or profile.family is Family.SHELL else None

"""One write, from the question "may it?" to its receipt.

Pure: looks, replies, outputs and time go in, at most one action and one wish for a look
come out. The stages follow each other only on evidence; a guard refusal writes nothing
and goes back one stage.
"""

import attrs

from panegate.gate.guard import GuardReply, GuardResult
from panegate.gate.judge import (
    ReactionKind,
    View,
    is_away,
    is_behind,
    judge_reaction,
    mark_reaction,
)
from panegate.gate.plan import Expect, NoPlan, Plan, plan_answer, plan_write
from panegate.gate.policy import Situation, decide
from panegate.gate.receipt import Proof
from panegate.gate.stages import PressKeys, Stage, TypeText, WriteBase
from panegate.gate.text import asks_for_brackets, check_text, typing_method
from panegate.panes.facts import ScreenKind
from panegate.panes.standing import StandingMarks
from panegate.screen.echo import EchoKind
from panegate.terms import Fate, Grade, Intent, Reason, State, Verdict

__all__ = ["WriteMachine"]

_REISSUE_S = 5.0
"""How long a guard that keeps refusing is issued again once bytes are in."""
_CHAR_S = 0.004
"""Echo time granted for each character typed, on top of the profile's."""
_FIRST_ECHO_S = 0.03
"""A look without any output, for an echo that came in the same breath as the reply."""
_MOVED_S = 1.0
"""Within so long of arrow keys the highlight stands where they lead."""
_TAIL_S = 0.25
"""Quiet after which a partial or different echo is taken as final."""


@attrs.define(kw_only=True)
class WriteMachine(WriteBase):
    """The life of one write."""

    # --- what goes in ---------------------------------------------------------------

    def start(self, situation: Situation, *, now_s: float) -> None:
        """Ask for the deciding look, or refuse where no look can be had."""
        self._state = situation.state
        blind = situation.gone or not situation.server_reachable
        if blind or situation.state is State.EXITED or situation.own_pane:
            self._weigh(situation, now_s)
        elif not situation.unfinished_write:
            self._check()

    def poke(self, situation: Situation, *, now_s: float) -> None:
        """The pane's situation changed while waiting."""
        if self.stage is Stage.WAITING:
            self._state = situation.state
            self._weigh(situation, now_s)

    def output(self, *, now_s: float) -> None:
        """The program wrote something."""
        self._last_output_s = now_s
        if self.stage in (Stage.ECHOING, Stage.REACTING):
            self._wants_look = True

    def mark(self, marks: StandingMarks, *, now_s: float) -> None:
        """A mark arrived; it may prove the reaction before any look."""
        if self.stage is not Stage.REACTING or self._plan.expect is not Expect.TURN:
            return
        reaction = mark_reaction(marks, submitted_s=self._submitted_s)
        if reaction.kind is not ReactionKind.LANDED:
            return
        if self._proof is None:
            self._proof = reaction.proof
            self._clock("reacted", now_s)
        if self.profile.prompt_cycle:  # leaving the line editor is the reaction itself
            self._finish(Fate.LANDED, Reason.NONE, now_s, "", proof=self._proof)
        else:
            self._wants_look = True

    def look(self, view: View, situation: Situation, *, now_s: float) -> None:
        """A counted look arrived."""
        self._latest = view
        self._state = view.state
        if self.stage is Stage.CHECKING:
            self._decide(view, situation, now_s)
        elif self.stage in (Stage.ECHOING, Stage.CONFIRMING) and self._taken_alone(view, now_s):
            return
        elif self.stage is Stage.ECHOING:
            self._judge_echo(view, now_s)
        elif self.stage is Stage.CONFIRMING:
            self._confirm(view, now_s)
        elif self.stage is Stage.REACTING:
            self._judge_reaction(view, now_s)

    def reply(self, reply: GuardReply, *, now_s: float) -> None:
        """The server answered the guarded action."""
        if self.stage is Stage.TYPING:
            self._typed(reply, now_s)
        elif self.stage is Stage.SUBMITTING:
            self._entered(reply, now_s)

    def lost(self, words: str, *, now_s: float, reason: Reason = Reason.CONNECTION_LOST) -> None:
        """The pane (by *reason*: its server) or the connection went away."""
        if self.stage is Stage.DONE:
            return
        if not self._wrote and self.stage is not Stage.TYPING:
            self._finish(Fate.REFUSED, reason, now_s, f"{words}; nothing was written.")
            return
        gone = reason is Reason.GONE_PANE and self.is_out
        answered = self._plan.expect is Expect.PROMPT_GONE
        if gone and ((self._plan.enter and self._attempts) or answered):
            said = "answer" if answered else "Enter"
            proof = Proof(Grade.PROCESS, f"the program ended after the {said}")
            self._finish(Fate.LANDED, Reason.NONE, now_s, "", proof=proof)
            return
        said = f"{words}; how much of it the program took is not known. It is not sent again."
        self._finish(Fate.UNKNOWN, reason, now_s, said)

    def withdraw(self, reason: Reason, words: str, *, now_s: float) -> bool:
        """Take the write back; False when bytes may be in the pane already."""
        unkept = reason is Reason.JOURNAL and not self._wrote
        if self.stage is Stage.DONE or (self.in_hand and not unkept):
            return False
        fate = Fate.WITHDRAWN if reason is Reason.WITHDRAWN else Fate.REFUSED
        self._finish(fate, reason, now_s, words)
        return True

    def advance(self, *, now_s: float) -> None:
        """Fire what is due."""
        if self.stage is Stage.DONE:
            return
        limit_s = self.request.deadline_s
        if self.stage in (Stage.WAITING, Stage.CHECKING) and limit_s is not None:
            if limit_s <= now_s:
                self.deadline_ran_out = True
                reason = self.held_by if self.held_by is not Reason.UNPROVEN else Reason.DEADLINE
                waited_s = limit_s - self.request.asked_s
                why = self.held_words or "no look at the pane came back."
                words = f"Not sent: waited {waited_s:.3g} s. {why} Nothing was written."
                self._finish(Fate.REFUSED, reason, now_s, words)
                return
        if self._wake_s is not None and self._wake_s <= now_s:
            self._wake_s = None
            self._woken(now_s)
        if self._stage_deadline_s is not None and self._stage_deadline_s <= now_s:
            self._stage_deadline_s = None
            self._ran_out(now_s)

    # --- stages ---------------------------------------------------------------------

    def _check(self) -> None:
        self.stage = Stage.CHECKING
        self._wants_look = True

    def _weigh(self, situation: Situation, now_s: float) -> None:
        decision = decide(self.request.intent, situation, self.request.prompt_id)
        self.held_by, self.held_words = decision.reason, decision.words
        if decision.verdict is Verdict.ALLOW:
            self._check()
        elif decision.verdict is not Verdict.HOLD:
            self._finish(Fate.REFUSED, decision.reason, now_s, decision.words)

    def _decide(self, view: View, situation: Situation, now_s: float) -> None:
        asked = view.reading.prompt
        rolls_by = view.floods and situation.state is not State.PROMPTING
        if rolls_by and view.reading.kind is ScreenKind.PROMPTING:
            self._check()
            return
        if (
            view.reading.kind is ScreenKind.PROMPTING
            and situation.state is not State.PROMPTING
            and self.request.intent is not Intent.MESSAGE
        ):  # a question that has not settled yet is a question all the same
            situation = attrs.evolve(situation, state=State.PROMPTING, prompt_id=None)
        decision = decide(self.request.intent, situation, self.request.prompt_id)
        self.held_by, self.held_words = decision.reason, decision.words
        if decision.verdict is Verdict.HOLD:
            self.stage = Stage.WAITING
            return
        if decision.verdict is not Verdict.ALLOW:
            self._deciding = view
            self._finish(Fate.REFUSED, decision.reason, now_s, decision.words)
            return
        self._deciding = view
        plan: Plan | NoPlan = plan_write(self.request)
        if self.request.intent is Intent.ANSWER:
            if asked is None:
                words = "The prompt cannot be read any more."
                self._finish(Fate.REFUSED, Reason.STALE_PROMPT, now_s, words)
                return
            self._prompt = asked
            plan = plan_answer(self.request, asked)
            kernel = view.look.kernel
            if self.request.secret and kernel is not None and kernel.icanon and kernel.echo:
                words = "This question shows its input; answer it with a text if that is meant."
                plan = NoPlan(Reason.NOT_HIDDEN, words)
        if isinstance(plan, NoPlan):
            self._finish(Fate.REFUSED, plan.reason, now_s, plan.words)
            return
        self._plan = plan
        self._type(view, situation, now_s)

    def _type(self, view: View, situation: Situation, now_s: float) -> None:
        plan, request = self._plan, self.request
        bracketed = asks_for_brackets(self.profile, seen=bool(self._pasting)) and not plan.by_keys
        if plan.text:
            kernel = view.look.kernel
            fault = check_text(
                plan.text,
                profile=self.profile,
                bracketed=bracketed and not plan.secret,
                canonical=None if kernel is None else kernel.icanon,
                room=view.room,
                literal=request.literal or request.intent is Intent.ANSWER,
            )
            if fault is not None:
                self._finish(Fate.REFUSED, fault.reason, now_s, fault.words)
                return
        self._clock("held", now_s)
        guard = self._guard(view)
        if plan.text:
            self._action = TypeText(
                write_id=request.write_id,
                guard=guard,
                text=plan.text,
                method=typing_method(bracketed=bracketed and not plan.secret),
                secret=plan.secret,
            )
        elif plan.keys:
            self._action = PressKeys(write_id=request.write_id, guard=guard, keys=plan.keys)
        else:
            self._enter(view, now_s)
            return
        self.stage = Stage.TYPING
        self._stage_deadline_s = now_s + _REISSUE_S

    def _typed(self, reply: GuardReply, now_s: float) -> None:
        if reply.result is GuardResult.REFUSED:
            self._stage_deadline_s = None
            self.held_by = Reason.CHANGED
            self.held_words = "The pane keeps changing between the look and the write."
            self._check()
            return
        if reply.result is GuardResult.REJECTED:
            self._finish(
                Fate.REFUSED, Reason.REJECTED, now_s, f"tmux refused the write: {reply.words}"
            )
            return
        if reply.result is not GuardResult.WRITTEN:
            words = "tmux did not say whether it wrote. It is not sent again."
            self._finish(Fate.UNKNOWN, Reason.CONNECTION_LOST, now_s, words)
            return
        self._wrote = True
        self._typed_s = now_s
        self._clock("typed", now_s)
        plan = self._plan
        timing = self.profile.timing
        if plan.text and plan.echo:
            self.stage = Stage.ECHOING
            grace_s = timing.echo_within_s + _CHAR_S * len(plan.text)
            self._stage_deadline_s = now_s + grace_s
            self._wake_s = now_s + _FIRST_ECHO_S
        elif plan.enter:
            self._to_confirm(now_s, gap_s=max(self.profile.submit.gap_s, 0.02))
        else:
            self.submitted = True
            self._submitted_s = now_s
            self._react(now_s)

    def _judge_echo(self, view: View, now_s: float) -> None:
        if self._question_opened(view):
            self._withhold_from_question(view, now_s)
            return
        echo = self._echo(view)
        kind, self._echo_words = echo
        if kind in (EchoKind.FULL, EchoKind.COLLAPSED):
            self._clock("echoed", now_s)
            if not self._plan.enter:
                proof = Proof(Grade.SCREEN, "the text stands in the input")
                self._finish(Fate.LANDED, Reason.NONE, now_s, "", proof=proof)
                return
            gap_s = self.profile.submit.gap_s
            self._stage_deadline_s = None
            if gap_s > 0:
                self._to_confirm(now_s, gap_s=gap_s)
            else:
                self.stage = Stage.CONFIRMING
                self._stage_deadline_s = now_s + _REISSUE_S
                self._confirm(view, now_s)
        elif kind in (EchoKind.PARTIAL, EchoKind.DIFFERS):
            quiet_at_s = max(self._last_output_s, self._typed_s) + _TAIL_S
            self._wake_s = quiet_at_s if quiet_at_s > now_s else now_s + _TAIL_S

    def _to_confirm(self, now_s: float, *, gap_s: float) -> None:
        self.stage = Stage.GAP
        # What a clock or a caret writes after our text was all seen is not about our text.
        self._gap_s, self._gap_ends_s = gap_s, now_s + 2 * gap_s
        self._stage_deadline_s = now_s + gap_s + _REISSUE_S
        self._woken(now_s)

    def _woken(self, now_s: float) -> None:
        if self.stage is Stage.GAP:
            quiet_at_s = max(self._last_output_s, self._typed_s) + self._gap_s
            self._wake_s = min(quiet_at_s, self._gap_ends_s)
            if self._wake_s > now_s:
                return
            self._wake_s = None
            self.stage = Stage.CONFIRMING
            self._wants_look = True
        elif self.stage is Stage.ECHOING:
            self._wants_look = True
            quiet_s = now_s - max(self._last_output_s, self._typed_s)
            if quiet_s >= 2 * _TAIL_S and self._latest is not None:
                kind, words = self._echo(self._latest)
                if kind is EchoKind.DIFFERS:
                    self._withheld(Reason.ECHO_DIFFERS, now_s, words)
                    return
                gone = kind is EchoKind.NONE and self._latest.reading.composer is None
                if gone and self._menu_opened(self._latest):
                    self._withheld(Reason.MENU_OPENED, now_s, "a menu took the input's place")
                    return
            self._wake_s = now_s + _TAIL_S
        elif self.stage in (Stage.CONFIRMING, Stage.REACTING):
            self._wants_look = True

    def _confirm(self, view: View, now_s: float) -> None:
        """The last check before Enter: our text stands, it was read, nothing asks."""
        plan = self._plan
        if self._question_opened(view):
            self._withhold_from_question(view, now_s)
            return
        if plan.echo and plan.text:
            kind, words = self._echo(view)
            if kind not in (EchoKind.FULL, EchoKind.COLLAPSED):
                self._echo_words = words
                self._wake_s = now_s + 0.05
                return
            if view.reading.composer is not None and self._menu_opened(view):
                self._withheld(Reason.MENU_OPENED, now_s, "a menu opened beside the input")
                return
        steers = self.request.intent is Intent.STEER
        if is_behind(view) or (is_away(view) and not steers):  # it may be about to ask
            self._wake_s = now_s + 0.01
            return
        if words := self._not_chosen(view):
            if now_s < self._typed_s + _MOVED_S:
                self._wake_s = now_s + 0.05
            else:
                self._withheld(Reason.ECHO_DIFFERS, now_s, words)
            return
        self._enter(view, now_s)

    def _enter(self, view: View, now_s: float) -> None:
        self._entering = view
        self.stage = Stage.SUBMITTING
        key = "Enter"
        self._action = PressKeys(
            write_id=self.request.write_id, guard=self._guard(view), keys=(key,)
        )

    def _entered(self, reply: GuardReply, now_s: float) -> None:
        if reply.result is GuardResult.REFUSED:
            self.stage = Stage.CONFIRMING
            self._wants_look = True
            return
        if reply.result is GuardResult.REJECTED:
            self._withheld(Reason.REJECTED, now_s, f"tmux refused the Enter: {reply.words}")
            return
        self._attempts += 1
        if reply.result is not GuardResult.WRITTEN:
            words = "tmux did not say whether it sent the Enter. It is not sent again."
            self._finish(Fate.UNKNOWN, Reason.CONNECTION_LOST, now_s, words)
            return
        self._wrote = True
        self.submitted = True
        self._submitted_s = now_s
        self._clock("submitted", now_s)
        self._react(now_s)

    def _react(self, now_s: float) -> None:
        self.stage = Stage.REACTING
        self._wake_s = None
        self._stage_deadline_s = now_s + self.profile.timing.react_within_s
        self._wants_look = True

    def _judge_reaction(self, view: View, now_s: float) -> None:
        plan = self._plan
        if self._proof is not None and not self._stands(view):
            self._finish(Fate.LANDED, Reason.NONE, now_s, "", proof=self._proof)
            return
        if plan.expect is Expect.PROMPT_GONE:
            self._judge_answer(view, now_s)
            return
        if plan.expect is Expect.EMPTY:
            composer = view.reading.composer
            if composer is not None and not composer.text:
                proof = Proof(Grade.SCREEN, "the input is empty")
                self._finish(Fate.LANDED, Reason.NONE, now_s, "", proof=proof)
            return
        if plan.expect is Expect.ANYTHING:
            before = self._deciding
            if before is not None and before.floods and not self._stopped(view, before, now_s):
                return
            if before is not None and view.picture != before.picture:
                proof = Proof(Grade.SCREEN, "the screen changed after the keys")
                self._finish(Fate.LANDED, Reason.NONE, now_s, "", proof=proof)
            return
        before = self._entering
        if before is None:
            return
        echo = self._read_echo(view)
        reaction = judge_reaction(
            before,
            view,
            profile=self.profile,
            submitted_s=self._submitted_s,
            line_break=echo is not None and echo.line_break,
        )
        if reaction.kind is ReactionKind.LANDED:
            still_s = min(self._last_output_s + 0.05, self._submitted_s + 0.5)
            if self._may_continue(reaction.proof) and still_s > now_s:
                self._wake_s = still_s
                return
            self._clock("reacted", now_s)
            self._finish(Fate.LANDED, Reason.NONE, now_s, "", proof=reaction.proof)
        elif reaction.kind is ReactionKind.LINE_BREAK and self._last_output_s + 0.05 <= now_s:
            if self._attempts == 1 and self.profile.submit.line_break:
                self._to_confirm(now_s, gap_s=max(self.profile.submit.gap_s, 0.05))
            else:
                self._withheld(Reason.LINE_BREAK, now_s, "the Enter became a line break")
        elif reaction.kind is ReactionKind.LINE_BREAK:
            self._wake_s = self._last_output_s + 0.05

    def _judge_answer(self, view: View, now_s: float) -> None:
        asked, now_asked = self._prompt, view.reading.prompt
        if view.look.fields.dead:
            self.lost("the program ended", now_s=now_s, reason=Reason.GONE_PANE)
            return
        if asked is not None and not asked.secret:
            now_asked = view.reading.shown
        if now_asked is not None and asked is not None:
            if now_asked.fingerprint == asked.fingerprint:
                self._press_again(view, now_s)
                return
            words = "another question is on screen"
        elif view.state is State.PROMPTING and view.reading.kind is ScreenKind.PROMPTING:
            return
        else:
            words = "the question is gone"
        if self._last_output_s < self._submitted_s and view.state is not State.EXITED:
            return
        proof = Proof(Grade.SCREEN, words)
        self._clock("reacted", now_s)
        self._finish(Fate.LANDED, Reason.NONE, now_s, "", proof=proof)

    def _press_again(self, view: View, now_s: float) -> None:
        """A key may only have moved the highlight: Enter, once the program is done with the key."""
        plan, done_s = self._plan, max(self._last_output_s, self._typed_s) + _TAIL_S
        if plan.enter or self._keys_again or not self._highlighted(view, plan.chosen):
            return
        if is_away(view) or done_s > now_s:
            self._wake_s = max(done_s, now_s + 0.01)
        elif self._last_output_s >= self._typed_s:
            self._keys_again = True
            self._enter(view, now_s)

    def _ran_out(self, now_s: float) -> None:
        if self.stage is Stage.TYPING:
            words = "tmux did not answer the write. It is not sent again."
            self._finish(Fate.UNKNOWN, Reason.CONNECTION_LOST, now_s, words)
        elif self.stage is Stage.ECHOING:
            kind, words = (
                self._echo(self._latest) if self._latest is not None else (EchoKind.NONE, "")
            )
            reason = Reason.NO_ECHO if kind is EchoKind.NONE else Reason.ECHO_DIFFERS
            self._withheld(reason, now_s, words or "the text was not shown")
        elif self.stage in (Stage.GAP, Stage.CONFIRMING):
            why = self._echo_words or "the pane kept changing"
            self._withheld(Reason.CHANGED, now_s, why)
        elif self.stage is Stage.SUBMITTING:
            words = "tmux did not answer the Enter. It is not sent again."
            self._finish(Fate.UNKNOWN, Reason.CONNECTION_LOST, now_s, words)
        elif self.stage is Stage.REACTING:
            if self._proof is not None and not (self._latest and self._stands(self._latest)):
                self._finish(Fate.LANDED, Reason.NONE, now_s, "", proof=self._proof)
                return
            words = (
                "No reaction was seen within"
                f" {self.profile.timing.react_within_s:g} s; whether it was taken is not known."
                " It is not sent again: read the pane."
            )
            self._finish(Fate.UNKNOWN, Reason.NO_REACTION, now_s, words)

"""A composer: a transcript, an input box, turns of work and permission dialogs.

It behaves as agent programs were seen to behave, each habit by an option, and writes
what it truly received to its truth log. See README.md of `panegate.testing`.
"""

import argparse
import time
from collections import deque

from panegate.testing.programs._asker import Asker
from panegate.testing.programs._dialog import Choice
from panegate.testing.programs._editing import Editing
from panegate.testing.programs._enter import EnterRules
from panegate.testing.programs._keys import Key, KeyDecoder
from panegate.testing.programs._options import parse_composer
from panegate.testing.programs._paint import Frame, InlinePainter, ScreenPainter
from panegate.testing.programs._signs import Signs
from panegate.testing.programs._terminal import Loop, Terminal, Timer, run_loop, start_child
from panegate.testing.programs._truth import TruthWriter
from panegate.testing.programs._turns import Turns
from panegate.testing.programs._view import Situation, draw_input

__all__ = ["Composer", "main"]

_ESCAPE_ALONE_S = 0.05


class Composer:
    """The program; `state` is one of boot, painted, ready, busy and dialog."""

    def __init__(self, options: argparse.Namespace, terminal: Terminal, loop: Loop) -> None:
        self._options, self._terminal, self._loop = options, terminal, loop
        self._truth = loop.truth
        self.state = "boot"
        self._editing = Editing(options, loop.truth)
        self._box = self._editing.box
        self._transcript: list[str] = options.banner.split("\n") if options.banner else []
        self._queue: list[str] = []
        self._keys = KeyDecoder(knows_paste=not options.no_bracketed_paste)
        self._backlog: deque[Key] = deque()
        self._working_off = False
        self._escape_timer: Timer | None = None
        self._painter: ScreenPainter | InlinePainter = (
            InlinePainter(terminal) if options.inline else ScreenPainter(terminal, top=options.top)
        )
        self._signs = Signs(titles=options.titles, marks=options.marks, write=terminal.write)
        self._rules = EnterRules(
            ignore_within_s=options.ignore_cr_within,
            newline_within_s=options.newline_within,
            newline_in_same_read=options.cr_in_same_read == "newline",
            drop_every_nth=options.drop_every_nth_cr,
            drop_numbers=options.drop_crs,
            ready_after_s=options.submit_enter_ready_after,
        )
        self._turns = Turns(
            options, loop, paint=self._paint, say=self._transcript.append, ended=self._turn_ended
        )
        self._asker = Asker(
            options,
            loop,
            may_open=lambda: self.state in ("ready", "busy"),
            opens=self._dialog_opens,
            closed=self._dialog_closed,
            gap=self._dialog_gap,
        )
        self._started_s = time.monotonic()
        self._box_at_s = float("-inf")
        self._n_submits = 0
        self._asked_after_text = False
        self._splitting = False
        self._caret = True
        self._stopped = False
        self._on_screen = False

    def start(self) -> None:
        """Boot: the terminal is in line mode and nothing is read yet."""
        self._loop.deaf = True
        self._loop.on_bytes = self._take
        self._terminal.cooked()
        self._enter_state("boot")
        if self._options.boot_text:
            self._terminal.write(self._options.boot_text + "\n")
        self._loop.call_after(self._options.boot, self._booted)

    def stop(self) -> None:
        """Leave the screen as it was found."""
        if self._asker.current is not None:
            self._asker.close(Choice("exit"))
        if self._on_screen:
            keys = "\x1b[>4m" if self._options.modify_other_keys else ""
            self._terminal.write(f"{self._signs.closed()}\x1b[?2004l{keys}{self._painter.leave()}")

    # --- from boot to ready

    def _booted(self) -> None:
        options, loop = self._options, self._loop
        if not options.paint_early:
            self._flush()
        self._terminal.raw()
        if options.child:
            start_child(["sleep", "100000"], self._truth)
        if options.slow_read is not None:
            loop.read_size, loop.read_every_s = options.slow_read
        loop.read_size = options.read_size or loop.read_size
        loop.on_resize = self._resized
        self._on_screen = True
        asks = "" if options.no_bracketed_paste else "\x1b[?2004h"
        asks += "\x1b[>4;2m" if options.modify_other_keys else ""
        self._terminal.write(self._painter.enter() + asks)
        loop.every(options.clock, self._paint)
        loop.every(options.blink, self._blink)
        loop.every(options.footer_rewrite, self._rewrite_footer)
        loop.every(options.dialog_redraw, self._redraw_dialog)
        loop.every(self._signs.tick_every_s, self._signs.tick)
        self._turns.start_schedule()
        self._asker.start_schedule()
        if options.paint_early:
            self._enter_state("painted")
            self._paint()
            loop.call_after(options.paint_early, self._reads_now)
        else:
            self._reads_now()

    def _reads_now(self) -> None:
        if self._options.paint_early:
            self._flush()
        if self._options.trust_first:
            self._asker.ask_trust()
        else:
            self._become_ready(first=True)

    def _flush(self) -> None:
        if self._options.flush:
            self._truth.log("flushed", n_bytes=self._terminal.flush_input())

    # --- states

    def _enter_state(self, state: str) -> None:
        self.state = state
        self._truth.log("state", state=state)
        self._loop.deaf = self._is_deaf()

    def _is_deaf(self) -> bool:
        if self.state == "busy":
            return self._stopped or bool(self._options.deaf_while_busy)
        return self._stopped or self.state in ("boot", "painted")

    def _become_ready(self, *, first: bool = False) -> None:
        self._enter_state("ready")
        self._box_at_s = time.monotonic()
        self._paint(before=self._signs.title("ready"), after=self._signs.ready(first=first))
        self._truth.log("ready_painted")
        self._work_off()

    def _become_busy(self) -> None:
        self._enter_state("busy")
        self._paint(before=self._signs.turn_began() + self._signs.title("busy"))

    def _turn_ended(self) -> None:
        options = self._options
        if options.exit_after and self._n_submits >= options.exit_after:
            self._paint()
            self._loop.finish(options.status)
            return
        self._terminal.write(self._signs.turn_ended())
        if self._queue:
            if options.busy_enter == "keep":
                self._editing.clear()
            self._submit(self._queue.pop(0), queued=True)
        else:
            self._become_ready()

    # --- dialogs

    def _dialog_opens(self) -> None:
        self._turns.pause()
        if self._backlog:
            self._truth.log("type_ahead", n_keys=len(self._backlog))
            self._loop.call_after(0, self._work_off)
        self._enter_state("dialog")
        self._paint(before=self._signs.title("dialog"), after=self._signs.blocked())

    def _dialog_gap(self) -> None:
        self._become_busy()

    def _dialog_closed(self, choice: Choice) -> None:
        more_s = self._options.work_after_answer
        if choice.by == "exit":
            return
        if self._asker.is_trust:
            if choice.approved:
                self._become_ready(first=True)
            else:
                self._loop.finish(1)
            return
        self._transcript.append(f"  ⎿ {choice.label or choice.by}")
        if self._turns.open:
            self._become_busy()
            if choice.approved or choice.by == "itself":
                self._turns.resume(more_s)
            else:
                self._turns.cut()
        elif more_s > 0:
            self._turns.begin(more_s)
            self._become_busy()
        else:
            self._become_ready()

    def _redraw_dialog(self) -> None:
        if self.state == "dialog":
            self._painter.forget()
            self._paint()

    # --- input

    def _take(self, data: bytes) -> None:
        keys = self._keys.feed(data)
        if self._options.keep_last_read and any(key.name == "text" for key in keys):
            self._box.clear()
        self._take_keys(keys)
        if self._keys.escape_pending:
            if self._escape_timer is not None:
                self._escape_timer.cancel()
            wait_s = max(_ESCAPE_ALONE_S, 3 * self._loop.read_every_s)
            self._escape_timer = self._loop.call_after(
                wait_s, lambda: self._take_keys(self._keys.flush_escape())
            )

    def _take_keys(self, keys: list[Key]) -> None:
        self._backlog.extend(keys)
        self._work_off()

    def _work_off(self) -> None:
        """Take the keys that wait; a key's own effects may call this again."""
        if self._working_off or not self._backlog:
            return
        self._working_off = True
        while self._backlog and not self._is_deaf() and not self._loop.is_finished:
            key = self._backlog.popleft()
            if self.state != "dialog":
                self._press(key)
                continue
            characters = key.text if key.name == "text" else " "
            for at, character in enumerate(characters):
                if self.state != "dialog":
                    self._backlog.appendleft(key._replace(text=characters[at:]))
                    break
                self._asker.press(key._replace(text=character))
        self._working_off = False
        self._paint()

    def _press(self, key: Key) -> None:
        name = key.name
        if self._terminal.size()[0] < self._options.min_rows:
            self._truth.log("key_ignored", key=key.text or name)
        elif name == "Enter" or (name == "CSI 13u" and self._options.modify_other_keys):
            self._enter(key)
        elif name == "C-j" and self._options.lf == "submit":
            self._enter(key)
        elif name in ("Escape", "C-c"):
            self._interrupt(name)
        elif name == "C-d" and not self._box.text:
            self._truth.log("end_of_input")
            self._loop.finish(0)
        elif self._editing.press(key):
            self._text_arrived(name)
        else:
            self._truth.log("unknown_key", key=name)

    def _text_arrived(self, name: str) -> None:
        """Arm the dialog of `--ask-after-text` at the first text in an empty box."""
        if name != "text" or not self._options.ask_after_text or self._asked_after_text:
            return
        self._asked_after_text = True
        self._loop.call_after(self._options.ask_after_text, self._asker.ask)

    def _interrupt(self, name: str) -> None:
        self._truth.log("interrupt", key=name, state=self.state)
        if self._editing.popup is not None:
            self._editing.close_popup()
        elif self.state == "busy" and self._turns.open:
            self._transcript.append("  ⎿ interrupted")
            self._turns.cut()
        elif name == "C-c":
            self._editing.clear()

    # --- Enter

    def _enter(self, key: Key) -> None:
        effect = self._rules.decide(
            now_s=time.monotonic(),
            text_at_s=self._editing.text_at_s,
            box_at_s=self._box_at_s,
            after_text=key.after_text,
        )
        if effect.name == "newline":
            self._truth.log("cr_newline", rule=effect.rule)
            self._box.insert("\n")
        elif effect.name in ("ignore", "drop"):
            event = "cr_ignored" if effect.name == "ignore" else "cr_dropped"
            self._truth.log(event, rule=effect.rule, number=self._rules.count)
        elif self._editing.popup is not None:
            self._editing.choose_popup()
        elif not self._box.text:
            self._truth.log("empty_submit", state=self.state)
        elif self.state == "busy":
            self._enter_while_busy()
        else:
            self._submit_box()

    def _enter_while_busy(self) -> None:
        how, text = self._options.busy_enter, self._box.value()
        if how == "ignore":
            self._truth.log("cr_ignored", rule="busy", number=self._rules.count)
        elif how == "interrupt":
            self._editing.clear()
            self._queue.insert(0, text)
            self._truth.log("turn_cut", text=text)
            self._turns.cut()
        else:
            self._truth.log("queued", text=text)
            self._queue.append(text)
            if how == "queue":
                self._editing.clear()

    def _submit_box(self) -> None:
        text = self._box.value()
        shown = self._box.label()
        self._editing.clear()
        self._submit(text, shown=shown)

    def _submit(self, text: str, *, queued: bool = False, shown: str | None = None) -> None:
        options = self._options
        self._n_submits += 1
        self._truth.log("submit", text=text, number=self._n_submits, queued=queued)
        first, *more = (text if shown is None else shown).split("\n")
        self._transcript += ["", f"{options.glyph} {first}", *(f"  {line}" for line in more), ""]
        self._asked_after_text = False
        if options.stop_reading_after and self._n_submits >= options.stop_reading_after:
            self._stopped = True
            self._truth.log("stopped_reading")
        self._transcript += options.opening.split("\n") if options.opening else []
        self._turns.begin(options.work)
        self._splitting = bool(options.split_paint)
        self._become_busy()
        if options.ask_after_submit > 0:
            self._loop.call_after(options.ask_after_submit, self._asker.ask)

    # --- painting

    def _paint(self, *, before: str = "", after: str = "", rewrite: int | None = None) -> None:
        if not self._on_screen:
            return
        height, width = self._terminal.size()
        dialog = self._asker.current
        if height < self._options.min_rows:
            words = f"window too small: it needs {self._options.min_rows} rows"
            frame = Frame([words], 0, 0, shown=False)
        elif dialog is not None and not self._options.dialog_over:
            frame = dialog.frame(width, shown=False)
        else:
            now = Situation(
                busy_row=self._turns.row,
                queued=tuple(self._queue),
                clock=self._clock(),
                popup=self._editing.popup,
                caret=self._caret,
                height=height,
                width=width,
            )
            frame = draw_input(self._box, self._options, now)
            if dialog is not None:
                over = tuple(dialog.frame(width, shown=False).rows)
                frame = frame._replace(over=(self._options.dialog_over, over))
        out = before + self._painter.paint(self._transcript, frame, rewrite=rewrite) + after
        if self._splitting:
            self._splitting = False
            head, mark, tail = out.partition("\x1b[2K")
            self._terminal.write(f"{head}{mark[:-1]}")
            time.sleep(self._options.split_paint)
            out = f"{mark[-1:]}{tail}"
        if out:
            self._terminal.write(out)

    def _clock(self) -> str:
        if not self._options.clock:
            return ""
        ticks = int((time.monotonic() - self._started_s) / self._options.clock)
        return f"· up {ticks * self._options.clock:.1f}s"

    def _blink(self) -> None:
        self._caret = not self._caret
        self._paint()

    def _rewrite_footer(self) -> None:
        if self.state == "ready":
            self._paint(rewrite=-1)

    def _resized(self) -> None:
        self._painter.forget()
        self._paint()


def main(name: str, argv: list[str]) -> int:
    """Run the composer; return its exit status."""
    options = parse_composer(argv)
    terminal = Terminal()
    loop = Loop(terminal, TruthWriter(options.log))
    composer = Composer(options, terminal, loop)
    composer.start()
    return run_loop(loop, at_end=composer.stop)

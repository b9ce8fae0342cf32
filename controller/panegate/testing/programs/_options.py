"""The composer's command line."""

import argparse
from collections.abc import Callable

__all__ = ["base_parser", "milliseconds", "parse_composer", "slow_read", "texts"]

_COLLAPSED = "[Pasted text #{n} +{lines} lines]"


def base_parser(name: str) -> argparse.ArgumentParser:
    """Return a parser that knows ``--log``; options can not be abbreviated."""
    parser = argparse.ArgumentParser(prog=name, allow_abbrev=False)
    parser.add_argument("--log", default=None, help="truth log (JSON lines)")
    return parser


def milliseconds(text: str) -> float:
    """Turn milliseconds on the command line into seconds."""
    return float(text) / 1000


def _many_milliseconds(text: str) -> tuple[float, ...]:
    """Turn ``100,250`` into seconds."""
    return tuple(float(part) / 1000 for part in text.split(",") if part)


def _numbers(text: str) -> tuple[int, ...]:
    """Turn ``1,4`` into numbers."""
    return tuple(int(part) for part in text.split(",") if part)


def texts(text: str) -> tuple[str, ...]:
    """Split at ``;;``."""
    return tuple(text.split(";;"))


def slow_read(text: str) -> tuple[int, float]:
    """Turn ``BYTES:MS`` into a size and seconds."""
    size, _, every = text.partition(":")
    return int(size), float(every) / 1000


def parse_composer(argv: list[str]) -> argparse.Namespace:
    """Return the composer's options; times are seconds."""
    parser = base_parser("composer")
    flag = _adder(parser, action="store_true")
    times = _adder(parser, type=milliseconds, default=0.0, metavar="MS")
    text = _adder(parser, default="")
    one = parser.add_argument

    one("--layout", choices=("box", "plain", "branch", "narrow"), default="box")
    one("--cursor", choices=("shown", "hidden", "parked"), default="shown")
    one("--glyph", default=">", help="prompt glyph of the input row")
    one("--footer", default="standing by")
    flag("--inline", "main screen instead of the alternate one")
    flag("--top", "the box follows the transcript; rows below stay blank")
    text("--hint", "dim text in the empty box")
    text("--banner", "first lines of the transcript")
    text("--draft", "text that stands in the box from the start")
    times("--clock", "a footer clock that ticks")
    times("--footer-rewrite", "the same footer is written again")
    times("--blink", "the caret blinks")
    one("--titles", nargs="?", const="words", default="", choices=("words", "glyph", "blink"))
    one("--marks", nargs="?", const="133,7501", default="", help="of 133,7501,9")
    times("--split-paint", "the paint after a submit is cut in an escape sequence, for so long")
    one("--min-rows", type=int, default=0, help="paints nothing and takes no keys below that")
    flag("--no-bracketed-paste", "does not ask for bracketed paste")
    flag("--modify-other-keys", "asks for CSI u keys: modified Enter is a line break")
    flag("--child", "leaves a `sleep 100000` behind")

    times("--boot", "silent, in line mode, before anything is painted")
    text("--boot-text", "printed at the start of the boot")
    flag("--flush", "throws away what was typed before it reads")
    times("--paint-early", "the box stands this long before keys are read")

    one("--work", type=milliseconds, default=0.15, metavar="MS", help="length of a turn")
    one("--busy-row", default="* Working…", help="row of a running turn; empty: none")
    flag("--spinner", "that row turns")
    one("--spinner-every", type=milliseconds, default=0.1, metavar="MS")
    flag("--work-child", "a child process lives during each turn")
    text("--opening", "printed at the start of each turn")
    one("--reply", type=texts, default=("Done.",), help="what each turn ends with, a;;b;;c")
    times("--stream", "the reply comes word by word during the turn")
    flag("--deaf-while-busy", "reads nothing during a turn")
    one("--busy-enter", choices=("queue", "keep", "interrupt", "ignore"), default="queue")
    flag("--queue-while-busy", "the same as --busy-enter=keep")
    one("--stop-reading-after", type=int, default=0, metavar="N", help="submits")
    one("--exit-after", type=int, default=0, metavar="N", help="submits")
    one("--status", type=int, default=0, help="exit status then")

    times("--ignore-cr-within", "of text: the Enter is ignored")
    times("--newline-within", "of text: the Enter is a line break")
    one("--cr-in-same-read", choices=("newline", "submit"), default="submit")
    one("--drop-every-nth-cr", type=int, default=0, metavar="N")
    one("--drop-crs", type=_numbers, default=(), metavar="N,N", help="these, from 1")
    times("--submit-enter-ready-after", "Enter is ignored this long after the box appears")
    one("--lf", choices=("newline", "submit"), default="newline")
    flag("--slash-popup", "a `/` opens a menu that Enter chooses from")
    one("--collapse-over-lines", type=int, default=0, metavar="N")
    one("--collapse-over-chars", type=int, default=0, metavar="N")
    one("--collapsed", default=_COLLAPSED, help="with {n}, {lines} and {chars}")
    one("--slow-read", type=slow_read, default=None, metavar="BYTES:MS")
    one("--read-size", type=int, default=0, metavar="BYTES")
    flag("--keep-last-read", "each read is a fresh edit: the box keeps only the last")

    times("--ask-after-submit", "a dialog opens this long after each submit")
    times("--ask-after-text", "a dialog opens this long after text came into the empty box")
    one("--dialog-at", type=_many_milliseconds, default=(), metavar="MS,MS", help="after the start")
    flag("--dialog-on-signal", "a dialog opens at SIGUSR1")
    one("--dialog-random", type=_many_milliseconds, default=(), metavar="LO,HI")
    one("--seed", type=int, default=0)
    one("--dialog-commands", type=texts, default=("rm -rf ./build",), metavar="A;;B")
    one("--dialog-chain", type=int, default=1, metavar="N", help="dialogs one after the other")
    times("--dialog-gap", "work between two of a chain")
    times("--dialog-closes-after", "it closes by itself")
    times("--dialog-deaf", "keys are dropped this long after it opens")
    one("--dialog-deaf-only", type=int, default=0, metavar="N", help="in the N-th dialog only")
    times("--dialog-redraw", "it is painted again and again")
    one("--dialog-title", default="Bash command")
    one("--dialog-question", default=None)
    one("--dialog-options", type=texts, default=None, metavar="A;;B")
    one("--dialog-footer", default="Esc to cancel")
    one("--dialog-glyph", default="❯")
    one("--dialog-over", type=int, default=0, metavar="ROW", help="drawn there; the box stays")
    flag("--dialog-bare", "rows without numbers; digits do nothing")
    flag("--hotkeys", "y, a, p and n choose at once")
    times("--work-after-answer", "a turn of this length follows each answer")
    one("--trust-first", nargs="?", const="menu", default="", choices=("menu", "key"))

    options = parser.parse_args(argv)
    if options.queue_while_busy:
        options.busy_enter = "keep"
    if options.keep_last_read and not options.read_size:
        options.read_size = 1022
    return options


def _adder(parser: argparse.ArgumentParser, **fixed: object) -> Callable[[str, str], None]:
    def add(name: str, words: str) -> None:
        parser.add_argument(name, help=words, **fixed)  # type: ignore[arg-type]

    return add

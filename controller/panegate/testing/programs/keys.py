"""Programs that take single keys in raw mode.

* ``raw-reader`` logs exactly the bytes it gets;
* ``menu`` chooses among rows by digits, or by arrows and Enter;
* ``pager`` and ``editor`` own the alternate screen;
* ``show`` paints any text and waits for a key, or exits at once.
"""

import argparse
import os

from panegate.testing.programs._dialog import Dialog
from panegate.testing.programs._keys import Key, KeyDecoder
from panegate.testing.programs._options import base_parser, slow_read, texts
from panegate.testing.programs._paint import ScreenPainter
from panegate.testing.programs._terminal import Loop, Terminal, run_loop
from panegate.testing.programs._truth import TruthWriter

__all__ = ["main"]

_LABELS = ("North", "East", "South", "West", "Up", "Down", "Left", "Right", "Here")


def main(name: str, argv: list[str]) -> int:
    """Run the program *name*; return its exit status."""
    options = _options(name, argv)
    terminal = Terminal()
    loop = Loop(terminal, TruthWriter(options.log))
    terminal.raw()
    at_end = {
        "raw-reader": _raw_reader,
        "menu": _menu,
        "pager": _pager,
        "editor": _editor,
        "show": _show,
    }[name](options, terminal, loop)
    return run_loop(loop, at_end=lambda: terminal.write(at_end))


def _options(name: str, argv: list[str]) -> argparse.Namespace:
    parser = base_parser(name)
    one = parser.add_argument
    if name == "raw-reader":
        one("--prompt", default="")
        one("--echo", action="store_true", help="writes back what it reads")
        one("--bracketed-paste", action="store_true", help="asks for bracketed paste")
        one("--read-size", type=int, default=65536, metavar="BYTES")
        one("--slow-read", type=slow_read, default=None, metavar="BYTES:MS")
    elif name == "menu":
        one("--title", default="Pick one")
        one("--labels", type=texts, default=_LABELS, metavar="A;;B")
        one("--glyph", default="❯")
        one("--arrows", action="store_true", help="no numbers; arrows and Enter choose")
        one("--after", choices=("exit", "again"), default="exit")
    elif name == "pager":
        one("--rows", type=int, default=20)
    elif name == "editor":
        one("--file", default=None, help="every byte is appended to it")
    else:
        one("--text", default="")
        one("--file", default=None, help="raw bytes to print instead")
        one("--keys", default=None, help="characters that end it; default: none does")
        one("--exit", type=int, default=None, metavar="STATUS", help="exit at once")
        one("--alternate", action="store_true")
        one("--hide-cursor", action="store_true")
    return parser.parse_args(argv)


def _raw_reader(options: argparse.Namespace, terminal: Terminal, loop: Loop) -> str:
    loop.read_size = options.read_size
    if options.slow_read is not None:
        loop.read_size, loop.read_every_s = options.slow_read
    loop.on_bytes = (lambda data: terminal.write(data)) if options.echo else (lambda data: None)
    loop.truth.log("state", state="ready")
    terminal.write(("\x1b[?2004h" if options.bracketed_paste else "") + options.prompt)
    return "\x1b[?2004l" if options.bracketed_paste else ""


def _menu(options: argparse.Namespace, terminal: Terminal, loop: Loop) -> str:
    painter, keys = ScreenPainter(terminal), KeyDecoder()
    menus = [_new_menu(options, loop)]

    def paint() -> None:
        terminal.write(painter.paint([], menus[-1].frame(terminal.size()[1], shown=False)))

    def press(key: Key) -> None:
        shown = key.text if key.name == "text" else key.name
        loop.truth.log("dialog_key", key=shown, dialog=len(menus))
        choice = menus[-1].press(key)
        if choice is None:
            return
        loop.truth.log("chosen", dialog=len(menus), option=choice.option, label=choice.label)
        loop.truth.log("dialog_closed", dialog=len(menus), by=choice.by)
        if options.after == "exit":
            loop.finish(0 if choice.option else 1)
        else:
            menus.append(_new_menu(options, loop, number=len(menus) + 1))

    def take(data: bytes) -> None:
        for key in [*keys.feed(data), *keys.flush_escape()]:
            for one in [Key("text", c) for c in key.text] if key.name == "text" else [key]:
                if loop.is_finished:
                    return
                press(one)
        paint()

    def resized() -> None:
        painter.forget()
        paint()

    loop.on_bytes, loop.on_resize = take, resized
    terminal.write(painter.enter())
    paint()
    loop.truth.log("dialog_painted", dialog=1)
    return painter.leave()


def _new_menu(options: argparse.Namespace, loop: Loop, *, number: int = 1) -> Dialog:
    loop.truth.log(
        "dialog_opened", dialog=number, question=options.title, options=list(options.labels)
    )
    return Dialog(
        title="",
        question=options.title,
        options=options.labels,
        footer="",
        glyph=options.glyph,
        numbered=not options.arrows,
    )


def _pager(options: argparse.Namespace, terminal: Terminal, loop: Loop) -> str:
    def paint() -> None:
        height = terminal.size()[0]
        lines = [f"commit {n:02d} a change of some kind" for n in range(1, options.rows + 1)]
        terminal.write(
            "\x1b[H\x1b[2J" + "".join(f"{line}\r\n" for line in lines[: height - 1]) + ":"
        )

    def take(data: bytes) -> None:
        for byte in data:
            if byte == ord("q"):
                loop.truth.log("pager_closed")
                loop.finish(0)
                return
            loop.truth.log("pager_key", key=chr(byte))

    loop.on_bytes, loop.on_resize = take, paint
    loop.truth.log("pager_opened")
    terminal.write("\x1b[?1049h")
    paint()
    return "\x1b[?1049l"


def _editor(options: argparse.Namespace, terminal: Terminal, loop: Loop) -> str:
    text = bytearray()
    fd = -1
    if options.file:
        fd = os.open(options.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def paint() -> None:
        height = terminal.size()[0]
        shown = text.decode("utf-8", "replace").replace("\r", "\n").split("\n")
        lines = ["".join(c for c in line if c.isprintable()) for line in shown][-(height - 1) :]
        body = "".join(f"\x1b[{at + 1};1H\x1b[2K{line}" for at, line in enumerate(lines))
        blank = "".join(f"\x1b[{at + 1};1H\x1b[2K~" for at in range(len(lines), height - 1))
        last = f"\x1b[{height};1H\x1b[2K-- INSERT --"
        place = f"\x1b[{len(lines)};{len(lines[-1]) + 1}H"
        terminal.write(body + blank + last + place)

    def take(data: bytes) -> None:
        text.extend(data)
        if fd >= 0:
            os.write(fd, data)
        paint()

    loop.on_bytes, loop.on_resize = take, paint
    terminal.write("\x1b[?1049h\x1b[2J")
    paint()
    loop.truth.log("state", state="editing")
    return "\x1b[?1049l"


def _show(options: argparse.Namespace, terminal: Terminal, loop: Loop) -> str:
    text: bytes = options.text.replace("\n", "\r\n").encode()
    if options.file:
        with open(options.file, "rb") as file:
            text = file.read()

    def take(data: bytes) -> None:
        for byte in data:
            loop.truth.log("dialog_key", key=chr(byte), dialog=1)
            if options.keys is not None and chr(byte) in options.keys:
                loop.truth.log("dialog_closed", dialog=1, by="option")
                loop.finish(0)
                return

    loop.truth.log("dialog_opened", dialog=1)
    head = "\x1b[?1049h\x1b[H\x1b[2J" if options.alternate else ""
    terminal.write(head.encode() + (b"\x1b[?25l" if options.hide_cursor else b"") + text)
    loop.truth.log("dialog_painted", dialog=1)
    if options.exit is not None:
        loop.finish(options.exit)
    loop.on_bytes = take
    return "\x1b[?25h" + ("\x1b[?1049l" if options.alternate else "\r\n")

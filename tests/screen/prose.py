"""Screens cut out of texts that contain questions: of our own corpus, and of the machine's."""

import gzip
import itertools
import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

__all__ = ["Text", "draw", "question_rows"]

OWN: Final = Path(__file__).parents[1] / "data" / "prose"
REPOSITORY: Final = Path(__file__).parents[2]
DOCS: Final = Path("/usr/share/doc")
MANUALS: Final = Path("/usr/share/man/man1")
N_DOCS: Final = 60
N_MANUALS: Final = 12
N_COMMITS: Final = 40
MAX_BYTES: Final = 200_000
_ASKING: Final = re.compile(
    r"[?？؟]|[:：]\s*\Z|\[[yY]/[nN]\]|;\s|(?i:press|password|passphrase|continue|confirm|select)"
)
_OVERSTRUCK: Final = re.compile(".\x08")

Text = tuple[str, tuple[str, ...]]
"""Where it is from, and its rows."""


def question_rows(rows: Sequence[str]) -> list[int]:
    """Return the rows that hold something like a question."""
    return [n for n, row in enumerate(rows) if _ASKING.search(row)]


def draw(n: int, *, seed: int) -> list[Text]:
    """Return *n* texts, each up to a question or a few rows past it."""
    chance = random.Random(seed)
    sources = [*_own(), *_git(), *_manuals(chance), *_docs(chance)]
    sources = [(name, rows) for name, rows in sources if question_rows(rows)]
    texts: list[Text] = []
    for name, rows in itertools.cycle(sources):
        if len(texts) == n:
            return texts
        at = chance.choice(question_rows(rows))
        last = at + chance.choice((0, 0, 0, 1, 2, 5))
        first = max(0, at - chance.randint(0, 24))
        texts.append((f"{name}:{first + 1}", tuple(rows[first : last + 1])))
    return texts


def _own() -> Iterator[Text]:
    for path in sorted(OWN.glob("*.txt")):
        yield path.name, tuple(path.read_text().splitlines())


def _docs(chance: random.Random) -> Iterator[Text]:
    names = ("README*", "*.txt", "*.gz", "*.md", "FAQ*", "NEWS*")
    found = sorted({path for name in names for path in DOCS.glob(f"*/{name}") if path.is_file()})
    for path in chance.sample(found, min(N_DOCS, len(found))):
        raw = path.read_bytes()[:MAX_BYTES]
        if path.suffix == ".gz":
            raw = gzip.decompress(path.read_bytes())[:MAX_BYTES]
        if b"\0" not in raw:
            yield str(path), _clean(raw.decode("utf-8", "replace"))


def _manuals(chance: random.Random) -> Iterator[Text]:
    if shutil.which("man") is None or not MANUALS.is_dir():
        return
    found = sorted(MANUALS.glob("*.1.gz"))
    for path in chance.sample(found, min(N_MANUALS, len(found))):
        text = _run("man", "-E", "UTF-8", "-P", "cat", "-l", str(path))
        yield path.name, _clean(_OVERSTRUCK.sub("", text))


def _git() -> Iterator[Text]:
    if shutil.which("git") is None or not (REPOSITORY / ".git").exists():
        return
    log = _run("git", "-C", str(REPOSITORY), "log", "-p", "--stat", f"-{N_COMMITS}")
    rows = _clean(log[: 10 * MAX_BYTES])
    step = 400
    for first in range(0, len(rows), step):
        yield f"git log {first}", rows[first : first + step]


def _run(*argv: str) -> str:
    env = {**os.environ, "MANWIDTH": "78", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(argv, capture_output=True, check=False, timeout=60, env=env)
    return done.stdout.decode("utf-8", "replace")


def _clean(text: str) -> tuple[str, ...]:
    """Rows as a terminal shows them: tabs as blanks, no other control, no markup of ours."""
    rows = text.expandtabs(8).translate(dict.fromkeys(map(ord, "‸⟦⟧"), "")).splitlines()
    return tuple("".join(c for c in row if c.isprintable()).rstrip() for row in rows)

"""Whether a text left of the cursor can be the program's own prompt, by its form alone.

A line editor that asks ``Delete everything # `` stands on the screen and in the kernel just
as a shell at its prompt. Where no mark tells them apart, only a text counts that a prompt
is made of: signs, numbers, names of the program, the user and the host, folders, things in
brackets. Words of a language do not.
"""

import re
from typing import Final

__all__ = ["is_own_prompt", "same_prompt"]

_SIGN: Final = re.compile(r"[\s#$%>❯➜λ»:=*!?-]+\Z")
_PROUD: Final = "❯➜λ»"
"""A text that begins with one of these is no sentence."""
_GROUP: Final = re.compile(r"\([^()\s]*\)|\[[^\[\]\s]*\]|\[[^\[\]\s]+@[^\[\]]*\]|\{[^{}\s]*\}")
_ACCOUNT: Final = re.compile(r"[\w.-]+@[\w.-]+")
_FOLDER: Final = re.compile(r"~|/")
_STEM: Final = re.compile(r"[^\W\d_]+")
_CHANGING: Final = re.compile(r"\S*[~/\d]\S*")
_SHORTEST: Final = 2


def is_own_prompt(text: str, *, programs: tuple[str, ...] = (), host: str = "") -> bool:
    """Tell whether *text* is made of nothing but what prompts are made of.

    Args:
        text: What stands left of the input.
        programs: Names of the program: its command, the process that reads.
        host: Name of the host that the program runs on, where it is known.

    """
    if text.lstrip()[:1] in _PROUD and text.strip():
        return True
    known = {name.lstrip("-").casefold() for name in programs if name}
    hosts = {host.casefold(), host.split(".")[0].casefold()} - {""}
    after_account = False
    for word in _GROUP.sub(" ", _SIGN.sub("", text.strip())).split():
        if _ACCOUNT.search(word) or _FOLDER.search(word):
            after_account = bool(_ACCOUNT.search(word))
            continue
        stem = _STEM.search(word)
        if stem is None:
            continue
        at_host = word.split(":")[0].casefold() in hosts
        if not (at_host or after_account or _names(stem[0].casefold(), known)):
            return False
        after_account = at_host  # one more name may follow, as in `user@host src %`
    return True


def same_prompt(text: str, known: str) -> bool:
    """Tell whether two prompts differ in nothing but folders and numbers."""
    return bool(known.strip()) and _skeleton(text) == _skeleton(known)


def _names(stem: str, known: set[str]) -> bool:
    """``sqlite>`` is sqlite3's, ``irb(main)`` is irb's, ``bash-5.2$`` is bash's."""
    return len(stem) >= _SHORTEST and any(
        name.startswith(stem) or stem.startswith(name) for name in known
    )


def _skeleton(text: str) -> list[str]:
    return _CHANGING.sub("0", text).split()

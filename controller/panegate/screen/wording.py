"""What the words of a prompt tell: its kind, the key that declines it, its fingerprint."""

import re
import unicodedata
from collections.abc import Sequence
from hashlib import blake2b

from panegate.panes.facts import OptionReading
from panegate.screen.layout import SPINNER
from panegate.terms import PromptKind

__all__ = ["SECRET_WORDS", "cancel_key", "choice_kind", "fingerprint"]

SECRET_WORDS = re.compile(
    r"(?i)(?:pass(?:word|phrase|code|wort)|\bpin\b|\bsecret\b|\btoken\b|api[ -]key|"
    r"kennwort|mot de passe|contraseña|senha|пароль|密码|密碼|パスワード|암호|"
    r"verification code|\botp\b)"
    r"[^\n]{0,60}[:：?？]?\s*\Z"
)
_ALLOWING = re.compile(
    r"(?i)\b(?:allow|permit|approv|permission|trust|proceed|authori[sz]e|grant|den(?:y|ies)|"
    r"reject|refuse|execut|don[’']t ask again|run (?:this|the)|apply (?:this|the)|always|erlauben|"
    r"genehmigen|zulassen|vertrauen|autoriser|permitir|consenti)"
)
_YES_NO = re.compile(
    r"(?i)(?:y|n|yes|no|ja|nein|oui|non|s[ií]|j|да|нет|ναι|όχι|はい|いいえ|是|否|نعم|لا|ok|cancel)\W*\Z"
)
_ESCAPE = re.compile(r"(?i)\besc(?:ape)?\b(?!\s*(?:to|:)?\s*interrupt)")
_CONTROL_C = re.compile(
    r"(?i)(?:\bctrl[-+ ]?c\b|\^C)(?=[^\n]{0,20}(?:cancel|abort|quit|exit|stop)|\))"
)
_QUIT = re.compile(
    r"(?i)(?:^|[\s(\[,'\"‘“])q['\"’”]?\s*(?:to|:|=|-)?\s*(?:quit|exit|cancel|close)\b"
)
_CLOCK = re.compile(
    rf"[{SPINNER}]|\b\d+:\d\d\b|\b\d+(?:\.\d+)?\s?(?:ms|s|sec|secs|seconds|m|min)\b"
)
_SPINNERS = re.compile(f"[{SPINNER}]")
_CHECK_MARK = re.compile(r"\A(?:\[[ xX*✓✔]?\]|\([ xX*•]\)|[☐☑☒◯◉○●◻◼✓✔])\s+")


def choice_kind(question: str, options: Sequence[OptionReading]) -> PromptKind:
    """Tell a permission from a yes/no confirmation from a menu.

    Only a name for people and policies: reading a prompt never depends on it.
    """
    labels = [option.label for option in options]
    said = " ".join([question, *labels])
    if 1 <= len(options) <= 5 and _ALLOWING.search(said):
        return PromptKind.PERMISSION
    if len(options) <= 4 and labels and _YES_NO.match(labels[0].split(",")[0].strip()):
        return PromptKind.CONFIRM
    return PromptKind.MENU


def cancel_key(rows: Sequence[str]) -> str | None:
    """Return the tmux name of the key that declines, where the rows say so."""
    text = "\n".join(rows)
    if _ESCAPE.search(text):
        return "Escape"
    if _CONTROL_C.search(text):
        return "C-c"
    return "q" if _QUIT.search(text) else None


def fingerprint(
    kind: PromptKind, question: str, context: str, options: Sequence[OptionReading]
) -> str:
    """Return a digest of a prompt's words.

    Neither the highlight nor ticked boxes, spinners, clocks or the width at which the
    text was wrapped make a difference; any other word or number does.
    """
    # what is above the question and what is the question can depend on the width, too
    said = "".join(map(_steady, [*context.split("\n"), question]))
    parts = [kind.value, said]
    parts.extend(f"{o.key}={_steady(_CHECK_MARK.sub('', o.label))}" for o in options)
    digest = blake2b("\x1f".join(part for part in parts if part).encode(), digest_size=16)
    return digest.hexdigest()


def _steady(text: str) -> str:
    """A text without what moves by itself and without the blanks that wrapping adds."""
    if _CLOCK.search(text):
        text = re.sub(r"\d+", "0", _SPINNERS.sub("", text))
    return "".join(unicodedata.normalize("NFC", text).split())

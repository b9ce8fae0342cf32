"""Answers written behind a question: ``[y/N]``, ``(yes/no)``, ``(Y)es/(N)o [Yes]``."""

import re

import attrs

from panegate.panes.facts import OptionReading
from panegate.screen.layout import asks
from panegate.screen.wording import choice_kind
from panegate.terms import PromptKind

__all__ = ["Choices", "read_choices"]

_ITEM = r"\[?[^\s/,|\[\]()]{1,14}\]?"
_CHOICES = re.compile(
    rf"(?P<head>^|.*\W)[\[(](?P<items>[^\W_]{{1,14}}(?:\s?[/,|]\s?(?:{_ITEM})){{1,14}})[\])]"
    r"(?P<tail>\s{0,2}[?？:：>]?\s*)(?P<default>[\[(][^\])]{1,20}[\])]\s*[:?]?\s*)?"
    r"(?P<typed>\S{0,12})\s*\Z"
)
_BARE_CHOICES = re.compile(
    r"(?P<head>.*\s)(?P<items>(?:y|Y|yes|Yes)\s?[/|]\s?(?:n|N|no|No))"
    r"(?P<tail>\s*[?:]?\s*)(?P<default>)(?P<typed>\S{0,4})\s*\Z"
)
_LETTERED = re.compile(
    r"(?P<head>.*?)(?P<items>\(\w\)[^/()]{1,30}(?:/\(\w\)[^/()\[\]:]{1,30})+)"
    r"(?P<tail>\s*)(?:\[(?P<default>[^\]]{1,30})\])?\s*[:?]?\s*(?P<typed>\S{0,12})\s*\Z"
)
_LETTER_ITEM = re.compile(r"\((\w)\)([^/()\[\]:]*)")
_YES = re.compile(r"(?i)(?:y|yes|n|no|j|ja|nein|o|oui|non|s|si|sí)\Z")


@attrs.frozen(kw_only=True)
class Choices:
    """A question's words with the answers it lists."""

    kind: PromptKind
    question: str
    """Without what somebody has typed behind it."""
    options: tuple[OptionReading, ...]
    default: str | None
    yes_no: bool


def read_choices(text: str) -> Choices | None:
    """Split a question that lists its answers at its end; None when it lists none.

    A few typed characters behind the list do not count. A path or a ratio in brackets
    is no list.
    """
    for pattern in (_LETTERED, _CHOICES, _BARE_CHOICES):
        found = pattern.match(text)
        if found is None:
            continue
        if pattern is _LETTERED:
            letters = _LETTER_ITEM.findall(found["items"])
            pairs = [(key, key + rest.strip()) for key, rest in letters]
        else:
            items = re.split(r"\s?[/,|]\s?", found["items"])
            pairs = [(item.strip("[]"), item.strip("[]")) for item in items]
        keys = [key for key, _ in pairs]
        yes_no = any(_YES.match(key) for key in keys)
        if not yes_no and not _is_list(found, keys):
            continue
        options = tuple(OptionReading(key=key, label=label) for key, label in pairs)
        question = text[: found.start("typed")].strip()
        kind = choice_kind(question, options)
        return Choices(
            kind=PromptKind.CONFIRM if kind is PromptKind.MENU and yes_no else kind,
            question=question,
            options=options,
            default=_default(found, keys),
            yes_no=yes_no,
        )
    return None


def _is_list(found: re.Match[str], keys: list[str]) -> bool:
    """Whether bracketed items are answers: the row asks, and they are not all numbers."""
    behind = found["tail"] + (found["default"] or "")
    asking = bool(re.search(r"[?？:：]", behind)) or asks(found["head"].rstrip(" [("))
    return asking and not all(key.isdigit() for key in keys)


def _default(found: re.Match[str], keys: list[str]) -> str | None:
    given = (found["default"] or "").strip(" :?")
    if given:
        return given.strip("[]()")
    capital = [key for key in keys if key[:1].isupper()]
    small = [key for key in keys if key[:1].islower()]
    return capital[0] if len(capital) == 1 and small else None

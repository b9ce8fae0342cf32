"""Answers written behind a question: ``[y/N]``, ``(yes/no)``, ``(Y)es/(N)o [Yes]``."""

import re

import attrs

from panegate.panes.facts import OptionReading
from panegate.screen.layout import asks
from panegate.screen.wording import choice_kind
from panegate.terms import PromptKind

__all__ = ["Choices", "read_choices"]

_ITEM = r"\[?[^\s/,|\[\]()]{1,14}\]?"
_BETWEEN = r"(?:\s?[/,|]\s?|\s(?:or|oder|ou|o)\s)"
_CHOICES = re.compile(
    rf"(?P<head>^|.*\W)[\[(](?P<items>(?:[^\W_]{{1,14}}|\[[^\W_]{{1,14}}\])(?:{_BETWEEN}(?:{_ITEM})){{1,14}})[\])]"
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
_IN_A_LINE = re.compile(
    r"(?P<head>.*?)(?P<items>[\[(]\w[\])]\w[^,()\[\]]{0,30}"
    r"(?:, [\[(]\w[\])]\w[^,()\[\]:]{0,30})+)(?P<tail>:\s?)(?P<typed>\S{0,12})\s*\Z"
)
_IN_A_LINE_ITEM = re.compile(r"([\[(])(\w)[\])]([^,()\[\]:]*)")
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
    listed = _IN_A_LINE.match(text)
    if listed is not None:
        return _in_a_line(text, listed)
    for pattern in (_LETTERED, _CHOICES, _BARE_CHOICES):
        found = pattern.match(text)
        if found is None:
            continue
        if pattern is _LETTERED:
            letters = _LETTER_ITEM.findall(found["items"])
            pairs = [(key, key + rest.strip()) for key, rest in letters]
        else:
            items = re.split(_BETWEEN, found["items"])
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


def _in_a_line(text: str, found: re.Match[str]) -> Choices:
    """``[O]pen, (E)dit anyway, (Q)uit:``: the letter in the other brackets is the default."""
    items = _IN_A_LINE_ITEM.findall(found["items"])
    options = tuple(OptionReading(key=key, label=(key + rest).strip()) for _, key, rest in items)
    marked = [key for bracket, key, _ in items if bracket == "["]
    question = text[: found.start("typed")].strip()
    return Choices(
        kind=choice_kind(question, options),
        question=question,
        options=options,
        default=marked[0] if len(marked) == 1 < len(items) else None,
        yes_no=True,
    )


def _is_list(found: re.Match[str], keys: list[str]) -> bool:
    """Whether bracketed items are answers: the row asks, and they are not all numbers."""
    behind = found["tail"] + (found["default"] or "")
    asking = bool(re.search(r"[?？:：]", behind)) or asks(found["head"].rstrip(" [("))
    return asking and not all(key.isdigit() for key in keys)


def _default(found: re.Match[str], keys: list[str]) -> str | None:
    given = (found["default"] or "").strip(" :?")
    if given:
        return given.strip("[]()")
    marked = re.findall(r"\[([^\[\]]+)\]", found["items"])
    if len(marked) == 1 and len(keys) == 2:
        return str(marked[0])
    capital = [key for key in keys if key[:1].isupper()]
    small = [key for key in keys if key[:1].islower()]
    return capital[0] if len(capital) == 1 and small else None

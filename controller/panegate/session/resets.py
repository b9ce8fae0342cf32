"""When a limit ends, read off the words of a limit screen or an error row.

Pure: the time at which the words were seen is an argument, with its time zone. A time of
day means the next one after it.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

import attrs

__all__ = ["Reset", "read_reset"]


@attrs.frozen(kw_only=True)
class Reset:
    """When a limit ends, as a program says it."""

    words: str
    """The words that say it."""
    at_utc: str | None = None
    """The instant, ISO 8601 in UTC; None where the words do not give one."""
    in_s: float | None = None
    """Seconds from when it was seen."""


_VERB: Final = (
    r"\b(?:resets?|resetting|renews?|refresh(?:es)?|try(?:ing)? again|retry(?:ing)?"
    r"|available again|come back|wait)\b"
)
_LEADS: Final = (
    re.compile(rf"{_VERB}[\s:]*", re.IGNORECASE),
    re.compile(rf"{_VERB}[^.\n]{{0,30}}?\b(?:at|in|after|on|until|for)\b[\s:]*", re.IGNORECASE),
)
_UNITS: Final = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_UNIT: Final = "days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s"
_SPAN_PART: Final = rf"[0-9]{{1,6}}(?:\.[0-9]+)?\s*(?:{_UNIT})(?![a-z])"
_SPAN: Final = re.compile(rf"{_SPAN_PART}(?:(?:,|\s|and)*{_SPAN_PART})*", re.IGNORECASE)
_ONE: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([dhms])", re.IGNORECASE)
_EPOCH: Final = re.compile(r"(?<![0-9])(1[0-9]{9})(?![0-9])")
_ISO: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
    r"\s?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2})?"
)
_ZONE: Final = r"(?:\s*\(?(?P<zone>UTC|GMT|Z|[A-Z][A-Za-z_]+/[A-Za-z_/+-]+)\)?)?"
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DATE: Final = (
    rf"(?:(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?\s+(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?"
    r"(?:,)?\s*(?:(?P<year>20[0-9]{2}),?\s*)?(?:at\s+)?)?"
)
_CLOCK: Final = re.compile(
    _DATE
    + r"(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2}))?(?::[0-9]{2})?\s*(?P<half>[ap]\.?m\.?)?"
    + _ZONE,
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(r"limit|quota|usage|reset|rate|try again|retry", re.IGNORECASE)


def read_reset(text: str, seen: datetime) -> Reset | None:
    """Return when a limit ends, or None where *text* does not say.

    Args:
        text: The words of a screen or a row; rows may be joined by newlines.
        seen: When they were seen, with its time zone: the one that a bare time of day is in.

    """
    flat = " ".join(text.split())
    for lead in (found for pattern in _LEADS for found in pattern.finditer(flat)):
        for read in _READERS:
            reset = read(flat[lead.end() :], seen)
            if reset is not None:
                return attrs.evolve(reset, words=lead[0] + reset.words)
    epoch = _EPOCH.search(flat)
    if epoch is not None and _ABOUT.search(flat) is not None:
        return _at(epoch[0], _from_epoch(int(epoch[1])), seen)
    return None


def _at(words: str, instant: datetime, seen: datetime) -> Reset:
    utc = instant.astimezone(UTC)
    return Reset(
        words=words,
        at_utc=utc.isoformat(timespec="seconds").replace("+00:00", "Z"),
        in_s=max(0.0, (utc - seen).total_seconds()),
    )


def _epoch(text: str, seen: datetime) -> Reset | None:
    found = _EPOCH.match(text)
    return None if found is None else _at(found[0], _from_epoch(int(found[1])), seen)


def _from_epoch(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _iso(text: str, seen: datetime) -> Reset | None:
    found = _ISO.match(text)
    if found is None:
        return None
    written = found[0].strip().replace(" UTC", "Z").replace("UTC", "Z").replace(" Z", "Z")
    try:
        instant = datetime.fromisoformat(written)
    except ValueError:
        return None
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=seen.tzinfo)
    return _at(found[0].strip(), instant, seen)


def _span(text: str, seen: datetime) -> Reset | None:
    found = _SPAN.match(text)
    if found is None:
        return None
    seconds = sum(float(n) * _UNITS[unit.lower()] for n, unit in _ONE.findall(found[0]))
    try:
        return _at(found[0].strip(), seen + timedelta(seconds=seconds), seen)
    except OverflowError:
        return None


def _clock(text: str, seen: datetime) -> Reset | None:
    found = _CLOCK.match(text)
    if found is None:
        return None
    half, minute = (found["half"] or "").replace(".", "").lower(), found["minute"]
    if not half and minute is None:
        return None  # a bare number is no time of day
    hour = int(found["hour"])
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "pm" else 0)
    zone = _zone(found["zone"], seen)
    local = seen.astimezone(zone)
    try:
        instant = local.replace(hour=hour, minute=int(minute or 0), second=0, microsecond=0)
        if found["month"]:
            month = _MONTHS.index(found["month"].lower()) + 1
            year = int(found["year"] or instant.year)
            instant = instant.replace(year=year, month=month, day=int(found["day"]))
            if found["year"] is None and instant < local - timedelta(days=1):
                instant = instant.replace(year=year + 1)
        elif instant <= local:
            instant += timedelta(days=1)
    except ValueError:
        return None
    return _at(found[0].strip(), instant, seen)


def _zone(name: str | None, seen: datetime) -> tzinfo | None:
    if not name:
        return seen.tzinfo
    if name.upper() in ("UTC", "GMT", "Z"):
        return UTC
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError):
        return seen.tzinfo


_READERS: Final[tuple[Callable[[str, datetime], Reset | None], ...]] = (_epoch, _iso, _span, _clock)

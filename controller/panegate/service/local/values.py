"""What goes over the wire: parameters in, panes, receipts, screens and events out."""

from collections.abc import Mapping
from typing import Any, TypeVar, get_args

import attrs
import cattrs
from cattrs.errors import ForbiddenExtraKeysError

from panegate.ids import PaneId
from panegate.service.pane import Pane
from panegate.service.views import Explanation, Screen
from panegate.session.events import Event, PaneExited, Prompt
from panegate.terms import State

__all__ = [
    "BadParams",
    "PaneView",
    "event_from",
    "event_of",
    "params_from",
    "plain",
    "value_from",
    "view_of",
]

_T = TypeVar("_T")
_EVENTS: dict[str, Any] = {kind.__name__: kind for kind in get_args(Event)}


class BadParams(ValueError):
    """The parameters do not fit the method; their values are not in the words."""


@attrs.frozen(kw_only=True)
class PaneView:
    """What is known about a pane at one moment."""

    id: PaneId
    name: str
    profile: str
    state: State
    confirmed: bool
    draft: str
    held: str | None
    prompt: Prompt | None
    where: str
    since_s: float
    queue: tuple[str, ...] = ()
    """Ids of unfinished writes, the one in hand first."""
    exit: PaneExited | None = None
    """How it ended, where it did."""
    explanation: Explanation | None = None
    screen: Screen | None = None
    """Rows of the last look."""


def view_of(pane: Pane, *, explained: bool = False, screen: bool = False) -> PaneView:
    """Return what is known about *pane* now."""
    return PaneView(
        id=pane.id,
        name=pane.name,
        profile=pane.profile.name,
        state=pane.state,
        confirmed=pane.confirmed,
        draft=pane.draft,
        held=pane.held,
        prompt=pane.prompt,
        where=pane.where,
        since_s=pane.since_s,
        queue=pane.queue,
        exit=pane.exit,
        explanation=pane.explain() if explained else None,
        screen=pane.last_screen() if screen else None,
    )


# --- out --------------------------------------------------------------------------------

_out = cattrs.Converter()


def plain(value: Any) -> Any:
    """Return *value* as what JSON has; attrs classes become objects, enums their values."""
    return _out.unstructure(value)


def event_of(event: Event) -> dict[str, Any]:
    """Return an event: its name and its fields."""
    return {"event": type(event).__name__, **plain(event)}


def event_from(fields: Mapping[str, Any]) -> Event | None:
    """Return the event that `event_of` was given; None for one that is not known here."""
    kind = _EVENTS.get(str(fields.get("event")))
    if kind is None:
        return None
    event: Event = _out.structure({k: v for k, v in fields.items() if k != "event"}, kind)
    return event


def value_from(value: Any, kind: type[_T]) -> _T:
    """Return a result as what it was: `PaneView`, `Receipt`, `Screen`, `RunResult`.

    Raises:
        ValueError: It is none.

    """
    try:
        return _out.structure(value, kind)
    except (cattrs.BaseValidationError, LookupError, TypeError, ValueError) as error:
        msg = f"the service's answer is no {kind.__name__}: another version of panegate?"
        raise ValueError(msg) from error


# --- in ---------------------------------------------------------------------------------


class _NotA(TypeError):
    """A value of the wrong kind; says kinds, never values: one of them may be a secret."""


def _strict(kind: type[Any], words: str, *also: type[Any]) -> Any:
    def structure(value: Any, _to: Any) -> Any:
        boolean = isinstance(value, bool) and kind is not bool
        if boolean or not isinstance(value, (kind, *also)):
            msg = f"expected {words}"
            raise _NotA(msg)
        return kind(value)

    return structure


_in = cattrs.Converter(forbid_extra_keys=True)
for _kind, _words, _also in (
    (str, "text", ()),
    (bool, "true or false", ()),
    (int, "a whole number", ()),
    (float, "a number", (int,)),
):
    _in.register_structure_hook(_kind, _strict(_kind, _words, *_also))
_in.register_structure_hook(PaneId, lambda value, _to: _in.structure(value, str))


def _texts(value: Any, _to: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        msg = "expected a list of texts"
        raise _NotA(msg)
    return tuple(value)


_in.register_structure_hook_func(lambda kind: kind == tuple[str, ...], _texts)


def params_from(params: Mapping[str, Any], kind: type[_T]) -> _T:
    """Return the parameters of a method, checked.

    Raises:
        BadParams: One is missing, unknown, or of the wrong kind.

    """
    try:
        return _in.structure(dict(params), kind)
    except cattrs.BaseValidationError as error:
        said = cattrs.transform_error(error, path="", format_exception=_words_of)
        raise BadParams("; ".join(dict.fromkeys(map(_named, said)))) from None
    except (TypeError, ValueError) as error:
        words = str(error) if isinstance(error, _NotA) else "a value of the wrong kind"
        raise BadParams(words) from None


def _named(said: str) -> str:
    words, _, path = said.rpartition(" @ ")
    name = path.lstrip(".")
    return f"{name}: {words}" if name else words


def _words_of(error: BaseException, _kind: type[Any] | None) -> str:
    if isinstance(error, ForbiddenExtraKeysError):
        return f"unknown: {', '.join(sorted(error.extra_fields))}"
    if isinstance(error, KeyError):
        return "missing"
    if isinstance(error, _NotA):
        return str(error)
    return "a value that is not taken"

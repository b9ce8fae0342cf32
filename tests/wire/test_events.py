"""The event types."""

import typing

import attrs
import pytest

from panegate.ids import PaneId
from panegate.wire import events
from panegate.wire.events import Event, Notification, Output


def test_every_type_is_frozen_and_in_a_union() -> None:
    types = [getattr(events, n) for n in events.__all__ if n not in ("Event", "Notification")]
    members = set(typing.get_args(Event)) | set(typing.get_args(Notification))
    for kind in types:
        assert attrs.has(kind)
        assert kind.__setattr__ is not object.__setattr__, kind
        assert kind in members or kind is events.Block


def test_an_event_cannot_be_changed() -> None:
    output = Output(PaneId("%1"), rb"a\015", 3)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        output.payload = b""  # type: ignore[misc]
    assert output.n_bytes == 5

"""Everything that is fed to panes, written to a file and read back.

Each value is one fact of a `panegate_transports.recording` file. Profiles stand in the file
whole, so that a replay needs nothing but the file. Secrets are replaced by as many ``*``.
"""

import base64
import hashlib
import json
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, Final

import attrs
import cattrs

from panegate.gate.plan import WriteRequest
from panegate.ids import PaneId
from panegate.screen.profile import Profile
from panegate.session.inputs import (
    Advance,
    CarrierLost,
    Claimed,
    Exited,
    Gone,
    Hold,
    Input,
    Looked,
    LookLost,
    LookWanted,
    LostOutput,
    Opened,
    OutputCame,
    Prejudged,
    Reachable,
    Recorded,
    Replied,
    Resized,
    Watched,
    Withdrawn,
    Written,
)
from panegate.session.replaying import ReplayItem
from panegate_transports.recording import (
    FactRecord,
    Json,
    RecordingDecoder,
    RecordingError,
    RecordingHeader,
    encode_header,
    encode_record,
)

__all__ = ["FACTS", "Recording", "RecordingWriter"]

FACTS: Final[Mapping[str, type[Input]]] = {
    "opened": Opened,
    "output": OutputCame,
    "output-lost": LostOutput,
    "resized": Resized,
    "looked": Looked,
    "look-lost": LookLost,
    "look-wanted": LookWanted,
    "prejudged": Prejudged,
    "replied": Replied,
    "written": Written,
    "withdrawn": Withdrawn,
    "exited": Exited,
    "gone": Gone,
    "reachable": Reachable,
    "carrier-lost": CarrierLost,
    "hold": Hold,
    "watched": Watched,
    "claimed": Claimed,
    "recorded": Recorded,
    "advance": Advance,
}
"""The name of each kind of value in the file."""

_NAMES: Final = {kind: name for name, kind in FACTS.items()}
_PROFILE: Final = "profile"


class RecordingWriter:
    """Writes what is fed to panes; give it to `panegate.Controller.open` as ``recorder``.

    Before a pane is opened `profile_of` must be set.
    """

    def __init__(self, file: BinaryIO, header: RecordingHeader) -> None:
        """Write the header.

        Args:
            file: Opened for writing bytes; the caller closes it.
            header: What is recorded.

        Raises:
            OSError: It cannot be written.

        """
        self._file = file
        self._profiles: set[str] = set()
        self.n_facts = 0
        """Values written so far."""
        self.profile_of: Callable[[PaneId], Profile] | None = None
        """Says the profile of a pane that was just opened."""
        file.write(encode_header(header))

    def __call__(self, item: Input) -> None:
        """Write one value.

        Raises:
            OSError: It cannot be written.

        """
        detail: dict[str, Any] = _converter.unstructure(_without_secret(item))
        del detail["at_s"]
        if isinstance(item, Opened):
            detail["digest"] = self._profile(item)
        record = FactRecord(at_s=item.at_s, name=_NAMES[type(item)], detail=detail)
        self._file.write(encode_record(record))
        self.n_facts += 1

    def _profile(self, opened: Opened) -> str:
        """Write a pane's profile once and return its digest."""
        if self.profile_of is None:
            msg = "a pane was opened before the writer was told how to find its profile"
            raise RuntimeError(msg)
        detail = _converter.unstructure(self.profile_of(opened.pane_id))
        digest = _digest(detail)
        if digest not in self._profiles:
            self._profiles.add(digest)
            whole: Json = {"digest": digest, "profile": detail}
            self._file.write(
                encode_record(FactRecord(at_s=opened.at_s, name=_PROFILE, detail=whole))
            )
        return digest


class Recording:
    """Reads a recording; iterate over it for what `panegate.session.replaying` takes."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        """Read the header.

        Args:
            lines: Lines with their line feeds, such as a file opened as binary.

        Raises:
            RecordingError: It is no recording of a version that is known.

        """
        self._decoder = RecordingDecoder(lines)
        self._profiles: dict[str, Profile] = {}
        self._line = 1
        self.header: RecordingHeader = self._decoder.header

    @property
    def torn_line(self) -> int | None:
        """Number of the last line where its writer died in it, once it was met."""
        return self._decoder.torn_line

    def __iter__(self) -> Iterator[ReplayItem]:
        """Give the values in order.

        Raises:
            RecordingError: A line cannot be read; names it.

        """
        for record in self._decoder:
            self._line += 1
            if not isinstance(record, FactRecord):
                continue  # the bytes of a stream: not needed beside the facts
            try:
                given = self._read(record)
            except (cattrs.BaseValidationError, LookupError, TypeError, ValueError) as error:
                words = "; ".join(_leaves(error))
                raise RecordingError(f"{record.name}: {words}", line=self._line) from error
            if given is not None:
                yield given

    def _read(self, record: FactRecord) -> ReplayItem | None:
        detail = record.detail
        if not isinstance(detail, dict):
            msg = "not an object"
            raise TypeError(msg)
        if record.name == _PROFILE:
            self._profiles[str(detail["digest"])] = _converter.structure(detail["profile"], Profile)
            return None
        kind = FACTS.get(record.name)
        if kind is None:
            msg = "not a fact that is known"
            raise ValueError(msg)
        profile = None
        if kind is Opened:
            detail = dict(detail)
            digest = detail.pop("digest", "")
            profile = self._profiles.get(str(digest))
            if profile is None:
                msg = f"the profile {digest!r} does not stand before it"
                raise ValueError(msg)
        item: Input = _converter.structure({**detail, "at_s": record.at_s}, kind)
        return ReplayItem(item, profile)


def _without_secret(item: Input) -> Input:
    if not isinstance(item, Written) or not item.request.secret:
        return item
    hidden: WriteRequest = attrs.evolve(item.request, text="*" * len(item.request.text.encode()))
    return attrs.evolve(item, request=hidden)


def _digest(detail: Json) -> str:
    text = json.dumps(detail, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _leaves(error: BaseException) -> Iterator[str]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield str(error)


def _make_converter() -> cattrs.Converter:
    converter = cattrs.Converter(forbid_extra_keys=True)
    converter.register_unstructure_hook(bytes, lambda data: base64.b64encode(data).decode("ascii"))
    converter.register_structure_hook(bytes, lambda text, _: base64.b64decode(text, validate=True))
    converter.register_unstructure_hook_func(_is_pattern, _pattern_out)
    converter.register_structure_hook_func(_is_pattern, _pattern_in)
    return converter


def _is_pattern(kind: Any) -> bool:
    return kind is re.Pattern or typing.get_origin(kind) is re.Pattern


def _pattern_out(pattern: re.Pattern[str]) -> Json:
    return [pattern.pattern, pattern.flags]


def _pattern_in(value: Any, _kind: Any) -> re.Pattern[str]:
    text, flags = value
    return re.compile(text, flags)


_converter = _make_converter()

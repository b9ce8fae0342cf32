"""Everything that a write can meet, by name."""

from collections.abc import Mapping
from typing import Final

from . import scenes_of_programs, scenes_of_tmux
from .scenes import MESSAGE, Maker

__all__ = ["MESSAGE", "SCENES"]

_MAKERS: Final = (scenes_of_programs, scenes_of_tmux)
SCENES: Final[Mapping[str, Maker]] = {
    name: getattr(module, name)
    for module in _MAKERS
    for name in module.__all__
    if name != "under_a_shell"
}

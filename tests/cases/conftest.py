"""What the tests of public reports share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from panegate.testing.servers import PrivateServer

ProfileWith = Callable[..., Path]


class ConfiguredServer(PrivateServer):
    """A private server with somebody's configuration file."""

    def __init__(self, config: Path) -> None:
        super().__init__()
        self._config = config

    def command(self, *args: str) -> list[str]:
        words = super().command(*args)
        words[words.index("/dev/null")] = str(self._config)
        return words


@pytest.fixture
def profile_with(tmp_path: Path) -> ProfileWith:
    """Return what makes a profile that differs in some keys from another one.

    ``profile_with("standin", timing={"silence_s": 1.0})`` returns the path of its file, for
    ``profile=``. Long times of a report are shortened so.
    """

    def made(base: str, *, also: str = "", **tables: dict[str, object]) -> Path:
        lines = [f'extends = "{base}"', also]
        for name, values in tables.items():
            lines.append(f"[{name}]")
            lines += [f"{key} = {_toml(value)}" for key, value in values.items()]
        n_made = len(list(tmp_path.glob("like-*.toml")))
        path = tmp_path / f"like-{base}-{n_made}.toml"
        path.write_text("\n".join(lines) + "\n")
        return path

    return made


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'''{value}'''"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return repr(value)

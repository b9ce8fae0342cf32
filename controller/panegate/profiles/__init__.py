"""What is known about each kind of program, as TOML files, and the code that reads them."""

from panegate.profiles.library import (
    check,
    commands_of,
    for_command,
    load,
    names,
    path_of,
    place_of_arguments,
    user_folder,
)
from panegate.profiles.reading import Problem

__all__ = [
    "Problem",
    "check",
    "commands_of",
    "for_command",
    "load",
    "names",
    "path_of",
    "place_of_arguments",
    "user_folder",
]

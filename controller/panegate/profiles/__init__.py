"""What is known about each kind of program, as TOML files, and the code that reads them."""

from panegate.profiles.library import check, for_command, load, names, path_of, user_folder
from panegate.profiles.reading import Problem

__all__ = ["Problem", "check", "for_command", "load", "names", "path_of", "user_folder"]

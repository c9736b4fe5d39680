"""The one door to the files in ``resources/``, and to those that lie beside the code of a page."""

from __future__ import annotations

from importlib import resources
from pathlib import PurePosixPath

from attention_explorer.errors import ExplorerError

RESOURCES = "attention_explorer.resources"
"""The package that the folder ``resources/`` is."""


def path(name: str) -> str:
    """Return where a bundled file lies, with forward slashes, for the style sheet, which can only be given a path."""
    return str(resources.files(RESOURCES).joinpath(name)).replace("\\", "/")


def read_bytes(name: str, package: str = RESOURCES) -> bytes:
    """Return the contents of a bundled file.

    Parameters
    ----------
    name
        Path below ``resources/`` with forward slashes, such as ``"fonts/Inter-Regular.otf"``.
    package
        The package that has it instead.

    Raises
    ------
    ExplorerError
        The name leaves the folder or there is no such file.
    """
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ExplorerError(f"The bundled file {name!r} must be named relative to resources/.")
    try:
        return resources.files(package).joinpath(*path.parts).read_bytes()
    except OSError as error:
        raise ExplorerError(f"The bundled file {name!r} is missing: reinstall the program.") from error


def read_text(name: str, package: str = RESOURCES) -> str:
    """Return a bundled text file, decoded from UTF-8. Errors as in `read_bytes`, or if it is damaged."""
    try:
        return read_bytes(name, package).decode("utf-8")
    except UnicodeDecodeError:
        raise damaged(name) from None


def damaged(name: str) -> ExplorerError:
    """Return the error of a bundled file that cannot be understood."""
    return ExplorerError(f"The bundled file {name!r} is damaged: reinstall the program.")

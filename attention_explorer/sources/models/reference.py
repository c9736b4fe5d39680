"""What a model is known by again: the file of its weights, and of an adapter that of its model too."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from attention_explorer.errors import ExplorerError
from attention_explorer.sources.model_recipe import is_adapter
from attention_explorer.sources.models.adapter import base_of
from attention_explorer.sources.models.folder import weights_of
from attention_explorer.sources.models.names import name_by_place
from attention_explorer.sources.recorded import FileReference, change_since, reference_to


def model_reference(path: Path) -> FileReference:
    """Look at a model so that it can be known again.

    Parameters
    ----------
    path : Path
        Its folder or file.

    Returns
    -------
    FileReference
        Of an adapter and its model in one: the sum of their sizes, the later time, and a digest of both digests.

    Raises
    ------
    ExplorerError
        If a file cannot be read, or the model of an adapter is not on this computer.
    """
    if not path.is_dir() or not is_adapter(path):
        return reference_to(weights_of(path))
    own, base = (reference_to(weights_of(each)) for each in (path, base_of(path)))
    digest = hashlib.sha256((own.digest + base.digest).encode()).hexdigest()
    return FileReference(own.path, own.size + base.size, max(own.modified_ns, base.modified_ns), digest)


def model_change(reference: FileReference) -> str | None:
    """Tell whether a model is still what it was.

    Parameters
    ----------
    reference : FileReference
        What `model_reference` gave, with the path of the model.

    Returns
    -------
    str or None
        None if it is, else a sentence that says what is different.
    """
    path = reference.path
    if not path.is_dir() or not is_adapter(path):
        return change_since(replace(reference, path=weights_of(path)))
    try:
        found = model_reference(path)
    except ExplorerError as error:
        return str(error)
    if (found.size, found.digest) == (reference.size, reference.digest):
        return None
    base = name_by_place(base_of(path))
    return f"The adapter “{path.name}” or its model “{base}” has other numbers now: it was changed."

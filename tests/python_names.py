"""The names that Python programs use, as when they were kept; ``python -m tests.python_names`` adds new ones.

A name that is kept is for good, and so are its parameters, the members of its enumeration, and what its objects offer.
"""

from __future__ import annotations

import inspect
import json
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

PATH = Path(__file__).parent / "data" / "kept" / "python.json"
MODULES = ("attention_explorer", "attention_explorer.model", "attention_explorer.sources.models")
"""Those that offer names in ``__all__``."""
UNKNOWN = "not told"
"""In place of the parameters of what does not tell them."""

Entry = dict[str, Any]


def offered() -> dict[str, object]:
    """Return all that is offered, by its whole name."""
    modules = {name: import_module(name) for name in MODULES}
    return {f"{name}.{each}": getattr(module, each) for name, module in modules.items() for each in module.__all__}


def entry(found: object) -> Entry:
    """Return what of a name is to stay."""
    if isinstance(found, type) and issubclass(found, Enum):
        return {"members": {member.name: member.value for member in found}}
    if isinstance(found, type):
        names = [name for name in dir(found) if not name.startswith("_") and name not in dir(Exception)]
        return {"parameters": parameters(found), "has": names}
    return {"parameters": parameters(found)} if callable(found) else {}


def parameters(found: Any) -> list[str] | str:
    """Return the parameters of a call: “name”, “name=” if it may be left out, “*name” if it has to be named."""
    try:
        told = inspect.signature(found).parameters.values()
    except ValueError:
        return UNKNOWN
    return [_text(parameter) for parameter in told]


def _text(parameter: inspect.Parameter) -> str:
    stars = {parameter.KEYWORD_ONLY: "*", parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
    is_open = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    may_lack = is_open or parameter.default is not parameter.empty
    return f"{stars.get(parameter.kind, '')}{parameter.name}{'=' if may_lack else ''}"


def kept() -> dict[str, Entry]:
    """Return the names that are kept."""
    found: dict[str, Entry] = json.loads(PATH.read_text()) if PATH.exists() else {}
    return found


def main() -> None:
    """Keep what is new."""
    both = {**{name: entry(found) for name, found in offered().items()}, **kept()}
    lines = (f"{json.dumps(name)}: {json.dumps(both[name])}" for name in sorted(both))
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()

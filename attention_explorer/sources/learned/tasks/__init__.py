"""The tasks, a file each."""

from __future__ import annotations

from attention_explorer.errors import ExplorerError, did_you_mean
from attention_explorer.sources.learned.task import Task
from attention_explorer.sources.learned.tasks.brackets import Brackets
from attention_explorer.sources.learned.tasks.chance import Chance
from attention_explorer.sources.learned.tasks.dictionary import Dictionary
from attention_explorer.sources.learned.tasks.induction import Induction
from attention_explorer.sources.learned.tasks.own import Own
from attention_explorer.sources.learned.tasks.previous import Previous
from attention_explorer.sources.learned.tasks.reference import Reference
from attention_explorer.sources.learned.tasks.reverse import Reverse
from attention_explorer.sources.learned.tasks.sort import Sort
from attention_explorer.sources.learned.tasks.translation import Translation

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Reference(),
        Dictionary(),
        Previous(),
        Induction(),
        Reverse(),
        Sort(),
        Translation(),
        Brackets(),
        Chance(),
        Own(),
    )
}
"""All tasks by their names, in the order in which people meet them. Names are in session files for ever."""


def task_of(name: str) -> Task:
    """Return a task by its name, or refuse one that there is not."""
    if name not in TASKS:
        raise ExplorerError(f"There is no task {name!r}. {did_you_mean(name, TASKS)}")
    return TASKS[name]

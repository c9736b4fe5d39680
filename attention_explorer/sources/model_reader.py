"""A trained model and what it reads, in tokens or whole words."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from weakref import WeakValueDictionary

from attention_explorer.core.byte_cache import CACHE, kept
from attention_explorer.errors import ExplorerError
from attention_explorer.model.transformer import CROSS, ENCODER, SELF
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.models import Model, Tokens, load_model
from attention_explorer.sources.models.checkpoints import checkpoints
from attention_explorer.sources.models.reference import model_change, model_reference
from attention_explorer.sources.models.whole_words import spelled, words_of
from attention_explorer.sources.recorded import FileReference
from attention_explorer.sources.source import Source

_in_use: WeakValueDictionary[tuple[str, int, int, str], Model] = WeakValueDictionary()
"""Models that somebody still looks at, even if the cache had no room to keep them: none is in memory twice."""


@kept
def _opened(path: str, size: int, modified_ns: int, digest: str) -> Model:
    """Open a model if it is still what it was; what was read of its weights counts and is dropped like all else."""
    key = path, size, modified_ns, digest
    model = _in_use.get(key)
    if model is None:
        change = model_change(FileReference(Path(path), size, modified_ns, digest))
        if change is not None:
            raise ExplorerError(f"{change} Open the model again to see what it does now.")
        model = load_model(path, weight_bytes=CACHE.on_show_bytes)
        with suppress(ExplorerError):  # said where a text is cut
            model.tokenize("a")  # the tokeniser is made here, on the thread that opens, and not when somebody types
        _in_use[key] = model
    return model


class ModelReader(Source[ModelRecipe]):
    """Opens a model and cuts its texts: half of `ModelSource`, which runs it."""

    cuts_words = True

    @property
    def _key(self) -> tuple[str, int, int, str]:
        recipe = self.recipe
        return recipe.path, recipe.size, recipe.modified_ns, recipe.digest

    @property
    def model(self) -> Model:
        """The model, opened if it is not; an ExplorerError if it cannot be. The cache keeps it, not the source."""
        return _opened(*self._key)

    @property
    def _model_if_open(self) -> Model | None:
        return _opened.peek(*self._key) or _in_use.get(self._key)

    @property
    def is_open(self) -> bool:
        return self._model_if_open is not None

    def open(self) -> None:
        _ = self.model

    def checked(self) -> None:
        """Make sure that the model can be opened and read text.

        Raises
        ------
        ExplorerError
            If not.
        """
        self._given  # noqa: B018 - cuts the sentence

    @cached_property  # asked at every change of a page; a checkpoint that is saved meanwhile is there for the next text
    def _folders(self) -> Mapping[str, Path]:
        return checkpoints(Path(self.recipe.path))

    @property
    def saved_steps(self) -> tuple[str, ...]:
        return tuple(self._folders) if len(self._folders) > 1 else ()

    @property
    def saved_step(self) -> int:
        return list(self._folders.values()).index(Path(self.recipe.path))

    def at_saved_step(self, place: int) -> ModelRecipe:
        folder = list(self._folders.values())[place]
        found = model_reference(folder)
        told = {"size": found.size, "modified_ns": found.modified_ns, "digest": found.digest}
        return replace(self.recipe, path=str(folder), **told)  # type: ignore[arg-type]

    @cached_property
    def _given(self) -> tuple[Tokens, Tokens | None]:
        """What the entrance reads, and what a decoder writes."""
        recipe, model = self.recipe, self.model
        if recipe.context is None or (model.transformer.encoder is None and model.transformer.main.spec.is_causal):
            return model.taken(recipe.sentence)
        if model.transformer.encoder is None:
            return model.taken((recipe.sentence, recipe.context))
        return model.taken(recipe.context, recipe.sentence)

    @property
    def _can_tell(self) -> bool:
        """Whether there are tokens, and the model is open."""
        try:
            return self.is_open and bool(self._given)
        except ExplorerError:
            return False

    @cached_property
    def _cut(self) -> tuple[Tokens, Tokens]:
        """The tokens of queries and keys."""
        given, aim = self._given
        return (aim, given) if self._kind == CROSS and aim is not None else (given, given)

    @cached_property
    def _shown(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """How queries and keys are spelled."""
        queries, keys = self._cut
        if not self.recipe.whole_words:
            return queries.tokens, keys.tokens
        texts, words = self._texts, self.words
        return spelled(queries, texts[0], words[0]), spelled(keys, texts[1], words[1])

    @cached_property
    def words(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        (queries, keys), texts = self._cut, self._texts
        found = words_of(queries, texts[0])
        return found, found if keys is queries else words_of(keys, texts[1])

    @property
    def _texts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the tokens of queries and keys were cut from."""
        recipe = self.recipe
        if self._kind == CROSS:
            return (recipe.sentence,), (recipe.context or "",)
        both = (recipe.sentence,) if recipe.context is None else (recipe.sentence, recipe.context)
        return both, both

    @property
    def tokens(self) -> tuple[str, ...]:
        return self._shown[0] if self._can_tell else ()

    @property
    def context_tokens(self) -> tuple[str, ...]:
        return self._shown[1] if self._can_tell else ()

    @property
    def sentence(self) -> str:
        return self.recipe.sentence

    @property
    def context(self) -> str | None:
        return self.recipe.context

    @property
    def labels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        queries, keys = (
            tuple(map(self.model.label, pieces)) if pieces else () for pieces in (self.tokens, self.context_tokens)
        )
        return queries, keys

    @property
    def _kind(self) -> str:
        """Which attention is shown."""
        if self.model.transformer.encoder is None:
            return SELF
        return ENCODER if self.recipe.context is None else CROSS

    @property
    def is_cross(self) -> bool:
        return self.is_open and self._kind == CROSS

    @property
    def second_words(self) -> str:
        return super().second_words if not self.is_open or self._kind != SELF else "second sentence"

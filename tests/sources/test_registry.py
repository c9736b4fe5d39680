"""Sources behind a door: every recipe has one, and nobody else asks of which type a recipe is."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

import attention_explorer
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.learned.box import BOX
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned_recipe import LearnedRecipe
from attention_explorer.sources.recipe import Projections, TokenVectors, ToyRecipe
from attention_explorer.sources.recorded_recipe import BoxRecipe
from attention_explorer.sources.registry import KINDS, context_tokens_of, recipe_as, source_of, tokens_of
from attention_explorer.sources.source import Lookup, Made, Recipe

PACKAGE = Path(attention_explorer.__file__).parent
OTHERS = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
del OTHERS["sources/registry.py"]
EDITORS = {
    "pages/heads/program.py",
    "pages/file_places.py",
    "pages/subject.py",
    "window/recordings.py",
    "pages/heads/dots.py",
    "pages/heads/offers.py",
    "pages/heads/it_table.py",
    "pages/heads/recorded.py",
    "pages/heads/ui/embeddings_part.py",
    "pages/heads/ui/random_heads.py",
    "pages/heads/ui/subject.py",
}
"""What edits recipes of one type, and of no other, or says where its files are, how large they are, what makes its
numbers, its layers, and who else could read its sentence."""

RECIPES = [
    ToyRecipe(),
    ToyRecipe("a b c", "d e", d_model=6, heads=2, layers=3, projections=Projections.TIED),
    ToyRecipe("a b", d_model=2, heads=1, projections=Projections.IDENTITY, vectors=TokenVectors.GIVEN, given=((1, 0),)),
    HandMadeRecipe(),
    HandMadeRecipe("le chat", "the cat"),
    BoxRecipe("smollm2-soft"),
    LearnedRecipe(*BOX["it"]),
    LearnedRecipe(*BOX["repeat"], sentence="a b a b a"),
    LearnedRecipe(*BOX["translation"], sentence="start la", context="the red car"),
    LearnedRecipe(replace(LearningSetup(), heads=2), 3, "it was the cat"),
]


def names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} | {
        each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)
    }


def asks_for_a_type(node: ast.AST) -> bool:
    """Whether an expression tells recipes apart by their type."""
    kinds = {kind.__name__ for kind in KINDS}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass"):
        return bool(names_in(node.args[1]) & kinds)
    if isinstance(node, ast.Compare):
        return any(bool(names_in(part) & kinds) for part in (node.left, *node.comparators))
    return isinstance(node, ast.MatchClass) and bool(names_in(node.cls) & kinds)


def test_nobody_else_asks_of_which_type_a_recipe_is():
    asking = [name for name, text in OTHERS.items() if any(map(asks_for_a_type, ast.walk(ast.parse(text))))]
    assert asking == []


def test_only_what_edits_one_type_of_recipes_takes_it_as_that():
    assert {name for name, text in OTHERS.items() if "recipe_as(" in text} == EDITORS


def subclasses(kind: type) -> set[type]:
    return set(kind.__subclasses__()).union(*map(subclasses, kind.__subclasses__()))


def test_every_type_of_recipe_has_a_source_and_a_name_of_its_own_in_files():
    # Slots make a class anew, so each is a subclass twice.
    leaves = {kind.__name__ for kind in subclasses(Recipe) if not kind.__subclasses__()}
    assert leaves == {kind.__name__ for kind in KINDS}
    assert len(set(KINDS.values())) == len(KINDS)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_source_says_beforehand_what_its_layers_will_be(recipe):
    source = source_of(recipe)
    layers = source.layers(Lookup())
    assert [len(layer.maps) for layer in layers] == list(source.heads)
    assert {map_.shape for layer in layers for map_ in layer.maps} == {
        (len(tokens_of(recipe)), len(context_tokens_of(recipe)))
    }
    embedded = source.embeddings()
    if embedded is not None and not source.is_encoded:
        assert (embedded[0] == layers[0].x).all()
    assert (embedded is None) is (layers[0].attention is None)


def test_how_the_numbers_came_about_is_said_truly():
    assert [source_of(recipe).traits.made for recipe in RECIPES] == [
        Made.RANDOM,
        Made.RANDOM,
        Made.RANDOM,  # the second word has no vector of its own
        Made.BY_HAND,
        Made.BY_HAND,
        Made.RECORDED,
        *[Made.LEARNED] * 4,
    ]
    given = ToyRecipe("a", d_model=2, heads=1, projections="identity", vectors="given", given=((1, 0),))
    assert source_of(given).traits.made is Made.GIVEN


def test_a_recipe_is_taken_as_its_own_type_only():
    toy = ToyRecipe()
    assert recipe_as(toy, ToyRecipe) is toy
    assert recipe_as(toy, HandMadeRecipe) is None

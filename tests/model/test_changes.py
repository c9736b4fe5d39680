"""Changes of a run, of every part, in random towers: what comes out is what loops in Python's floats compute."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from plain_transformer import Found, Hook, PlainTower
from test_transformer_switches import (
    CLOSE,
    LENGTH,
    ROOM,
    SEEN,
    SWITCHES,
    WORDS,
    Arrays,
    Chance,
    agree,
    built,
    drawn_spec,
    drawn_weights,
)

from attention_explorer.errors import ArrayError
from attention_explorer.model.transformer import Change, Inputs, NormPlace, Spec, Transformer, TransformerRun, together
from attention_explorer.model.transformer.changes import OF_ATTENTION, OF_HEADS, PARTS

KINDS = ("self", "cross", "encoder")


class Case(NamedTuple):
    """A random model of one tower or two, and what it reads."""

    transformer: Transformer
    given: Inputs
    target: Inputs | None
    spec: Spec
    weights: Arrays
    encoder_weights: Arrays | None

    def run(self, *changes: Change, **options: Any) -> TransformerRun:
        return self.transformer.run(self.given, self.target, changes=changes, room=ROOM, **options)

    def expected(self, hook: Hook = lambda _, part: part, encoder_hook: Hook = lambda _, part: part) -> Found:
        """Run loops on the same."""
        if self.target is None or self.encoder_weights is None:
            ids = self.given.ids.tolist()
            return PlainTower(self.spec, self.weights, hook).run(ids, [0] * len(ids), None)
        seen = self.given.ids.tolist()
        context = PlainTower(self.spec, self.encoder_weights, encoder_hook).run(seen, [0] * len(seen), None).hidden[-1]
        ids = self.target.ids.tolist()
        return PlainTower(self.spec, self.weights, hook).run(ids, [0] * len(ids), context)

    def is_blurred(self) -> bool:
        """Whether rounding the parameters moves a weight by more than a tenth of what `agree` lets pass.

        Without a norm before the scores they may be of hundreds: then weights say more of a processor than of a change.
        """
        draw = np.random.default_rng(0)

        def rounded(arrays: Arrays | None) -> Arrays | None:
            factors = (1 - 2.0**-24, 1 + 2.0**-24)
            return arrays and {name: a * draw.choice(factors, a.shape) for name, a in arrays.items()}

        there = self.expected()
        moved = [
            self._replace(weights=rounded(self.weights), encoder_weights=rounded(self.encoder_weights)).expected()
            for _ in range(3)
        ]
        return any(
            np.abs(a - b).max() > CLOSE / 10
            for found in moved
            for a, b in zip([*found.weights, *found.cross], [*there.weights, *there.cross], strict=True)
        )


def drawn_case(chance: Chance, *, two: bool) -> Case:
    """Draw a model with some switches, whose weights float32 can hold."""
    while (case := any_case(chance, two=two)).is_blurred():
        pass
    return case


def any_case(chance: Chance, *, two: bool) -> Case:
    """Draw a model with some switches."""
    spec = drawn_spec(chance)
    for name in chance.sample([name for name in SWITCHES if name not in ("kinds", "side by side")], 4):
        spec = SWITCHES[name](spec, chance)
    if not two and chance.random() < 0.2:
        spec = replace(SWITCHES["side by side"](spec, chance), norm=spec.norm._replace(place=NormPlace.PRE))
    draw = np.random.default_rng(chance.randrange(2**32))
    weights = drawn_weights(spec, two, draw)
    (stack, head), of_encoder = built(spec, weights), drawn_weights(spec, False, draw) if two else None
    encoder = None if of_encoder is None else built(spec, of_encoder)[0]
    ids = np.array([chance.randrange(WORDS) for _ in range(LENGTH)])
    given, target = (Inputs(ids[:SEEN]), Inputs(ids)) if two else (Inputs(ids), None)
    return Case(Transformer(stack, encoder, lambda: head), given, target, spec, weights, of_encoder)


def drawn_change(case: Case, where: str, kind: str, chance: Chance) -> tuple[Change, tuple[Any, ...]]:
    """Draw a change, and the place of its part that it is of."""
    n = {"self": LENGTH, "cross": LENGTH, "encoder": SEEN}[kind]
    rows = SEEN if kind == "cross" and where in ("k", "v") else n
    columns = {"cross": SEEN, "encoder": SEEN}.get(kind, LENGTH)
    head = chance.choice((None, chance.randrange(case.spec.heads), [0, 1])) if where in OF_HEADS else None
    position = chance.choice((None, -1, chance.randrange(rows), [2, 0]))
    at: tuple[Any, ...] = (*([slice(None) if head is None else head] if where in OF_HEADS else []),)
    at += (slice(None) if position is None else position,)
    if isinstance(head, list) and isinstance(position, list):
        at = tuple(np.ix_(head, position))
    width = case.spec.head_width if where in OF_HEADS else case.spec.width
    width = columns if where in ("scores", "weights") else width
    value: Any = np.random.default_rng(chance.randrange(99)).standard_normal(width).astype(np.float32)
    how = chance.choice(("set", "add"))
    value = "zero" if how == "set" and chance.random() < 0.3 else value
    return Change(where, chance.randrange(2), head, position, value, how, kind=kind), at


def hook_of(change: Change, at: tuple[Any, ...]) -> Hook:
    """Return what does the same to the loops."""
    part = {"self": ".attention", "encoder": ".attention", "cross": ".cross"}[change.kind]
    names = {where: f"{change.layer}{part}.{where}" for where in OF_ATTENTION}
    names |= {where: f"{change.layer}.{where}" for where in PARTS if where not in OF_ATTENTION}

    def hook(name: str, array: np.ndarray) -> np.ndarray:
        if name == names[change.where]:
            value = 0.0 if isinstance(change.value, str) else change.value
            array = array.copy()
            array[at] = array[at] + value if change.how == "add" else value
        return array

    return hook


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", PARTS)
def test_a_change_does_what_loops_do(where: str, kind: str) -> None:
    if kind == "cross" and where not in OF_ATTENTION:
        return
    for seed in range(5):
        chance = Chance(f"{where} {kind} {seed}")
        case = drawn_case(chance, two=kind != "self" or seed == 4)
        change, at = drawn_change(case, where, kind, chance)
        hooks = {f"{'encoder_' if kind == 'encoder' else ''}hook": hook_of(change, at)}
        agree(case.run(change), case.expected(**hooks), case.target is not None)


def test_changes_are_done_one_after_the_other() -> None:
    chance = Chance("several")
    case = drawn_case(chance, two=False)
    drawn = [drawn_change(case, where, "self", chance) for where in ("q", "scores", "network", "q", "between")]

    def hook(name: str, array: np.ndarray) -> np.ndarray:
        for change, at in drawn:
            array = hook_of(change, at)(name, array)
        return array

    agree(case.run(*(change for change, _ in drawn)), case.expected(hook), False)


@pytest.mark.parametrize("two", [False, True])
def test_of_a_run_before_all_is_taken_that_lies_before_the_first_change(two: bool) -> None:
    for seed in range(3):
        chance = Chance(f"since {seed}")
        case = drawn_case(chance, two=two)
        before = case.run()
        for where, kind in (("head", "self"), ("after", "self"), *([("v", "cross"), ("k", "encoder")] if two else [])):
            change = Change(where, 1, 1 if where != "after" else None, 0, np.ones(1), kind=kind)
            again, anew = case.run(change, since=before), case.run(change)
            assert again.encoder is before.encoder or kind == "encoder" or not two
            shares = again.main.hidden[1] is before.main.hidden[1]
            assert shares == (kind != "encoder")
            for found, expected in zip(again.main.hidden, anew.main.hidden, strict=True):
                np.testing.assert_array_equal(found, expected)
        assert case.run(since=before).main.hidden[-1] is before.main.hidden[-1], "nothing is run again"


@pytest.mark.parametrize("two", [False, True])
def test_several_runs_at_once_are_each_alone(two: bool) -> None:
    for seed in range(4):
        chance = Chance(f"together {seed}")
        case = drawn_case(chance, two=two)
        kinds = KINDS if two else ("self",)
        changes = [drawn_change(case, chance.choice(OF_ATTENTION), chance.choice(kinds), chance)[0] for _ in range(6)]
        before = case.run()
        runs = [case.run(each, since=before, lazily=True) for each in changes] + [case.run(lazily=True)]
        together(runs)
        for run, expected in zip(runs, [*map(case.run, changes), before], strict=True):
            assert run.main.reached == 2
            np.testing.assert_allclose(run.main.hidden[-1], expected.main.hidden[-1], rtol=2e-4, atol=2e-4)
            np.testing.assert_allclose(run.main.weights[1], expected.main.weights[1], rtol=0, atol=2e-5)


def seen_alone(case: Case, made: Hook, altered: str, part: str) -> Found:
    """By loops: all that attentions and networks write is held, and what then reaches head 1 is put into it."""
    written: dict[str, np.ndarray] = {}
    reached: dict[str, np.ndarray] = {}

    def note(name: str, array: np.ndarray) -> np.ndarray:
        written[name] = array
        return array

    def carried(name: str, array: np.ndarray) -> np.ndarray:
        is_held = name.endswith((".attention.attention", ".cross.attention", ".network")) and name != altered
        reached[name] = made(name, written[name] if is_held else array)
        return reached[name]

    def seen(name: str, array: np.ndarray) -> np.ndarray:
        array = array.copy()
        if name == f"1.attention.{part}":
            array[1] = reached[name][1]
        return array

    case.expected(note)
    case.expected(carried)
    return case.expected(seen)


@pytest.mark.parametrize(
    "where", ["v", "head", "attention", "network", "residual", "around attention", "between", "around network", "after"]
)
@pytest.mark.parametrize("part", ["q", "k", "v"])
def test_a_change_that_one_head_alone_sees(where: str, part: str) -> None:
    for seed in range(3):
        chance = Chance(f"into {where} {part} {seed}")
        case = drawn_case(chance, two=seed == 2)
        change, at = drawn_change(case, where, "self", chance)
        change = replace(change, layer=0)
        altered = {"network": "0.network"}.get(where, "0.attention.attention" if where in OF_ATTENTION else "")
        expected = seen_alone(case, hook_of(change, at), altered, part)
        agree(case.run(replace(change, into=(1, 1, part))), expected, case.target is not None)


def test_means_and_twins_are_taken_from_other_runs() -> None:
    case = drawn_case(Chance("twin"), two=False)
    others = [case._replace(given=Inputs(np.roll(case.given.ids, shift))).run() for shift in (1, 2)]
    shorter = case._replace(given=Inputs(case.given.ids[:4])).run()
    for where in PARTS:
        heads = {"head": 1} if where in OF_HEADS else {}
        twin = others[0].part(where, 1)
        found = case.run(Change(where, 1, position=3, value=others[0], **heads))
        expected = case.run(Change(where, 1, position=3, value=twin[(1, 3) if heads else 3], **heads))
        np.testing.assert_array_equal(found.main.hidden[-1], expected.main.hidden[-1])
        with pytest.raises(ArrayError, match="as many tokens"):
            case.run(Change(where, 1, value=shorter))
        texts = others if where in ("scores", "weights") else [*others, shorter]
        each = [text.part(where, 1)[1] if heads else text.part(where, 1) for text in texts]
        mean = np.mean(each, axis=0) if where in ("scores", "weights") else np.concatenate(each).mean(axis=0)
        found = case.run(Change(where, 1, value="mean", texts=texts, **heads))
        np.testing.assert_allclose(
            found.main.hidden[-1], case.run(Change(where, 1, value=mean, **heads)).main.hidden[-1], atol=1e-4
        )


@pytest.mark.parametrize("where", PARTS)
def test_what_is_there_already_is_a_change_that_changes_nothing(where: str) -> None:
    case = drawn_case(Chance("nothing"), two=False)
    before = case.run()
    change = Change(where, 1, value=before)
    with pytest.raises(ArrayError, match=rf"Change\('{where}', layer=1\) changed nothing"):
        case.run(change)
    np.testing.assert_allclose(case.run(change, insists=False).main.hidden[-1], before.main.hidden[-1], atol=1e-5)


def test_a_mask_that_hides_what_is_hidden_changes_nothing() -> None:
    case = drawn_case(Chance("mask"), two=False)
    with pytest.raises(ArrayError, match="changed nothing: the model hides"):
        case.run(Change("scores", 0, value=np.ones((LENGTH, LENGTH), np.bool_)))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("head", "a list of Change"),
        (Change("heads", 0), "Did you mean “head”"),
        (Change(3, 0), "where must be one of"),
        (Change("q", 2), "no layer 2: there are 2, from 0 to 1"),
        (Change("q", -1), "no layer -1"),
        (Change("q", None), "say in which layer"),
        (Change("q", 0.0), "whole number"),
        (Change("q", []), "names none"),
        (Change("q", [0, 0]), "names one twice"),
        (Change("q", 0, 99), "no head 99"),
        (Change("q", 0, True), "whole number"),
        (Change("q", 0, position=LENGTH), f"no position {LENGTH}"),
        (Change("q", 0, position=-LENGTH - 1), "no position"),
        (Change("network", 0, 1), "of no single head"),
        (Change("q", 0, kind="cross"), "kind is “cross”"),
        (Change("q", 0, how="put"), "how is “put”"),
        (Change("q", 0, how="add"), "adding zero"),
        (Change("q", 0, value="one"), "value is “one”"),
        (Change("q", 0, value="mean"), "texts go with"),
        (Change("q", 0, texts=["a"]), "texts go with"),
        (Change("q", 0, value="mean", texts=[]), "at least one text"),
        (Change("q", 0, value="mean", texts=["a"]), "at least one text"),
        (Change("q", 0, value=np.ones((2, 2, 2))), r"value has shape \(2, 2, 2\)"),
        (Change("q", 0, value=[np.nan]), "finite numbers"),
        (Change("q", 0, value=[1e300]), "finite numbers"),
        (Change("scores", 0, value=[np.inf]), "finite numbers of float32 or −inf"),
        (Change("q", 0, value=[-np.inf]), "finite numbers"),
        (Change("q", 0, value=[True]), "truth values"),
        (Change("q", 0, value=[["a"]]), "value"),
        (Change("q", 0, value=None), "value"),
        (Change("q", 0, into=(0, 0, "q")), "reaches heads from layer 1 on"),
        (Change("q", 0, into=(1, 0)), "into is"),
        (Change("q", 0, into=(1, 0, "o")), "into is “o”"),
        (Change("q", 0, into=(1, 77, "q")), "no head of into 77"),
    ],
)  # fmt: skip
def test_what_there_is_not_is_refused_in_words(change: Any, reason: str) -> None:
    with pytest.raises(ArrayError, match=reason):
        drawn_case(Chance("bad"), two=False).run(change)


def test_since_is_of_the_same_tokens_and_unchanged() -> None:
    case, other = drawn_case(Chance("bad"), two=False), drawn_case(Chance("good"), two=False)
    for run, reason in (
        (other.run(), "another model"),
        (case.run(Change("network", 0)), "changed itself"),
        (case._replace(given=Inputs(case.given.ids[::-1])).run(), "other tokens"),
    ):
        with pytest.raises(ArrayError, match=reason):
            case.run(since=run)

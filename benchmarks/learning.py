"""Learning: a step of each task over its bare matrix products, and how long "it" takes until it is understood.

The products are those of the forward pass and twice as many of the backward pass, on arrays of float64 of the sizes
that the task has; a step also draws its sentences, rounds what is multiplied, so that it learns the same on every
processor, takes softmax and loss, moves the parameters and keeps them; each fifth or tenth is measured. PyTorch sums
in float32, in an order that depends on the processor.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from attention_explorer.model.arrays import Floats
from attention_explorer.model.one_core import one_core
from attention_explorer.sources.learned.run import Run
from attention_explorer.sources.learned.setup import LearningSetup
from attention_explorer.sources.learned.tasks import TASKS
from benchmarks.report import Row
from benchmarks.timing import Contender, Samples, in_turns

ROUNDS = 200
SEEDS = 5
PRODUCTS_AIM, TORCH_AIM, SECONDS_AIM = 3.0, 2.0, 1.0
TWO_SECONDS = Samples((2.0,))


def measure() -> list[Row]:
    """Measure a step of every task, what five seeds reach, and the time until "it" is understood; on one core."""
    rows = []
    for name, task in TASKS.items():
        run = Run(replace(task.setup))
        step = Contender(lambda run=run: run.advance(run.step + 1))  # type: ignore[misc] # bound now
        contenders, said = [step, Contender(products(task.setup))], ["its matrix products"]
        if name == "it" and importlib.util.find_spec("torch") is not None:
            contenders.append(Contender(torch_step(task.setup)))
            said.append("PyTorch, eager")
        with one_core():  # as a step does
            ours, *theirs = in_turns(*contenders, rounds=ROUNDS)
        aims = (PRODUCTS_AIM if name != "dictionary" else None, TORCH_AIM)
        for what, taken, aim in zip(said, theirs, aims, strict=False):
            rows.append(Row(f"a step of “{name}”", ours, what, taken, aim))
    rows.append(
        Row("from Play to 99 % of “it”", Samples(seconds_to_goal("it")), "two seconds", TWO_SECONDS, SECONDS_AIM)
    )
    rows += [reached(name) for name in TASKS]
    return rows


def products(setup: LearningSetup) -> Callable[[], object]:
    """Return a call that does nothing but the matrix products of a step: attention, hidden units and read-out."""
    random, task = np.random.default_rng(0), TASKS[setup.task]

    def drawn(*shape: int) -> Floats:
        return random.standard_normal(shape)

    batch, width = task.draw(np.random.RandomState(0), setup.batch, setup), setup.d_model
    tokens = batch.tokens.shape[1]
    x, w = drawn(setup.batch * tokens, width), drawn(width, width)
    heads = drawn(setup.batch, setup.heads, tokens, width // setup.heads)
    scores = drawn(setup.batch, setup.heads, tokens, tokens)
    hidden, w1 = drawn(len(x), max(setup.d_ff, 1)), drawn(width, max(setup.d_ff, 1))
    read, w_out = drawn(len(batch.asked), width), drawn(width, len(task.answers(setup)))
    answers = read @ w_out
    attentions = setup.layers * (1 if batch.context is None else 2) + setup.encoder_layers  # a decoder's has two

    def run() -> None:
        for _ in range(attentions):
            for _ in range(4):  # w_q, w_k, w_v and w_o: forward, by what came in, by the weights
                _ = x @ w, x @ w.T, x.T @ x
            for _ in range(3):  # q kᵀ and A v: forward, and by both factors of each
                _ = heads @ heads.swapaxes(-1, -2), scores @ heads
        for _ in range(2 * (setup.layers + setup.encoder_layers) if setup.d_ff else 0):
            _ = x @ w1, hidden @ w1.T, x.T @ hidden
        _ = read @ w_out, answers @ w_out.T, read.T @ answers

    return run


def torch_step(setup: LearningSetup) -> Callable[[], object]:
    """Return a call of a step of the same network in PyTorch, written as plainly, on one thread."""
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(1)
    run = Run(setup)
    functional, scale = torch.nn.functional, setup.d_model**-0.5
    network = run.at(0).network
    given = {name: torch.tensor(array, requires_grad=True) for name, array in network.parameters.arrays.items()}
    optimiser = torch.optim.Adam(given.values(), lr=setup.rate, betas=(0.9, 0.99))
    numbers = np.random.RandomState(0)

    def step() -> None:
        batch = run.task.draw(numbers, setup.batch, setup)
        x = given["w_e"][torch.from_numpy(batch.tokens)] + given["w_p"][: batch.tokens.shape[1]]
        for layer in range(setup.layers):
            q, k, v, out = (given[f"stack.{layer}.{name}"] for name in ("w_q", "w_k", "w_v", "w_o"))
            weights = torch.softmax((x @ q) @ (x @ k).transpose(-1, -2) * scale, -1)
            x = x + weights @ (x @ v) @ out
        asked = torch.from_numpy(batch.asked)
        logits = x.reshape(-1, setup.d_model)[asked] @ given["w_out"] + given["b_out"]
        loss = functional.cross_entropy(logits, torch.from_numpy(batch.answers))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(given.values(), 1.0)
        optimiser.step()

    return step


def seconds_to_goal(name: str) -> tuple[float, ...]:
    """Return how long each of five seeds takes from its first numbers until its goal is reached."""
    found = []
    for seed in range(SEEDS):
        start = perf_counter()
        run = Run(replace(TASKS[name].setup, seed=seed))
        while run.step < run.task.steps and not is_reached(run):
            run.advance(run.step + run.task.every)
        found.append(perf_counter() - start)
    return tuple(found)


def reached(name: str) -> Row:
    """Return how many of five seeds reach the goal of a task, over the four that have to."""
    task, count = TASKS[name], 0
    for seed in range(SEEDS):
        run = Run(replace(task.setup, seed=seed))
        run.advance(task.steps)
        count += is_reached(run)
    what = f"seeds that miss the goal of “{name}” in {task.steps} steps"
    return Row(what, Samples((float(SEEDS - count),)), "one of five", Samples((1.0,)), 1.0, unit="")


def is_reached(run: Run) -> bool:
    """Whether the goal of its task is reached by a run as it is now."""
    measured = run.measured()
    return run.task.is_reached(measured.accuracy, measured.weight or 0.0)

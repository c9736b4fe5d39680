"""What heads do, as PyTorch computes it: hooks that alter a run, autograd, and the lens through its own modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from families_of_fixtures import IDS, opened
from oracles import MODELS, skip_without

pytestmark = pytest.mark.filterwarnings("default")  # of transformers, on its own behalf
CLOSE = 2e-4
A, B = 11, 23
NAMES = ("gpt2", "gpt2-scaled", "llama", "mistral", "qwen2", "qwen3")


class Torch:
    """A decoder of a folder, run by transformers."""

    def __init__(self, name: str) -> None:
        try:
            import torch
            from transformers import AutoModelForCausalLM
        except ImportError:
            skip_without("torch")
        self.torch = torch
        self.model = AutoModelForCausalLM.from_pretrained(MODELS / name, attn_implementation="eager").float().eval()
        gpt = name.startswith("gpt2")
        tower = self.model.transformer if gpt else self.model.model
        self.norm = tower.ln_f if gpt else tower.norm
        self.layers = tower.h if gpt else tower.layers
        self.outputs = [layer.attn.c_proj if gpt else layer.self_attn.o_proj for layer in self.layers]
        self.matrices = [each.weight if gpt else each.weight.T for each in self.outputs]

    def run(self) -> Any:
        return self.model(self.torch.tensor([IDS]), output_hidden_states=True)

    def answer(self, logits: Any) -> Any:
        return logits[0, -1, A] - logits[0, -1, B]

    def without(self, layer: int, head: int, heads: int) -> float:
        """Return the answer with a head's mixture zero."""

        def hook(_module: object, given: tuple[Any, ...]) -> tuple[Any, ...]:
            x = given[0].clone()
            width = x.shape[-1] // heads
            x[..., head * width : (head + 1) * width] = 0.0
            return (x, *given[1:])

        handle = self.outputs[layer].register_forward_pre_hook(hook)
        with self.torch.no_grad():
            found = float(self.answer(self.run().logits))
        handle.remove()
        return found

    def mixtures(self) -> list[Any]:
        """Return what the heads of each layer mix at the last token, side by side."""
        kept: list[Any] = []
        handles = [each.register_forward_pre_hook(self._keep(kept)) for each in self.outputs]
        with self.torch.no_grad():
            self.run()
        for handle in handles:
            handle.remove()
        return kept

    @staticmethod
    def _keep(kept: list[Any]) -> Callable[[object, tuple[Any, ...]], None]:
        return lambda _module, given: kept.append(given[0][0, -1].detach().double())


@pytest.mark.parametrize("name", NAMES)
def test_a_lens_and_contributions_as_pytorch(name: str) -> None:
    theirs, trace = Torch(name), opened(name)(IDS)
    torch = theirs.torch
    last: list[Any] = []
    handle = theirs.norm.register_forward_pre_hook(lambda _module, given: last.append(given[0].detach()))
    with torch.no_grad():
        out = theirs.run()
        lens = [theirs.model.lm_head(theirs.norm(hidden))[0, -1].softmax(-1) for hidden in out.hidden_states[:-1]]
    handle.remove()
    lens.append(out.logits[0, -1].softmax(-1))
    for mine, expected in zip(trace.lens().probabilities, lens, strict=True):
        np.testing.assert_allclose(mine, expected.detach().numpy(), atol=1e-5)
    found, heads = trace.contributions(A, B), len(trace.weights[0])
    row = last[0][0, -1].double().requires_grad_()
    centred = row - row.mean() if name.startswith("gpt2") else row
    eps = getattr(theirs.norm, "eps", None) or getattr(theirs.norm, "variance_epsilon", 0.0)
    divisor = (centred.pow(2).mean() + eps).sqrt().detach()
    weight = theirs.model.lm_head.weight.double()
    ((centred / divisor * theirs.norm.weight.double()) @ (weight[A] - weight[B])).backward()
    for layer, mixture in enumerate(theirs.mixtures()):
        wrote = mixture.reshape(heads, -1, 1) * theirs.matrices[layer].double().reshape(heads, -1, len(row))
        np.testing.assert_allclose(found.heads[layer], (wrote.sum(1) @ row.grad).detach().numpy(), atol=CLOSE)
    assert found.sum() == pytest.approx(float(theirs.answer(out.logits)), abs=CLOSE)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_as_autograd(name: str) -> None:
    theirs, trace = Torch(name), opened(name)(IDS)
    out = theirs.run()
    for hidden in out.hidden_states:
        hidden.retain_grad()
    theirs.answer(out.logits).backward()
    found = trace.gradients((A, B)).main
    for layer, gradient in zip(found.layers, out.hidden_states, strict=False):
        expected = gradient.grad[0].numpy()
        np.testing.assert_allclose(layer.residual, expected, atol=CLOSE * max(1.0, float(np.abs(expected).max())))


@pytest.mark.parametrize("name", NAMES)
def test_knock_outs_as_hooks_do_them(name: str) -> None:
    theirs, heads = Torch(name), len(opened(name)(IDS).weights[0])
    found = opened(name).knock_out(IDS, (A, B))
    with theirs.torch.no_grad():
        before = float(theirs.answer(theirs.run().logits))
    for layer, head in np.ndindex(found.shape):
        assert found[layer, head] == pytest.approx(theirs.without(layer, head, heads) - before, abs=CLOSE)

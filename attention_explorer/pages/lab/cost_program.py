"""The programs of what attention costs: what is counted, and the two inputs that go through a layer."""

from __future__ import annotations

from attention_explorer.core.script import BY_WORD, SOFTMAX, Program, Script
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.lab.cost_growth import growth_picture
from attention_explorer.pages.lab.cost_layer import reason_without_cost
from attention_explorer.pages.lab.cost_state import CostPicture, CostState, Quantity, Scope
from attention_explorer.pages.lab.inputs import TOY_HEADS, TOY_WIDTH, inputs_picture
from attention_explorer.pages.lab.reach import FARTHEST
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.toy import token_embeddings

NOT_MEASURED = "The seconds that were measured here are not in the program."


def cost_program(state: CostState) -> Program:
    """Return the program of the picture on show.

    Raises
    ------
    ExplorerError
        The heads do not share d_model equally, or there is no word.
    """
    reason = inputs_picture(state).reason if state.picture is CostPicture.INPUTS else reason_without_cost(state)
    if reason:
        raise ExplorerError(reason)
    make = {
        CostPicture.LAYER: _layer,
        CostPicture.GROWTH: _growth,
        CostPicture.REACH: _reach,
        CostPicture.INPUTS: _inputs,
    }[state.picture]
    return make(state)


def _give_sizes(script: Script, state: CostState) -> None:
    script.give(n=state.n, d_model=state.d_model, heads=state.heads, d_ff=state.d_ff, layers=state.layers)
    script.given("d_k = d_model // heads")


def _keys(state: CostState, n: str) -> str:
    """Return how many keys a query scores."""
    return f"np.minimum({n}, {state.window})" if state.windowed else n


def _layer(state: CostState) -> Program:
    script = Script("cost", "What a layer costs: a product (a, b) · (b, c) takes 2·a·b·c operations.")
    _give_sizes(script, state)
    script.give("bytes of a number", size=state.precision.size)
    script.do(f"""
        def operations_of(n):
            keys = {f"min(n, {state.window})" if state.windowed else "n"}  # that a query scores
            square = 2 * n * d_model * keys
            return [square, square, 6 * n * d_model**2, 2 * n * d_model**2, 4 * n * d_model * d_ff]
    """)
    script.do(f"""
        terms = ["scores Q·Kᵀ", "weights · V", "Q, K, V = X·W", "heads · W_O", "feed-forward"]
        operations, operations_at_2n = operations_of(n), operations_of(2 * n)
        keys = {f"min(n, {state.window})" if state.windowed else "n"}
        matrix, cache = n * keys, 2 * layers * keys * d_model
        amounts = ["matrix, one head", "one layer", "whole model", "KV cache, model", "all W, model"]
        weights = layers * (4 * d_model**2 + 2 * d_model * d_ff)
        numbers = [matrix, heads * matrix, layers * heads * matrix, cache, weights]
        bytes = [size * number for number in numbers]
    """)
    return script.program("operations")


def _growth(state: CostState) -> Program:
    script = Script("cost", f"{state.quantity.value} against n, {state.scope.value}.".capitalize())
    _give_sizes(script, state)
    lengths = growth_picture(state).lengths
    script.give("where the curves are computed", n=lengths)
    script.do(f"keys = {_keys(state, 'n')}")
    factor = {Scope.HEAD: "1", Scope.LAYER: "1", Scope.MODEL: "layers"}[state.scope]
    if state.quantity is Quantity.OPERATIONS:
        head = state.scope is Scope.HEAD
        width = "d_k" if head else "d_model"
        flat = "8 * n * d_model * d_k" if head else "(8 * n * d_model**2 + 4 * n * d_model * d_ff)"
        script.do(f"""
            square = {factor} * 4 * n * keys * {width}  # scores, weights · V
            flat = {factor} * {flat}  # projections{", feed-forward" * (not head)}
        """)
        both = ", square + flat"
        bare = f"{factor} * 4 * n * n * {width}"
    else:
        size = state.precision.size if state.quantity is Quantity.BYTES else 1
        heads = "1" if state.scope is Scope.HEAD else "heads"
        script.do(f"""
            square = {size} * {factor} * {heads} * n * keys  # of the matrices
            flat = {size} * {factor} * {heads} * 2 * keys * d_k  # of keys and values
        """)
        both, bare = "", f"{size} * {factor} * {heads} * n * n"
    script.do(f"curves = np.array([square, flat{both}{f', {bare}' * state.windowed}])")
    return script.program("curves", NOT_MEASURED)


def _reach(state: CostState) -> Program:
    script = Script("cost", "What is left of a token at each distance back: 1 is all of it.")
    script.give(n=state.n, context=state.context, decay=state.decay)
    seen = f"min({state.window} - 1, n - 1)" if state.windowed else "n - 1"
    script.do(f"""
        names = ["bigram", "fixed context", "recurrent state", "self-attention"]
        back = np.arange(1, {FARTHEST + 1})
        left = np.stack([back <= 1, back <= context, decay ** back.astype(float), back <= {seen}])
        left = np.where(back < n, left, np.nan)  # there is nothing before the first token
    """)
    return script.program("left")


def _inputs(state: CostState) -> Program:
    picture = inputs_picture(state)
    script = Script("cost", "Two inputs through the same random layer.")
    for number, words in enumerate(picture.tokens, start=1):
        script.give(**{f"tokens_{number}": words})
        x, _ = token_embeddings(ToyRecipe(" ".join(words), d_model=TOY_WIDTH, heads=TOY_HEADS))
        script.give(**{f"x_{number}": x})
    script.give(d_model=TOY_WIDTH, heads=TOY_HEADS, seed=ToyRecipe().seed)
    script.do(SOFTMAX)
    script.do("""
        stream, gain, d_k = np.random.RandomState(seed), 1 / np.sqrt(d_model), d_model // heads
        w_q, w_k = (stream.randn(d_model, d_model) * gain for _ in range(2))
    """)
    script.do("""
        def first_head(x):
            q, k = x @ w_q[:, :d_k], x @ w_k[:, :d_k]
            return softmax(q @ k.T / np.sqrt(d_k))
    """)
    script.do("""
        def operations_of(n):  # projections, Q·Kᵀ, weights · V, W_O
            square = heads * 2 * n * d_k * n
            return 6 * n * d_model**2, square, square, 2 * n * d_model**2
    """)
    script.do("""
        operations = np.array([operations_of(len(tokens_1)), operations_of(len(tokens_2))])
        weights_1, weights_2 = first_head(x_1), first_head(x_2)
    """)
    return script.program("operations", BY_WORD)

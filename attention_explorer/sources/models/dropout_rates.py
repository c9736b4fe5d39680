"""At which rates a model was trained to leave numbers out, as its configuration says."""

from __future__ import annotations

from collections.abc import Mapping

from attention_explorer.errors import ArrayError
from attention_explorer.model.dropout import Dropout, DropoutPlace
from attention_explorer.sources.models.settings import Settings

_WAYS = DropoutPlace.ATTENTION, DropoutPlace.NETWORK
_PLACES: Mapping[str, tuple[DropoutPlace, ...]] = {
    "attention_probs_dropout_prob": (DropoutPlace.WEIGHTS,),
    "attn_pdrop": (DropoutPlace.WEIGHTS,),
    "attention_dropout": (DropoutPlace.WEIGHTS,),
    "hidden_dropout_prob": _WAYS,
    "hidden_dropout": _WAYS,
    "resid_pdrop": _WAYS,
    "dropout": _WAYS,
    "activation_dropout": (DropoutPlace.HIDDEN,),
    "mlp_dropout": (DropoutPlace.HIDDEN,),
    "dropout_rate": tuple(DropoutPlace),
}
"""Where the rate of a setting counts."""
_OTHERWISE: Mapping[str, Mapping[str, tuple[DropoutPlace, ...]]] = {
    "albert": {"hidden_dropout_prob": (DropoutPlace.ATTENTION,)},
    "distilbert": {"dropout": (DropoutPlace.NETWORK,)},
    "modernbert": {"attention_dropout": (DropoutPlace.WEIGHTS, DropoutPlace.ATTENTION)},
    "opt": {"activation_dropout": ()},
}
"""Where it counts elsewhere in models of a type."""


def dropout_of(settings: Settings) -> Dropout | None:
    """Return what a step of training leaves out of each layer; None where nothing is, or nothing is said of it.

    A rate that cannot be one says nothing: a model that is used needs none.
    """
    places = {**_PLACES, **_OTHERWISE.get(str(settings.peek("model_type")), {})}
    rates = {place.value: rate for name, all_ in places.items() for place in all_ if (rate := settings.peek(name))}
    try:
        found = Dropout(**rates)  # type: ignore[arg-type] # which it checks
    except ArrayError:
        return None
    return found if found.places else None

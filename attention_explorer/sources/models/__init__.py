"""Trained models on disk: Hugging Face folders and GGUF files, their tokenisers, and running them."""

from attention_explorer.model.transformer import Change
from attention_explorer.sources.models.loading import load_model
from attention_explorer.sources.models.model import Model
from attention_explorer.sources.models.tokeniser import Tokens
from attention_explorer.sources.models.trace import TopTokens, Trace

__all__ = ["Change", "Model", "Tokens", "TopTokens", "Trace", "load_model"]

"""The papers that the pages speak of, and where to read on: what the window about the program lists."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reference:
    """A paper, a post, a book or a video."""

    authors: str
    year: int
    title: str
    mention: str = ""
    """How a page speaks of it; empty for what is only worth reading."""

    @property
    def line(self) -> str:
        """The reference in one line."""
        return f"{self.authors} ({self.year}). <i>{self.title}.</i>"


PAPERS = (
    Reference("Vaswani et al.", 2017, "Attention Is All You Need", "Vaswani"),
    Reference("Su et al.", 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", "RoPE"),
    Reference(
        "Press et al.",
        2022,
        "Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation",
        "ALiBi",
    ),
    Reference(
        "Dao et al.",
        2022,
        "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness",
        "FlashAttention",
    ),
    Reference("Beltagy et al.", 2020, "Longformer: The Long-Document Transformer", "Longformer"),
    Reference("Jiang et al.", 2023, "Mistral 7B", "Mistral"),
    Reference("Abnar and Zuidema", 2020, "Quantifying Attention Flow in Transformers", "rollout"),
    Reference(
        "Kobayashi et al.",
        2020,
        "Attention is Not Only a Weight: Analyzing Transformers with Vector Norms",
        "Kobayashi",
    ),
    Reference("Elhage et al.", 2021, "A Mathematical Framework for Transformer Circuits", "Elhage"),
    Reference("Olsson et al.", 2022, "In-context Learning and Induction Heads", "induction"),
    Reference("He et al.", 2016, "Deep Residual Learning for Image Recognition", "residual"),
    Reference("Ba et al.", 2016, "Layer Normalization", "Layer norm"),
    Reference("Zhang and Sennrich", 2019, "Root Mean Square Layer Normalization", "RMS norm"),
    Reference("LeCun et al.", 1998, "Efficient BackProp", "LeCun"),
    Reference(
        "Glorot and Bengio",
        2010,
        "Understanding the Difficulty of Training Deep Feedforward Neural Networks",
        "Glorot",
    ),
    Reference(
        "He et al.",
        2015,
        "Delving Deep into Rectifiers: Surpassing Human-Level Performance on ImageNet Classification",
        "He et al. 2015",
    ),
    Reference("Hendrycks and Gimpel", 2016, "Gaussian Error Linear Units (GELUs)", "GELU"),
    Reference("Shazeer", 2020, "GLU Variants Improve Transformer", "SwiGLU"),
    Reference("Bengio et al.", 2003, "A Neural Probabilistic Language Model", "Bengio"),
    Reference("Radford et al.", 2019, "Language Models are Unsupervised Multitask Learners", "GPT-2"),
    Reference("Brown et al.", 2020, "Language Models are Few-Shot Learners", "GPT-3"),
)

TO_READ_ON = (
    Reference("Jay Alammar", 2018, "The Illustrated Transformer"),
    Reference("Andrej Karpathy", 2023, "Let’s build GPT: from scratch, in code, spelled out (a video)"),
    Reference("Zhang et al.", 2023, "Dive into Deep Learning, chapter Attention Mechanisms and Transformers"),
    Reference("Eli Bendersky", 2025, "Notes on implementing Attention"),
)

"""The papers that are cited, where to read on, and what the numbers of the program are, as the help says it."""

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

    link: str = ""
    """Where it is to be read."""

    @property
    def cited(self) -> str:
        """How it is cited: “Vaswani et al. (2017)”."""
        return f"{self.authors} ({self.year})"

    @property
    def line(self) -> str:
        """The reference in one line."""
        return f"{self.cited}. <i>{self.title}.</i>"


PAPERS = (
    Reference("Vaswani et al.", 2017, "Attention Is All You Need", "Vaswani", link="https://arxiv.org/abs/1706.03762"),
    Reference(
        "Su et al.",
        2021,
        "RoFormer: Enhanced Transformer with Rotary Position Embedding",
        "RoPE",
        link="https://arxiv.org/abs/2104.09864",
    ),
    Reference(
        "Barbero et al.",
        2025,
        "Round and Round We Go! What Makes Rotary Positional Encodings Useful?",
        "Barbero et al.",
        link="https://arxiv.org/abs/2410.06205",
    ),
    Reference(
        "Press et al.",
        2022,
        "Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation",
        "ALiBi",
        link="https://arxiv.org/abs/2108.12409",
    ),
    Reference(
        "Dao et al.",
        2022,
        "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness",
        "FlashAttention",
        link="https://arxiv.org/abs/2205.14135",
    ),
    Reference(
        "Beltagy et al.",
        2020,
        "Longformer: The Long-Document Transformer",
        "Longformer",
        link="https://arxiv.org/abs/2004.05150",
    ),
    Reference("Jiang et al.", 2023, "Mistral 7B", "Mistral", link="https://arxiv.org/abs/2310.06825"),
    Reference(
        "Clark et al.",
        2019,
        "What Does BERT Look At? An Analysis of BERT's Attention",
        "Clark et al.",
        link="https://arxiv.org/abs/1906.04341",
    ),
    Reference(
        "Meng et al.",
        2022,
        "Locating and Editing Factual Associations in GPT",
        "Meng et al.",
        link="https://arxiv.org/abs/2202.05262",
    ),
    Reference(
        "Wang et al.",
        2022,
        "Interpretability in the Wild: a Circuit for Indirect Object Identification in GPT-2 small",
        "Wang et al.",
        link="https://arxiv.org/abs/2211.00593",
    ),
    Reference(
        "Abnar and Zuidema",
        2020,
        "Quantifying Attention Flow in Transformers",
        "rollout",
        link="https://arxiv.org/abs/2005.00928",
    ),
    Reference(
        "Kobayashi et al.",
        2020,
        "Attention is Not Only a Weight: Analyzing Transformers with Vector Norms",
        "Kobayashi",
        link="https://arxiv.org/abs/2004.10102",
    ),
    Reference(
        "Elhage et al.",
        2021,
        "A Mathematical Framework for Transformer Circuits",
        "Elhage",
        link="https://transformer-circuits.pub/2021/framework/index.html",
    ),
    Reference(
        "Olsson et al.",
        2022,
        "In-context Learning and Induction Heads",
        "induction",
        link="https://arxiv.org/abs/2209.11895",
    ),
    Reference(
        "He et al.",
        2016,
        "Deep Residual Learning for Image Recognition",
        "residual",
        link="https://arxiv.org/abs/1512.03385",
    ),
    Reference(
        "Srivastava et al.",
        2014,
        "Dropout: A Simple Way to Prevent Neural Networks from Overfitting",
        "Dropout",
        link="https://jmlr.org/papers/v15/srivastava14a.html",
    ),
    Reference("Ba et al.", 2016, "Layer Normalization", "Layer norm", link="https://arxiv.org/abs/1607.06450"),
    Reference(
        "Zhang and Sennrich",
        2019,
        "Root Mean Square Layer Normalization",
        "RMS norm",
        link="https://arxiv.org/abs/1910.07467",
    ),
    Reference(
        "LeCun et al.", 1998, "Efficient BackProp", "LeCun", link="http://yann.lecun.com/exdb/publis/pdf/lecun-98b.pdf"
    ),
    Reference(
        "Glorot and Bengio",
        2010,
        "Understanding the Difficulty of Training Deep Feedforward Neural Networks",
        "Glorot",
        link="https://proceedings.mlr.press/v9/glorot10a.html",
    ),
    Reference(
        "He et al.",
        2015,
        "Delving Deep into Rectifiers: Surpassing Human-Level Performance on ImageNet Classification",
        "He et al. 2015",
        link="https://arxiv.org/abs/1502.01852",
    ),
    Reference(
        "Hendrycks and Gimpel",
        2016,
        "Gaussian Error Linear Units (GELUs)",
        "GELU",
        link="https://arxiv.org/abs/1606.08415",
    ),
    Reference("Shazeer", 2020, "GLU Variants Improve Transformer", "SwiGLU", link="https://arxiv.org/abs/2002.05202"),
    Reference(
        "Bengio et al.",
        2003,
        "A Neural Probabilistic Language Model",
        "Bengio",
        link="https://www.jmlr.org/papers/v3/bengio03a.html",
    ),
    Reference(
        "Radford et al.",
        2019,
        "Language Models are Unsupervised Multitask Learners",
        "GPT-2",
        link="https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf",
    ),
    Reference(
        "Brown et al.", 2020, "Language Models are Few-Shot Learners", "GPT-3", link="https://arxiv.org/abs/2005.14165"
    ),
    Reference(
        "Xu et al.",
        2015,
        "Show, Attend and Tell: Neural Image Caption Generation with Visual Attention",
        "Xu et al.",
        link="https://arxiv.org/abs/1502.03044",
    ),
    Reference(
        "Hinton et al.",
        2015,
        "Distilling the Knowledge in a Neural Network",
        "Hinton",
        link="https://arxiv.org/abs/1503.02531",
    ),
    Reference(
        "Shannon",
        1948,
        "A Mathematical Theory of Communication",
        "Shannon",
        link="https://doi.org/10.1002/j.1538-7305.1948.tb01338.x",
    ),
    Reference(
        "Xiao et al.",
        2023,
        "Efficient Streaming Language Models with Attention Sinks",
        "Xiao et al.",
        link="https://arxiv.org/abs/2309.17453",
    ),
    Reference("Zaheer et al.", 2017, "Deep Sets", "Zaheer", link="https://arxiv.org/abs/1703.06114"),
    Reference(
        "Devlin et al.",
        2019,
        "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
        "BERT",
        link="https://arxiv.org/abs/1810.04805",
    ),
    Reference(
        "Goodfellow et al.",
        2016,
        "Deep Learning (a book)",
        "Goodfellow",
        link="https://www.deeplearningbook.org/",
    ),
    Reference(
        "Shazeer",
        2019,
        "Fast Transformer Decoding: One Write-Head is All You Need",
        "Shazeer (2019)",
        link="https://arxiv.org/abs/1911.02150",
    ),
)

TO_READ_ON = (
    Reference(
        "Jay Alammar", 2018, "The Illustrated Transformer", link="https://jalammar.github.io/illustrated-transformer/"
    ),
    Reference(
        "Andrej Karpathy",
        2023,
        "Let’s build GPT: from scratch, in code, spelled out (a video)",
        link="https://www.youtube.com/watch?v=kCc8FmEb1nY",
    ),
    Reference(
        "Zhang et al.",
        2023,
        "Dive into Deep Learning, chapter Attention Mechanisms and Transformers",
        link="https://d2l.ai/chapter_attention-mechanisms-and-transformers/",
    ),
    Reference(
        "Eli Bendersky",
        2025,
        "Notes on implementing Attention",
        link="https://eli.thegreenplace.net/2025/notes-on-implementing-attention/",
    ),
)


NUMBERS = (
    (
        "What you see is what was computed",
        "Every number in a picture was computed by the program’s model layer, or measured on this machine. What is "
        "rounded on the screen has all its digits in the read-out, in copies and in exports.",
    ),
    (
        "Rows are queries",
        "In every map a row is a query and a column a key. The weights of a row add up to 1; those of a column need "
        "not.",
    ),
    (
        "Masked is not small",
        "A masked cell has a score of −∞ and a weight of exactly 0, and is drawn grey, which is not a colour of the "
        "bar. A row that sees nothing has weights of 0 and an output of 0.",
    ),
    (
        "Where weights come from",
        "The caption says whether they are random, made by hand, learned here, recorded from a trained model, or "
        "computed by one on this computer. Random heads mean nothing: they show how the arithmetic works.",
    ),
    (
        "Pictures that change the numbers",
        "Where a picture is normalised, clipped or on a log scale, a badge says so. The read-out has the raw number.",
    ),
    (
        "Digits",
        "What is random or made by hand is computed in float64, so that it matches a calculation on paper; what is "
        "learned or trained in float32. A tie of a hard lookup goes to the lowest index, and is shown.",
    ),
    (
        "Numbers that are typed",
        "Those in hints and in tutorials’ tables were typed, not computed. The table under Lab, Depth was measured "
        "with PyTorch.",
    ),
)
"""Headings, and what they say."""

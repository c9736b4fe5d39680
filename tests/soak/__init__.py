"""A clumsy user for hours: random but reproducible mouse and keys on the real window, and what must stay true.

``make soak ARGS="--seed 7 --minutes 10"`` runs it for long, `test_soak.py` for a moment.
"""

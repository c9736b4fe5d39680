"""Lessons in the window: the list, the card, what answers, and what plays them."""

"""Presenting, and lessons on paper, in the window."""

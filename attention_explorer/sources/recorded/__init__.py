"""Recorded attention: weights, queries and keys that others computed, from files."""

"""Attention that was learned here: tasks, and runs of tiny networks that learn them."""

"""A stack of layers that Layer and Lab show: what can be chosen of it, and its numbers."""

"""A stack of layers that Block and Lab show: what can be chosen of it, and its numbers."""

"""The Circuits page without its widgets: what can change, its numbers and its words."""

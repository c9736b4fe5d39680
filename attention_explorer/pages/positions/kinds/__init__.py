"""Positional encodings as the Positions page knows them, each a class in a file of its own."""

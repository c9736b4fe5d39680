"""The box of the search, and what it finds."""

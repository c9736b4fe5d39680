"""The Positions page."""

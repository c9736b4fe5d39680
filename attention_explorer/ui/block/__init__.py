"""The Block page."""

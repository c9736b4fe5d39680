"""The Lookup page."""

"""The Scaling page."""

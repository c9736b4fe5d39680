"""The Cost page."""

"""Widgets every page is made of."""

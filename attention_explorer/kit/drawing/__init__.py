"""Painting that several pictures share: marks, maps, charts and tables."""

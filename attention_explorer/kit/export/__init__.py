"""Figures and the files they become."""

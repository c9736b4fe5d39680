"""The state of the window and everything that is computed from it, without Qt."""

"""Showing pictures to a room, one scene after another, and lessons on paper."""

"""The Training page itself: its parts, pictures and player."""

"""What the Block page shows."""

"""What the Layer page shows."""

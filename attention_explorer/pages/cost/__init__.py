"""What the Cost page shows."""

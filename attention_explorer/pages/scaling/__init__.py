"""What the Scaling page shows."""

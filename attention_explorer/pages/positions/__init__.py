"""What the Positions page shows."""

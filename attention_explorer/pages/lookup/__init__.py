"""What the Lookup page shows."""

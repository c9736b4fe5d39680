"""The Training page: a tiny network learns a task, and its attention comes into being."""

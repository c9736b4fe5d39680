"""The Lab page: one slider and one large picture for each question."""

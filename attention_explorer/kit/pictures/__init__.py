"""The frame of a page with one large picture at a time."""

"""What every page is, the session that it shows, and the pages with one large picture at a time."""

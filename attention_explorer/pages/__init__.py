"""What each page shows, a folder a page, and the state that holds all of it."""

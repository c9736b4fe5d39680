"""The window with the program of the page on show."""

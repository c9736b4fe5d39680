"""One box in which presets, terms, pages, commands and lessons are found."""

"""Terms in the window: the card of one, the help, and their pictures."""

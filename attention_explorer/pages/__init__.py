"""The pages that are built by the plan of the new house: a folder each, with all that belongs to it."""

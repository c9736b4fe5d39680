"""Lessons: what is in their files, what their names mean, and whether an answer is right. No Qt in these modules."""

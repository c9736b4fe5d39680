"""The widgets of the Lab page."""

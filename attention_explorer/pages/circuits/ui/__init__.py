"""The widgets of the Circuits page."""

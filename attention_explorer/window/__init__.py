"""Everything with pixels: the window, its pages and the pictures on them."""

from attention_explorer.session import guard

guard.install()

"""What pages are made of, and knows none of them: controls, drawing, forms, charts, items in a scene, export."""

from attention_explorer.session import guard

guard.install()

"""What pages of the new house are made of: forms, charts and items that are placed in a scene."""

from attention_explorer.session import guard

guard.install()

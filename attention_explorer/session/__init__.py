"""What lives while the window is open: the current state, its history, and the stored settings. No widgets."""

from attention_explorer.session import guard

guard.install()

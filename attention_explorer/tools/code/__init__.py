"""What every page computes, as a short NumPy program with its own numbers, and what PyTorch does otherwise."""

"""The one frame of a page: bar, picture, panel, main quantity, and a drawer for everything else."""

"""What the command line does: a file for each command, with its options and its doing."""

"""What pictures are made of: items that lay themselves out, paint themselves, and say what is under the pointer."""

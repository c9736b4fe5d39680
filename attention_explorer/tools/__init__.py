"""What goes with every page: lessons, terms, search, presenting and code. They read states, fields and parts."""

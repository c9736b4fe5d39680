"""Everything with pixels: the window, its pages and the pictures on them."""

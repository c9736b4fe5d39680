"""Where attention comes from: the toy model, the heads made by hand, and the tutorials' worked examples.

A source hands out layers; a layer hands out one attention map a head, which computes what is looked at.
"""

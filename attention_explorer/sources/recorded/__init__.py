"""Recorded attention: weights, queries and keys that others computed, from .npy, .npz and .safetensors files.

`open_arrays` lists what a file holds, `contents_of` tells what is what, `guess_axes` which axis is which, and
`layers_of` hands out the heads. Files are read where they lie, and nothing is taken on their word.
"""

from attention_explorer.sources.recorded.agreement import Agreement, judged, largest_difference
from attention_explorer.sources.recorded.array_file import ArrayFile
from attention_explorer.sources.recorded.axes import AxesGuess, check_axes, examine_axes, guess_axes
from attention_explorer.sources.recorded.axes_sample import RowSums
from attention_explorer.sources.recorded.contents import Contents, contents_of
from attention_explorer.sources.recorded.fingerprint import FileReference, change_since, reference_to, whole_digest
from attention_explorer.sources.recorded.head_array import HeadArray
from attention_explorer.sources.recorded.heads import RecordedHead, check_tokens, layers_of
from attention_explorer.sources.recorded.opening import open_arrays
from attention_explorer.sources.recorded.pieces import readable_piece
from attention_explorer.sources.recorded.stored_array import StoredArray

__all__ = [
    "Agreement",
    "ArrayFile",
    "AxesGuess",
    "Contents",
    "FileReference",
    "HeadArray",
    "RecordedHead",
    "RowSums",
    "StoredArray",
    "change_since",
    "check_axes",
    "check_tokens",
    "contents_of",
    "examine_axes",
    "guess_axes",
    "judged",
    "largest_difference",
    "layers_of",
    "open_arrays",
    "readable_piece",
    "reference_to",
    "whole_digest",
]

"""What the files of some numbers hold, as tests read them."""

from __future__ import annotations

import io

from attention_explorer.core import numbers_files
from attention_explorer.core.numbers_export import Numbers


def csv_text(numbers: Numbers) -> str:
    return _written(numbers_files.write_csv, numbers).decode()


def json_text(numbers: Numbers) -> str:
    return _written(numbers_files.write_json, numbers).decode()


def npy_bytes(numbers: Numbers) -> bytes:
    return _written(numbers_files.write_npy, numbers)


def npz_bytes(numbers: Numbers) -> bytes:
    return _written(numbers_files.write_npz, numbers)


def _written(write, numbers: Numbers) -> bytes:
    file = io.BytesIO()
    write(numbers, file, lambda _fraction: None)
    return file.getvalue()

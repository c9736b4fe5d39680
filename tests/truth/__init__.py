"""Is the model layer right? Every public name of it, over random shapes, types and masks: ``python -m tests.truth``.

Each is compared with an independent method (explicit loops in long doubles, or whole numbers), with the numbers in
``tests/data`` where there are some, and with PyTorch where it is installed. A line of the table is one name and one
of those three; a deviation is measured in ulp: units in the last place of the largest number of the array it is in.
A check is a generator in a ``check_*.py`` that says with `checks` whose it is; a name without one fails a test.
"""

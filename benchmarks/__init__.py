"""How long a person waits, and how much of that anybody would have to wait: ``python -m benchmarks [suite …]``.

Every time is a median, taken in turns with what it is compared with, because other programs run on the machine too.
An aim that is missed is printed, never raised: nothing here fails because a computer is slow.
"""

import os

# One thread for matrix products, set before NumPy is loaded: two that wait for each other beside another busy program
# made them twenty times slower, and all that was measured was that program.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
